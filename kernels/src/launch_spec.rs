//! What `warpbook sim` is asked to run: a file, a kernel, a launch; from the command line or from a TOML file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sim::{Arg, Dim3, Launch, Scalar};

/// Largest buffer that is taken from a file or made of zeros, in bytes: more fits on no GPU of the targets.
const LARGEST_BUFFER: u64 = 1 << 38;

/// Most schedules that one launch may be run in.
pub const MOST_SCHEDULES: u64 = 1_000_000;

/// A launch as it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchSpec {
    /// CUDA source or PTX.
    pub file: PathBuf,
    /// Kernel; the only one of the file if not given.
    pub kernel: Option<String>,
    /// Grid.
    pub grid: Dim3,
    /// Block.
    pub block: Dim3,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// Arguments as written.
    pub args: Vec<String>,
    /// Files that argument buffers are written to, by index.
    pub dump: BTreeMap<usize, PathBuf>,
    /// Seed of the first schedule.
    pub seed: Option<u64>,
    /// How many schedules to try.
    pub schedules: Option<u64>,
    /// Folder that the files of `args` and `dump` are relative to.
    pub folder: PathBuf,
}

/// Why a launch cannot be made. All of these are wrong usage or unreadable input.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// A file cannot be read.
    #[error("cannot read {}: {why}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {why}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// A launch file is not one.
    #[error("{}: {why}", .path.display())]
    Toml {
        /// Which.
        path: PathBuf,
        /// What TOML says, with the place.
        why: Box<toml::de::Error>,
    },
    /// Anything else that is wrong with what was asked.
    #[error("{0}")]
    Usage(String),
}

/// The launch file's fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchFile {
    file: PathBuf,
    kernel: Option<String>,
    grid: Vec<u32>,
    block: Vec<u32>,
    #[serde(default)]
    shared: u32,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    dump: BTreeMap<String, PathBuf>,
    seed: Option<u64>,
    schedules: Option<u64>,
}

fn extent(what: &str, values: &[u32]) -> Result<Dim3, SpecError> {
    let text: Vec<String> = values.iter().map(u32::to_string).collect();
    text.join(",").parse().map_err(|why| SpecError::Usage(format!("{what}: {why}")))
}

/// Reads `INDEX=FILE`.
///
/// # Errors
/// [`SpecError::Usage`] when it is something else.
pub fn parse_dump(text: &str) -> Result<(usize, PathBuf), SpecError> {
    let parsed = text.split_once('=').and_then(|(index, file)| Some((index.parse().ok()?, PathBuf::from(file))));
    parsed
        .filter(|(_, file)| !file.as_os_str().is_empty())
        .ok_or_else(|| SpecError::Usage(format!("`{text}` is not INDEX=FILE, such as --dump 0=out.bin")))
}

impl LaunchSpec {
    /// Reads a launch file.
    ///
    /// # Errors
    /// [`SpecError`] when it cannot be read or is no launch file.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let text = fs::read_to_string(path).map_err(|why| SpecError::Read { path: path.to_owned(), why })?;
        let file: LaunchFile =
            toml::from_str(&text).map_err(|why| SpecError::Toml { path: path.to_owned(), why: Box::new(why) })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if file.schedules.is_some_and(|count| !(1..=MOST_SCHEDULES).contains(&count)) {
            return Err(SpecError::Usage(format!("schedules: a number from 1 to {MOST_SCHEDULES}")));
        }
        let mut dump = BTreeMap::new();
        for (index, target) in file.dump {
            let index =
                index.parse().map_err(|_| SpecError::Usage(format!("dump: `{index}` is not an argument's index")))?;
            dump.insert(index, target);
        }
        Ok(Self {
            file: folder.join(file.file),
            kernel: file.kernel,
            grid: extent("grid", &file.grid)?,
            block: extent("block", &file.block)?,
            shared_bytes: file.shared,
            args: file.args,
            dump,
            seed: file.seed,
            schedules: file.schedules,
            folder,
        })
    }

    /// The launch, with the content of all files.
    ///
    /// # Errors
    /// [`SpecError`] when an argument is malformed or its file cannot be read, or a dump names no buffer.
    pub fn launch(&self) -> Result<Launch, SpecError> {
        let args = self
            .args
            .iter()
            .enumerate()
            .map(|(index, text)| self.argument(text).map_err(|error| in_argument(index, error)))
            .collect::<Result<Vec<_>, _>>()?;
        for index in self.dump.keys() {
            match args.get(*index) {
                None => {
                    let count = args.len();
                    return Err(SpecError::Usage(format!(
                        "there is no argument {index} to dump: {count} were given, numbered from 0"
                    )));
                }
                Some(Arg::Scalar(_) | Arg::Bytes(_)) => {
                    return Err(SpecError::Usage(format!("argument {index} is a scalar: only buffers can be dumped")));
                }
                Some(_) => {}
            }
        }
        Ok(Launch { grid: self.grid, block: self.block, shared_bytes: self.shared_bytes, args })
    }

    fn argument(&self, text: &str) -> Result<Arg, SpecError> {
        if let Some(file) = text.strip_prefix("in:") {
            let path = self.folder.join(file);
            let content = fs::read(&path).map_err(|why| SpecError::Read { path, why })?;
            return Ok(Arg::Buffer(content));
        }
        if let Some(bytes) = text.strip_prefix("zeros:") {
            let bytes: u64 = bytes
                .parse()
                .map_err(|_| SpecError::Usage(format!("`{bytes}` is not a number of bytes, such as zeros:4096")))?;
            if bytes > LARGEST_BUFFER {
                return Err(SpecError::Usage(format!("a buffer of {bytes} bytes fits on no GPU")));
            }
            return Ok(Arg::Zeros(bytes));
        }
        Scalar::parse(text).map(Arg::Scalar).map_err(SpecError::Usage)
    }

    /// Writes the dumps.
    ///
    /// # Errors
    /// [`SpecError::Write`].
    pub fn write_dumps(&self, buffers: &[Option<Vec<u8>>]) -> Result<(), SpecError> {
        for (&index, target) in &self.dump {
            let Some(Some(bytes)) = buffers.get(index) else { continue };
            let path = self.folder.join(target);
            fs::write(&path, bytes).map_err(|why| SpecError::Write { path, why })?;
        }
        Ok(())
    }
}

fn in_argument(index: usize, error: SpecError) -> SpecError {
    match error {
        SpecError::Usage(message) => SpecError::Usage(format!("argument {index}: {message}")),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(args: &[&str]) -> LaunchSpec {
        LaunchSpec {
            file: PathBuf::from("k.ptx"),
            kernel: None,
            grid: Dim3::linear(1),
            block: Dim3::linear(32),
            shared_bytes: 0,
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            dump: BTreeMap::new(),
            seed: None,
            schedules: None,
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn arguments_of_every_kind() {
        let launch = spec(&["i32:-5", "u8:0xff", "f32:1e-3", "f64:inf", "i64:-0x10", "zeros:64"]).launch().unwrap();
        assert_eq!(
            launch.args,
            [
                Arg::Scalar(Scalar::I32(-5)),
                Arg::Scalar(Scalar::U8(255)),
                Arg::Scalar(Scalar::F32(1e-3)),
                Arg::Scalar(Scalar::F64(f64::INFINITY)),
                Arg::Scalar(Scalar::I64(-16)),
                Arg::Zeros(64),
            ]
        );
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arg, part) in [
            ("i32", "has no `:`"),
            ("i8:128", "does not fit"),
            ("u32:-1", "does not fit"),
            ("q32:1", "not a type"),
            ("f32:x", "not a number"),
            ("zeros:-1", "not a number of bytes"),
            ("zeros:99999999999999", "fits on no GPU"),
            ("in:/no/such/file", "cannot read"),
        ] {
            let error = spec(&["i32:0", arg]).launch().unwrap_err().to_string();
            assert!(error.contains(part), "{arg}: {error}");
        }
        let mut dumping = spec(&["i32:0"]);
        dumping.dump.insert(0, PathBuf::from("x"));
        assert!(dumping.launch().unwrap_err().to_string().contains("only buffers"));
        assert!(parse_dump("0").is_err() && parse_dump("x=y").is_err() && parse_dump("1=").is_err());
    }

    #[test]
    fn a_launch_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("launch.toml");
        fs::write(&path, "file = \"a.ptx\"\ngrid = [2, 3]\nblock = [32]\nargs = [\"zeros:8\"]\ndump = { 0 = \"o\" }\n")
            .unwrap();
        let spec = LaunchSpec::read(&path).unwrap();
        assert_eq!(spec.grid, Dim3::new(2, 3, 1));
        assert_eq!(spec.file, folder.path().join("a.ptx"));
        spec.write_dumps(&[Some(vec![1, 2])]).unwrap();
        assert_eq!(fs::read(folder.path().join("o")).unwrap(), [1, 2]);
        fs::write(&path, "file = \"a.ptx\"\ngrid = [2, 3]\nblocks = [32]\n").unwrap();
        assert!(LaunchSpec::read(&path).unwrap_err().to_string().contains("blocks"));
    }
}
