//! The machine code of a PTX file: ptxas makes it, nvdisasm prints it with source lines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::digest::sha256;
use crate::nvrtc;
use crate::setup::{self, Component};

/// The environment variable that names the folder of the ptxas and nvdisasm to use.
pub const OVERRIDE: &str = "WARPBOOK_SASS";

/// What a command that needs ptxas and lacks it tells its user to type.
pub const HOW_TO_GET: &str =
    "run: warpbook setup --sass (from a clone: cargo run --release -- setup --sass), or install a CUDA toolkit";

/// ptxas and nvdisasm of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
    /// The version of ptxas, such as `13.0.88`.
    pub version: String,
}

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
pub enum SassError {
    /// The programs are not here.
    #[error("there is no ptxas and nvdisasm on this machine. {HOW_TO_GET}")]
    Missing,
    /// A program could not be started, or a file not be written.
    #[error("{}: {why}", .file.display())]
    Io {
        /// The program or file.
        file: PathBuf,
        /// The operating system's reason.
        why: io::Error,
    },
    /// ptxas or nvdisasm refused.
    #[error("{program} refuses {file} for {arch}: {why}")]
    Refused {
        /// Which.
        program: &'static str,
        /// The PTX file.
        file: String,
        /// The architecture.
        arch: String,
        /// What it says.
        why: String,
    },
}

impl SassError {
    /// The exit code that a program should end with: 2 where the PTX is refused, 3 where something is lacking.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Refused { .. } => sim::ErrorClass::Input.exit_code(),
            Self::Missing | Self::Io { .. } => sim::ErrorClass::Unsupported.exit_code(),
        }
    }
}

impl Tools {
    /// Looks for the programs: in the folder that `WARPBOOK_SASS` names (and nowhere else), then in our cache, then in a
    /// CUDA toolkit.
    ///
    /// # Errors
    /// [`SassError::Missing`].
    pub fn find() -> Result<Self, SassError> {
        let folders: Vec<PathBuf> = match env::var_os(OVERRIDE).filter(|value| !value.is_empty()) {
            Some(folder) => vec![folder.into()],
            None => {
                let cached = setup::installed(Component::Sass).map(|folder| folder.join("bin"));
                let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
                let homes = homes.map(|home| PathBuf::from(home).join("bin"));
                let path = env::var_os("PATH").unwrap_or_default();
                let path: Vec<PathBuf> = env::split_paths(&path).collect();
                cached.into_iter().chain(homes).chain(path).chain([PathBuf::from("/usr/local/cuda/bin")]).collect()
            }
        };
        let here = |folder: &PathBuf| folder.join("ptxas").is_file() && folder.join("nvdisasm").is_file();
        let folder = folders.into_iter().find(here).ok_or(SassError::Missing)?;
        let ptxas = folder.join("ptxas");
        let told = Command::new(&ptxas).arg("--version").stdin(Stdio::null()).output();
        let told = told.map_err(|why| SassError::Io { file: ptxas.clone(), why })?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let version = told.rsplit_once(", V").map_or("", |(_, version)| version);
        let version = version.split_whitespace().next().unwrap_or("unknown").to_owned();
        Ok(Self { ptxas, nvdisasm: folder.join("nvdisasm"), version })
    }

    /// The machine code of a PTX text as nvdisasm prints it. What has been made once is kept in the cache, by the PTX, the
    /// architecture and the version of ptxas.
    ///
    /// # Errors
    /// [`SassError`] when ptxas refuses the PTX.
    pub fn disassemble(&self, name: &str, text: &str, arch: &str) -> Result<String, SassError> {
        let key = sha256(&format!("{} {arch}\n{text}", self.version));
        let kept = nvrtc::cache_folder().map(|cache| cache.join("lowering").join(format!("{}.sass", &key[..32])));
        if let Some(sass) = kept.as_ref().and_then(|kept| fs::read_to_string(kept).ok()) {
            return Ok(sass);
        }
        let folder = tempfile::tempdir().map_err(io_error(&env::temp_dir()))?;
        let cubin = self.assemble_into(folder.path(), name, text, arch)?;
        let sass = self.show(&["-g", "-c"], &cubin, name, arch)?;
        if let Some(kept) = kept {
            // A cache that cannot be written to costs time, nothing else. One rename, so that nobody reads half a file.
            let new = kept.with_extension(format!("new-{}", std::process::id()));
            let written = kept.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&new, &sass));
            let _ = written.and_then(|()| fs::rename(&new, &kept));
        }
        Ok(sass)
    }

    /// The cubin that ptxas makes of a PTX text, with line tables.
    ///
    /// # Errors
    /// [`SassError`] when ptxas refuses the PTX.
    pub fn assemble(&self, name: &str, text: &str, arch: &str) -> Result<Vec<u8>, SassError> {
        let folder = tempfile::tempdir().map_err(io_error(&env::temp_dir()))?;
        let cubin = self.assemble_into(folder.path(), name, text, arch)?;
        fs::read(&cubin).map_err(io_error(&cubin))
    }

    /// What nvdisasm prints for instructions that stand one behind the other, with their encodings. Branches lead to
    /// offsets from the first of them.
    ///
    /// # Errors
    /// [`SassError`] when nvdisasm refuses one of them.
    pub fn disassemble_code(&self, code: &[u8], arch: &str) -> Result<String, SassError> {
        let folder = tempfile::tempdir().map_err(io_error(&env::temp_dir()))?;
        let file = folder.path().join("code.bin");
        fs::write(&file, code).map_err(io_error(&file))?;
        self.show(&["-b", &arch.replace("sm_", "SM"), "-hex", "-ndf"], &file, "instructions", arch)
    }

    /// What nvdisasm prints for a cubin with its source lines, or those of its PTX.
    ///
    /// # Errors
    /// [`SassError`] when nvdisasm refuses it.
    pub fn disassemble_lines(&self, cubin: &[u8], ptx: bool, arch: &str) -> Result<String, SassError> {
        let folder = tempfile::tempdir().map_err(io_error(&env::temp_dir()))?;
        let file = folder.path().join("kernel.cubin");
        fs::write(&file, cubin).map_err(io_error(&file))?;
        self.show(&[if ptx { "-gp" } else { "-g" }, "-c"], &file, "a cubin", arch)
    }

    fn assemble_into(&self, folder: &Path, name: &str, text: &str, arch: &str) -> Result<PathBuf, SassError> {
        let (source, cubin) = (folder.join("kernel.ptx"), folder.join("kernel.cubin"));
        fs::write(&source, text).map_err(io_error(&source))?;
        let made = Command::new(&self.ptxas).args(["-arch", arch, "-lineinfo", "-o"]).args([&cubin, &source]).output();
        let made = made.map_err(io_error(&self.ptxas))?;
        if made.status.success() { Ok(cubin) } else { Err(refused("ptxas", name, arch, &made)) }
    }

    fn show(&self, options: &[&str], file: &Path, name: &str, arch: &str) -> Result<String, SassError> {
        let shown = Command::new(&self.nvdisasm).args(options).arg(file).output();
        let shown = shown.map_err(io_error(&self.nvdisasm))?;
        if !shown.status.success() {
            return Err(refused("nvdisasm", name, arch, &shown));
        }
        Ok(String::from_utf8_lossy(&shown.stdout).into_owned())
    }
}

fn io_error(file: &Path) -> impl FnOnce(io::Error) -> SassError {
    let file = file.to_owned();
    move |why| SassError::Io { file, why }
}

fn refused(program: &'static str, name: &str, arch: &str, output: &std::process::Output) -> SassError {
    SassError::Refused {
        program,
        file: name.to_owned(),
        arch: arch.to_owned(),
        why: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }
}
