//! Which functions call each other in a circle, so that they cannot be inlined.

use std::collections::{HashMap, HashSet};

use super::builder::Builder;
use super::call::Called;
use crate::ptx::ast::{Function, Statement};

/// The circles among the functions that `kernel` calls: by name, which one a function is in, called by the first name in it.
/// Functions that are in none are not there.
pub(super) fn find<'m>(builder: &Builder<'m>, kernel: &'m Function) -> HashMap<&'m str, &'m str> {
    let mut calls: HashMap<&'m str, Vec<&'m Function>> = HashMap::new();
    let mut open = vec![kernel];
    while let Some(function) = open.pop() {
        if !calls.contains_key(&*function.name.text) {
            let called = called(builder, function);
            open.extend(&called);
            calls.insert(&function.name.text, called);
        }
    }
    let reached = |from: &'m str| {
        let (mut reached, mut open) = (HashSet::new(), vec![from]);
        while let Some(name) = open.pop() {
            let new = calls[name].iter().map(|function| &*function.name.text).filter(|&name| reached.insert(name));
            open.extend(new);
        }
        reached
    };
    let reached: HashMap<&'m str, HashSet<&'m str>> = calls.keys().map(|&name| (name, reached(name))).collect();
    let circle = |(&name, all): (&&'m str, &HashSet<&'m str>)| {
        let first = all.iter().filter(|other| reached[**other].contains(name)).min()?;
        Some((name, *first))
    };
    reached.iter().filter_map(circle).collect()
}

/// The functions that a function may call: by name, and through pointers those that have as many arguments and results.
fn called<'m>(builder: &Builder<'m>, function: &'m Function) -> Vec<&'m Function> {
    let calls = function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Instruction(instruction) if instruction.opcode.text.starts_with("call") => Called::of(instruction),
        Statement::Open
        | Statement::Close
        | Statement::Registers { .. }
        | Statement::Variable(_)
        | Statement::Label(_)
        | Statement::Line(_)
        | Statement::Targets(..)
        | Statement::Prototype(_)
        | Statement::Instruction(_) => None,
    });
    let mut called = Vec::new();
    for Called { results, callee, arguments } in calls {
        let fits = |f: &&Function| (f.params.len(), f.returns.len()) == (arguments.len(), results.len());
        match builder.functions.get(&*callee.text) {
            Some(function) => called.push(*function),
            None => called.extend(builder.pointed_to().into_iter().filter(fits)),
        }
    }
    called
}
