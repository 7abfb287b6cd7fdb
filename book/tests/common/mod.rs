//! Made-up runs, so that the preprocessor is tested without simulating anything.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use book::fill::Filler;
use book::runs::{
    Agreement, Counter, Faulty, Foretold, KernelAgreement, KnownDifference, MachineAgreement, MachineProblem,
    MachineRun, Measured, Playable, Run, Runs, Wrong,
};
use book::{Access, Space};
use kernels::bench::Record;
use kernels::least::Least;
use sim::predict::timeline::{Lane, State, Timeline};
use sim::report::details::{AccessDetails, BusyAddress, Details, LaneActivity, LineDetails, Multiplicity, WorstAccess};
use sim::report::machine_code::MachineInstruction;
use sim::report::{LaunchShape, LineReport};
use sim::{Prediction, Report};

pub(crate) const LD: &str = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
pub(crate) const ST: &str = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
const IDEAL: &str = "warpbook__shared_wavefronts_ideal.sum";

/// Two kernels, `one` and `two`, with the cases `small` and `large`. What `two` counts is a parameter.
pub(crate) struct Fake {
    /// Simulated load wavefronts of `two`.
    pub(crate) simulated: u64,
    /// Measured load wavefronts of `two`; nothing if it was not recorded.
    pub(crate) measured: Option<u64>,
    /// Whether it is known that the two may differ.
    pub(crate) known: bool,
}

fn difference() -> KnownDifference {
    let (cause, page) = ("a cache that <knows>".to_owned(), "truth.md#caches".to_owned());
    KnownDifference { cause, page, noise: false }
}

impl Default for Fake {
    fn default() -> Self {
        Self { simulated: 30, measured: Some(30), known: false }
    }
}

impl Runs for Fake {
    fn kernels(&self) -> Vec<String> {
        ["one", "two"].map(str::to_owned).to_vec()
    }

    fn cases(&self, kernel: &str) -> Vec<String> {
        let cases: &[&str] = match kernel {
            "one" => &["small", "large"],
            "two" => &["small"],
            _ => &[],
        };
        cases.iter().map(|&case| case.to_owned()).collect()
    }

    fn counters(&self) -> Vec<Counter> {
        let counter = |metric: &str, label: &str| Counter {
            metric: metric.to_owned(),
            label: label.to_owned(),
            unit: "wavefronts".to_owned(),
            meaning: format!("What {label} means."),
        };
        vec![counter(LD, "shared load wavefronts"), counter(ST, "shared store wavefronts")]
    }

    fn run(&self, kernel: &str, _case: &str) -> Result<Rc<Run>, String> {
        let (loads, measured) = if kernel == "one" { (10, Some(10)) } else { (self.simulated, self.measured) };
        let metrics = |loads| BTreeMap::from([(LD.to_owned(), loads), (ST.to_owned(), 1_000)]);
        let line = |line, metrics, ideal| LineReport {
            file: "fake.cu".to_owned(),
            line,
            metrics,
            estimates: BTreeMap::from([(IDEAL.to_owned(), ideal)]),
        };
        let report = Report {
            kernel: kernel.to_owned(),
            target: "h200".to_owned(),
            launch: LaunchShape { grid: [1, 1, 1], block: [256, 1, 1], shared_dynamic: 2048, shared_static: 0 },
            metrics: metrics(loads),
            estimates: BTreeMap::from([(IDEAL.to_owned(), 1_005)]),
            lines: vec![
                line(3, BTreeMap::from([(LD.to_owned(), loads)]), 5),
                line(4, BTreeMap::from([(ST.to_owned(), 1_000)]), 1_000),
                line(6, BTreeMap::new(), 0),
            ],
            ..Report::default()
        };
        let measured = measured.map(|loads| Measured {
            gpu: "H200".to_owned(),
            date: "2026-11-21".to_owned(),
            metrics: metrics(loads),
            median_ns: 12_340,
            timed: 30,
            known: if self.known { BTreeMap::from([(LD.to_owned(), difference())]) } else { BTreeMap::new() },
        });
        let args = vec!["zeros:64".to_owned(), "i32:16".to_owned()];
        Ok(Rc::new(Run { data: "ones".to_owned(), args, launches: 1, report, measured, listing: false }))
    }

    fn run_on(&self, kernel: &str, case: &str, target: &str) -> Result<Rc<Run>, String> {
        let mut run = Run { measured: None, ..(*self.run(kernel, case)?).clone() };
        target.clone_into(&mut run.report.target);
        // The old GPU takes twice as many.
        if target == "g80" {
            run.report.metrics.values_mut().for_each(|value| *value *= 2);
        }
        Ok(Rc::new(run))
    }

    fn detailed(&self, kernel: &str, case: &str) -> Result<Rc<Vec<Report>>, String> {
        let mut report = self.run(kernel, case)?.report.clone();
        let line = |line, by_count: &[(u32, u64)], accesses| LineDetails {
            file: "fake.cu".to_owned(),
            line,
            lanes: LaneActivity { by_count: by_count.iter().copied().collect(), by_lane: vec![2; 32] },
            accesses,
            barriers: Vec::new(),
        };
        let atomic = AccessDetails {
            instruction: "atom.shared.add.u32".to_owned(),
            ptx_line: 9,
            kind: "shared atomic".to_owned(),
            width: 4,
            unit: "wavefronts".to_owned(),
            histogram: BTreeMap::from([(2, 5)]),
            cost: 10,
            ideal: 5,
            worst: WorstAccess {
                cost: 2,
                ideal: 1,
                addresses: (0..32).map(|lane| (lane < 2).then_some(lane * 128)).collect(),
                ..WorstAccess::default()
            },
            atomics: Some(Multiplicity {
                together: BTreeMap::from([(1, 3), (7, 2)]),
                addresses: 4,
                elsewhere: 0,
                busiest: vec![BusyAddress { address: 0, place: "shared+0".to_owned(), lanes: 11 }],
            }),
        };
        let lines = vec![line(3, &[(32, 2)], Vec::new()), line(4, &[(16, 4)], vec![atomic])];
        report.details = Some(Details { lines, ..Details::default() });
        Ok(Rc::new(vec![report]))
    }

    fn access(&self, access: &Access) -> Result<u64, String> {
        // Where hardware and simulator differ, this simulator is wrong about accesses, too.
        let wrong = u64::from(self.measured.is_some_and(|measured| measured != self.simulated));
        let words = access.addresses.iter().flatten().map(|address| address / 4);
        if access.space == Space::Global {
            return Ok(words.map(|word| word / 8).collect::<BTreeSet<_>>().len() as u64 + wrong);
        }
        let words: BTreeSet<u64> = words.collect();
        let degree = |bank| words.iter().filter(|&word| word % 32 == bank).count();
        Ok((0..32).map(degree).max().unwrap_or(0) as u64 + wrong)
    }

    fn bench(&self) -> Result<&Record, String> {
        kernels::bench::record::records().map_err(ToString::to_string)?.first().ok_or_else(|| "no bench".to_owned())
    }

    fn source(&self, file: &str) -> Result<String, String> {
        match file {
            "fake.cu" => {
                Ok("// ANCHOR: body\n\nx = s[a<b];  // load\ns[i] = x;\n// ANCHOR_END: body\nend();\n".to_owned())
            }
            _ => Err(format!("there is no source `{file}`; there are fake.cu")),
        }
    }

    fn least(&self, kernel: &str, _case: &str) -> Result<Option<Least>, String> {
        Err(format!("there is nothing to move for {kernel}"))
    }

    fn playable(&self, kernel: &str, _case: &str) -> Result<Rc<Playable>, String> {
        Err(format!("there is nothing to run of {kernel}"))
    }

    fn playable_fault(&self, name: &str) -> Result<Rc<Playable>, String> {
        Err(format!("there is nothing to run of {name}"))
    }

    fn faulty(&self, name: &str) -> Result<Faulty, String> {
        match name {
            "broken" | "tile_overwritten" => Ok(Faulty {
                source: vec![(6, "s[i] = x;".to_owned())],
                findings: vec!["finding: [race] who <knows>".to_owned()],
            }),
            _ => Err(format!("there is no kernel `{name}` to show")),
        }
    }

    fn wrong(&self, kernel: &str, case: &str) -> Result<Rc<Wrong>, String> {
        match (kernel, case) {
            ("one", "small") => Ok(Rc::new(Wrong {
                file: "fake.cu".to_owned(),
                kind: Some("race".to_owned()),
                why: "it <waits> for nobody".to_owned(),
                findings: vec!["finding: [race] first".to_owned(), "finding: [race] second".to_owned()],
                result: Some("element 3 is 1".to_owned()),
            })),
            _ => Err(format!("nothing is known to be wrong with {kernel}, {case}")),
        }
    }

    fn predicted(&self, kernel: &str, _case: &str, launch: usize) -> Result<Rc<Foretold>, String> {
        if launch > 0 {
            return Err(format!("there is no launch {}; there are 1", launch + 1));
        }
        let spans = vec![(0.0, 60.0, State::Issue), (60.0, 100.0, State::Barrier)];
        let lanes = (0..2).map(|warp| Lane { block: 0, warp, spans: spans.clone() }).collect();
        let prediction = Prediction { us: 2.5, bound: "latency of barriers".to_owned(), ..Prediction::default() };
        Ok(Rc::new(Foretold { kernel: kernel.to_owned(), prediction, timeline: Timeline { lanes } }))
    }

    fn example(&self, metric: &str) -> Result<Option<(String, String)>, String> {
        Ok((metric == LD).then(|| ("one".to_owned(), "small".to_owned())))
    }

    fn machine(&self, kernel: &str, _case: &str, launched: Option<&str>) -> Result<Rc<MachineRun>, String> {
        let instruction = |offset, text: &str, line, executed, lanes| MachineInstruction {
            offset,
            text: text.to_owned(),
            control: "B------:R-:W-:-:S01".to_owned(),
            file: "fake.cu".to_owned(),
            line,
            executed,
            threads: 32 * executed,
            pred_on: lanes * executed,
            ..MachineInstruction::default()
        };
        let differs = self.measured.is_some_and(|measured| measured != self.simulated) && kernel == "two";
        Ok(Rc::new(MachineRun {
            kernel: launched.unwrap_or(kernel).to_owned(),
            ptxas: "13.0.88".to_owned(),
            registers: 16,
            counters: BTreeMap::from([("smsp__inst_executed.sum".to_owned(), 12)]),
            listing: vec![
                instruction(0, "LDG.E R2, desc[UR4][R2.64]", 3, 8, 32),
                instruction(16, "@P0 STS [R5], R2", 4, 8, 16),
                instruction(32, "EXIT", 6, 8, 32),
                instruction(48, "BRA 0x30", 6, 0, 0),
                instruction(64, "NOP", 6, 0, 0),
            ],
            counted: self.measured.map(|_| ("H200".to_owned(), "2026-11-21".to_owned())),
            differences: if differs { vec![(Some(1), "two at 0x10: inst_executed: 8".to_owned())] } else { Vec::new() },
        }))
    }

    fn machine_agreement(&self) -> Result<MachineAgreement, String> {
        let agrees = self.measured == Some(self.simulated);
        Ok(MachineAgreement {
            closing: "machine code: 40 of 40 counters agree".to_owned(),
            most_threads: 16_384,
            problems: vec![MachineProblem { problem: "fakes".to_owned(), cases: 3, ..MachineProblem::default() }],
            known: vec!["a reason that <is> known".to_owned()],
            unexplained: if agrees { Vec::new() } else { vec!["two, small: it differs".to_owned()] },
        })
    }

    fn agreement(&self) -> Result<Agreement, String> {
        let agrees = self.measured == Some(self.simulated);
        let kernel = KernelAgreement { kernel: "one".to_owned(), cases: 2, counters: 4, agree: 4, same_output: 2 };
        Ok(Agreement {
            closing: format!("{} of 6 exact counters agree (H200, recorded 2026-11-21)", if agrees { 6 } else { 5 }),
            agrees,
            kernels: vec![kernel],
            provenance: vec![vec![("GPU".to_owned(), "NVIDIA H200".to_owned())]],
        })
    }
}

/// The text with its directives filled, or its faults with their lines.
pub(crate) fn fill_with(runs: &Fake, text: &str) -> Result<String, Vec<(u32, String)>> {
    let pages = BTreeMap::from([("fake.cu".to_owned(), "sources/fake.html".to_owned())]);
    let filled = Filler::new(runs, &pages, "../").fill(text);
    filled.map_err(|faults| faults.into_iter().map(|(line, reason)| (line, reason.to_string())).collect())
}

/// The text with its directives filled from runs that agree with the hardware.
pub(crate) fn fill(text: &str) -> String {
    fill_with(&Fake::default(), text).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// The one fault of a text.
pub(crate) fn fault(text: &str) -> String {
    let faults = fill_with(&Fake::default(), text).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults[0].1.clone()
}
