//! What runs on a GPU, of whatever kernel: memory and launches, with the addresses that are only known on the GPU.

use serde::{Deserialize, Serialize};
use sim::{Arg, Content};

use super::error::GpuError;
use super::launch::{Shape, Step};

/// Memory and launches that share it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// What messages call it.
    pub name: String,
    /// Device memory. It outlives the launches.
    pub buffers: Vec<Memory>,
    /// The launches, in order.
    pub launches: Vec<WorkLaunch>,
}

/// A piece of device memory before the first launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// What messages call it.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The first bytes; the rest is zero.
    #[serde(skip)]
    pub content: Content,
    /// False for memory that is left as the driver gives it. Then there is no content.
    pub written: bool,
}

/// One launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkLaunch {
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The launch's shape.
    pub shape: Shape,
    /// What is passed, in the order of the kernel's parameters.
    pub args: Vec<Value>,
}

/// What a launch passes for one parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// These bytes.
    Bytes(Vec<u8>),
    /// An address in one of the buffers.
    Address {
        /// Which, from 0.
        buffer: usize,
        /// Bytes behind its beginning.
        offset: u64,
    },
}

impl Work {
    /// Work without launches.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), buffers: Vec::new(), launches: Vec::new() }
    }

    /// Adds a launch as the simulator gets it. The first `shared` buffers of its list are, in their order, those of the
    /// launches before it, as these leave them; what stands behind them is the launch's own.
    ///
    /// # Errors
    /// [`GpuError::Launch`] when its buffers are not those of the launches before, or an address is in none of them.
    pub fn push(&mut self, kernel: &str, launch: &sim::Launch, shared: usize) -> Result<(), GpuError> {
        let mut places = Vec::new();
        let (mut next, own) = (0, self.buffers.len().saturating_sub(shared));
        for arg in &launch.args {
            places.push(Memory::of(arg).map(|memory| {
                next += 1;
                (if next <= shared { next - 1 } else { next - 1 + own }, memory)
            }));
        }
        let address = |argument: usize, offset: u64| match places.get(argument) {
            Some(Some((buffer, _))) => Ok(Value::Address { buffer: *buffer, offset }),
            _ => Err(GpuError::Launch(format!("`{kernel}` is passed an address in argument {argument}, no buffer"))),
        };
        let mut args = Vec::new();
        for (index, arg) in launch.args.iter().enumerate() {
            args.push(match arg {
                Arg::Scalar(scalar) => Value::Bytes(scalar.to_bytes()),
                Arg::Bytes(bytes) => Value::Bytes(bytes.clone()),
                Arg::Buffer(_) | Arg::Zeros(_) | Arg::Uninit(_) => address(index, 0)?,
                Arg::Address { argument, offset } => address(*argument, *offset)?,
                // It stands behind the arguments.
                Arg::Memory { .. } => continue,
            });
        }
        for (at, memory) in places.into_iter().flatten() {
            match self.buffers.get(at) {
                None => self.buffers.push(memory),
                Some(own) if own.bytes == memory.bytes => {}
                Some(own) => {
                    return Err(GpuError::Launch(format!(
                        "`{kernel}` takes {} bytes where the launch before it has {} bytes of {}",
                        memory.bytes, own.bytes, own.name
                    )));
                }
            }
        }
        let shape = Shape { grid: launch.grid, block: launch.block, shared_bytes: launch.shared_bytes };
        self.launches.push(WorkLaunch { kernel: kernel.to_owned(), shape, args });
        Ok(())
    }

    /// Its kernels, each once, for messages.
    pub(super) fn kernels(&self) -> String {
        let mut kernels: Vec<&str> = self.launches.iter().map(|launch| &*launch.kernel).collect();
        kernels.dedup();
        kernels.join(", ")
    }
}

impl GpuError {
    /// A step passes a buffer that is none.
    pub fn no_buffer(step: &Step, name: &str) -> Self {
        Self::Launch(format!("`{}` is passed `{name}`, which is no buffer", step.kernel))
    }
}

impl Memory {
    /// The memory that an argument brings along, if it is some.
    pub fn of(arg: &Arg) -> Option<Self> {
        let (name, bytes, content, written) = match arg {
            Arg::Buffer(content) => ("a buffer", content.len() as u64, content.clone(), true),
            Arg::Zeros(bytes) => ("a buffer", *bytes, Content::default(), true),
            Arg::Uninit(bytes) => ("a buffer", *bytes, Content::default(), false),
            // What nobody has written may hold something all the same, so that an element is known that stays unwritten.
            Arg::Memory { name, bytes, content, written } => {
                (&**name, *bytes, content.clone(), *written || !content.is_empty())
            }
            Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => return None,
        };
        Some(Self { name: name.to_owned(), bytes, content, written })
    }
}

#[cfg(test)]
mod tests {
    use sim::{Dim3, Scalar};

    use super::*;

    fn launch(args: Vec<Arg>) -> sim::Launch {
        sim::Launch { grid: Dim3::linear(3), block: Dim3::new(8, 4, 1), shared_bytes: 16, args }
    }

    fn memory_of(name: &str, bytes: u64, content: Vec<u8>, written: bool) -> Arg {
        Arg::Memory { name: name.to_owned(), bytes, content: content.into(), written }
    }

    #[test]
    fn addresses_find_their_buffers_behind_the_arguments() {
        let mut work = Work::new("case");
        let args = vec![
            Arg::Address { argument: 4, offset: 12 },
            Arg::Bytes(vec![1, 2]),
            Arg::Scalar(Scalar::I32(-1)),
            memory_of("in", 8, vec![5; 8], true),
            memory_of("out", 64, vec![], false),
        ];
        work.push("first", &launch(args), 9).unwrap();
        let args = vec![Arg::Address { argument: 1, offset: 0 }, memory_of("in", 8, vec![], true)];
        work.push("second", &launch(args), 9).unwrap();
        assert_eq!(work.buffers.len(), 2, "the second launch has the first one's memory");
        assert_eq!((&*work.buffers[0].content, work.buffers[0].written), (&[5u8; 8][..], true));
        assert_eq!((&*work.buffers[1].name, work.buffers[1].bytes, work.buffers[1].written), ("out", 64, false));
        let [first, second] = &work.launches[..] else { panic!("two launches") };
        let address = |buffer, offset| Value::Address { buffer, offset };
        assert_eq!(first.args, [address(1, 12), Value::Bytes(vec![1, 2]), Value::Bytes(vec![255; 4])]);
        assert_eq!(second.args, [address(0, 0)]);
        assert_eq!((first.shape.grid.x, first.shape.block.y, first.shape.shared_bytes), (3, 4, 16));
        assert_eq!(work.kernels(), "first, second");
    }

    #[test]
    fn a_launchs_own_buffers_are_no_others() {
        let mut work = Work::new("case");
        let args = |own: u64| {
            let address = |argument| Arg::Address { argument, offset: 0 };
            vec![address(2), address(3), memory_of("all", 8, vec![], true), memory_of("own", own, vec![], true)]
        };
        work.push("first", &launch(args(16)), 1).unwrap();
        work.push("second", &launch(args(32)), 1).unwrap();
        assert_eq!(work.buffers.iter().map(|memory| memory.bytes).collect::<Vec<_>>(), [8, 16, 32]);
        let address = |buffer| Value::Address { buffer, offset: 0 };
        assert_eq!(work.launches[1].args, [address(0), address(2)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut work = Work::new("case");
        let error = work.push("k", &launch(vec![Arg::Address { argument: 1, offset: 0 }, Arg::Bytes(vec![0])]), 1);
        assert!(error.unwrap_err().to_string().contains("no buffer"));
        work.push("k", &launch(vec![Arg::Zeros(4)]), 1).unwrap();
        let error = work.push("k", &launch(vec![Arg::Zeros(8)]), 1).unwrap_err();
        assert_eq!((error.exit_code(), error.to_string().contains("8 bytes where")), (2, true), "{error}");
    }
}
