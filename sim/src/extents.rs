//! How far a launch reaches: which bytes of each buffer and of shared memory it comes to. For finding out how large a
//! kernel's buffers must be.

use crate::error::Error;
use crate::event::{LaunchInfo, MemoryEvent, MemoryKind, Observer};
use crate::findings::FindingKind;
use crate::ir::inst::Pc;
use crate::ir::layout::{BUFFER_STRIDE, BUFFERS_BASE};
use crate::lanes::lanes_of;
use crate::launch::{Launch, buffer_address};
use crate::module::Module;
use crate::observed::{Observed, run_observed};
use crate::options::Options;

/// What a launch comes to of one buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes from the beginning of the buffer to the end of the last access. May be more than the buffer has.
    pub end: u64,
    /// Whether something lies before the beginning.
    pub before: bool,
    /// Whether it is read.
    pub loaded: bool,
    /// Whether it is written.
    pub stored: bool,
    /// Whether atomics change it.
    pub updated: bool,
}

/// What a launch comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extents {
    /// One for each buffer among the arguments, in their order.
    pub buffers: Vec<Extent>,
    /// Bytes of dynamic shared memory that a block comes to.
    pub shared_dynamic: u64,
    /// Warp-instructions that were executed.
    pub executed: u64,
    /// What kept the launch from its end, if something did.
    pub ended_by: Option<FindingKind>,
}

/// Runs a launch without counting or checking, and tells what it comes to.
///
/// # Errors
/// As [`simulate`](crate::simulate).
pub fn extents(module: &Module, kernel: &str, launch: &Launch, options: &Options) -> Result<Extents, Error> {
    let Observed { observer, findings } = run_observed(module, kernel, launch, options, Reach::of, Reach::merge)?;
    let ended_by = findings.iter().map(|finding| finding.kind).find(|kind| kind.ends_launch());
    Ok(Extents {
        buffers: observer.buffers,
        shared_dynamic: observer.shared.saturating_sub(observer.shared_static),
        executed: observer.executed,
        ended_by,
    })
}

/// The observer.
#[derive(Debug, Clone, Default)]
struct Reach {
    buffers: Vec<Extent>,
    shared: u64,
    shared_static: u64,
    executed: u64,
}

impl Reach {
    fn of(launch: &LaunchInfo<'_>) -> Self {
        let program = launch.program;
        Self {
            buffers: vec![Extent::default(); launch.global.buffers().len()],
            shared_static: program.shared_static.next_multiple_of(program.shared_align),
            ..Self::default()
        }
    }

    fn merge(&mut self, later: Self) {
        for (all, other) in self.buffers.iter_mut().zip(later.buffers) {
            all.end = all.end.max(other.end);
            all.before |= other.before;
            all.loaded |= other.loaded;
            all.stored |= other.stored;
            all.updated |= other.updated;
        }
        self.shared = self.shared.max(later.shared);
        self.executed += later.executed;
    }
}

impl Observer for Reach {
    type Held = ();

    fn instruction(&mut self, _pc: Pc, _active: u32) {
        self.executed += 1;
    }

    fn straight(&mut self, _pc: Pc, length: usize, _active: u32) {
        self.executed += length as u64;
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        let width = u64::from(event.width);
        match event.kind {
            MemoryKind::LocalLoad | MemoryKind::LocalStore => {}
            MemoryKind::SharedLoad
            | MemoryKind::SharedStore
            | MemoryKind::SharedAtomic(_)
            | MemoryKind::SharedLoopLoad
            | MemoryKind::SharedAttempt
            | MemoryKind::SharedCopy => {
                for lane in lanes_of(event.active) {
                    self.shared = self.shared.max(event.addresses[lane as usize].saturating_add(width));
                }
            }
            kind => {
                for lane in lanes_of(event.active) {
                    let Some(behind) = event.addresses[lane as usize].checked_sub(BUFFERS_BASE - BUFFER_STRIDE / 2)
                    else {
                        continue;
                    };
                    let Some(extent) = self.buffers.get_mut((behind / BUFFER_STRIDE) as usize) else { continue };
                    // The half of a stride before a buffer belongs to it, too.
                    match (behind % BUFFER_STRIDE).checked_sub(BUFFER_STRIDE / 2) {
                        Some(offset) => extent.end = extent.end.max(offset + width),
                        None => extent.before = true,
                    }
                    match kind {
                        MemoryKind::GlobalLoad | MemoryKind::GlobalCopy => extent.loaded = true,
                        MemoryKind::GlobalStore => extent.stored = true,
                        _ => extent.updated = true,
                    }
                }
            }
        }
    }
}

/// Buffers lie where addresses say so.
const _: () = assert!(buffer_address(1) - buffer_address(0) == BUFFER_STRIDE && BUFFERS_BASE >= BUFFER_STRIDE / 2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Arg, Dim3, Scalar};

    const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 tile[];\n\
        .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<6>;\n\
        .reg .b64 %rd<8>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u32 %r1, [n];\n\
        mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n\
        setp.ge.u32 %p1, %r2, %r1;\n@%p1 ret;\nld.global.f32 %r3, [%rd4+8];\nst.global.u32 [%rd5], %r3;\n\
        mov.u32 %r4, tile;\nst.shared.u32 [%r4+12], %r3;\nret;\n}\n";

    fn reach(n: u32) -> Extents {
        let module = Module::parse("k.ptx", KERNEL).unwrap();
        let args = vec![Arg::Zeros(1 << 20), Arg::Zeros(4), Arg::Scalar(Scalar::U32(n))];
        let launch = Launch { grid: Dim3::linear(2), block: Dim3::linear(64), shared_bytes: 1024, args };
        extents(&module, "k", &launch, &Options::default()).unwrap()
    }

    #[test]
    fn the_ends_of_what_is_accessed_are_told() {
        let reached = reach(10);
        let read = Extent { end: 48, loaded: true, ..Extent::default() };
        let written = Extent { end: 40, stored: true, ..Extent::default() };
        assert_eq!((reached.buffers, reached.shared_dynamic, reached.ended_by), (vec![read, written], 16, None));
        assert_eq!(reach(0).buffers, [Extent::default(); 2]);
    }
}
