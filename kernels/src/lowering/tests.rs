//! Tests of the lowering: on made-up lines, and on every kernel of the book where ptxas is.

use super::*;
use crate::known::tests::assert_heading;
use crate::testing::not_run;
use crate::{problem, ptx};

#[test]
fn an_access_touches_its_counters() {
    let load = Access { action: Action::Load, room: Room::Shared, bytes: 16 };
    assert!(load.touches("smsp__sass_inst_executed_op_shared_ld.sum"));
    assert!(load.touches("smsp__sass_inst_executed_op_shared.sum"));
    assert!(load.touches("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"));
    assert!(!load.touches("smsp__sass_inst_executed_op_shared_st.sum"));
    assert!(!load.touches("smsp__sass_inst_executed_op_global_ld.sum"));
    let reduction = Access { action: Action::Reduction, room: Room::Global, bytes: 4 };
    assert!(reduction.touches("lts__t_requests_srcunit_tex_op_red.sum"));
    assert!(!reduction.touches("smsp__sass_inst_executed_op_shared.sum"));
}

#[test]
fn a_line_that_differs_is_told_in_a_sentence_and_explained_or_not() {
    let load = |bytes| Access { action: Action::Load, room: Room::Shared, bytes };
    let line = LineAccesses {
        kernel: "scan_naive".to_owned(),
        file: "scan.cu".to_owned(),
        line: 34,
        ptx: BTreeSet::from([load(4)]),
        ours: BTreeSet::from([load(4)]),
        ptxas: BTreeSet::from([load(16)]),
        known: None,
    };
    let sentence = line.sentence();
    assert!(
        sentence.starts_with("scan.cu:34 (scan_naive): our passes alone make 32-bit load from shared"),
        "{sentence}"
    );
    let report = |known| Report {
        arch: "sm_90".to_owned(),
        ptxas: "13.0.88".to_owned(),
        lines: vec![LineAccesses { known, ..line.clone() }],
    };
    assert_eq!((report(None).unexplained().count(), report(Some("why")).unexplained().count()), (1, 0));
    assert!(report(None).counters().contains(&"shared load wavefronts"), "{:?}", report(None).counters());
    let text = "[[known]]\nfile = \"scan.cu\"\nkernels = [\"scan_*\"]\narches = [\"sm_90\"]\n\
                ours = [\"32-bit load from shared memory\"]\nptxas = [\"128-bit load from shared memory\"]\n\
                cause = \"A test.\"\npage = \"truth.md#x\"\nsince = \"2026-11-21\"\nuntil = \"13.0.88\"\n";
    let known: KnownLowering = toml::from_str(text).unwrap();
    assert_eq!(known.cause(&line, "sm_90", "13.0.88"), Some("A test."));
    assert_eq!(known.cause(&line, "sm_80", "13.0.88"), None);
    assert_eq!(known.cause(&line, "sm_90", "13.1.1"), None);
    let other = LineAccesses { ptxas: BTreeSet::from([load(8)]), ..line };
    assert_eq!(known.cause(&other, "sm_90", "13.0.88"), None);
}

#[test]
fn ptxas_takes_no_ptx_for_a_newer_gpu() {
    assert!(can_run(".version 9.0\n.target sm_75\n", "sm_80") && can_run(".target sm_90a, debug\n", "sm_90"));
    assert!(!can_run(".version 9.0\n.target sm_90\n", "sm_80"));
}

/// Every kernel of the book, for both architectures: what differs is in the list, and all of the list differs.
#[test]
fn the_books_kernels_are_lowered_as_ptxas_does_it() {
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(why) => return not_run("the lowering beside ptxas", &why.to_string()),
    };
    let known = known().unwrap();
    known.entries.iter().for_each(|entry| assert_heading(&entry.page));
    let mut needed = vec![false; known.entries.len()];
    let mut unexplained = Vec::new();
    for problem in problem::all() {
        let committed = ptx::committed(problem.name).unwrap();
        for arch in ARCHES {
            if !can_run(committed.text, arch) {
                continue;
            }
            let report = look(&tools, &format!("{}.ptx", problem.name), committed.text, arch, &[]);
            let report = report.unwrap_or_else(|why| panic!("{why}"));
            for line in report.lines.iter().filter(|line| !line.agrees()) {
                match known.entries.iter().position(|entry| entry.covers(line, arch, &tools.version)) {
                    Some(entry) => needed[entry] = true,
                    None => unexplained.push(format!("{arch}: {}", line.sentence())),
                }
            }
        }
    }
    assert!(unexplained.is_empty(), "{} lines differ:\n{}", unexplained.len(), unexplained.join("\n"));
    for (entry, needed) in known.entries.iter().zip(needed) {
        assert!(needed, "nothing needs this entry any more: {entry:?}");
    }
}
