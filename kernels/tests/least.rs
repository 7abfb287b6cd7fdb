//! What any kernel must do for a case, held against what a GPU counted of every version.

use kernels::case::Case;
use kernels::least::{Least, SECTORS};
use kernels::truth::CaseRecord;
use kernels::verdict::Verdict;
use kernels::{cases, problem, truth};

/// Cases whose inputs are made in no time.
const FEW_THREADS: u64 = 1 << 16;

fn case(version: &str, name: &str) -> Case {
    let found = cases::all().into_iter().find(|case| case.version == version && case.name == name);
    found.unwrap_or_else(|| panic!("{version} has no case {name}"))
}

#[test]
fn inputs_are_read_once_and_outputs_written_once() {
    let least = |version, name| Least::of(&case(version, name));
    let sum = least("reduce_modulo", "4099 elements");
    assert_eq!((sum.read_sectors, sum.written_sectors, sum.additions), (4099_u64.div_ceil(8), 1, None));
    let scan = least("scan_naive", "tile 64, 3 blocks + 17");
    // 209 elements, of which nobody needs the last.
    assert_eq!((scan.read_sectors, scan.written_sectors, scan.additions), (208 / 8, 27, Some(209 - 8)));
    let table = least("sat_lines", "31×33, small whole numbers");
    assert_eq!((table.sectors(), table.additions), (2 * (31 * 33_u64).div_ceil(8), Some(31 * 33 - 1)));
    // The one element of the third tile comes into no sum, and has a sector of its own.
    let alone = least("scan_naive", "tile 64, 2 blocks + 1");
    assert_eq!((alone.read_sectors, alone.written_sectors, alone.additions), (16, 17, Some(129 - 6)));
    // None of 785 elements is kept: their number alone is written, if it is not there.
    let none = least("compact_atomic", "785 elements, none kept");
    assert_eq!((none.read_sectors, none.written_sectors), (785_u64.div_ceil(8), 0), "zero is there already");
    let none = least("compact_shuffle", "785 elements, none kept");
    assert_eq!((none.read_sectors, none.written_sectors), (785_u64.div_ceil(8), 1));
}

/// What an H200 counted is never less, whatever the version, except where bulk copies move sectors that it does not
/// count.
#[test]
fn no_gpu_counted_less() {
    const ADDITIONS: &str = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
    let (mut compared, mut tight, mut added) = (0, 0, 0);
    for problem in problem::all() {
        let records = truth::records().unwrap().iter();
        let record =
            records.clone().find(|record| record.problem == problem.name && record.provenance.slug() == "h200");
        let record = record.expect("every problem has a record");
        let is_small = |case: &Case| case.verdict == Verdict::Right && case.threads() <= FEW_THREADS;
        for case in (problem.cases)().iter().filter(|case| is_small(case)) {
            let Some(counted) = record.case(case).map(CaseRecord::metrics) else { continue };
            let least = Least::of(case);
            let asked: u64 = SECTORS.iter().filter_map(|counter| counted.get(*counter)).sum();
            if !is_bulk(case.version) {
                assert!(asked >= least.sectors(), "{case}: {asked} sectors, {} at least", least.sectors());
                compared += 1;
                tight += u64::from(asked == least.sectors());
            }
            if let (Some(least), Some(counted)) = (least.additions, counted.get(ADDITIONS)) {
                assert!(*counted >= least, "{case}: {counted} additions, {least} at least");
                added += 1;
            }
        }
    }
    assert!(compared > 1000 && tight > 50 && added > 100, "{compared} {tight} {added}");
}

fn is_bulk(version: &str) -> bool {
    version.contains("_bulk") || version.contains("_pipelined")
}
