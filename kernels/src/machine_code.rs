//! The machine code of a file beside its source lines: a cubin as it stands, or what ptxas makes of a source.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use cuda::sass::{SassError, Tools};
use sass::{Architecture, Cubin, CubinError};
use serde::Serialize;
use sim::ErrorClass;

use crate::open::{self, How, OpenError};

/// The machine code of one section: a kernel, or a device function of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Its name.
    pub name: String,
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of static shared memory.
    pub shared: u64,
    /// Bytes of local memory that each thread needs.
    pub stack: u32,
    /// Barriers of the thread block.
    pub barriers: u32,
    /// The instructions.
    pub instructions: Vec<Listed>,
}

/// One instruction of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Bytes from the start of the section.
    pub offset: u64,
    /// The source file and line; an empty name and 0 if nothing tells them.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The text of that line, if the file could be read.
    pub source: Option<String>,
    /// What it is, as nvdisasm prints it; for bits that are no known instruction, why not.
    pub text: String,
    /// What the scheduler is told: scoreboards waited for, taken until the operands are read, taken until the result is
    /// written, whether it yields, stalled cycles.
    pub control: String,
}

/// Why there is no listing.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The source cannot be opened or compiled.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is no ptxas, or it refuses the PTX.
    #[error(transparent)]
    Sass(#[from] SassError),
    /// The cubin cannot be read.
    #[error("{file}: {why}")]
    Cubin {
        /// The file.
        file: String,
        /// What is wrong.
        why: CubinError,
    },
    /// The file cannot be read.
    #[error("{file}: {why}")]
    Io {
        /// The file.
        file: String,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// Its instructions are of an architecture without a table.
    #[error(
        "{file} has machine code for compute capability {}, which the decoder does not know; it knows {}",
        shown(*.capability),
        known()
    )]
    Architecture {
        /// The file.
        file: String,
        /// The compute capability, as `90` for 9.0.
        capability: u32,
    },
    /// There is no kernel of the name.
    #[error("{file} has no kernel `{wanted}`; it has {}", .kernels.join(", "))]
    Kernel {
        /// The file.
        file: String,
        /// What was asked for.
        wanted: String,
        /// What there is.
        kernels: Vec<String>,
    },
}

impl ListError {
    /// The exit code that a program should end with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Open(error) => error.exit_code(),
            Self::Sass(SassError::Refused { .. }) | Self::Cubin { .. } | Self::Io { .. } | Self::Kernel { .. } => {
                ErrorClass::Input.exit_code()
            }
            Self::Sass(_) | Self::Architecture { .. } => ErrorClass::Unsupported.exit_code(),
        }
    }
}

/// A compute capability as people write it: `9.0` for 90.
fn shown(capability: u32) -> String {
    format!("{}.{}", capability / 10, capability % 10)
}

/// The compute capabilities that the decoder knows.
fn known() -> String {
    let all = Architecture::ALL.iter().flat_map(|architecture| architecture.capabilities());
    all.map(|&capability| shown(capability)).collect::<Vec<_>>().join(", ")
}

/// Lists the machine code of a `.cubin`, or of a `.ptx` or `.cu` that is compiled for `arch`; of all kernels, or of one.
///
/// # Errors
/// [`ListError`].
pub fn list(path: &Path, how: &How, arch: &str, kernel: Option<&str>) -> Result<Vec<Listing>, ListError> {
    let file = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut sources = Sources { folder, own: None, read: HashMap::new() };
    let (bytes, kernel) = if path.extension().is_some_and(|extension| extension == "cubin") {
        let bytes = fs::read(path).map_err(|why| ListError::Io { file: file.clone(), why })?;
        (bytes, kernel.map(str::to_owned))
    } else {
        let opened = open::open(path, how)?;
        let kernel = kernel.map(|wanted| opened.kernel(Some(wanted)).unwrap_or_else(|_| wanted.to_owned()));
        sources.own = opened.source.clone().zip(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        (Tools::find()?.assemble(&opened.name, opened.ptx(), arch)?, kernel)
    };
    let cubin = Cubin::parse(&bytes).map_err(|why| ListError::Cubin { file: file.clone(), why })?;
    let architecture = Architecture::of(cubin.capability)
        .ok_or(ListError::Architecture { file: file.clone(), capability: cubin.capability })?;
    let listings: Vec<Listing> = cubin
        .sections
        .iter()
        .filter(|code| kernel.as_ref().is_none_or(|kernel| code.name == *kernel))
        .map(|code| Listing {
            name: code.name.clone(),
            registers: code.resources.registers,
            shared: code.resources.shared,
            stack: code.resources.stack,
            barriers: code.resources.barriers,
            instructions: instructions(code, architecture, &mut sources),
        })
        .collect();
    match kernel {
        Some(wanted) if listings.is_empty() => {
            let kernels = cubin.sections.into_iter().map(|code| code.name).collect();
            Err(ListError::Kernel { file, wanted, kernels })
        }
        _ => Ok(listings),
    }
}

/// The source files of a listing, each read once.
struct Sources<'a> {
    folder: &'a Path,
    /// The text and name of the file that was compiled.
    own: Option<(String, String)>,
    read: HashMap<String, Option<String>>,
}

impl Sources<'_> {
    /// The text of a line, from 1.
    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let text = self.read.entry(file.to_owned()).or_insert_with(|| match &self.own {
            Some((text, name)) if name == file => Some(text.clone()),
            _ => fs::read_to_string(self.folder.join(file)).ok(),
        });
        let line = usize::try_from(line).ok()?.checked_sub(1)?;
        Some(text.as_ref()?.lines().nth(line)?.trim().to_owned())
    }
}

fn instructions(code: &sass::cubin::Code, architecture: Architecture, sources: &mut Sources<'_>) -> Vec<Listed> {
    let mut listed = Vec::new();
    for (offset, decoded) in code.instructions(architecture) {
        let place = code.line(offset);
        let (file, line) = place.map_or((String::new(), 0), |place| (place.file.to_string(), place.line));
        let (text, control) = match decoded {
            Ok(instruction) => (instruction.to_string(), instruction.control.to_string()),
            Err(why) => (why.to_string(), String::new()),
        };
        let source = sources.line(&file, line);
        listed.push(Listed { offset, file, line, source, text, control });
    }
    listed
}
