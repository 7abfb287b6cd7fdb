//! One launch, simulated for its counts and for its faults.
//!
//! Counts come from the optimised code, because that is what a GPU runs. Faults are looked for in the same source
//! compiled without optimisation, because the optimiser removes and merges faulty accesses. Both must leave the same
//! bytes in the buffers; where they do not, the user hears of it.

use sim::report::{Finding, FindingKind, Memory, Order, Severity};
use sim::{Content, Launch, Module, Options, Outcome};

/// What to simulate.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The code that is counted.
    pub counted: &'a Module,
    /// The code that is checked, if it is other code.
    pub checked: Option<&'a Module>,
    /// The kernel's name in the PTX of both.
    pub kernel: &'a str,
}

/// What both simulations gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Counters and buffers of the optimised code, and the findings of both.
    pub outcome: Outcome,
    /// What the user should know about the checks, one sentence each.
    pub notes: Vec<String>,
}

/// How many instructions unoptimised code executes for one of optimised code, at most: its variables live in memory.
const DEBUG_COST: u64 = 16;

/// What machine code did, with what the checks find in the PTX that it was made from: they see accesses that ptxas merges or
/// takes away. What is found in the machine code alone stays.
pub fn of_machine_code(mut outcome: Outcome, subject: Subject<'_>, launch: &Launch, options: &Options) -> Checked {
    let Checked { outcome: ptx, mut notes } = match run(subject, launch, options) {
        Ok(done) => done,
        Err(why) => return Checked { outcome, notes: vec![format!("the PTX was not checked: {why}")] },
    };
    let report = &mut outcome.report;
    let determined = ptx.report.is_clean() && ptx.report.order.places.is_empty();
    for (own, other) in report.output.iter().zip(&ptx.report.output) {
        if determined && own.blake3 != other.blake3 {
            notes.push(format!("the machine code leaves other bytes in argument {} than the PTX does", own.argument));
        }
    }
    if !ptx.report.findings.is_empty() {
        report.findings = ptx.report.findings;
    }
    report.order = ptx.report.order;
    outcome.buffers = outcome.buffers.into_iter().zip(ptx.buffers).map(known).collect();
    Checked { outcome, notes }
}

/// What a buffer holds, with what is known of it where it was checked.
fn known((after, checked): (Option<Content>, Option<Content>)) -> Option<Content> {
    match (after, checked) {
        (Some(after), Some(checked)) => Some(after.known_as(&checked)),
        (after, _) => after,
    }
}

/// Simulates a launch.
///
/// # Errors
/// As [`sim::simulate`] for the counted code. What only the checked code does not allow is a note.
pub fn run(subject: Subject<'_>, launch: &Launch, options: &Options) -> Result<Checked, sim::Error> {
    let Some(module) = subject.checked else {
        let outcome = sim::simulate(subject.counted, subject.kernel, launch, options)?;
        return Ok(Checked { outcome, notes: Vec::new() });
    };
    // The schedules are for what the checks find; the counts are those of the first.
    let counting = Options { checks: sim::Checks::NONE, schedules: 1, ..options.clone() };
    let mut outcome = sim::simulate(subject.counted, subject.kernel, launch, &counting)?;
    if outcome.report.findings.iter().any(|finding| finding.kind == FindingKind::Budget) {
        // Whoever does not come to an end is not run again.
        return Ok(Checked { outcome, notes: Vec::new() });
    }
    let budget = options.budget.saturating_mul(DEBUG_COST);
    let generous = Options { budget, busiest: false, ..options.clone() };
    let debug = match sim::simulate(module, subject.kernel, launch, &generous) {
        Ok(debug) => {
            outcome.buffers = outcome.buffers.into_iter().zip(debug.buffers).map(known).collect();
            debug.report
        }
        Err(error) => {
            let outcome = sim::simulate(subject.counted, subject.kernel, launch, options)?;
            let note = format!(
                "the optimised code was checked, because the code without optimisation cannot be simulated: {}",
                error.to_string().lines().next().unwrap_or_default()
            );
            return Ok(Checked { outcome, notes: vec![note] });
        }
    };
    // Blocks that race leave what the last of them wrote: only a run that looks for races has them in one order every time.
    if debug.findings.iter().any(|finding| finding.kind == FindingKind::Race) {
        let checks = sim::Checks { racecheck: true, ..sim::Checks::NONE };
        let ordered = sim::simulate(subject.counted, subject.kernel, launch, &Options { checks, ..counting })?;
        let buffers = ordered.buffers.into_iter().zip(outcome.buffers).map(known).collect();
        outcome = Outcome { buffers, ..ordered };
    }
    let mut notes = Vec::new();
    let differing: Vec<String> = (debug.output.iter().zip(&outcome.report.output))
        .filter(|(debug, optimised)| debug.blake3 != optimised.blake3)
        .map(|(debug, _)| debug.argument.to_string())
        .collect();
    if !differing.is_empty() && debug.is_clean() && outcome.report.is_clean() {
        notes.push(format!(
            "with and without optimisation the kernel left different bytes in the buffer of argument {}: a rounding \
             that depends on the compiler (a fused multiply-add), or an order of threads that nothing fixes",
            differing.join(", ")
        ));
    }
    let mut found = debug.findings;
    forgive(&mut found, &outcome.report.findings);
    outcome.report.findings = merged(found, std::mem::take(&mut outcome.report.findings));
    // Where the order matters is told of the optimised code: without optimisation, every atomic's old value is kept.
    outcome.report.order = Order { places: std::mem::take(&mut outcome.report.order.places), ..debug.order };
    Ok(Checked { outcome, notes })
}

/// Without optimisation every variable lies in local memory, at an address that its type asks for. A cast to a wider type
/// misses that, and the optimiser makes registers of both: unless the counted code is misaligned, too, nothing is.
fn forgive(checked: &mut Vec<Finding>, counted: &[Finding]) {
    if counted.iter().all(|finding| finding.kind != FindingKind::Misaligned) {
        let local = |finding: &Finding| finding.space == Some(Memory::Local);
        checked.retain(|finding| finding.kind != FindingKind::Misaligned || !local(finding));
    }
}

/// The findings of the checked code, and the errors of the counted code that are not among them.
///
/// The optimiser moves accesses to other lines: a kind of error that the unoptimised code has located is not told a
/// second time at a line that is less true. Remarks are about what the source says, so those of the checked code are all.
fn merged(mut checked: Vec<Finding>, counted: Vec<Finding>) -> Vec<Finding> {
    let errors = |findings: &[Finding]| findings.partition_point(|finding| finding.severity == Severity::Error);
    let located: Vec<FindingKind> = checked[..errors(&checked)].iter().map(|finding| finding.kind).collect();
    let new = |finding: &Finding| finding.severity == Severity::Error && !located.contains(&finding.kind);
    let at = errors(&checked);
    checked.splice(at..at, counted.into_iter().filter(new));
    checked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: FindingKind, line: u32) -> Finding {
        Finding {
            kind,
            severity: Severity::Error,
            message: String::new(),
            help: String::new(),
            file: "k.cu".to_owned(),
            line,
            seed: 0,
            block: [0; 3],
            warp: 0,
            lanes: vec![0],
            count: 1,
            space: None,
            parties: Vec::new(),
        }
    }

    #[test]
    fn a_finding_is_told_once_at_its_truest_line() {
        let checked = vec![finding(FindingKind::OutOfBounds, 4)];
        let counted = vec![
            finding(FindingKind::OutOfBounds, 4),
            finding(FindingKind::OutOfBounds, 9),
            finding(FindingKind::Trap, 5),
        ];
        let merged = merged(checked, counted);
        let shown: Vec<_> = merged.iter().map(|finding| (finding.kind, finding.line)).collect();
        assert_eq!(shown, [(FindingKind::OutOfBounds, 4), (FindingKind::Trap, 5)]);
    }

    #[test]
    fn local_memory_of_unoptimised_code_alone_is_not_misaligned() {
        let local = |width: &str| {
            format!(
                ".local .align 16 .b8 a[32];\n.reg .b64 %a;\n.reg .b32 %r<3>;\nmov.u64 %a, a;\nst.local.{width}\nst.global.u32 \
                 [%rd1], 1;"
            )
        };
        let wide = local("v2.u32 [%a+4], {1, 2};");
        let same = run_both("st.global.u32 [%rd1], 1;", &wide);
        assert_eq!((same.outcome.report.findings, same.notes), (Vec::new(), Vec::new()));
        let both = run_both(&wide, &wide);
        assert_eq!(both.outcome.report.findings[0].kind, FindingKind::Misaligned);
    }

    const HEAD: &str = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\
        .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\n";

    fn module(body: &str) -> Module {
        Module::parse("k.ptx", &format!("{HEAD}{body}\nret;\n}}\n")).unwrap()
    }

    fn run_both(counted: &str, checked: &str) -> Checked {
        let (counted, checked) = (module(counted), module(checked));
        let subject = Subject { counted: &counted, checked: Some(&checked), kernel: "k" };
        run(subject, &one_thread(), &Options::default()).unwrap()
    }

    fn one_thread() -> Launch {
        Launch {
            grid: sim::Dim3::linear(1),
            block: sim::Dim3::linear(1),
            shared_bytes: 0,
            args: vec![sim::Arg::Zeros(4)],
        }
    }

    #[test]
    fn faults_come_from_the_checked_code_and_bytes_from_the_counted() {
        let faulty = run_both("st.global.u32 [%rd1], 1;", "st.global.u32 [%rd1], 1;\nst.global.u32 [%rd1+4], 1;");
        assert_eq!(faulty.outcome.report.findings.len(), 1);
        assert_eq!(faulty.outcome.report.metric("smsp__sass_inst_executed_op_global_st.sum"), 1);
        assert_eq!(faulty.outcome.buffers[0].as_deref(), Some(&[1, 0, 0, 0][..]));
    }

    #[test]
    fn blocks_that_race_leave_the_same_bytes_every_time() {
        // Every block stores its number to one word, after rounds enough for blocks to overtake each other.
        let rounds = "mov.u32 %b, %ctaid.x;\nmov.u32 %i, 0;\nL:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 3000;\n@%p bra L;\n\
            st.global.u32 [%rd1], %b;";
        let code = module(&format!(".reg .b32 %b, %i;\n.reg .pred %p;\n{rounds}"));
        let subject = Subject { counted: &code, checked: Some(&code), kernel: "k" };
        let launch = Launch { grid: sim::Dim3::linear(64), ..one_thread() };
        let left = || run(subject, &launch, &Options::default()).unwrap().outcome;
        let first = left();
        assert_eq!(first.report.findings[0].kind, FindingKind::Race);
        for _ in 0..8 {
            assert_eq!(left().buffers, first.buffers);
        }
    }

    #[test]
    fn different_bytes_are_noted() {
        let same = run_both("st.global.u32 [%rd1], 1;", "st.global.u32 [%rd1], 1;");
        assert_eq!(same.notes, Vec::<String>::new());
        let other = run_both("st.global.u32 [%rd1], 1;", "st.global.u32 [%rd1], 2;");
        assert!(other.notes[0].contains("different bytes in the buffer of argument 0"), "{:?}", other.notes);
    }

    #[test]
    fn what_only_the_checked_code_cannot_do_is_a_note() {
        let other = run_both("st.global.u32 [%rd1], 1;", "tex.1d.v4.s32.s32 {%r1, %r1, %r1, %r1}, [%rd1, {%r1}];");
        assert!(other.notes[0].contains("the optimised code was checked"), "{:?}", other.notes);
    }
}
