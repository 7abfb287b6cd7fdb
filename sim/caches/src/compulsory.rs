//! What any kernel with the inputs and outputs of a launch must move: the compulsory memory traffic, and the least time that it
//! takes on the target.
//!
//! A sector is an *input* if every group of blocks that touches it reads it before writing it, and an *output* if the launch
//! writes it. That errs on the side of a smaller bound in two ways: a sector of which one part is written before another
//! part is read does not count as an input, and neither does one that is only updated by atomics. It errs on the other
//! side in one: buffers in which blocks pass sums to each other are outputs, since the launch leaves them in memory, and
//! another kernel may do without them.
//!
//! The least time is that of an empty launch, and of these bytes at the highest rate at which memory was measured on the
//! target, since no kernel that `warpbook calibrate` measures moves bytes faster (S. Williams, A. Waterman, D. Patterson:
//! Roofline, CACM 52 (2009) 4, where the compulsory misses bound the arithmetic intensity in the same way).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sim::event::{AccessEvent, AccessKind, Observer};
use sim::ir::inst::Space;
use sim::predict::rates::Rates;
use sim::report::Report;
use sim::target::Target;
use sim::{Error, Launch, Module, Observed, Options, run_observed, target};

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
/// Sectors of a page of bits.
const PAGE: u64 = 64;

/// The sectors of global memory that a launch asks for, each request by itself: loads, stores, atomics and reductions.
pub const ASKED: [&str; 4] = [
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
];

/// The sectors of global memory that a launch asks for. Bulk copies are not among them: no counter of L1 sees those.
pub fn asked(report: &Report) -> u64 {
    ASKED.iter().map(|counter| report.metric(counter)).sum()
}

/// The least time on a target in which inputs and outputs of `bytes` bytes can be moved: microseconds of an empty launch, and
/// microseconds of the bytes at the highest rate of memory.
#[allow(clippy::cast_precision_loss, reason = "microseconds for people")]
pub fn least_us(target: &Target, bytes: u64) -> (f64, f64) {
    let (rates, _) = Rates::of(target);
    let fastest = rates.dram_read_bytes.max(rates.dram_write_bytes).max(rates.dram_mixed_bytes);
    (rates.launch_us, bytes as f64 / (fastest * rates.clock_mhz))
}

/// What a launch must move between memory and the GPU, and the least time for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LowerBound {
    /// Sectors of 32 bytes that the launch reads before it writes them.
    pub read_sectors: u64,
    /// Sectors that it writes.
    pub written_sectors: u64,
    /// Microseconds of an empty launch on the target.
    pub launch_us: f64,
    /// Microseconds that these sectors take at the highest rate of memory.
    pub memory_us: f64,
}

impl LowerBound {
    /// Bytes of all these sectors.
    pub const fn bytes(&self) -> u64 {
        (self.read_sectors + self.written_sectors) * SECTOR
    }

    /// The least time in microseconds.
    pub const fn us(&self) -> f64 {
        self.launch_us + self.memory_us
    }

    /// For a terminal, beside what a report says of the launch.
    pub fn text_beside(&self, report: &Report) -> String {
        self.text(asked(report), report.prediction.as_ref().map(|prediction| prediction.us))
    }

    /// For a terminal, beside what the launch does: the sectors of global memory that it asks for, and its predicted time in
    /// microseconds, if there is one.
    fn text(&self, sectors: u64, predicted_us: Option<f64>) -> String {
        let least = self.read_sectors + self.written_sectors;
        let mut text = format!(
            "lower bound for any kernel with these inputs and outputs\n  \
             reads  {:>12} sectors that the launch has not written\n  \
             writes {:>12} sectors\n  \
             time   {:>12.2} µs: an empty launch {:.2} µs, {} bytes {:.2} µs\n",
            self.read_sectors,
            self.written_sectors,
            self.us(),
            self.launch_us,
            self.bytes(),
            self.memory_us,
        );
        if least > 0 {
            text += &format!(
                "  this launch asks for {sectors} sectors, {:.2} times the least",
                sectors as f64 / least as f64
            );
            match predicted_us {
                Some(us) => text += &format!("; its predicted time is {:.2} times the least\n", us / self.us()),
                None => text.push('\n'),
            }
        }
        text
    }
}

/// What happened to the sectors of a page: a bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Page {
    /// Read by a load.
    read: u64,
    /// Written by a store or an atomic.
    written: u64,
    /// Written before it was read, by one group of blocks at least.
    written_first: u64,
}

/// Marks the sectors of global memory that blocks touch.
#[derive(Debug, Default)]
struct Traffic {
    pages: BTreeMap<u64, Page>,
}

impl Traffic {
    /// A lane accesses `bytes` bytes at `address`.
    fn touch(&mut self, address: u64, bytes: u64, kind: AccessKind) {
        let last = address.saturating_add(bytes.max(1) - 1) / SECTOR;
        for sector in address / SECTOR..=last {
            let page = self.pages.entry(sector / PAGE).or_default();
            let bit = 1 << (sector % PAGE);
            match kind {
                AccessKind::Load => page.read |= bit,
                AccessKind::Store | AccessKind::Atomic => {
                    page.written_first |= bit & !page.read;
                    page.written |= bit;
                }
            }
        }
    }

    /// Adds what other blocks did. Which of both came first nobody knows.
    fn merge(&mut self, other: Self) {
        for (at, theirs) in other.pages {
            let page = self.pages.entry(at).or_default();
            page.read |= theirs.read;
            page.written |= theirs.written;
            page.written_first |= theirs.written_first;
        }
    }

    /// Sectors that are inputs, and sectors that are outputs.
    fn sectors(&self) -> (u64, u64) {
        let count = |bits: fn(&Page) -> u64| self.pages.values().map(|page| u64::from(bits(page).count_ones())).sum();
        (count(|page| page.read & !page.written_first), count(|page| page.written))
    }
}

impl Observer for Traffic {
    const CHECKS: bool = true;

    type Held = ();

    fn access(&mut self, event: &AccessEvent<'_>) {
        if event.space != Space::Global {
            return;
        }
        let bytes = u64::from(event.bytes) * u64::from(event.parts);
        for lane in (0..32).filter(|lane| event.lanes >> lane & 1 == 1) {
            let address = event.addresses[lane];
            // What misses every allocation is a fault, and nobody's input.
            if (event.allocation)(address).is_some() {
                self.touch(address, bytes, event.kind);
            }
        }
    }
}

/// The lower bound of a launch. The launch is executed once more for it, as a whole.
///
/// # Errors
/// As [`sim::simulate`].
pub fn of(module: &Module, kernel: &str, launch: &Launch, options: &Options) -> Result<LowerBound, Error> {
    let target = target::find(&options.target)
        .ok_or_else(|| Error::input(format!("there is no target `{}`", options.target)))?;
    let merge = |sum: &mut Traffic, later: Traffic| sum.merge(later);
    let Observed { observer, .. } = run_observed(module, kernel, launch, options, |_| Traffic::default(), merge)?;
    let (read_sectors, written_sectors) = observer.sectors();
    let (launch_us, memory_us) = least_us(target, (read_sectors + written_sectors) * SECTOR);
    Ok(LowerBound { read_sectors, written_sectors, launch_us, memory_us })
}

#[cfg(test)]
mod tests {
    use sim::{Arg, Dim3};

    use super::*;

    /// 256 threads a block, each with its own word of `a` and `b` at `%rd4` and `%rd5`.
    fn bound(body: &str, blocks: u32) -> LowerBound {
        let ptx = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{{\n\
             .reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nmov.u32 %r1, %tid.x;\n\
             mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 256, %r1;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd4, %rd1, %rd3;\n\
             add.u64 %rd5, %rd2, %rd3;\n{body}\nret;\n}}\n"
        );
        let module = Module::parse("k.ptx", &ptx).unwrap();
        let bytes = u64::from(blocks) * 1024;
        let args = vec![Arg::Zeros(bytes), Arg::Zeros(bytes)];
        let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(256), shared_bytes: 0, args };
        of(&module, "k", &launch, &Options::default()).unwrap()
    }

    fn sectors(body: &str, blocks: u32) -> (u64, u64) {
        let bound = bound(body, blocks);
        (bound.read_sectors, bound.written_sectors)
    }

    #[test]
    fn a_copy_reads_and_writes_every_sector_once() {
        assert_eq!(sectors("ld.global.u32 %r4, [%rd4];\nst.global.u32 [%rd5], %r4;", 300), (300 * 32, 300 * 32));
    }

    #[test]
    fn what_is_read_again_counts_once() {
        let twice = "ld.global.u32 %r4, [%rd4];\nld.volatile.global.u32 %r5, [%rd4];\nadd.u32 %r4, %r4, %r5;\nst.global.u32 [%rd5], %r4;";
        assert_eq!(sectors(twice, 8), (8 * 32, 8 * 32));
    }

    #[test]
    fn an_update_in_place_is_input_and_output() {
        let update = "ld.global.u32 %r4, [%rd4];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd4], %r4;";
        // Warps of a block come one after the other to their own sectors.
        assert_eq!(sectors(update, 8), (8 * 32, 8 * 32));
    }

    #[test]
    fn what_the_launch_writes_first_is_no_input() {
        let own = "st.global.u32 [%rd5], %r1;\nld.volatile.global.u32 %r4, [%rd5];\nst.global.u32 [%rd4], %r4;";
        assert_eq!(sectors(own, 8), (0, 2 * 8 * 32));
    }

    #[test]
    fn lanes_at_a_stride_need_whole_sectors() {
        // Every eighth word: a sector for each lane, in an eighth of the threads' range per block.
        let strided = "setp.ge.u32 %p1, %r1, 32;\n@%p1 ret;\nmul.wide.u32 %rd6, %r1, 32;\nadd.u64 %rd7, %rd1, %rd6;\n\
                       ld.global.u32 %r4, [%rd7];\nst.global.u32 [%rd5], %r4;";
        let strided = format!(".reg .pred %p<2>;\n{strided}");
        assert_eq!(sectors(&strided, 1), (32, 4));
    }

    #[test]
    fn the_least_time_is_an_empty_launch_and_the_bytes() {
        let bound = bound("ld.global.u32 %r4, [%rd4];\nst.global.u32 [%rd5], %r4;", 300);
        let (rates, _) = Rates::of(target::find("h200").unwrap());
        let fastest = rates.dram_read_bytes.max(rates.dram_write_bytes).max(rates.dram_mixed_bytes) * rates.clock_mhz;
        assert_eq!(bound.bytes(), 2 * 300 * 1024);
        assert!((bound.us() - rates.launch_us - bound.bytes() as f64 / fastest).abs() < 1e-9);
        let text = bound.text(2 * bound.read_sectors, Some(2.0 * bound.us()));
        assert!(
            text.contains("asks for 19200 sectors, 1.00 times the least; its predicted time is 2.00 times"),
            "{text}"
        );
    }
}
