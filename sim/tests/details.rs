//! What the report of a simulator adds: histograms, bank maps, atomics that meet, lanes, waits, features that a target
//! lacks.

mod common;

use std::collections::BTreeMap;

use common::{kernel, run_text};
use sim::observe::busiest;
use sim::report::access_text;
use sim::report::details::{AccessDetails, Details};
use sim::report::{Metrics, Report};
use sim::{Arg, Checks, Dim3, Error, Launch, Lowering, Module, Options, simulate};

const SCAN: &str = include_str!("../../kernels/ptx/scan.ptx");

fn options(target: &str) -> Options {
    Options { target: target.to_owned(), details: true, checks: Checks::NONE, ..Options::default() }
}

/// The scan of GPU Gems 3 on 512 elements, one block.
fn scan(name: &str, elements: u32, options: &Options) -> Result<Report, Error> {
    let module = Module::parse("scan.ptx", SCAN).expect("PTX");
    let bytes = u64::from(elements) * 4;
    let number = || Arg::Scalar(sim::Scalar::I32(elements as i32));
    let args = vec![Arg::Zeros(bytes), Arg::Zeros(bytes), number(), number()];
    let (block, shared_bytes) = (Dim3::linear(elements / 2), elements * 4);
    let launch = Launch { grid: Dim3::linear(1), block, shared_bytes, args };
    simulate(&module, name, &launch, options).map(|outcome| outcome.report)
}

fn details(report: &Report) -> &Details {
    report.details.as_ref().expect("details")
}

fn accesses(details: &Details) -> impl Iterator<Item = &AccessDetails> {
    details.lines.iter().flat_map(|line| &line.accesses)
}

#[test]
fn details_add_up_to_the_counters() {
    for target in sim::target::all() {
        let report = scan("scan_blelloch", 512, &Options { lowering: Lowering::None, ..options(&target.name) })
            .unwrap_or_else(|error| panic!("{error}"));
        let sum = |unit: &str, value: fn(&AccessDetails) -> u64| {
            accesses(details(&report)).filter(|access| access.unit == unit).map(value).sum::<u64>()
        };
        let estimate = |name: &str| report.estimates[name];
        assert_eq!(sum("wavefronts", |a| a.cost), report.metric("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"));
        assert_eq!(sum("wavefronts", |a| a.ideal), estimate("warpbook__shared_wavefronts_ideal.sum"));
        assert_eq!(sum("sectors", |a| a.cost), report.metric("smsp__sass_sectors_mem_global.sum"));
        assert_eq!(sum("sectors", |a| a.ideal), estimate("warpbook__sectors_global_ideal.sum"));
        for access in accesses(details(&report)) {
            let total: u64 = access.histogram.iter().map(|(cost, times)| u64::from(*cost) * times).sum();
            assert_eq!(total, access.cost, "{access:?}");
            let worst = access.histogram.keys().max().copied();
            assert!(Some(access.worst.cost) <= worst, "{access:?}");
        }
        let instructions: u64 = details(&report).lines.iter().map(|line| line.lanes.totals().0).sum();
        assert_eq!(instructions, estimate("warpbook__ptx_inst_executed.sum"));
        let lanes: u64 = details(&report).lines.iter().map(|line| line.lanes.totals().1).sum();
        assert_eq!(lanes, estimate("warpbook__ptx_thread_inst_executed.sum"));
        assert_eq!(report.target, target.name);
    }
}

#[test]
fn details_change_no_counter() {
    let plain = |details, checks| {
        let options = Options { details, checks, ..options("h200") };
        Report { details: None, ..scan("scan_blelloch", 512, &options).unwrap_or_else(|error| panic!("{error}")) }
    };
    assert_eq!(plain(true, Checks::NONE), plain(false, Checks::NONE));
    assert_eq!(plain(true, Checks::ALL), plain(false, Checks::ALL));
}

/// GPU Gems 3, chapter 39: up to 16-way conflicts for 512 elements on the 8800 GTX. The worst access of a half-warp
/// takes 16 steps; the bank map shows 16 words of one bank.
#[test]
fn the_worst_access_of_the_scan_on_the_8800_gtx() {
    let report = scan("scan_blelloch", 512, &options("8800 GTX")).unwrap_or_else(|error| panic!("{error}"));
    let worst = accesses(details(&report)).filter(|access| access.kind == "shared load").map(|access| &access.worst);
    let worst = worst.max_by_key(|worst| worst.cost).expect("a load");
    let map = worst.banks.as_ref().expect("banks");
    assert_eq!(map.banks, 16);
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (bank, row) in map.lanes[..16].iter().flatten() {
        rows.entry(*bank).or_default().push(*row);
    }
    assert_eq!(rows.values().map(Vec::len).max(), Some(16), "{rows:?}");
    let text = access_text::render(details(&report), Some("scan.cu"), None, &BTreeMap::new()).expect("lines");
    assert!(text.contains("abcdefgh ijklmnop"), "{text}");
    assert!(access_text::render(details(&report), None, Some(100_000), &BTreeMap::new()).is_none());
    // A gap behind every 32 words leaves two lanes of a half-warp in each of eight banks.
    let padded = scan("scan_blelloch_padded", 512, &options("g80")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(accesses(details(&padded)).map(|access| access.worst.cost).max(), Some(4));
}

fn texts(body: &str, target: &str, threads: u32) -> Report {
    let text = kernel(".shared .align 4 .b32 bins[64];", body);
    run_text(&text, 2, threads, &Options { lowering: Lowering::None, ..options(target) }).report
}

#[test]
fn atomics_meet() {
    // Lane n adds to bin n / 4: four lanes of every address, in four warps of two blocks.
    let body = "mov.u32 %r1, bins;\nand.b32 %r2, %tid, 31;\nshr.u32 %r2, %r2, 2;\nshl.b32 %r2, %r2, 2;\n\
                add.u32 %r1, %r1, %r2;\natom.shared.add.u32 %r3, [%r1], 1;";
    let report = texts(body, "h200", 128);
    let access = accesses(details(&report)).find(|access| access.kind == "shared atomic").expect("an atomic");
    let atomics = access.atomics.as_ref().expect("meetings");
    assert_eq!(atomics.together, BTreeMap::from([(4, 8 * 8)]));
    assert_eq!((atomics.addresses, atomics.elsewhere), (8, 0));
    assert_eq!(atomics.busiest[0].lanes, 4 * 8);
    assert_eq!(atomics.busiest[0].place, "byte 0 of `bins`");
    // Four lanes of one bank one after the other on an H200; by locks each round is a load and a store.
    assert_eq!(access.histogram, BTreeMap::from([(4, 8)]));
    let old = texts(body, "gtx580", 128);
    let access = accesses(details(&old)).find(|access| access.kind == "shared atomic").expect("an atomic");
    assert_eq!(access.histogram, BTreeMap::from([(8, 8)]));
}

#[test]
fn lanes_and_waits() {
    // Lane 0 of warp 1 works in a loop; warp 0 waits for it at the barrier.
    let body = "setp.ne.u32 %q1, %tid, 32;\n@%q1 bra READY;\nmov.u32 %r1, 100;\nAGAIN:\nsub.u32 %r1, %r1, 1;\n\
                setp.ne.u32 %q2, %r1, 0;\n@%q2 bra AGAIN;\nREADY:\nbar.sync 0;";
    let report = texts(body, "h200", 64);
    let barriers: Vec<_> = details(&report).lines.iter().flat_map(|line| &line.barriers).collect();
    let [barrier] = &barriers[..] else { panic!("{barriers:?}") };
    assert_eq!((barrier.warps, &barrier.last), (4, &BTreeMap::from([(1, 2)])));
    assert!(barrier.most >= 300 && barrier.steps == 2 * barrier.most, "{barrier:?}");
    let alone: u64 = details(&report).lines.iter().filter_map(|line| line.lanes.by_count.get(&1)).sum();
    // The start of the loop and 99 rounds of three, and a last one whose branch nobody takes.
    assert_eq!(alone, 2 * (1 + 99 * 3 + 2));
    let lanes = |lane: usize| details(&report).lines.iter().map(|line| line.lanes.by_lane[lane]).sum::<u64>();
    // The branch around the loop is executed, taken, by the others alone.
    assert_eq!(lanes(0) - lanes(31), alone - 2);
}

#[test]
fn what_a_target_lacks_is_named() {
    let body = "shfl.sync.bfly.b32 %r1, %tid, 1, 31, -1;\nmov.u32 %r2, bins;\natom.shared.add.u32 %r3, [%r2], 1;";
    let lacks = |target: &str| {
        let missing = texts(body, target, 32).missing;
        missing.into_iter().map(|missing| (missing.feature, missing.since)).collect::<Vec<_>>()
    };
    let owned = |feature: &str, since: &str| (feature.to_owned(), since.to_owned());
    assert_eq!(lacks("g80"), [owned("atomics in shared memory", "1.2"), owned("warp shuffles", "3.0")]);
    assert_eq!(lacks("gtx580"), [owned("warp shuffles", "3.0")]);
    assert_eq!(lacks("k40"), []);
}

#[test]
fn launches_are_refused_by_the_target() {
    let refused = |target: &str, elements| match scan("scan_naive", elements, &options(target)) {
        Err(error) => error.to_string(),
        Ok(_) => String::new(),
    };
    // 2048 elements: 1024 threads, 8 KiB of shared memory.
    assert!(refused("g80", 2048).contains("at most 512"), "{}", refused("g80", 2048));
    assert_eq!(refused("gtx580", 1024), "");
    let grid = |target: &str, grid| {
        let module = Module::parse("k.ptx", &kernel("", "")).expect("PTX");
        let args = vec![Arg::Zeros(4), Arg::Zeros(4)];
        let launch = Launch { grid, block: Dim3::linear(1), shared_bytes: 0, args };
        let options = Options { budget: 1 << 20, ..options(target) };
        simulate(&module, "k", &launch, &options).map_err(|error| error.to_string())
    };
    assert!(grid("g80", Dim3::new(1, 1, 2)).is_err_and(|error| error.contains("1 in z")));
    assert!(grid("gtx580", Dim3::new(65_536, 1, 1)).is_err_and(|error| error.contains("65535 blocks in x")));
    assert!(grid("k40", Dim3::new(65_536, 1, 1)).is_ok());
}

#[test]
fn the_same_details_with_any_number_of_threads() {
    let text = kernel(".shared .align 4 .b32 bins[64];", "mov.u32 %r1, bins;\nst.shared.u32 [%r1], %tid;");
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run_text(&text, 600, 32, &options("a100")).report)
    };
    let (one, many) = (run(1), run(4));
    assert_eq!(one.details, many.details);
    let empty: Metrics = Metrics::new();
    assert_ne!(one.metrics, empty);
}

/// The first of four warps loads and stores 128 words, 32 at a time; then every thread stores one word.
const UNEVEN: &str = "setp.gt.u32 %q1, %tid, 31;
    mul.wide.u32 %d2, %tid, 4;
    add.u64 %d2, %p, %d2;
    mov.u32 %r2, 0;
    @%q1 bra DONE;
    LOOP:
    ld.global.u32 %r3, [%d2];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%d2], %r3;
    add.u64 %d2, %d2, 128;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %q2, %r2, 4;
    @%q2 bra LOOP;";

#[test]
fn the_busiest_warp_and_thread_are_told_if_asked_for() {
    let module = Module::parse("k.ptx", &kernel("", UNEVEN)).unwrap_or_else(|error| panic!("{error}"));
    let run = |blocks: u32, threads: u32, busiest: bool, checks: Checks| {
        let args = vec![Arg::Zeros(4 * 128 * 9), Arg::Zeros(4 * 128)];
        let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(threads), shared_bytes: 0, args };
        let options = Options { busiest, checks, ..Options::default() };
        simulate(&module, "k", &launch, &options).unwrap_or_else(|error| panic!("{error}")).report
    };
    let (with, without) = (run(1, 128, true, Checks::NONE), run(1, 128, false, Checks::NONE));
    let of = |name: &str| with.estimates[name];
    assert_eq!(of("warpbook__busiest_warp_inst_executed_op_global_ld.max"), 4);
    assert_eq!(of("warpbook__busiest_warp_inst_executed_op_global_st.max"), 5);
    assert_eq!(of("warpbook__busiest_warp_inst_executed_op_shared_ld.max"), 0);
    assert_eq!(of("warpbook__busiest_thread_bytes_shared_ld.max"), 0);
    // The threads of a warp work together: each of the first 32 executes as much as the others.
    let alone = run(1, 32, true, Checks::NONE);
    let thread = alone.estimates["warpbook__busiest_thread_inst_executed.max"];
    assert_eq!(32 * thread, alone.estimates["warpbook__ptx_thread_inst_executed.sum"]);
    assert_eq!(of("warpbook__busiest_thread_inst_executed.max"), thread);
    assert!(without.estimates.keys().all(|name| !busiest::NAMES.contains(&name.as_str())));
    let plain = |mut report: Report| {
        report.estimates.retain(|name, _| !busiest::NAMES.contains(&name.as_str()));
        report
    };
    assert_eq!(plain(with.clone()), without, "nothing else changes");
    // The busiest warp of many blocks is the busiest of one, and races are looked for beside it.
    let busy = |report: &Report| -> Metrics {
        let ours = report.estimates.iter().filter(|(name, _)| busiest::NAMES.contains(&name.as_str()));
        ours.map(|(name, value)| (name.clone(), *value)).collect()
    };
    assert_eq!(busy(&run(9, 128, true, Checks::ALL)), busy(&with));
}

/// The first warp stores four times while the second one waits, then the second one does.
const TURNS: &str = "mul.wide.u32 %d2, %tid, 4;
    add.u64 %d2, %p, %d2;
    setp.gt.u32 %q1, %tid, 31;
    @%q1 bra MEET;
    st.global.u32 [%d2+0], 1;
    st.global.u32 [%d2+256], 2;
    st.global.u32 [%d2+512], 3;
    st.global.u32 [%d2+768], 4;
    MEET:
    bar.sync 0;
    setp.lt.u32 %q2, %tid, 32;
    @%q2 bra DONE;
    st.global.u32 [%d2+0], 1;
    st.global.u32 [%d2+256], 2;
    st.global.u32 [%d2+512], 3;
    st.global.u32 [%d2+768], 4;";

#[test]
fn the_longest_path_is_that_of_warps_that_wait_for_each_other() {
    let module = Module::parse("k.ptx", &kernel("", TURNS)).unwrap_or_else(|error| panic!("{error}"));
    let run = |blocks: u32, threads: u32| {
        let args = vec![Arg::Zeros(4 * 256), Arg::Zeros(4 * 256)];
        let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(threads), shared_bytes: 0, args };
        let options = Options { busiest: true, checks: Checks::NONE, ..Options::default() };
        simulate(&module, "k", &launch, &options).unwrap_or_else(|error| panic!("{error}")).report.estimates
    };
    const THREAD: &str = "warpbook__busiest_thread_inst_executed.max";
    const PATH: &str = "warpbook__longest_path_inst_executed.max";
    const ONE_LANE: &str = "warpbook__busiest_warp_inst_executed_one_lane.max";
    let (one, two) = (run(1, 32), run(1, 64));
    assert_eq!(one[PATH], one[THREAD], "a warp waits for nobody");
    // Four stores more, and one branch less: where the second warp stores, it does not take the last branch.
    assert_eq!(two[PATH], one[PATH] + 4 - 1, "the second warp stores after the first");
    assert_eq!(run(5, 64)[PATH], two[PATH], "blocks do not wait for each other");
    assert_eq!((one[ONE_LANE], two[ONE_LANE]), (0, 0));
    let alone = run(1, 1);
    assert_eq!(alone[ONE_LANE], alone[PATH], "the only thread of a warp works alone");
}
