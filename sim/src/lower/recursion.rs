//! Functions that call each other in a circle: they cannot be inlined, so each is there once, with a stack.
//!
//! Where a circle is entered from outside, one body of each of its functions is built (a [`Region`]). A call within the
//! circle puts the caller's registers and arguments on a stack of each thread, says where to go on in a register of the
//! callee, and jumps to its body; from its end, lanes go back where each of them came from, by a chain of comparisons
//! (lanes of a warp may have come from different calls). Arguments, results and what is saved lie in the frame space, as
//! those of all calls: they are no memory instructions of the program, and are not counted as such. Variables in local
//! memory lie behind those of the caller, wherever that is.
//!
//! What a real GPU's calling convention saves, ptxas decides; it is not modelled.

use std::collections::{BTreeMap, HashMap};

use super::aggregate_copy::{Area, Place};
use super::builder::Builder;
use super::names::Symbol;
use super::place::MOST_LOCAL;
use crate::diagnostic::Span;
use crate::error::Error;
use crate::ir::inst::{Int64, Op, Reg, Slot64, Space, Test};
use crate::ir::layout::{STACK, align_up};
use crate::ptx::ast::{Function, Variable};

/// Bytes of the stack for one register.
const CELL: u64 = 16;

/// Registers of a thread that say where its stacks end.
#[derive(Debug, Clone, Copy)]
struct Stack {
    /// What calls save, in the frame space.
    saved: Slot64,
    /// Variables in local memory.
    local: Slot64,
}

/// The functions of a circle, as it was entered at one place.
#[derive(Debug)]
struct Region<'m> {
    circle: &'m str,
    bodies: BTreeMap<&'m str, Body>,
    /// Functions that are called and whose bodies are not built yet.
    waiting: Vec<&'m Function>,
    /// The function that is being built, and how many registers were given out before its own.
    current: (&'m str, usize),
    /// Where arguments of the calls of each body lie: what a call needs of them it saves.
    frame: u64,
}

/// The one body of a function.
#[derive(Debug, Clone)]
struct Body {
    begin: usize,
    end: usize,
    params: Vec<Area>,
    returns: Vec<Area>,
    /// Which of the sites to go back to.
    back: Slot64,
    /// Where its variables in local memory begin.
    local: Slot64,
    /// Labels behind the calls.
    sites: Vec<usize>,
}

/// What the builder knows of recursion.
#[derive(Debug, Default)]
pub(super) struct Recursion<'m> {
    /// Functions that call themselves, perhaps by way of others, by name: which circle they are in.
    circles: HashMap<&'m str, &'m str>,
    regions: Vec<Region<'m>>,
    stack: Option<Stack>,
    /// In a function of a circle: the register with the address that its local variables count from.
    pub(super) local: Option<Slot64>,
    /// The most bytes of local variables that it and the functions inlined in it have at a time.
    pub(super) most_local: u64,
}

impl<'m> Recursion<'m> {
    /// For a kernel whose functions call each other in these circles.
    pub(super) fn new(circles: HashMap<&'m str, &'m str>) -> Self {
        Self { circles, ..Self::default() }
    }

    /// Whether any function calls itself.
    pub(super) fn is_there(&self) -> bool {
        !self.circles.is_empty()
    }
}

impl<'m> Builder<'m> {
    /// Calls a function of a circle; `false` when it is in none.
    pub(super) fn call_in_circle(
        &mut self,
        function: &'m Function,
        arguments: &[Place],
        results: &[Place],
        span: &Span,
    ) -> Result<bool, Error> {
        let Some(&circle) = self.recursion.circles.get(&*function.name.text) else { return Ok(false) };
        match self.recursion.regions.pop() {
            Some(mut region) if region.circle == circle => {
                self.call_again(&mut region, function, arguments, results, span)?;
                self.recursion.regions.push(region);
            }
            other => {
                self.recursion.regions.extend(other);
                self.enter(circle, function, arguments, results, span)?;
            }
        }
        Ok(true)
    }

    /// A call from outside: builds those of the circle's functions that it leads to.
    fn enter(
        &mut self,
        circle: &'m str,
        function: &'m Function,
        arguments: &[Place],
        results: &[Place],
        span: &Span,
    ) -> Result<(), Error> {
        let stack = self.stack(span)?;
        if self.recursion.regions.is_empty() {
            let a = self.wide_constant(0, span)?;
            self.emit(Op::Mov64 { d: stack.saved, a }, None, span)?;
            self.emit(Op::Mov64 { d: stack.local, a }, None, span)?;
        }
        let (local_end, frame_end, registers) = (self.local_end, self.frame_end, self.slots.mark());
        let (floor, line, back) = (self.floor, self.line, self.return_label);
        let (local, most_local) = (self.recursion.local, self.recursion.most_local);
        let mut bodies = BTreeMap::new();
        for function in self.module.functions.iter().filter(|function| function.body.is_some()) {
            if self.recursion.circles.get(&*function.name.text) == Some(&circle) {
                bodies.insert(&*function.name.text, self.new_body(function, span)?);
            }
        }
        self.frame_end = align_up(self.frame_end, CELL);
        let current = (&*function.name.text, self.slots.mark());
        let mut region = Region { circle, bodies, waiting: Vec::new(), current, frame: self.frame_end };
        let behind = self.new_label();
        let entered = self.go(&mut region, function, behind, arguments, span)?;
        while let Some(function) = region.waiting.pop() {
            region.current = (&function.name.text, self.slots.mark());
            let body = region.bodies[&*function.name.text].clone();
            self.recursion.regions.push(region);
            self.body_of(function, &body, stack, span)?;
            let Some(back) = self.recursion.regions.pop() else { unreachable!("it was pushed") };
            region = back;
            self.frame_end = region.frame;
        }
        (self.floor, self.line, self.return_label) = (floor, line, back);
        (self.recursion.local, self.recursion.most_local) = (local, most_local);
        for body in region.bodies.values().filter(|body| !body.sites.is_empty()) {
            self.go_back(body, stack, span)?;
        }
        self.place_label(behind);
        for (&from, &to) in entered.returns.iter().zip(results) {
            self.copy_area(from, Area::at(to, from.bytes), span)?;
        }
        self.slots.release(registers);
        (self.local_end, self.frame_end) = (local_end, frame_end);
        Ok(())
    }

    /// A call from within the circle.
    fn call_again(
        &mut self,
        region: &mut Region<'m>,
        function: &'m Function,
        arguments: &[Place],
        results: &[Place],
        span: &Span,
    ) -> Result<(), Error> {
        let Stack { saved: stack, .. } = self.stack(span)?;
        // Everything of the caller: its registers, and its arguments and those of calls that it prepares.
        let (name, mark) = region.current;
        let own = region.bodies[name].clone();
        let mut registers = vec![Reg::D(own.back), Reg::D(own.local)];
        registers.extend(self.slots.given_since(mark));
        let calls = Area::at((Space::Frame, region.frame), self.frame_end - region.frame);
        let areas: Vec<Area> = own.params.iter().chain(&own.returns).copied().chain([calls]).collect();
        let on_stack = |address, bytes| Area { space: Space::Frame, base: Some(stack), address, bytes };
        let of_registers = CELL * registers.len() as u64;
        let size = areas.iter().fold(of_registers, |size, area| size + align_up(area.bytes, CELL));
        let temporary = self.slots.mark();
        if size > STACK {
            return Err(self.unsupported(span, "a function that calls itself and has so many registers"));
        }
        self.stop_if_beyond(stack, STACK - size, span)?;
        let move_all = |builder: &mut Self, save: bool| {
            for (&register, cell) in registers.iter().zip(0..) {
                builder.keep(register, on_stack(CELL * cell, CELL), save, span)?;
            }
            let mut at = of_registers;
            for &area in &areas {
                let kept = on_stack(at, area.bytes);
                let (from, to) = if save { (area, kept) } else { (kept, area) };
                builder.copy_area(from, to, span)?;
                at += align_up(area.bytes, CELL);
            }
            Ok::<_, Error>(())
        };
        move_all(self, true)?;
        let b = self.wide_constant(size, span)?;
        self.emit(Op::Int64 { op: Int64::Add, d: stack, a: stack, b }, None, span)?;
        let site = self.new_label();
        let called = self.go(region, function, site, arguments, span)?;

        self.place_label(site);
        // The results may lie where the caller's own will.
        let got = called.returns.iter().map(|&area| self.fetch(area, span)).collect::<Result<Vec<_>, _>>()?;
        self.emit(Op::Int64 { op: Int64::Sub, d: stack, a: stack, b }, None, span)?;
        move_all(self, false)?;
        for (pieces, &to) in got.iter().zip(results) {
            self.put(pieces, Area::at(to, 0), span)?;
        }
        self.slots.release(temporary);
        Ok(())
    }

    /// Hands the arguments over and goes to the function's body, to come back to `site`.
    fn go(
        &mut self,
        region: &mut Region<'m>,
        function: &'m Function,
        site: usize,
        arguments: &[Place],
        span: &Span,
    ) -> Result<Body, Error> {
        let Some(body) = region.bodies.get_mut(&*function.name.text) else {
            return Err(self.unsupported(span, &format!("this call of `{}`", function.name.text)));
        };
        if body.sites.is_empty() {
            region.waiting.push(function);
        }
        let a = self.wide_constant(body.sites.len() as u64, span)?;
        body.sites.push(site);
        for (&from, &to) in arguments.iter().zip(&body.params) {
            self.copy_area(Area::at(from, to.bytes), to, span)?;
        }
        self.emit(Op::Mov64 { d: body.back, a }, None, span)?;
        self.branch(body.begin, None, span)?;
        Ok(body.clone())
    }

    /// Labels, registers and places of a function's body.
    fn new_body(&mut self, function: &'m Function, span: &Span) -> Result<Body, Error> {
        let mut place = |variable: &Variable| {
            let address = align_up(self.frame_end, variable.align.max(CELL));
            self.frame_end = self.end_of(variable, address, MOST_LOCAL, "call arguments per thread")?;
            self.program.frame_bytes = self.program.frame_bytes.max(self.frame_end);
            Ok(Area::at((Space::Frame, address), variable.bytes))
        };
        let params = function.params.iter().map(&mut place).collect::<Result<_, Error>>()?;
        let returns = function.returns.iter().map(&mut place).collect::<Result<_, Error>>()?;
        let (begin, end) = (self.new_label(), self.new_label());
        let (back, local) = (self.new_wide(span)?, self.new_wide(span)?);
        Ok(Body { begin, end, params, returns, back, local, sites: Vec::new() })
    }

    /// Builds the body of a function.
    fn body_of(&mut self, function: &'m Function, body: &Body, stack: Stack, span: &Span) -> Result<(), Error> {
        self.place_label(body.begin);
        self.emit(Op::Mov64 { d: body.local, a: stack.local }, None, span)?;
        // How much it is, is known behind the body.
        let step = self.program.insts.len();
        self.emit(Op::Int64 { op: Int64::Add, d: stack.local, a: stack.local, b: stack.local }, None, span)?;
        self.stop_if_beyond(stack.local, STACK, span)?;
        (self.local_end, self.recursion.local, self.recursion.most_local) = (0, Some(body.local), 0);
        self.return_label = Some(body.end);
        let formals = function.params.iter().zip(&body.params).chain(function.returns.iter().zip(&body.returns));
        let symbol = |area: &Area| Symbol::Variable { space: area.space, address: area.address };
        self.floor = self.scopes.len();
        self.scopes.push(formals.map(|(formal, area)| (&*formal.name.text, symbol(area))).collect());
        self.body(function.body.as_deref().unwrap_or_default())?;
        self.scopes.pop();
        self.branch(body.end, None, span)?;
        let size = self.wide_constant(align_up(self.recursion.most_local, CELL), span)?;
        if let Op::Int64 { b, .. } = &mut self.program.insts[step].op {
            *b = size;
        }
        Ok(())
    }

    /// The end of a body: lanes go back where each of them came from.
    fn go_back(&mut self, body: &Body, stack: Stack, span: &Span) -> Result<(), Error> {
        self.place_label(body.end);
        self.emit(Op::Mov64 { d: stack.local, a: body.local }, None, span)?;
        for (number, &site) in (0..).zip(&body.sites) {
            let p = self.new_predicate(span)?;
            let b = self.wide_constant(number, span)?;
            self.emit(Op::Compare64 { test: Test::Eq, signed: false, p, a: body.back, b }, None, span)?;
            self.branch(site, Some((p, false)), span)?;
        }
        self.emit(Op::Trap, None, span)
    }

    /// Stops lanes whose stack ends behind `most`.
    fn stop_if_beyond(&mut self, end: Slot64, most: u64, span: &Span) -> Result<(), Error> {
        let (p, b) = (self.new_predicate(span)?, self.wide_constant(most, span)?);
        self.emit(Op::Compare64 { test: Test::Gt, signed: false, p, a: end, b }, None, span)?;
        self.emit(Op::StackOverflow, Some((p, false)), span)
    }

    /// The registers with the ends of the stacks.
    fn stack(&mut self, span: &Span) -> Result<Stack, Error> {
        if self.recursion.stack.is_none() {
            let (Ok(saved), Ok(local)) = (self.slots.wide(), self.slots.wide()) else {
                return Err(self.too_many(span));
            };
            self.recursion.stack = Some(Stack { saved, local });
        }
        self.recursion.stack.ok_or_else(|| self.too_many(span))
    }
}
