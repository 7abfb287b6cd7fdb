//! The committed machine code of the book's kernels: `kernels/cubins/NAME.ARCH.cubin.gz`, made by ptxas from
//! `kernels/ptx/NAME.ptx`.
//!
//! It is committed so that a machine without any of NVIDIA's tools simulates the very instructions that a GPU was recorded
//! with. The comment in the header of the gzip file names the version of ptxas and the hash of the PTX's code, which tells
//! whether it is stale. `warpbook dev cubins` makes them again.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

use crate::ptx::{self, CommittedPtx};
use crate::sass::{SassError, Tools};

/// Their names and contents.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/cubins.rs"));

/// The architecture that machine code is committed for: that of the GPU of the records.
pub const ARCH: &str = "sm_90";

/// The committed machine code of one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedCubin {
    /// The cubin, as ptxas wrote it.
    pub bytes: Vec<u8>,
    /// The version of the ptxas that made it.
    pub ptxas: String,
    /// SHA-256 of the PTX's code ([`ptx::code_sha256`]).
    pub code_sha256: String,
}

impl CommittedCubin {
    /// Whether it was made from this PTX.
    #[must_use]
    pub fn is_of(&self, ptx: &CommittedPtx) -> bool {
        self.code_sha256 == ptx::code_sha256(ptx.text)
    }

    /// SHA-256 of its bytes.
    #[must_use]
    pub fn sha256(&self) -> String {
        cuda::digest::hex(&Sha256::digest(&self.bytes))
    }
}

/// The committed machine code of a problem for an architecture, such as `scan` for [`ARCH`]; None if there is none.
#[must_use]
pub fn committed(problem: &str, arch: &str) -> Option<CommittedCubin> {
    let wanted = file_name(problem, arch);
    FILES.iter().find(|(name, _)| *name == wanted).and_then(|(_, file)| read(file))
}

/// The name of a problem's file.
fn file_name(problem: &str, arch: &str) -> String {
    format!("{problem}.{arch}.cubin.gz")
}

/// Reads a file of them; None if it is none.
fn read(file: &[u8]) -> Option<CommittedCubin> {
    let mut decoder = GzDecoder::new(file);
    let mut bytes = Vec::new();
    decoder.read_to_end(&mut bytes).ok()?;
    let comment = std::str::from_utf8(decoder.header()?.comment()?).ok()?;
    let (ptxas, code) = comment.strip_prefix("ptxas ")?.split_once(", PTX ")?;
    Some(CommittedCubin { bytes, ptxas: ptxas.to_owned(), code_sha256: code.to_owned() })
}

/// Writes what [`read`] reads. The same machine code gives the same bytes.
fn write(cubin: &CommittedCubin) -> std::io::Result<Vec<u8>> {
    let comment = format!("ptxas {}, PTX {}", cubin.ptxas, cubin.code_sha256);
    let mut encoder = GzBuilder::new().comment(comment).mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(&cubin.bytes)?;
    encoder.finish()
}

/// Why the committed machine code could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CubinsError {
    /// There is no ptxas, or it refuses the PTX.
    #[error(transparent)]
    Sass(#[from] SassError),
    /// The file cannot be written.
    #[error("{}: {why}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
}

impl CubinsError {
    /// The exit code that a program should end with.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Sass(_) => sim::ErrorClass::Unsupported.exit_code(),
            Self::Io { .. } => sim::ErrorClass::Input.exit_code(),
        }
    }
}

/// Makes the machine code of all problems again, and writes to `folder` what is not there as it should be. Returns each
/// file, and whether it changed.
///
/// # Errors
/// [`CubinsError`].
pub fn make(folder: &Path) -> Result<Vec<(PathBuf, bool)>, CubinsError> {
    let tools = Tools::find()?;
    let mut made = Vec::new();
    for problem in ptx::problems() {
        let Some(ptx) = ptx::committed(problem) else { continue };
        let bytes = tools.assemble(&format!("{problem}.ptx"), ptx.text, ARCH)?;
        let ptxas = tools.version.clone();
        let cubin = CommittedCubin { bytes, ptxas, code_sha256: ptx::code_sha256(ptx.text) };
        let path = folder.join(file_name(problem, ARCH));
        let failed = |why| CubinsError::Io { file: path.clone(), why };
        let changed = std::fs::read(&path).ok().and_then(|old| read(&old)).as_ref() != Some(&cubin);
        if changed {
            std::fs::create_dir_all(folder).map_err(failed)?;
            std::fs::write(&path, write(&cubin).map_err(failed)?).map_err(failed)?;
        }
        made.push((path, changed));
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let cubin =
            CommittedCubin { bytes: vec![1, 2, 3], ptxas: "13.0.88".to_owned(), code_sha256: ptx::sha256("code") };
        let file = write(&cubin).unwrap();
        assert_eq!(read(&file).as_ref(), Some(&cubin));
        assert_eq!(file, write(&cubin).unwrap());
        assert_eq!(read(b"nothing of the kind"), None);
    }

    #[test]
    fn every_problem_has_machine_code_of_its_ptx() {
        for problem in ptx::problems() {
            let cubin = committed(problem, ARCH).unwrap_or_else(|| panic!("{problem}: run warpbook dev cubins"));
            assert!(cubin.is_of(&ptx::committed(problem).unwrap()), "{problem}: run warpbook dev cubins");
        }
    }
}
