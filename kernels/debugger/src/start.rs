//! What is to be stepped: the file, the kernel and the launch as `warpbook sim` takes them, from the command line or from
//! the configuration of an editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kernels::compile::{Arch, Choice, Compiler, Options, arch_of_target};
use kernels::launch::command::CommandLine;
use kernels::launch::prepare;
use kernels::launch::spec;
use kernels::names;
use kernels::open::{self, How, Opened};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sim::session::{Limits, Session};
use sim::{Checks, ErrorClass};

use crate::model::{About, Model};
use crate::sources::{Sources, Text};

/// Most steps that a session records if nothing else is said.
pub const STEPS: u64 = 1 << 21;

/// The options of `warpbook debug` that say what is stepped; the fields of an editor's configuration are called the same.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the fields are the options of the command line")]
pub struct Start {
    #[serde(rename = "program")]
    pub file: PathBuf,
    pub kernel: Option<String>,
    #[serde(deserialize_with = "extent")]
    pub grid: Option<String>,
    #[serde(deserialize_with = "extent")]
    pub block: Option<String>,
    #[serde(deserialize_with = "extent")]
    pub shared: Option<String>,
    #[serde(deserialize_with = "texts")]
    pub args: Vec<String>,
    #[serde(rename = "let", deserialize_with = "texts")]
    pub names: Vec<String>,
    #[serde(deserialize_with = "texts")]
    pub symbol: Vec<String>,
    pub launch: Option<usize>,
    pub target: Option<String>,
    pub seed: Option<u64>,
    pub steps: Option<u64>,
    pub unoptimised: bool,
    pub sources: Vec<PathBuf>,
    pub compiler: Option<String>,
    pub arch: Option<String>,
    pub include: Vec<PathBuf>,
    pub define: Vec<String>,
    pub std: Option<String>,
}

/// A number or a text as the command line would have it.
fn word(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        other => Err(format!("a number or a text belongs here, not {other}")),
    }
}

/// `256`, `"ceil(n/256)"` or `[16, 16]`.
fn extent<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = match Value::deserialize(from)? {
        Value::Null => return Ok(None),
        Value::Array(list) => list.iter().map(word).collect::<Result<Vec<_>, _>>().map(|list| list.join(",")),
        other => word(&other),
    };
    text.map(Some).map_err(serde::de::Error::custom)
}

/// `["n", 2]`, or `{"n": 2}` for what is `n=2` on the command line.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let list = match Value::deserialize(from)? {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list.iter().map(word).collect(),
        Value::Object(pairs) => pairs.iter().map(|(name, value)| Ok(format!("{name}={}", word(value)?))).collect(),
        other => Err(format!("a list belongs here, not {other}")),
    };
    list.map_err(serde::de::Error::custom)
}

/// Why nothing can be stepped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The exit code that a program should end with.
    pub code: u8,
    /// A message for the user.
    pub message: String,
}

fn usage(message: impl ToString) -> Refused {
    Refused { code: ErrorClass::Input.exit_code(), message: message.to_string() }
}

impl Start {
    /// Opens the file, prepares the launch, runs it once and stands at its beginning.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn open(&self) -> Result<Model, Refused> {
        let session = self.command().session().map_err(usage)?;
        if session.file.extension().is_some_and(|extension| extension == "cubin") {
            let message = "machine code cannot be stepped: give the source or its PTX (cuobjdump -ptx)";
            return Err(Refused { code: ErrorClass::Unsupported.exit_code(), message: message.to_owned() });
        }
        let how = How { options: self.compile_options(&session)?, checks: false, kernels: session.kernels() };
        let opened = open::open(&session.file, &how);
        let mut opened = opened.map_err(|error| Refused { code: error.exit_code(), message: error.to_string() })?;
        self.of(&session, &mut opened)
    }

    /// The same with a file that was opened.
    pub(crate) fn of(&self, session: &spec::Session, opened: &mut Opened) -> Result<Model, Refused> {
        let default = sim::Options::default();
        let options = sim::Options {
            target: self.target.clone().or(session.settings.target.clone()).unwrap_or(default.target),
            seed: self.seed.or(session.settings.seed).unwrap_or(default.seed),
            budget: session.settings.budget.unwrap_or(default.budget),
            checks: Checks::ALL,
            ..default
        };
        let at = self.launch.unwrap_or(1).checked_sub(1).ok_or_else(|| usage("launches are counted from 1"))?;
        let prepared = prepare::prepare(session, opened, &options, at);
        let prepared = prepared.map_err(|error| Refused { code: error.exit_code(), message: error.to_string() })?;
        let limits = Limits { steps: self.steps.unwrap_or(STEPS).max(1), ..Limits::default() };
        let stepped = Session::new(&opened.module, &prepared.kernel, &prepared.launch, &options, limits);
        let stepped =
            stepped.map_err(|error| Refused { code: error.class().exit_code(), message: error.to_string() })?;
        let places = stepped.instructions();
        let mut files = BTreeMap::new();
        for place in &places {
            let callers = place.inlined_in.iter().map(|caller| &caller.file);
            std::iter::once(&place.file)
                .chain(callers)
                .for_each(|file| *files.entry(file.clone()).or_insert(0u64) += 1);
        }
        let sources = self.texts(session, opened, files);
        let mut notes = opened.notes.clone();
        if !stepped.is_complete() {
            notes
                .push(format!("the first {} steps were recorded; with --steps COUNT it can be more", stepped.length()));
        }
        let about = About {
            file: opened.name.clone(),
            kernel: names::short(&prepared.kernel),
            target: options.target.clone(),
            grid: prepared.launch.grid,
            block: prepared.launch.block,
            launch: at + 1,
            launches: prepared.launches,
            optimised: !self.unoptimised,
            buffers: prepared.buffers,
            warnings: opened.warnings.trim().to_owned(),
            notes,
        };
        Model::new(stepped, places, sources, about)
            .map_err(|error| Refused { code: error.class().exit_code(), message: error.to_string() })
    }

    /// The texts of the files that the code names, each with how many instructions it has of them.
    fn texts(&self, session: &spec::Session, opened: &Opened, files: BTreeMap<String, u64>) -> Sources {
        let path = Path::new(&opened.name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let here = std::path::absolute(path).ok();
        let of_ptx = opened.source.is_none();
        let ptx_name = if of_ptx { opened.name.clone() } else { format!("{stem}.ptx") };
        let ptx = Text::new(&ptx_name, here.clone().filter(|_| of_ptx), opened.ptx());
        // The sources of the workbook's own kernels are part of this program.
        let committed = kernels::ptx::committed(&stem).filter(|own| of_ptx && own.text == opened.ptx());
        let known = match (&opened.source, committed) {
            (Some(text), _) => Some(Text::new(&opened.name, here, text)),
            (None, Some(own)) => Some(Text::new(&format!("{stem}.cu"), None, own.source)),
            (None, None) => None,
        };
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let mut folders = self.sources.clone();
        folders.extend([folder, session.folder.clone()]);
        folders.extend(session.settings.include.iter().chain(&self.include).cloned());
        let most = files.iter().max_by_key(|(_, count)| **count).map(|(file, _)| file.clone());
        let own = if of_ptx { most.unwrap_or_default() } else { opened.name.clone() };
        let files: Vec<String> = files.into_keys().collect();
        Sources::find(ptx, &own, known, &files, &folders)
    }

    fn compile_options(&self, session: &spec::Session) -> Result<Options, Refused> {
        let settings = &session.settings;
        let compiler = match self.compiler.as_deref().or(settings.compiler.as_deref()) {
            None | Some("auto") => Choice::Auto,
            Some("nvrtc") => Choice::Only(Compiler::Nvrtc),
            Some("nvcc") => Choice::Only(Compiler::Nvcc),
            Some("clang") => Choice::Only(Compiler::Clang),
            Some(other) => return Err(usage(format!("compiler: `{other}` is none of auto, nvrtc, nvcc, clang"))),
        };
        let arch = self.arch.as_deref().or(settings.arch.as_deref()).map(str::parse::<Arch>).transpose();
        let target = self.target.as_deref().or(settings.target.as_deref());
        Ok(Options {
            compiler,
            arch: arch.map_err(|why| usage(format!("arch: {why}")))?,
            default_arch: arch_of_target(target.unwrap_or(&sim::Options::default().target)),
            defines: settings.define.iter().chain(&self.define).cloned().collect(),
            includes: settings.include.iter().chain(&self.include).cloned().collect(),
            standard: self.std.clone().or(settings.std.clone()),
            debug: self.unoptimised,
            ..Options::default()
        })
    }

    fn command(&self) -> CommandLine {
        CommandLine {
            file: self.file.clone(),
            kernel: self.kernel.clone(),
            grid: self.grid.clone(),
            block: self.block.clone(),
            shared: self.shared.clone(),
            args: self.args.clone(),
            names: self.names.clone(),
            symbols: self.symbol.clone(),
            ..CommandLine::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editors_configuration_is_the_command_line() {
        let json = serde_json::json!({
            "type": "warpbook", "request": "launch", "name": "x", "__sessionId": 7,
            "program": "k.cu", "grid": [2, "n"], "block": 256, "shared": "4*n",
            "args": ["n", 2, true, "f32[n]=iota"], "let": {"n": 3}, "unoptimised": true,
        });
        let start: Start = serde_json::from_value(json).unwrap();
        let command = start.command();
        assert_eq!((command.grid.as_deref(), command.block.as_deref()), (Some("2,n"), Some("256")));
        assert_eq!(command.args, ["n", "2", "true", "f32[n]=iota"]);
        assert_eq!(command.names, ["n=3"]);
        assert_eq!(command.session().unwrap().launches[0].shared_bytes, 12);
        for wrong in [r#"{"grid": {"x": 1}}"#, r#"{"args": 3}"#, r#"{"program": 3}"#, r#"{"launch": -1}"#] {
            assert!(serde_json::from_str::<Start>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_stepped_says_why() {
        let open = |start: Start| start.open().unwrap_err();
        let of = |file: &str| Start { file: PathBuf::from(file), ..Start::default() };
        let refused = open(of("no-such-file.ptx"));
        assert!(refused.code == 2 && refused.message.contains("cannot read"), "{refused:?}");
        assert_eq!(open(of("k.cubin")).code, 3);
        let refused = open(Start { compiler: Some("gcc".to_owned()), ..of("k.cu") });
        assert!(refused.message.contains("none of auto, nvrtc, nvcc, clang"), "{refused:?}");
    }
}
