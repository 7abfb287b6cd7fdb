//! What a GPU counts in any work: the program writes PTX, launches and buffers to a folder and starts itself under `ncu`
//! with the subcommand [`CHILD_SUBCOMMAND`], which does nothing but call [`child`].

use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

use sim::report::Metrics;

use super::ncu;
use super::profile::{Measured, Plan};
use crate::gpu::{Gpu, GpuError, Work};
use crate::ncu::{Ncu, NcuError};

/// The hidden subcommand under which the program profiles itself: `launch-work FOLDER --gpu ORDINAL`.
pub const CHILD_SUBCOMMAND: &str = "launch-work";

/// The file of the launches in the folder.
const WORK: &str = "work.json";
/// The file of the kernels in the folder.
const PTX: &str = "kernels.ptx";

/// Why work was not profiled.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// `ncu` is missing or failed.
    #[error(transparent)]
    Ncu(#[from] NcuError),
    /// The GPU is missing or failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The folder in which the work is handed over cannot be written or read.
    #[error("the folder in which work is handed to the profiled program fails: {0}")]
    Folder(#[from] io::Error),
}

impl WorkError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Ncu(_) => 3,
            Self::Gpu(error) => error.exit_code(),
            Self::Folder(_) => 2,
        }
    }
}

/// The exact counters of each work, all of its launches together, and a note when some could not be counted. `program`
/// is this program, and `gpu` the number of the GPU, which nobody else uses meanwhile.
///
/// # Errors
/// [`WorkError`].
pub fn profile(
    tool: &Ncu,
    program: &Path,
    gpu: u32,
    ptx: &str,
    works: &[Work],
) -> Result<(Vec<Metrics>, Option<String>), WorkError> {
    let folder = tempfile::Builder::new().prefix("warpbook-work-").tempdir()?;
    write(folder.path(), ptx, works)?;
    let line: [OsString; 5] =
        [program.into(), CHILD_SUBCOMMAND.into(), folder.path().into(), "--gpu".into(), gpu.to_string().into()];
    let plans: Vec<Plan> = works.iter().map(Plan::of_work).collect();
    let (measured, note) = ncu::profile(tool, &line, &plans)?;
    Ok((measured.iter().map(|launches| sum(launches)).collect(), note))
}

/// Launches the work of a folder once and in order, and looks at nothing: what `ncu` profiles.
///
/// # Errors
/// [`WorkError`] when the folder cannot be read or the GPU fails.
pub fn child(folder: &Path, gpu: u32) -> Result<(), WorkError> {
    let (ptx, works) = read(folder)?;
    let gpu = Gpu::open(gpu)?;
    let kernels = gpu.load(&ptx)?;
    for work in &works {
        kernels.run(work)?;
    }
    Ok(())
}

/// The counters of all launches together. One that some launch does not have is none of the sum.
fn sum(launches: &[Measured]) -> Metrics {
    let mut launches = launches.iter().map(|launch| &launch.exact);
    let mut sum = launches.next().cloned().unwrap_or_default();
    for launch in launches {
        sum.retain(|metric, _| launch.contains_key(metric));
        for (metric, value) in &mut sum {
            *value += launch.get(metric).copied().unwrap_or(0);
        }
    }
    sum
}

/// The file of a buffer's content.
fn content_file(work: usize, buffer: usize) -> String {
    format!("{work}.{buffer}.bin")
}

fn write(folder: &Path, ptx: &str, works: &[Work]) -> io::Result<()> {
    fs::write(folder.join(PTX), ptx)?;
    for (at, work) in works.iter().enumerate() {
        for (index, memory) in work.buffers.iter().enumerate() {
            fs::write(folder.join(content_file(at, index)), &*memory.content)?;
        }
    }
    fs::write(folder.join(WORK), serde_json::to_string(works)?)
}

fn read(folder: &Path) -> io::Result<(String, Vec<Work>)> {
    let mut works: Vec<Work> = serde_json::from_str(&fs::read_to_string(folder.join(WORK))?)?;
    for (at, work) in works.iter_mut().enumerate() {
        for (index, memory) in work.buffers.iter_mut().enumerate() {
            memory.content = fs::read(folder.join(content_file(at, index)))?.into();
        }
    }
    Ok((fs::read_to_string(folder.join(PTX))?, works))
}

#[cfg(test)]
mod tests {
    use sim::{Arg, Dim3, Launch};

    use super::*;

    fn works() -> Vec<Work> {
        let launch = |bytes: u64, content: Vec<u8>| Launch {
            grid: Dim3::linear(2),
            block: Dim3::linear(64),
            shared_bytes: 0,
            args: vec![
                Arg::Address { argument: 2, offset: 4 },
                Arg::Bytes(vec![3, 0, 0, 0]),
                Arg::Memory { name: "buffer `out`".to_owned(), bytes, content: content.into(), written: true },
            ],
        };
        let mut works = vec![Work::new("one block"), Work::new("many blocks")];
        works[0].push("k", &launch(16, vec![1, 2, 3]), 1).unwrap();
        works[1].push("k", &launch(0, vec![]), 1).unwrap();
        works[1].push("l", &launch(0, vec![]), 1).unwrap();
        works
    }

    #[test]
    fn work_is_handed_over_whole() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ".version 9.0", &works()).unwrap();
        let (ptx, read) = read(folder.path()).unwrap();
        assert_eq!((&*ptx, &read), (".version 9.0", &works()));
        assert_eq!(&*read[0].buffers[0].content, [1, 2, 3]);
    }

    #[test]
    fn a_child_without_work_or_without_a_gpu_says_so() {
        let error = child(Path::new("/no/such/folder"), 0).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
        if !crate::gpu::driver_is_here() {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), "", &works()).unwrap();
            assert_eq!(child(folder.path(), 0).unwrap_err().exit_code(), 3);
        }
    }

    #[test]
    fn counters_of_launches_are_added() {
        let launch = |pairs: &[(&str, u64)]| Measured {
            exact: pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            context: Metrics::new(),
        };
        let sum = sum(&[launch(&[("a", 1), ("b", 5)]), launch(&[("a", 2)])]);
        assert_eq!(sum, Metrics::from([("a".to_owned(), 3)]), "b is missing in one launch");
    }
}
