//! Which functions call each other in a circle, so that they cannot be inlined.

use std::collections::{HashMap, HashSet};

use super::builder::Builder;
use crate::ptx::ast::{Function, Instruction, Operand, Statement};

/// Finds the circles among the functions that `kernel` calls.
/// By name: which circle a function is in; those that are in none are not there.
pub(super) fn find<'m>(builder: &Builder<'m>, kernel: &'m Function) -> HashMap<&'m str, usize> {
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
    let reached: HashMap<&str, HashSet<&str>> = calls.keys().map(|&name| (name, reached(name))).collect();
    let mut circles: HashMap<&'m str, usize> = HashMap::new();
    for (number, (&name, all)) in reached.iter().filter(|(name, all)| all.contains(*name)).enumerate() {
        let known = all.iter().filter(|other| reached[**other].contains(name)).find_map(|other| circles.get(other));
        let circle = known.copied().unwrap_or(number);
        circles.insert(name, circle);
    }
    circles
}

/// The functions that a function may call: by name, and through pointers those that have as many arguments and results.
fn called<'m>(builder: &Builder<'m>, function: &'m Function) -> Vec<&'m Function> {
    let calls = function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Instruction(instruction) if instruction.opcode.text.starts_with("call") => parts(instruction),
        _ => None,
    });
    let mut called = Vec::new();
    for (callee, arguments, results) in calls {
        let fits = |f: &&Function| (f.params.len(), f.returns.len()) == (arguments, results);
        match builder.functions.get(callee) {
            Some(function) => called.push(*function),
            None => called.extend(builder.pointed_to().into_iter().filter(fits)),
        }
    }
    called
}

/// The callee of a call, how many arguments it has and how many results.
fn parts(call: &Instruction) -> Option<(&str, usize, usize)> {
    let count = |operand: Option<&Operand>| match operand {
        Some(Operand::List(list)) => list.len(),
        _ => 0,
    };
    let at = usize::from(matches!(call.operands.first(), Some(Operand::List(_))));
    match call.operands.get(at) {
        Some(Operand::Name(callee)) => {
            let results = if at == 1 { count(call.operands.first()) } else { 0 };
            Some((&callee.text, count(call.operands.get(at + 1)), results))
        }
        _ => None,
    }
}
