//! The registers that a program is executed with hold what the program means.
//!
//! The pass that lets registers share slots is checked from its result: through every way that a lane can take, each
//! read of a register must find the value that was written to this register last. That asks nothing of how slots were
//! chosen, and finds renamed operands that were forgotten as well.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};

use sim::ir::cfg::Cfg;
use sim::ir::inst::{Inst, Reg};
use sim::ir::operands;
use sim::prepare::Executable;
use sim::{Lowering, Module};

/// A slot: its file and its number.
type Slot = (u8, u16);

/// What a slot holds: the register whose value it is, or several at once, of which none is right. No entry: still zero.
type Holds = BTreeMap<Slot, Option<Slot>>;

fn slots(reg: Reg) -> Vec<Slot> {
    match reg {
        Reg::W(slot, _) => vec![(0, slot)],
        Reg::D(slot) => vec![(1, slot)],
        Reg::P(slot) => vec![(2, slot)],
        Reg::Q(low, high) => vec![(1, low), (1, high)],
    }
}

/// What an instruction reads and writes.
fn operands(inst: &Inst) -> (Vec<Slot>, Vec<Slot>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    operands::visit(inst, &mut |reg| reads.extend(slots(reg)), &mut |reg| writes.extend(slots(reg)));
    (reads, writes)
}

/// Goes through a block. Wrong reads are told if `wrong` is there.
fn through(
    program: &Executable,
    range: std::ops::Range<usize>,
    holds: &mut Holds,
    mut wrong: Option<&mut Vec<String>>,
) {
    for pc in range {
        let (meant, executed) = (&program.steps[pc], &program.code.insts[pc]);
        let ((reads, writes), (read_slots, written_slots)) = (operands(meant), operands(executed));
        let mut tell = |what: String| {
            if let Some(wrong) = &mut wrong {
                wrong.push(format!("{}: {what}", program.insts[pc].text));
            }
        };
        if (reads.len(), writes.len()) != (read_slots.len(), written_slots.len()) {
            tell("other operands".to_owned());
            continue;
        }
        for (register, slot) in reads.iter().zip(&read_slots) {
            match holds.get(slot) {
                None => {}
                Some(Some(held)) if held == register => {}
                other => tell(format!("{register:?} is looked for in {slot:?}, which holds {other:?}")),
            }
        }
        for (register, slot) in writes.iter().zip(&written_slots) {
            let kept = meant.guard.is_some() && holds.get(slot).is_some_and(|held| *held != Some(*register));
            holds.insert(*slot, (!kept).then_some(*register));
        }
        let different = |slots: &[Slot]| slots.iter().collect::<BTreeSet<_>>().len();
        if different(&written_slots) != different(&writes) {
            tell("two results in one slot".to_owned());
        }
    }
}

/// What is wrong with the registers of a program.
fn mistakes(program: &Executable) -> Vec<String> {
    let cfg = Cfg::new(program);
    let start: Holds =
        program.slots.start.iter().map(|(value, &slot)| ((0, program.code.start[value]), Some((0, slot)))).collect();
    let mut entry: HashMap<usize, Holds> = HashMap::from([(0, start)]);
    let mut waiting = VecDeque::from([0]);
    let range = |block: usize| cfg.blocks[block].start as usize..cfg.blocks[block].end as usize;
    while let Some(block) = waiting.pop_front() {
        let mut holds = entry[&block].clone();
        through(program, range(block), &mut holds, None);
        for &next in &cfg.blocks[block].successors {
            let Some(known) = entry.get_mut(&next) else {
                entry.insert(next, holds.clone());
                waiting.push_back(next);
                continue;
            };
            let before = known.clone();
            for (slot, held) in &holds {
                let both = known.entry(*slot).or_insert(*held);
                if both != held {
                    *both = None;
                }
            }
            if *known != before {
                waiting.push_back(next);
            }
        }
    }
    let mut wrong = Vec::new();
    for (&block, holds) in &entry {
        through(program, range(block), &mut holds.clone(), Some(&mut wrong));
    }
    wrong
}

fn ptx_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            ptx_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

#[test]
fn every_read_finds_its_register() {
    let mut files = Vec::new();
    ptx_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut files);
    ptx_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("benches"), &mut files);
    let (mut programs, mut before, mut after) = (0, 0, 0);
    for path in files {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Ok(module) = Module::parse("test.ptx", &text) else { continue };
        for kernel in module.kernels() {
            for lowering in [Lowering::None, Lowering::Sm90] {
                let Ok(program) = module.lower(kernel, lowering) else { continue };
                let wrong = mistakes(&program);
                assert!(wrong.is_empty(), "{}, {}: {wrong:#?}", path.display(), kernel);
                programs += 1;
                before += usize::from(program.slots.words) + 2 * usize::from(program.slots.doubles);
                after += usize::from(program.code.words) + 2 * usize::from(program.code.doubles);
            }
        }
    }
    assert!(programs > 300, "{programs} programs are too few to say anything");
    assert!(after * 3 < before, "{after} words of {before} are left: registers do not share");
}
