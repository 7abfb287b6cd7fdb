//! What `warpbook sim` is asked to run: kernels, launches, buffers; from the command line or from a TOML file.

mod file;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use sim::Dim3;

use super::SpecError;
use super::content::Context;
use super::element::Element;
use super::expression::{self, Names};
use file::LaunchFile;
use launch::schema::{self, LaunchTable, texts};

/// Most schedules that one launch may be run in.
pub const MOST_SCHEDULES: u64 = 1_000_000;

/// Everything that is to be run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// CUDA source or PTX.
    pub file: PathBuf,
    /// Folder that all other files are relative to.
    pub folder: PathBuf,
    /// Numbers that the texts below name.
    pub names: Names,
    /// Buffers that several launches share, by name.
    pub buffers: BTreeMap<String, String>,
    /// What `__constant__` and `__device__` variables hold before the first launch.
    pub symbols: BTreeMap<String, String>,
    /// The launches, in order.
    pub launches: Vec<LaunchSpec>,
    /// Files that buffers are written to in the end, by name or by number of an argument of the last launch.
    pub dump: BTreeMap<String, PathBuf>,
    /// What buffers must hold in the end: a content as for an argument, or a file.
    pub expect: BTreeMap<String, String>,
    /// How far a floating-point number may be from the expected one, relative to it, and absolute below 1.
    pub tolerance: f64,
    /// How the file wants to be compiled and simulated.
    pub settings: Settings,
}

/// What a launch file may say of compiling and simulating; the command line says the same with options.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(missing_docs, reason = "the fields are the options of the command line")]
pub struct Settings {
    pub compiler: Option<String>,
    pub arch: Option<String>,
    pub include: Vec<PathBuf>,
    pub define: Vec<String>,
    pub std: Option<String>,
    pub target: Option<String>,
    pub budget: Option<u64>,
    pub seed: Option<u64>,
    pub schedules: Option<u64>,
}

/// One launch.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchSpec {
    /// Kernel; the only one of the file if not given.
    pub kernel: Option<String>,
    /// Grid.
    pub grid: Dim3,
    /// Block; what the kernel asks for if not given.
    pub block: Option<Dim3>,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// Arguments as written.
    pub args: Vec<String>,
    /// Variables to set before this launch.
    pub symbols: BTreeMap<String, String>,
    /// How often it is launched, one after the other.
    pub repeat: u32,
}

impl Session {
    /// Reads a launch file. `names` go before the numbers that the file names.
    ///
    /// # Errors
    /// [`SpecError`] when it cannot be read or is no launch file.
    pub fn read(path: &Path, names: &BTreeMap<String, String>) -> Result<Self, SpecError> {
        let bytes = fs::read(path).map_err(|why| SpecError::Read { path: path.to_owned(), why })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| SpecError::Usage(format!("{} is not text, and so no launch file", path.display())))?;
        Self::parse(&text, path, names)
    }

    /// Reads the text of a launch file that stands at `path`.
    ///
    /// # Errors
    /// [`SpecError`] when it is no launch file.
    pub fn parse(text: &str, path: &Path, names: &BTreeMap<String, String>) -> Result<Self, SpecError> {
        let file: LaunchFile =
            toml::from_str(text).map_err(|why| SpecError::Toml { path: path.to_owned(), why: Box::new(why) })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::of(file, folder, names).map_err(|error| match error {
            SpecError::Usage(message) => SpecError::Usage(format!("{}: {message}", path.display())),
            other => other,
        })
    }

    fn of(file: LaunchFile, folder: PathBuf, given: &BTreeMap<String, String>) -> Result<Self, SpecError> {
        let usage = |message: &str| SpecError::Usage(message.to_owned());
        let mut names = texts(&file.names);
        if let Some(unknown) = given.keys().find(|name| !names.contains_key(*name)) {
            let known = if names.is_empty() {
                "none".to_owned()
            } else {
                file.names.keys().cloned().collect::<Vec<_>>().join(", ")
            };
            return Err(usage(&format!("--let {unknown}=…: the launch file names no such number; it names: {known}")));
        }
        names.extend(given.clone());
        let names = expression::resolve(&names).map_err(SpecError::Usage)?;
        if file.schedules.is_some_and(|count| !(1..=MOST_SCHEDULES).contains(&count)) {
            return Err(usage(&format!("schedules: a number from 1 to {MOST_SCHEDULES}")));
        }
        if file.tolerance.is_nan() || file.tolerance < 0.0 {
            return Err(usage("tolerance: a number from 0 on"));
        }
        let single = file.grid.is_some()
            || file.block.is_some()
            || file.args.is_some()
            || file.shared.is_some()
            || file.kernel.is_some();
        let launches = match (single, file.launches.is_empty()) {
            (true, false) => {
                return Err(usage(
                    "kernel, grid, block, shared and args belong into each of `launches`, not beside it",
                ));
            }
            (false, true) => {
                return Err(usage("there is no launch: it needs kernel, grid, block and args, or a list `launches`"));
            }
            (false, false) => {
                let launches = file.launches.iter().enumerate();
                let read = |(index, table)| {
                    LaunchSpec::of(table, &names).map_err(|error| error.inside(&format!("launch {}", index + 1)))
                };
                launches.map(read).collect::<Result<_, SpecError>>()?
            }
            (true, true) => {
                let LaunchFile { kernel, grid, block, shared, args, .. } = file;
                let args = args.unwrap_or_default();
                let table = LaunchTable { kernel, grid, block, shared, args, ..LaunchTable::default() };
                vec![LaunchSpec::of(&table, &names)?]
            }
        };
        let include = file.include.iter().map(|include| folder.join(include)).collect();
        let mut session = Self {
            file: folder.join(file.file),
            folder,
            names,
            buffers: file.buffers,
            symbols: texts(&file.symbols),
            launches,
            dump: file.dump,
            expect: file.expect,
            tolerance: file.tolerance,
            settings: Settings {
                compiler: file.compiler,
                arch: file.arch,
                include,
                define: file.define,
                std: file.std,
                target: file.target,
                budget: file.budget,
                seed: file.seed,
                schedules: file.schedules,
            },
        };
        session.name_buffers()?;
        Ok(session)
    }

    /// Turns arguments such as `x:f32[n]=random` into buffers with a name.
    ///
    /// # Errors
    /// [`SpecError::Usage`] when two buffers have one name.
    pub fn name_buffers(&mut self) -> Result<(), SpecError> {
        for launch in &mut self.launches {
            for (index, arg) in launch.args.iter_mut().enumerate() {
                let Some((name, content)) = named_buffer(arg) else { continue };
                let (name, content) = (name.to_owned(), content.to_owned());
                if self.buffers.contains_key(&name) {
                    let message =
                        format!("argument {index}: there is a buffer `{name}` already; &{name} is its address");
                    return Err(SpecError::Usage(message));
                }
                *arg = format!("&{name}");
                self.buffers.insert(name, content);
            }
        }
        Ok(())
    }

    /// What texts are read with.
    pub fn context(&self) -> Context<'_> {
        Context { folder: &self.folder, names: &self.names }
    }

    /// The kernels that are launched, as they were named.
    pub fn kernels(&self) -> Vec<String> {
        self.launches.iter().filter_map(|launch| launch.kernel.clone()).collect()
    }
}

/// `x:f32[n]=random`: the name and the content of a buffer that an argument declares.
fn named_buffer(arg: &str) -> Option<(&str, &str)> {
    let (name, content) = arg.split_once(':')?;
    let name = name.trim();
    let keyword = matches!(name, "in" | "zeros" | "uninit" | "bytes" | "pad") || Element::find(name).is_some();
    let buffer = content.contains('[')
        || content.split_once(':').is_some_and(|(kind, _)| matches!(kind.trim(), "in" | "zeros" | "uninit"));
    (expression::is_name(name) && !keyword && buffer).then_some((name, content.trim()))
}

impl Default for LaunchSpec {
    /// A launch of one block, without arguments.
    fn default() -> Self {
        Self {
            kernel: None,
            grid: Dim3::linear(1),
            block: None,
            shared_bytes: 0,
            args: Vec::new(),
            symbols: BTreeMap::new(),
            repeat: 1,
        }
    }
}

impl LaunchSpec {
    fn of(table: &LaunchTable, names: &Names) -> Result<Self, SpecError> {
        let grid = table.grid.as_ref().map(|grid| grid.resolve("grid", names)).transpose();
        let block = table.block.as_ref().map(|block| block.resolve("block", names)).transpose();
        Ok(Self {
            kernel: table.kernel.clone(),
            grid: grid.map_err(SpecError::Usage)?.unwrap_or(Dim3::linear(1)),
            block: block.map_err(SpecError::Usage)?,
            shared_bytes: schema::number("shared", table.shared.as_ref(), 0, names).map_err(SpecError::Usage)?,
            args: table.args.iter().map(|arg| arg.0.clone()).collect(),
            symbols: texts(&table.symbols),
            repeat: schema::number("repeat", table.repeat.as_ref(), 1, names).map_err(SpecError::Usage)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Session, SpecError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("launch.toml");
        fs::write(&path, text).unwrap();
        Session::read(&path, &BTreeMap::new())
    }

    #[test]
    fn a_file_with_one_launch() {
        let session = read("file = \"a.ptx\"\ngrid = [2, 3]\nblock = 32\nargs = [\"zeros:8\"]\ndump = { 0 = \"o\" }\n");
        let session = session.unwrap();
        assert_eq!(session.launches[0].grid, Dim3::new(2, 3, 1));
        assert_eq!(session.file, session.folder.join("a.ptx"));
        assert_eq!(session.dump["0"], Path::new("o"));
    }

    #[test]
    fn a_file_with_several_launches() {
        let text = "file = \"a.cu\"\narch = \"sm_90\"\ntolerance = 1e-5\n[buffers]\nx = \"f32[8]=random\"\n\
                    [[launches]]\nkernel = \"a\"\ngrid = 1\nblock = [8]\nargs = [\"&x\"]\nrepeat = 3\n\
                    [[launches]]\nkernel = \"b<int>\"\ngrid = 1\nblock = 1\nsymbols = { c = \"i32:1\" }\n";
        let session = read(text).unwrap();
        assert_eq!(session.kernels(), ["a", "b<int>"]);
        assert_eq!((session.launches[0].repeat, session.launches[1].repeat), (3, 1));
        assert_eq!(session.settings.arch.as_deref(), Some("sm_90"));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_named() {
        for (text, part) in [
            ("file = \"a.ptx\"\ngrid = 1\nblocks = 32\n", "blocks"),
            ("file = \"a.ptx\"\nargs = [[1]]\n", "a number or an expression belongs here, not a value of type array"),
            ("file = \"a.ptx\"\ngrid = \"ceil(m/256)\"\n", "grid: nothing is called `m`"),
            ("file = \"a.ptx\"\ngrid = -1\n", "from 0"),
            ("file = \"a.ptx\"\ngrid = 4294967296\n", "not a whole number from 1 to 4294967295"),
            ("file = \"a.ptx\"\nblock = [1,1,1,1]\n", "four dimensions|4 dimensions"),
            ("file = \"a.ptx\"\ngrid = 1\nshared = \"n\"\nlet = { n = 1e10 }\n", "more than 4294967295"),
            ("file = \"a.ptx\"\ntolerance = -1.0\ngrid = 1\n", "tolerance"),
            ("file = \"a.ptx\"\nargs = [\"x:f32[1]=0\", \"x:f32[1]=1\"]\n", "a buffer `x` already"),
            ("file = \"a.ptx\"\n", "there is no launch"),
            ("file = \"a.ptx\"\ngrid = 1\n[[launches]]\ngrid = 1\nblock = 1\n", "each of `launches`"),
            ("file = \"a.ptx\"\ngrid = 0\nblock = 1\n", "extent of 0"),
            ("file = \"a.ptx\"\n[[launches]]\ngrid = 1\nblok = 1\n", "blok"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(part.split('|').any(|part| error.contains(part)), "{text}: {error}");
        }
    }

    #[test]
    fn numbers_have_names_that_the_command_line_can_change() {
        let text = "file = \"a.cu\"\ngrid = [\"ceil(n/threads)\", 2]\nblock = \"threads\"\nshared = \"4*threads\"\n\
                    args = [\"n\", 0.5, \"x:f32[n]=random\", true]\n[let]\nn = 1000\nthreads = \"n/4\"\n";
        let given = BTreeMap::from([("threads".to_owned(), "256".to_owned())]);
        let read = |given| Session::parse(text, Path::new("l.toml"), given);
        let session = read(&given).unwrap();
        let launch = &session.launches[0];
        assert_eq!((launch.grid, launch.block), (Dim3::new(4, 2, 1), Some(Dim3::linear(256))));
        assert_eq!((launch.shared_bytes, &session.buffers["x"][..]), (1024, "f32[n]=random"));
        assert_eq!(launch.args, ["n", "0.5", "&x", "true"]);
        let wrong = BTreeMap::from([("m".to_owned(), "1".to_owned())]);
        assert!(read(&wrong).unwrap_err().to_string().contains("names no such number; it names: n, threads"));
    }
}
