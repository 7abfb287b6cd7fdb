//! Names that PTX takes.

use std::collections::{HashMap, HashSet};

use crate::ir::Module;

/// A name with the signs that PTX does not take replaced, as LLVM replaces them.
fn valid(name: &str) -> String {
    let mut made = String::new();
    for sign in name.chars() {
        if sign.is_ascii_alphanumeric() || sign == '_' || sign == '$' {
            made.push(sign);
        } else {
            made += "_$_";
        }
    }
    if made.starts_with(|c: char| c.is_ascii_digit()) || made.is_empty() || made == "_" {
        made.insert_str(0, "_$");
    }
    made
}

/// PTX's name of each global and function.
pub(super) fn of(module: &Module) -> HashMap<&str, String> {
    let all = module.globals.iter().map(|global| &*global.name);
    let all = all.chain(module.functions.iter().map(|function| &*function.name));
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = HashMap::new();
    // A name that stands as it is keeps itself; what had to be changed makes way.
    let (kept, changed): (Vec<_>, Vec<_>) = all.partition(|name| valid(name) == **name);
    for name in kept.into_iter().chain(changed) {
        let mut own = valid(name);
        while !taken.insert(own.clone()) && own != name {
            own.push('_');
        }
        names.insert(name, own);
    }
    names
}
