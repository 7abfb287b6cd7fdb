//! The table of pipes and classes against what an H200 counted of the probes of all instruction forms and functions.
//!
//! `truth/opcodes.h200.tsv.gz` holds, for each launch of `warpbook record --isa` under Nsight Compute, the counters of pipes and
//! classes, and how often every opcode was executed: by warps, and by threads whose predicate was true.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use sim::machine_code::table::{self, Class, Pipe};

/// The pipes and their counters. What `S2R` reads decides between two of them and is not told: those are added up.
const PIPES: [(&[Pipe], &[&str]); 8] = [
    (&[Pipe::Alu], &["smsp__inst_executed_pipe_alu.sum"]),
    (&[Pipe::Fma], &["smsp__inst_executed_pipe_fma.sum"]),
    (&[Pipe::Fp64], &["smsp__inst_executed_pipe_fp64.sum"]),
    (&[Pipe::Uniform], &["smsp__inst_executed_pipe_uniform.sum"]),
    (&[Pipe::Xu], &["smsp__inst_executed_pipe_xu.sum"]),
    (&[Pipe::Tex], &["smsp__inst_executed_pipe_tex.sum"]),
    (&[Pipe::Cbu], &["smsp__inst_executed_pipe_cbu.sum"]),
    (&[Pipe::Lsu, Pipe::Adu], &["smsp__inst_executed_pipe_lsu.sum", "smsp__inst_executed_pipe_adu.sum"]),
];

const CLASSES: [(Class, &str); 11] = [
    (Class::Integer, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"),
    (Class::Fp32, "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"),
    (Class::Fp64, "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"),
    (Class::Fp16, "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum"),
    (Class::Control, "smsp__sass_thread_inst_executed_op_control_pred_on.sum"),
    (Class::Bit, "smsp__sass_thread_inst_executed_op_bit_pred_on.sum"),
    (Class::Conversion, "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"),
    (Class::Communication, "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"),
    (Class::Memory, "smsp__sass_thread_inst_executed_op_memory_pred_on.sum"),
    (Class::Misc, "smsp__sass_thread_inst_executed_op_misc_pred_on.sum"),
    (Class::Uniform, "smsp__sass_thread_inst_executed_op_uniform_pred_on.sum"),
];

/// Opcodes of the copy engine, which are not executed here: launches with them are not asked.
const ABSENT: [&str; 4] = ["SYNCS", "UBLKCP", "UBLKRED", "UTMACMDFLUSH"];

/// How often each opcode, with its modifiers, was executed.
fn executed(cell: &str) -> BTreeMap<&str, u64> {
    cell.split(' ')
        .filter_map(|pair| pair.rsplit_once('='))
        .map(|(name, times)| (name, times.parse().unwrap()))
        .collect()
}

#[test]
fn every_launch_counts_what_the_table_says() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/truth/opcodes.h200.tsv.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let (mut launches, mut differences, mut merged) = (0, String::new(), 0);
    for (number, line) in lines.enumerate() {
        let row: BTreeMap<&str, &str> = names.iter().copied().zip(line.split('\t')).collect();
        let warps = executed(row["warp instructions by opcode"]);
        let threads = executed(row["thread instructions by opcode"]);
        let base = |opcode: &str| opcode.split('.').next().unwrap_or_default().to_owned();
        if warps.keys().any(|opcode| ABSENT.contains(&&*base(opcode))) {
            continue;
        }
        launches += 1;
        let found = |opcode: &str| {
            let text = if base(opcode) == "S2R" { "S2R SR_TID.X" } else { opcode };
            table::find(&base(opcode), text).unwrap_or_else(|| panic!("{opcode} has no row"))
        };
        let read = |name: &str| row[name].parse::<u64>().unwrap();
        for (pipes, counters) in PIPES {
            let of = |opcode: &str| found(opcode).pipes.iter().filter(|pipe| pipes.contains(pipe)).count() as u64;
            let ours: u64 = warps.iter().map(|(opcode, times)| of(opcode) * times).sum();
            let theirs: u64 = counters.iter().map(|name| read(name)).sum();
            // Where three or more groups of lanes come to one BSYNC, the hardware counts fewer or more of them than the
            // patched code that tells how often each opcode was executed.
            let bsync = warps.get("BSYNC").copied().unwrap_or(0);
            if pipes == [Pipe::Cbu] && ours != theirs && ours.abs_diff(theirs) <= bsync {
                merged += 1;
            } else if ours != theirs {
                differences += &format!("launch {number}: {counters:?}: {ours}, the H200 counted {theirs}\n");
            }
        }
        for (class, counter) in CLASSES {
            let of = |opcode: &str| found(opcode).class == class;
            let ours: u64 = threads.iter().filter(|(opcode, _)| of(opcode)).map(|(_, times)| times).sum();
            if ours != read(counter) {
                differences += &format!("launch {number}: {counter}: {ours}, the H200 counted {}\n", read(counter));
            }
        }
    }
    println!("{launches} launches; the executions of BSYNC differ in {merged}");
    assert!(differences.is_empty(), "{differences}");
    assert!(launches > 900 && merged < 20);
}
