//! The machine code of a PTX file: ptxas makes it, nvdisasm prints it with source lines, and this reads what it prints.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use super::{Access, Action, Room};
use crate::nvrtc;
use crate::ptx;
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

/// An access of the machine code, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placed {
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The source file's name; empty when nothing tells it.
    pub file: String,
    /// The line, from 1; 0 when nothing tells it.
    pub line: u32,
    /// What is accessed.
    pub access: Access,
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
        let key = ptx::sha256(&format!("{} {arch}\n{text}", self.version));
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

/// Reads what nvdisasm printed: the memory accesses of all kernels, each kind once per line.
pub(super) fn parse(text: &str) -> BTreeSet<Placed> {
    let mut accesses = BTreeSet::new();
    let (mut kernel, mut file, mut line) = (String::new(), String::new(), 0);
    for text in text.lines().map(str::trim) {
        if let Some(section) = text.strip_prefix(".section\t.text.").or_else(|| text.strip_prefix(".section .text.")) {
            kernel = section.split(',').next().unwrap_or_default().to_owned();
            (file, line) = (String::new(), 0);
        } else if let Some(place) = text.strip_prefix("//## File \"") {
            let (name, rest) = place.split_once('"').unwrap_or_default();
            let digits = rest.trim_start_matches(", line ").chars().take_while(char::is_ascii_digit);
            file = name.rsplit('/').next().unwrap_or_default().to_owned();
            line = digits.collect::<String>().parse().unwrap_or(0);
        } else if let Some((_, instruction)) = text.strip_prefix("/*").and_then(|text| text.split_once("*/")) {
            for access in accesses_of(instruction.trim()) {
                accesses.insert(Placed { kernel: kernel.clone(), file: file.clone(), line, access });
            }
        }
    }
    accesses
}

/// What an instruction accesses. A look at an `mbarrier` counts as an atomic and a load.
fn accesses_of(instruction: &str) -> Vec<Access> {
    if instruction.contains("SYNCS.PHASECHK") {
        let access = |action| Access { action, room: Room::Shared, bytes: 8 };
        return vec![access(Action::Atomic), access(Action::Load)];
    }
    access(instruction).into_iter().collect()
}

/// What an instruction accesses, such as `@!P0 LDG.E.128 R4, desc[UR6][R2.64] ;`; None for all that access no memory, or
/// constants.
fn access(instruction: &str) -> Option<Access> {
    let word = instruction.split_whitespace().find(|word| !word.starts_with('@'))?;
    let mut parts = word.trim_end_matches(';').split('.');
    let (action, room) = match parts.next()? {
        "LDG" => (Action::Load, Room::Global),
        "STG" => (Action::Store, Room::Global),
        "LDS" | "LDSM" => (Action::Load, Room::Shared),
        "STS" | "STSM" => (Action::Store, Room::Shared),
        "LDL" => (Action::Load, Room::Local),
        "STL" => (Action::Store, Room::Local),
        "LD" => (Action::Load, Room::Generic),
        "ST" => (Action::Store, Room::Generic),
        "ATOMG" => (Action::Atomic, Room::Global),
        "ATOMS" => (Action::Atomic, Room::Shared),
        "ATOM" => (Action::Atomic, Room::Generic),
        "RED" | "REDG" => (Action::Reduction, Room::Global),
        "LDGSTS" => (Action::Copy, Room::Global),
        "UBLKCP" | "UBLKRED" => (Action::Bulk, Room::Global),
        _ => return None,
    };
    let mut bits = 32;
    for part in parts {
        bits = match part {
            "U8" | "S8" => 8,
            "U16" | "S16" => 16,
            "64" | "F64" => 64,
            "128" => 128,
            _ => bits,
        };
    }
    if matches!(action, Action::Bulk) {
        bits = 0;
    }
    Some(Access { action, room, bytes: bits / 8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_read_with_their_places() {
        let text = "\t.section\t.text.scan,\"ax\",@progbits\n\t//## File \"dir/scan.cu\", line 136\n\
                    \t/*0100*/              @!P0 LDG.E R15, desc[UR6][R8.64] ;\n\
                    \t//## File \"scan.cu\", line 73\n\
                    \t/*01e0*/                   STS.128 [R4], R12 ;\n\t/*01f0*/ IADD3 R1, R2, R3, RZ ;\n\
                    \t/*0200*/ LDC R1, c[0x0][0x28] ;\n\t/*0210*/ ATOMS.POPC.INC.32 RZ, [R2+URZ] ;\n\
                    \t/*0218*/ SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R9+URZ], R8 ;\n\
                    \t/*0220*/ LDG.E.U8.CONSTANT R0, desc[UR4][R2.64] ;\n";
        let read: Vec<String> = parse(text)
            .into_iter()
            .map(|placed| format!("{}:{}:{} {}", placed.kernel, placed.file, placed.line, placed.access))
            .collect();
        assert_eq!(
            read,
            [
                "scan:scan.cu:73 8-bit load from global memory",
                "scan:scan.cu:73 64-bit load from shared memory",
                "scan:scan.cu:73 128-bit store to shared memory",
                "scan:scan.cu:73 32-bit atomic in shared memory",
                "scan:scan.cu:73 64-bit atomic in shared memory",
                "scan:scan.cu:136 32-bit load from global memory",
            ]
        );
    }
}
