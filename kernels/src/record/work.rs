//! What a GPU counts in any work: the program writes PTX, launches and buffers to a folder and starts itself under `ncu`
//! with the subcommand [`CHILD_SUBCOMMAND`], which does nothing but call [`child`]. What many files have to do goes into numbered
//! folders of one folder, since starting `ncu` takes longer than most launches.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sim::report::Metrics;

use super::machine::{self, Counted};
use super::ncu;
use super::profile::{self, Measured, Plan};
use crate::counters::{DURATION, EXACT, INSTRUCTION, MACHINE};
use crate::gpu::{Gpu, GpuError, Kernels, Work};
use crate::ncu::{Instances, Ncu, NcuError};

/// The hidden subcommand under which the program profiles itself: `launch-work FOLDER --gpu ORDINAL`.
pub const CHILD_SUBCOMMAND: &str = "launch-work";

/// The file of the launches in the folder.
const WORK: &str = "work.json";
/// The file of the kernels in the folder.
const PTX: &str = "kernels.ptx";
/// The file of their machine code, where that is to run as it stands.
const CUBIN: &str = "kernels.cubin";

/// The kernels of work: PTX, which the driver compiles, or machine code that was made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code<'a> {
    /// The PTX: it names the kernels and their parameters.
    pub ptx: &'a str,
    /// The machine code that the GPU runs as it stands.
    pub cubin: Option<&'a [u8]>,
}

impl<'a> Code<'a> {
    /// PTX, which the driver compiles.
    #[must_use]
    pub const fn of_ptx(ptx: &'a str) -> Self {
        Self { ptx, cubin: None }
    }

    /// Loads the kernels.
    ///
    /// # Errors
    /// [`GpuError`] when the driver refuses them.
    pub fn load(self, gpu: &Gpu) -> Result<Kernels<'_>, GpuError> {
        match self.cubin {
            Some(cubin) => gpu.load_cubin(cubin, self.ptx),
            None => gpu.load(self.ptx),
        }
    }
}

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
            Self::Ncu(_) => sim::ErrorClass::Unsupported.exit_code(),
            Self::Gpu(error) => error.exit_code(),
            Self::Folder(_) => sim::ErrorClass::Input.exit_code(),
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
    code: Code<'_>,
    works: &[Work],
) -> Result<(Vec<Metrics>, Option<String>), WorkError> {
    let folder = folder()?;
    write(folder.path(), code, works)?;
    let line = command(program, folder.path(), gpu, 1);
    let plans: Vec<Plan> = works.iter().map(Plan::of_work).collect();
    let (measured, note) = ncu::profile(tool, &line, &plans)?;
    Ok((measured.iter().map(|launches| sum(launches)).collect(), note))
}

/// What a GPU counts of the machine code of each work, launch by launch: the exact counters, those of the instruction stream,
/// the duration, and the counts of each instruction. All works are launched `rounds` times, so that what the hardware does
/// not repeat shows: the result has a list per work, in it one per launch, in it one entry per round.
///
/// # Errors
/// [`WorkError`].
pub fn profile_stream(
    tool: &Ncu,
    program: &Path,
    gpu: u32,
    works: &[(Code<'_>, &Work)],
    rounds: u32,
) -> Result<Vec<Vec<Vec<Counted>>>, WorkError> {
    let folder = folder()?;
    for (at, (code, work)) in works.iter().enumerate() {
        let own = folder.path().join(at.to_string());
        fs::create_dir(&own)?;
        write(&own, *code, std::slice::from_ref(work))?;
    }
    let line = command(program, folder.path(), gpu, rounds);
    let plans: Vec<Plan> = (0..rounds).flat_map(|_| works.iter().map(|(_, work)| Plan::of_work(work))).collect();
    let counters: Vec<&str> = EXACT.iter().map(|counter| counter.metric).chain(MACHINE).chain([DURATION]).collect();
    let asked: Vec<&str> = counters.iter().copied().chain(INSTRUCTION).collect();
    let counted = tool.launches(&line, &asked, Instances::Each, |launches| {
        profile::attach_with(&plans, launches, |plan, launch| machine::counted(&counters, plan, launch))
    })?;
    let mut all: Vec<Vec<Vec<Counted>>> =
        works.iter().map(|(_, work)| work.launches.iter().map(|_| Vec::new()).collect()).collect();
    for (at, launches) in counted.into_iter().enumerate() {
        let of_work = &mut all[at % works.len()];
        of_work.iter_mut().zip(launches).for_each(|(rounds, counted)| rounds.push(counted));
    }
    Ok(all)
}

fn folder() -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("warpbook-work-").tempdir()
}

/// The command line that launches the work of a folder.
fn command(program: &Path, folder: &Path, gpu: u32, rounds: u32) -> Vec<OsString> {
    let numbers = ["--gpu".to_owned(), gpu.to_string(), "--times".to_owned(), rounds.to_string()];
    let words = [program.into(), CHILD_SUBCOMMAND.into(), folder.into()];
    words.into_iter().chain(numbers.map(OsString::from)).collect()
}

/// Launches the work of a folder in order, or that of each of its folders 0, 1, 2 and so on, all of it `times` times, and looks
/// at nothing: what `ncu` profiles.
///
/// # Errors
/// [`WorkError`] when a folder cannot be read or the GPU fails.
pub fn child(folder: &Path, gpu: u32, times: u32) -> Result<(), WorkError> {
    let numbered = (0..).map(|at: u32| folder.join(at.to_string())).take_while(|own| own.is_dir());
    let mut folders: Vec<PathBuf> = numbered.collect();
    if folders.is_empty() {
        folders.push(folder.to_owned());
    }
    // Read once: what is wrong with a folder is told before anything is launched.
    let all = folders.iter().map(|folder| read(folder)).collect::<io::Result<Vec<_>>>()?;
    let gpu = Gpu::open(gpu)?;
    for _ in 0..times {
        for (ptx, cubin, works) in &all {
            let kernels = Code { ptx, cubin: cubin.as_deref() }.load(&gpu)?;
            for work in works {
                kernels.run(work)?;
            }
        }
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

fn write(folder: &Path, code: Code<'_>, works: &[Work]) -> io::Result<()> {
    fs::write(folder.join(PTX), code.ptx)?;
    if let Some(cubin) = code.cubin {
        fs::write(folder.join(CUBIN), cubin)?;
    }
    for (at, work) in works.iter().enumerate() {
        for (index, memory) in work.buffers.iter().enumerate() {
            fs::write(folder.join(content_file(at, index)), &*memory.content)?;
        }
    }
    fs::write(folder.join(WORK), serde_json::to_string(works)?)
}

/// PTX, machine code where there is some, and the work.
type Folder = (String, Option<Vec<u8>>, Vec<Work>);

fn read(folder: &Path) -> io::Result<Folder> {
    let mut works: Vec<Work> = serde_json::from_str(&fs::read_to_string(folder.join(WORK))?)?;
    for (at, work) in works.iter_mut().enumerate() {
        for (index, memory) in work.buffers.iter_mut().enumerate() {
            memory.content = fs::read(folder.join(content_file(at, index)))?.into();
        }
    }
    let cubin = folder.join(CUBIN);
    let cubin = if cubin.is_file() { Some(fs::read(cubin)?) } else { None };
    Ok((fs::read_to_string(folder.join(PTX))?, cubin, works))
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
        write(folder.path(), Code::of_ptx(".version 9.0"), &works()).unwrap();
        let (ptx, cubin, all) = read(folder.path()).unwrap();
        assert_eq!((&*ptx, &cubin, &all), (".version 9.0", &None, &works()));
        assert_eq!(&*all[0].buffers[0].content, [1, 2, 3]);
        let code = Code { ptx: ".version 9.0", cubin: Some(&[7, 8]) };
        write(folder.path(), code, &works()).unwrap();
        assert_eq!(read(folder.path()).unwrap().1.as_deref(), Some(&[7, 8][..]), "machine code goes along");
    }

    #[test]
    fn a_child_without_work_or_without_a_gpu_says_so() {
        let error = child(Path::new("/no/such/folder"), 0, 1).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
        if !crate::gpu::driver_is_here() {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), Code::of_ptx(""), &works()).unwrap();
            assert_eq!(child(folder.path(), 0, 1).unwrap_err().exit_code(), 3);
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
