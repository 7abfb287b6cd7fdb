//! What a file holds: its kernels, their parameters, and for each a command that launches it.

use std::fmt;

use serde::Serialize;

use super::signature::{self, Signature};
use crate::names::NameError;
use crate::open::Opened;

/// The kernels of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// The file.
    pub file: String,
    /// Its kernels, in the order of the PTX.
    pub kernels: Vec<Kernel>,
    /// `__global__` functions of the source that are not compiled: templates that nothing makes an instance of.
    pub templates: Vec<String>,
    /// `__constant__` and `__device__` variables that a launch can set, with their sizes in bytes.
    pub variables: Vec<(String, u64)>,
}

/// A kernel and how to launch it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kernel {
    /// Its name and parameters.
    #[serde(flatten)]
    pub signature: Signature,
    /// A command that launches it, to be changed.
    pub command: String,
}

impl Listed {
    /// The kernels of an opened file, or the one that is wanted.
    ///
    /// # Errors
    /// [`NameError`] when there is no such kernel, or none at all.
    pub fn of(opened: &Opened, wanted: Option<&str>) -> Result<Self, NameError> {
        let names: Vec<String> = match wanted {
            Some(_) => vec![opened.kernel(wanted)?],
            None => opened.module.kernels().into_iter().map(str::to_owned).collect(),
        };
        let source = opened.source.as_deref();
        let kernel = |name: &String| {
            let signature = Signature::of(&opened.module, name, source)?;
            Some(Kernel { command: signature.command(&opened.name), signature })
        };
        let kernels: Vec<Kernel> = names.iter().filter_map(kernel).collect();
        let compiled: Vec<&str> = kernels.iter().map(|kernel| kernel.signature.name.as_str()).collect();
        let templates = match (source, wanted) {
            (Some(source), None) => signature::not_compiled(source, &compiled),
            _ => Vec::new(),
        };
        if kernels.is_empty() && templates.is_empty() {
            return Err(NameError::None(opened.name.clone()));
        }
        // Tables of CUDA's own mathematics come along with a sine: they are nobody's to set.
        let own = |name: &str| name.starts_with("__cudart_") || name.starts_with("__nv_");
        let variables = opened.module.variables().into_iter().filter(|variable| !own(&variable.name));
        let variables = variables.map(|variable| (crate::names::short(&variable.name), variable.bytes)).collect();
        Ok(Self { file: opened.name.clone(), kernels, templates, variables })
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, kernel) in self.kernels.iter().enumerate() {
            let blank = if index > 0 { "\n" } else { "" };
            writeln!(f, "{blank}{}\n  {}", kernel.signature, kernel.command)?;
        }
        if !self.templates.is_empty() {
            let blank = if self.kernels.is_empty() { "" } else { "\n" };
            writeln!(
                f,
                "{blank}templates, compiled where --kernel names them with their arguments, as in 'NAME<int, 4>':"
            )?;
            self.templates.iter().try_for_each(|name| writeln!(f, "  {name}"))?;
        }
        if !self.variables.is_empty() {
            writeln!(f, "\nvariables that --symbol NAME=… sets:")?;
            self.variables.iter().try_for_each(|(name, bytes)| writeln!(f, "  {name} ({bytes} bytes)"))?;
        }
        Ok(())
    }
}
