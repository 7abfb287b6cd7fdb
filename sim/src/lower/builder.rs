//! Resolves names, lays out variables, inlines device functions and decodes instructions.

use std::collections::{HashMap, HashSet};

use super::call_graph;
use super::names::{Scope, Symbol};
use super::place::MOST_PARAMETERS;
use super::recursion::Recursion;
use crate::diagnostic::{Diagnostic, Place, Span};
use crate::error::Error;
use crate::ir::inst::{APART, Inst, NEVER, Op, Pc, Reg, Space};
use crate::ir::layout::{GLOBALS_BASE, STACK, align_up};
use crate::ir::slots::Slots;
use crate::ir::{Instruction as Lowered, KernelParam, Opcode, Program, Source};
use crate::ptx::ast::{Function, Instruction, Line, Module, Statement, Variable};

/// How deep device functions may be inlined in each other.
const DEEPEST_CALL: usize = 64;
/// Most instructions of an inlined kernel.
const MOST_INSTRUCTIONS: usize = 1 << 20;

/// Lowers one kernel.
pub(super) struct Builder<'m> {
    pub(super) module: &'m Module,
    /// Device functions by name: the definition where there is one, else a declaration.
    pub(super) functions: HashMap<&'m str, &'m Function>,
    /// Variables of the module by name.
    pub(super) variables: HashMap<&'m str, &'m Variable>,
    /// Functions whose address the kernel can hold.
    pub(super) pointed_to: HashSet<&'m str>,
    source: Source<'m>,
    /// Start of every line of the PTX text.
    line_starts: Vec<usize>,
    pub(super) program: Program,
    pub(super) slots: Slots,
    pub(super) scopes: Vec<Scope<'m>>,
    /// Scopes below this index belong to callers and are not visible.
    pub(super) floor: usize,
    /// Instruction that each label stands before.
    labels: Vec<Option<Pc>>,
    /// Branches whose target is a label: resolved at the end.
    pending: Vec<(Pc, usize)>,
    pub(super) line: Line,
    /// The opcode of the instruction that is being decoded.
    opcode: Opcode,
    /// Addresses of static shared variables, by where they are declared.
    pub(super) shared_addresses: HashMap<usize, u64>,
    /// End of all static shared variables; dynamic shared memory lies behind it.
    pub(super) shared_end: u64,
    pub(super) const_end: u64,
    pub(super) global_end: u64,
    /// End of the local variables of the functions that are open; a function that was left frees its own.
    pub(super) local_end: u64,
    /// The same for call arguments, which are gone at the end of their scope.
    pub(super) frame_end: u64,
    /// Variables of other spaces declared in a function: there is one of each, however often it is inlined.
    pub(super) placed_in_functions: HashMap<usize, Symbol<'m>>,
    pub(super) module_variables: HashMap<&'m str, Symbol<'m>>,
    calls: Vec<&'m str>,
    /// Label behind the inlined function's body, where `ret` goes; `None` in the kernel itself.
    pub(super) return_label: Option<usize>,
    pub(super) recursion: Recursion<'m>,
    /// Where a grid waits for itself, if the kernel asks for it.
    pub(super) grid_workspace: Option<u64>,
}

/// Builds `kernel`.
pub(crate) fn build(module: &Module, source: Source<'_>, kernel: &str) -> Result<Program, Error> {
    let kernels: Vec<&Function> = module.functions.iter().filter(|f| f.is_kernel && f.body.is_some()).collect();
    let Some(function) = kernels.iter().find(|f| &*f.name.text == kernel) else {
        let names: Vec<&str> = kernels.iter().map(|f| &*f.name.text).collect();
        let help = if names.is_empty() {
            format!("{} holds no kernel (`.entry`) at all; was the function declared `__global__`?", source.file)
        } else {
            format!("{} has: {}", source.file, names.join(", "))
        };
        return Err(Error::Input(Box::new(
            Diagnostic::new(format!("there is no kernel `{kernel}` in {}", source.file)).help(help),
        )));
    };
    let mut functions: HashMap<&str, &Function> = HashMap::new();
    for function in module.functions.iter().filter(|function| !function.is_kernel) {
        let known = functions.entry(&function.name.text).or_insert(function);
        if known.body.is_none() {
            *known = function;
        }
    }
    let mut builder = Builder {
        module,
        functions,
        pointed_to: HashSet::new(),
        variables: module.variables.iter().rev().map(|variable| (&*variable.name.text, variable)).collect(),
        source,
        line_starts: std::iter::once(0).chain(source.text.match_indices('\n').map(|(at, _)| at + 1)).collect(),
        program: Program {
            kernel: kernel.to_owned(),
            version: module.version,
            debug: module.debug,
            shared_align: 16,
            ..Program::default()
        },
        slots: Slots::default(),
        scopes: Vec::new(),
        floor: 0,
        labels: Vec::new(),
        pending: Vec::new(),
        line: Line { file: 0, line: 0, caller: 0 },
        opcode: Opcode::new("exit"),
        shared_addresses: HashMap::new(),
        shared_end: 0,
        const_end: 0,
        global_end: GLOBALS_BASE,
        local_end: 0,
        frame_end: 0,
        placed_in_functions: HashMap::new(),
        module_variables: HashMap::new(),
        calls: vec![kernel],
        return_label: None,
        recursion: Recursion::default(),
        grid_workspace: None,
    };
    builder.place_shared(function);
    builder.recursion = Recursion::new(call_graph::find(&builder, function));
    if builder.recursion.is_there() {
        (builder.local_end, builder.frame_end) = (STACK, STACK);
        (builder.program.local_bytes, builder.program.frame_bytes) = (STACK, STACK);
    }
    builder.kernel(function)?;
    Ok(builder.finish())
}

impl<'m> Builder<'m> {
    fn kernel(&mut self, function: &'m Function) -> Result<(), Error> {
        self.program.max_threads = function.max_threads;
        self.program.required_threads = function.required_threads;
        if function.cluster.is_some_and(|cluster| cluster != [1; 3]) {
            return Err(self.unsupported(&function.name.span, "clusters of several thread blocks"));
        }
        let mut scope = Scope::new();
        let mut end = 0;
        for param in &function.params {
            let offset = align_up(end, param.align);
            end = self.end_of(param, offset, MOST_PARAMETERS, "parameters of a kernel")?;
            self.program.params.push(KernelParam {
                name: param.name.text.to_string(),
                element: param.element.to_string(),
                offset,
                bytes: param.bytes,
            });
            scope.insert(&param.name.text, Symbol::Variable { space: Space::Param, address: offset });
        }
        self.scopes.push(scope);
        self.body(function.body.as_deref().unwrap_or_default())?;
        self.opcode = Opcode::new("exit");
        self.emit(Op::Exit, None, &function.name.span)
    }

    fn finish(mut self) -> Program {
        for (pc, label) in std::mem::take(&mut self.pending) {
            // A label at the very end of the kernel stands before its closing `Exit`.
            let target = self.labels[label].unwrap_or(self.program.insts.len() as Pc - 1);
            if let Op::Branch { target: slot, .. } = &mut self.program.insts[pc as usize].op {
                *slot = target;
            }
        }
        let functions = self.pointed_to();
        self.program.functions =
            functions.iter().map(|f| (f.name.text.to_string(), self.function_address(&f.name.text))).collect();
        self.program.shared_static = self.shared_end;
        self.program.slots = self.slots;
        self.program
    }

    /// Decodes a body in a fresh scope; its labels are known before its instructions.
    pub(super) fn body(&mut self, body: &'m [Statement]) -> Result<(), Error> {
        let mut scopes_of_labels = vec![Scope::new()];
        // Labels can be used before they stand, so every scope's labels are collected first.
        let mut open = vec![0];
        for statement in body {
            match statement {
                Statement::Open => {
                    open.push(scopes_of_labels.len());
                    scopes_of_labels.push(Scope::new());
                }
                Statement::Close => {
                    open.pop();
                }
                Statement::Label(name) => {
                    let id = self.new_label();
                    if let Some(&scope) = open.last() {
                        scopes_of_labels[scope].insert(&name.text, Symbol::Label(id));
                    }
                }
                Statement::Registers { .. }
                | Statement::Variable(_)
                | Statement::Line(_)
                | Statement::Targets(..)
                | Statement::Prototype(_)
                | Statement::Instruction(_) => {}
            }
        }
        let mut scopes = scopes_of_labels.into_iter();
        self.scopes.push(scopes.next().unwrap_or_default());
        let mut frame_ends = Vec::new();
        for statement in body {
            match statement {
                Statement::Open => {
                    self.scopes.push(scopes.next().unwrap_or_default());
                    frame_ends.push(self.frame_end);
                }
                Statement::Close => {
                    self.scopes.pop();
                    self.frame_end = frame_ends.pop().unwrap_or(self.frame_end);
                }
                Statement::Registers { element, lanes, name, count } => {
                    self.registers(element, *lanes, name, *count)?;
                }
                Statement::Variable(variable) => self.function_variable(variable)?,
                Statement::Label(name) => {
                    if let Some(Symbol::Label(id)) = self.find(&name.text) {
                        self.place_label(id);
                    }
                }
                Statement::Line(line) => {
                    // Line 0 marks code that the compiler merged from several lines: it stays with the line before.
                    if line.line != 0 {
                        self.line = *line;
                    }
                }
                Statement::Targets(name, targets) => self.declare(&name.text, Symbol::Targets(targets)),
                Statement::Prototype(name) => {
                    self.declare(&name.text, Symbol::Prototype);
                }
                Statement::Instruction(instruction) => self.instruction(instruction)?,
            }
        }
        self.scopes.pop();
        Ok(())
    }

    /// Inlines `function`: its parameters and results are the caller's `.param` variables.
    pub(super) fn inline(
        &mut self,
        function: &'m Function,
        arguments: &[(Space, u64)],
        results: &[(Space, u64)],
        span: &Span,
    ) -> Result<(), Error> {
        let name: &'m str = &function.name.text;
        if self.calls.len() > DEEPEST_CALL {
            return Err(self.unsupported(span, &format!("more than {DEEPEST_CALL} calls inside of each other")));
        }
        let body = match &function.body {
            Some(body) => body,
            None => return Err(self.unsupported(span, &format!("a call of `{name}`, whose code is not in this file"))),
        };
        if function.params.len() != arguments.len() || function.returns.len() != results.len() {
            return Err(self.invalid(span, &format!("the call does not fit the parameters of `{name}`")));
        }
        if self.call_in_circle(function, arguments, results, span)? {
            return Ok(());
        }
        self.calls.push(name);
        let mut scope = Scope::new();
        let formals = function.params.iter().chain(&function.returns);
        for (formal, &(space, address)) in formals.zip(arguments.iter().chain(results)) {
            scope.insert(&formal.name.text, Symbol::Variable { space, address });
        }
        let end = self.new_label();
        let (floor, line, back) = (self.floor, self.line, self.return_label.replace(end));
        let opcode = self.opcode.clone();
        let (local_end, frame_end, registers) = (self.local_end, self.frame_end, self.slots.mark());
        self.floor = self.scopes.len();
        self.scopes.push(scope);
        self.body(body)?;
        self.scopes.pop();
        self.slots.release(registers);
        (self.local_end, self.frame_end) = (local_end, frame_end);
        self.floor = floor;
        self.place_label(end);
        self.return_label = back;
        (self.line, self.opcode) = (line, opcode);
        self.calls.pop();
        Ok(())
    }

    pub(super) fn new_label(&mut self) -> usize {
        self.labels.push(None);
        self.labels.len() - 1
    }

    pub(super) fn place_label(&mut self, id: usize) {
        self.labels[id] = Some(self.program.insts.len() as Pc);
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, op: Op, guard: Option<(u16, bool)>, span: &Span) -> Result<(), Error> {
        if self.program.insts.len() >= MOST_INSTRUCTIONS {
            return Err(
                self.unsupported(span, "a kernel of more than a million instructions, device functions inlined")
            );
        }
        let ptx_line = self.line_starts.partition_point(|&start| start <= span.start) as u32;
        let text = self.source.text.get(span.clone()).unwrap_or_default();
        self.program.insts.push(Lowered {
            inst: Inst { op, guard },
            opcode: self.opcode.clone(),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            line: self.line,
            ptx_line,
            removed: false,
        });
        Ok(())
    }

    /// Appends a branch to a label.
    pub(super) fn branch(&mut self, label: usize, guard: Option<(u16, bool)>, span: &Span) -> Result<(), Error> {
        self.branch_to(label, NEVER, guard, span)
    }

    /// Appends a branch at which lanes part that need not wait for each other.
    pub(super) fn branch_apart(&mut self, label: usize, guard: (u16, bool), span: &Span) -> Result<(), Error> {
        self.branch_to(label, APART, Some(guard), span)
    }

    fn branch_to(&mut self, label: usize, meet: Pc, guard: Option<(u16, bool)>, span: &Span) -> Result<(), Error> {
        self.pending.push((self.program.insts.len() as Pc, label));
        self.emit(Op::Branch { target: NEVER, meet }, guard, span)
    }

    fn place_of(&self, span: &Span, label: &str) -> Place {
        Place::new(self.source.file, self.source.text, span.clone(), label)
    }

    /// Something that we do not support, at `span`.
    pub(super) fn unsupported(&self, span: &Span, what: &str) -> Error {
        let mut diagnostic =
            Diagnostic::new(format!("warpbook does not support {what}")).at(self.place_of(span, "not supported"));
        let at = match self.module.files.get(&self.line.file) {
            Some(file) if self.line.line > 0 => format!("it comes from {file}, line {}; ", self.line.line),
            _ => String::new(),
        };
        diagnostic = diagnostic.help(format!("{at}your kernel may be right: this is a limit of the simulator"));
        Error::Unsupported(Box::new(diagnostic))
    }

    /// PTX that contradicts itself, at `span`.
    pub(super) fn invalid(&self, span: &Span, message: &str) -> Error {
        Error::Input(Box::new(Diagnostic::new(message).at(self.place_of(span, "here"))))
    }

    pub(super) fn too_many(&self, span: &Span) -> Error {
        self.unsupported(span, "a kernel with more than 32,000 registers or constants")
    }

    fn instruction(&mut self, instruction: &'m Instruction) -> Result<(), Error> {
        let guard = match &instruction.guard {
            None => None,
            Some(guard) => match self.find(&guard.register.text) {
                Some(Symbol::Register(Reg::P(slot))) => Some((slot, guard.negated)),
                _ => return Err(self.invalid(&guard.register.span, "a guard must be a predicate register")),
            },
        };
        self.opcode = Opcode::new(&instruction.opcode.text);
        let opcode = self.opcode.clone();
        let parts = opcode.parts();
        self.decode(instruction, &parts, guard)
    }
}
