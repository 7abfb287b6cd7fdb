//! A parsed PTX module, and its kernels lowered once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;
use crate::ir::Source;
use crate::ir::inst::Pc;
use crate::lower;
use crate::prepare::Executable;
use crate::ptx;
use crate::ptxas::Lowering;

/// A parsed PTX module.
#[derive(Debug, Clone)]
pub struct Module {
    name: Arc<str>,
    text: Arc<str>,
    ast: Arc<ptx::ast::Module>,
    lowered: Lowered,
}

/// What has been lowered already: many launches of a kernel need it once. Copies of a module share it.
type Lowered = Arc<Mutex<HashMap<(String, Lowering), Arc<Executable>>>>;

impl Module {
    /// Reads PTX. `name` is the file's name for messages.
    ///
    /// # Errors
    /// [`Error::Input`] with the place when the text is not PTX.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let (ast, errors) = ptx::parse(name, text);
        match errors.into_iter().next() {
            Some(first) => Err(Error::Input(Box::new(first))),
            None => Ok(Self { name: name.into(), text: text.into(), ast: Arc::new(ast), lowered: Lowered::default() }),
        }
    }

    /// The file's name, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The syntax tree.
    pub(crate) fn ast(&self) -> &ptx::ast::Module {
        &self.ast
    }

    /// Source file and line of an instruction of a program of this module, as a user knows them: see
    /// [`Program::place`](crate::ir::Program::place).
    pub fn place(&self, program: &Executable, pc: Pc) -> (String, u32) {
        program.place(&self.ast, &self.name, pc as usize)
    }

    /// The names of the kernels (`.entry`) in the module, in order.
    pub fn kernels(&self) -> Vec<&str> {
        self.ast.functions.iter().filter(|f| f.is_kernel && f.body.is_some()).map(|f| &*f.name.text).collect()
    }

    /// What a kernel takes and asks for; None if there is no such kernel.
    pub fn entry(&self, kernel: &str) -> Option<Entry> {
        let is_it = |f: &&ptx::ast::Function| f.is_kernel && f.body.is_some() && &*f.name.text == kernel;
        let function = self.ast.functions.iter().find(is_it)?;
        Some(Entry {
            params: function.params.iter().map(Parameter::of).collect(),
            required_threads: function.required_threads,
            max_threads: function.max_threads,
        })
    }

    /// The module's variables in global and constant memory, in order.
    pub fn variables(&self) -> Vec<Parameter> {
        self.ast.variables.iter().filter(|variable| is_settable(variable)).map(Parameter::of).collect()
    }

    /// Sets the first bytes of a variable in global or constant memory, as `cudaMemcpyToSymbol` does: every launch from
    /// now on begins with them.
    ///
    /// # Errors
    /// [`Error::Input`] when there is no such variable or it is smaller.
    pub fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let ast = Arc::make_mut(&mut self.ast);
        let found = ast.variables.iter_mut().find(|variable| is_settable(variable) && &*variable.name.text == name);
        let Some(variable) = found else {
            return Err(Error::input(format!("there is no variable `{name}` in global or constant memory")));
        };
        if bytes.len() as u64 > variable.bytes {
            let (given, size) = (bytes.len(), variable.bytes);
            return Err(Error::input(format!("the variable `{name}` has {size} bytes, {given} were given")));
        }
        if variable.content.len() < bytes.len() {
            variable.content.resize(bytes.len(), 0);
        }
        variable.content[..bytes.len()].copy_from_slice(bytes);
        variable.relocations.retain(|relocation| relocation.at >= bytes.len() as u64);
        // A program holds its variables' first bytes. Copies of this module keep theirs.
        self.lowered = Lowered::default();
        Ok(())
    }

    /// Lowers one of the kernels: what is executed.
    ///
    /// # Errors
    /// As [`simulate`](crate::simulate).
    pub fn lower(&self, kernel: &str, lowering: Lowering) -> Result<Arc<Executable>, Error> {
        let key = (kernel.to_owned(), lowering);
        // Whoever panicked while holding the lock left the map whole.
        let lowered = || self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = lowered().get(&key) {
            return Ok(Arc::clone(program));
        }
        let source = Source { file: &self.name, text: &self.text };
        let program = lower::build(&self.ast, source, kernel)?;
        let program = Arc::new(Executable::new(lowering.codegen().compile(program)));
        lowered().insert(key, Arc::clone(&program));
        Ok(program)
    }
}

/// What a kernel takes and asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its parameters, in order.
    pub params: Vec<Parameter>,
    /// Exact number of threads per block in x, y and z (`.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// Most threads per block in x, y and z (`.maxntid`).
    pub max_threads: Option<[u32; 3]>,
}

/// A parameter of a kernel, or a variable of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the PTX.
    pub name: String,
    /// Type of its elements, without the dot (`u32`, `b8`).
    pub element: String,
    /// Size in bytes.
    pub bytes: u64,
}

impl Parameter {
    fn of(variable: &ptx::ast::Variable) -> Self {
        Self { name: variable.name.text.to_string(), element: variable.element.to_string(), bytes: variable.bytes }
    }
}

/// Whether a module's variable can be given another content.
fn is_settable(variable: &ptx::ast::Variable) -> bool {
    matches!(variable.space, ptx::ast::StateSpace::Global | ptx::ast::StateSpace::Const)
}
