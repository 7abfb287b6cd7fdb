//! The memory accesses of a lowered program, by source line.

use std::collections::{BTreeMap, BTreeSet};

use sim::ir::inst::{AtomicForm, Op, Space};
use sim::prepare::Executable;

use super::{Access, Action, Room};

/// The names of a PTX text's source files by their numbers.
pub(super) fn files(text: &str) -> BTreeMap<u32, String> {
    let entry = |line: &str| {
        let (number, name) = line.trim().strip_prefix(".file")?.trim().split_once(char::is_whitespace)?;
        let name = name.trim().trim_start_matches('"').split('"').next()?;
        Some((number.parse().ok()?, name.rsplit('/').next()?.to_owned()))
    };
    text.lines().filter_map(entry).collect()
}

/// The accesses of every line that has some. What is not counted, because the compiler removes it, is left out.
pub(super) fn accesses(
    program: &Executable,
    files: &BTreeMap<u32, String>,
) -> BTreeMap<(String, u32), BTreeSet<Access>> {
    let mut lines: BTreeMap<(String, u32), BTreeSet<Access>> = BTreeMap::new();
    for inst in program.insts.iter().filter(|inst| !inst.removed) {
        let line = inst.line;
        let file = files.get(&line.file).cloned().unwrap_or_default();
        let found = of(&inst.op);
        if !found.is_empty() {
            lines.entry((file, line.line)).or_default().extend(found);
        }
    }
    lines
}

/// What an instruction accesses.
fn of(op: &Op) -> Vec<Access> {
    let access = |action, space, bytes| room(space).map(|room| Access { action, room, bytes });
    match op {
        Op::Load(load) => access(Action::Load, load.space, load.width()).into_iter().collect(),
        Op::Store(store) => access(Action::Store, store.space, store.width()).into_iter().collect(),
        Op::Atomic(atomic) if atomic.op.is_mbarrier() => Vec::new(),
        Op::Atomic(atomic) => {
            let reduction = atomic.is_reduction() && atomic.space == Space::Global;
            let action = if reduction { Action::Reduction } else { Action::Atomic };
            let bytes = u32::from(atomic.bytes);
            let looped = atomic.form == AtomicForm::Loop;
            let load = access(Action::Load, atomic.space, bytes).filter(|_| looped);
            access(action, atomic.space, bytes).into_iter().chain(load).collect()
        }
        Op::Copy(copy) => {
            vec![Access { action: Action::Copy, room: Room::Global, bytes: u32::from(copy.bytes) }]
        }
        Op::Bulk(_) => vec![Access { action: Action::Bulk, room: Room::Global, bytes: 0 }],
        _ => Vec::new(),
    }
}

/// The space as the machine code has it; None for constants, arguments and what is in registers.
const fn room(space: Space) -> Option<Room> {
    match space {
        Space::Global => Some(Room::Global),
        Space::Shared => Some(Room::Shared),
        Space::Local => Some(Room::Local),
        Space::Generic => Some(Room::Generic),
        Space::Param | Space::Frame | Space::Const => None,
    }
}
