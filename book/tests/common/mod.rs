//! Made-up runs, so that the preprocessor is tested without simulating anything.

use std::collections::BTreeMap;
use std::rc::Rc;

use book::runs::{Agreement, Counter, Faulty, KernelAgreement, Measured, Run, Runs};
use sim::Report;
use sim::report::{LaunchShape, LineReport};

pub(crate) const LD: &str = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
pub(crate) const ST: &str = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
const IDEAL: &str = "warpbook__shared_wavefronts_ideal.sum";

/// Two kernels, `one` and `two`, with the cases `small` and `large`. What `two` counts is a parameter.
pub(crate) struct Fake {
    /// Simulated load wavefronts of `two`.
    pub(crate) simulated: u64,
    /// Measured load wavefronts of `two`; nothing if it was not recorded.
    pub(crate) measured: Option<u64>,
}

impl Default for Fake {
    fn default() -> Self {
        Self { simulated: 30, measured: Some(30) }
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
        });
        let args = vec!["zeros:64".to_owned(), "i32:16".to_owned()];
        Ok(Rc::new(Run { data: "ones".to_owned(), args, launches: 1, report, measured }))
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

    fn wavefronts(&self, words: &[u32]) -> Result<u64, String> {
        let degree = |bank| words.iter().filter(|&word| word % 32 == bank).count();
        Ok((0..32).map(degree).max().unwrap_or(0) as u64)
    }

    fn source(&self, file: &str) -> Result<String, String> {
        match file {
            "fake.cu" => {
                Ok("// ANCHOR: body\n\nx = s[a<b];  // load\ns[i] = x;\n// ANCHOR_END: body\nend();\n".to_owned())
            }
            _ => Err(format!("there is no source `{file}`; there are fake.cu")),
        }
    }

    fn faulty(&self, name: &str) -> Result<Faulty, String> {
        match name {
            "broken" => Ok(Faulty {
                source: vec![(6, "s[i] = x;".to_owned())],
                findings: vec!["finding: [race] who <knows>".to_owned()],
            }),
            _ => Err(format!("there is no kernel `{name}` to show")),
        }
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
