//! A session from the options of the command line, alone or beside a launch file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sim::Dim3;

use super::SpecError;
use super::expression::{self, Names};
use super::shape;
use super::spec::{LaunchSpec, Session};

/// The options of `warpbook sim` that say what is launched, as they were typed.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(missing_docs, reason = "the fields are the options of the command line")]
pub struct CommandLine {
    pub file: PathBuf,
    pub kernel: Option<String>,
    pub grid: Option<String>,
    pub block: Option<String>,
    pub shared: Option<String>,
    pub args: Vec<String>,
    pub names: Vec<String>,
    pub symbols: Vec<String>,
    pub dump: Vec<String>,
    pub expect: Vec<String>,
    pub tolerance: Option<f64>,
}

fn usage(message: impl Into<String>) -> SpecError {
    SpecError::Usage(message.into())
}

/// Reads a list of `NAME=VALUE`.
fn pairs(option: &str, example: &str, list: &[String]) -> Result<BTreeMap<String, String>, SpecError> {
    let mut pairs = BTreeMap::new();
    for text in list {
        let pair = text.split_once('=').filter(|(name, value)| !name.trim().is_empty() && !value.trim().is_empty());
        let (name, value) = pair.ok_or_else(|| usage(format!("`{text}` is not NAME=…, such as {option} {example}")))?;
        if pairs.insert(name.trim().to_owned(), value.to_owned()).is_some() {
            return Err(usage(format!("{option} is given twice for `{}`", name.trim())));
        }
    }
    Ok(pairs)
}

impl CommandLine {
    /// What is to be run. If the file is a launch file (`.toml`), the options go before what it says.
    ///
    /// # Errors
    /// [`SpecError`].
    pub fn session(&self) -> Result<Session, SpecError> {
        let names = pairs("--let", "n=1024", &self.names)?;
        if self.tolerance.is_some_and(|tolerance| tolerance.is_nan() || tolerance < 0.0) {
            return Err(usage("--tolerance is a number from 0 on"));
        }
        let mut session = if self.file.extension().is_some_and(|extension| extension == "toml") {
            let mut session = Session::read(&self.file, &names)?;
            self.change(&mut session)?;
            session
        } else {
            let names = expression::resolve(&names).map_err(|why| usage(format!("--let: {why}")))?;
            let mut launch = LaunchSpec::default();
            self.shape(&mut launch, &names)?;
            launch.args.clone_from(&self.args);
            let mut session = Session { file: self.file.clone(), names, launches: vec![launch], ..Session::default() };
            session.name_buffers()?;
            session
        };
        session.symbols.extend(pairs("--symbol", "scale=f32:2", &self.symbols)?);
        let here = |file: String| if session.folder == Path::new("") { PathBuf::from(file) } else { absolute(&file) };
        session.dump.extend(pairs("--dump", "0=out.bin", &self.dump)?.into_iter().map(|(key, file)| (key, here(file))));
        session.expect.extend(pairs("--expect", "0='f32[4]=iota'", &self.expect)?);
        session.tolerance = self.tolerance.unwrap_or(session.tolerance);
        Ok(session)
    }

    /// Puts what was typed in the place of what the launch file says.
    fn change(&self, session: &mut Session) -> Result<(), SpecError> {
        if !self.args.is_empty() {
            return Err(usage(
                "arguments are in the launch file; change them there, give numbers of [let] anew with --let, or name \
                 the .cu or .ptx file itself on the command line",
            ));
        }
        let shaped = [&self.kernel, &self.grid, &self.block, &self.shared].iter().any(|option| option.is_some());
        match &mut session.launches[..] {
            [only] => self.shape(only, &session.names),
            _ if shaped => Err(usage("the launch file has several launches: change their kernels and shapes in it")),
            _ => Ok(()),
        }
    }

    fn shape(&self, launch: &mut LaunchSpec, names: &Names) -> Result<(), SpecError> {
        let extent = |option: &str, text: &Option<String>| -> Result<Option<Dim3>, SpecError> {
            let read = text.as_deref().map(|text| shape(text, names)).transpose();
            read.map_err(|why| usage(format!("{option}: {why}")))
        };
        launch.kernel = self.kernel.clone().or(launch.kernel.take());
        launch.grid = extent("--grid", &self.grid)?.unwrap_or(launch.grid);
        launch.block = extent("--block", &self.block)?.or(launch.block);
        if let Some(text) = &self.shared {
            let bytes = expression::count(text, names).map_err(|why| usage(format!("--shared: {why}")))?;
            launch.shared_bytes =
                u32::try_from(bytes).map_err(|_| usage(format!("--shared: {bytes} bytes fit into no block")))?;
        }
        Ok(())
    }
}

/// The path from the root, so that it means the same in every folder.
fn absolute(file: &str) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_command_is_a_session_with_one_launch() {
        let command = CommandLine {
            file: PathBuf::from("k.cu"),
            grid: Some("ceil(n/256),2".to_owned()),
            shared: Some("4*n".to_owned()),
            args: words(&["x:f32[n]=random", "n", "&x"]),
            names: words(&["n=1000"]),
            symbols: words(&["scale=f32:2"]),
            dump: words(&["x=out.bin"]),
            expect: words(&["x=f32[n]=2*i"]),
            ..CommandLine::default()
        };
        let session = command.session().unwrap();
        let launch = &session.launches[0];
        assert_eq!((launch.grid, launch.block, launch.shared_bytes), (Dim3::new(4, 2, 1), None, 4000));
        assert_eq!((&launch.args[0][..], &session.buffers["x"][..]), ("&x", "f32[n]=random"));
        assert_eq!((&session.expect["x"][..], &session.symbols["scale"][..]), ("f32[n]=2*i", "f32:2"));
    }

    #[test]
    fn options_go_before_the_launch_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.toml");
        let one = "file = \"a.cu\"\ngrid = \"n\"\nblock = 32\n[let]\nn = 4\n";
        std::fs::write(&path, one).unwrap();
        let command = CommandLine { file: path.clone(), names: words(&["n=8"]), ..CommandLine::default() };
        assert_eq!(command.session().unwrap().launches[0].grid, Dim3::linear(8));
        let command = CommandLine { block: Some("64".to_owned()), dump: words(&["0=o"]), ..command };
        let session = command.session().unwrap();
        assert_eq!(session.launches[0].block, Some(Dim3::linear(64)));
        assert!(session.dump["0"].is_absolute(), "a file named on the command line is not beside the launch file");
        let command = CommandLine { args: words(&["1"]), ..command };
        assert!(command.session().unwrap_err().to_string().contains("arguments are in the launch file"));
        std::fs::write(&path, "file = \"a.cu\"\n[[launches]]\ngrid = 1\n[[launches]]\ngrid = 1\n").unwrap();
        let command = CommandLine { file: path, grid: Some("2".to_owned()), ..CommandLine::default() };
        assert!(command.session().unwrap_err().to_string().contains("several launches"));
    }

    #[test]
    fn slips_are_named() {
        let command = CommandLine::default();
        for (command, part) in [
            (CommandLine { dump: words(&["0"]), ..command.clone() }, "such as --dump 0=out.bin"),
            (CommandLine { dump: words(&["=x"]), ..command.clone() }, "`=x` is not NAME=…"),
            (CommandLine { symbols: words(&["a=1", "a=2"]), ..command.clone() }, "--symbol is given twice for `a`"),
            (CommandLine { grid: Some("0".to_owned()), ..command.clone() }, "--grid: `0` has an extent of 0"),
            (CommandLine { grid: Some("m".to_owned()), ..command.clone() }, "--let m=…"),
            (CommandLine { shared: Some("1<<40".to_owned()), ..command.clone() }, "fit into no block"),
            (CommandLine { tolerance: Some(-1.0), ..command }, "--tolerance"),
        ] {
            let error = command.session().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
