//! Simulated machine code beside what a GPU counted of the same cubin: the counters of a launch and of each instruction.

use serde::Serialize;
use sim::Report;
use sim::report::Metrics;

use crate::counters::{DURATION, EXACT, MACHINE};
use crate::machine_comparison::COUNTS;
use crate::record::machine::Counted;

/// A launch beside what a GPU counted of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StreamCheck {
    /// The kernel.
    pub kernel: String,
    /// How many values were compared: counters of the launch, and of its instructions.
    pub compared: usize,
    /// How many of them the GPU did not repeat.
    pub unrepeated: usize,
    /// The values that are not as the GPU counted them.
    pub differences: Vec<StreamDifference>,
    /// How long the launch took, in nanoseconds, in each round.
    pub duration_ns: Vec<u64>,
}

/// A counter that a GPU counted otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StreamDifference {
    /// Nsight Compute's name.
    pub counter: String,
    /// The instruction, if it is a counter of one: its offset in the kernel and its text.
    pub instruction: Option<(u64, String)>,
    /// What the simulator counted.
    pub simulated: u64,
    /// The least and the most that the GPU counted.
    pub measured: [u64; 2],
}

impl StreamDifference {
    /// Whether the GPU counted the same in every round.
    #[must_use]
    pub const fn repeats(&self) -> bool {
        self.measured[0] == self.measured[1]
    }

    /// `inst_executed at 0x40 (BSYNC B0): 12 simulated, 13 measured`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let [least, most] = self.measured;
        let measured = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let place = self.instruction.as_ref().map_or_else(String::new, |(at, text)| format!(" at {at:#x} ({text})"));
        format!("{}{place}: {} simulated, {measured} measured", self.counter, self.simulated)
    }
}

/// Holds the report of a launch against what a GPU counted in one or several rounds.
#[must_use]
pub fn check(report: &Report, rounds: &[Counted]) -> StreamCheck {
    let mut check = StreamCheck { kernel: report.kernel.clone(), ..StreamCheck::default() };
    let Some(code) = &report.machine_code else { return check };
    check.duration_ns = rounds.iter().filter_map(|round| round.metrics.get(DURATION).copied()).collect();
    let of_launch = EXACT.iter().map(|counter| (counter.metric, report.metric(counter.metric)));
    let of_stream = MACHINE.iter().map(|&name| (name, code.counters.get(name).copied().unwrap_or(0)));
    for (name, simulated) in of_launch.chain(of_stream) {
        let values = rounds.iter().filter_map(|round| round.metrics.get(name).copied());
        if let Some(measured) = range(values) {
            check.hold(name, None, simulated, measured);
        }
    }
    for (name, count) in COUNTS {
        let measured =
            |at: usize| range(rounds.iter().filter_map(|round| Some(value(round.instructions.get(name)?, at))));
        let length = rounds.iter().filter_map(|round| Some(round.instructions.get(name)?.len())).max().unwrap_or(0);
        for at in 0..length.max(code.listing.len()) {
            let own = code.listing.get(at);
            let text = own.map_or_else(|| "no instruction".to_owned(), |instruction| instruction.text.clone());
            if let Some(measured) = measured(at) {
                check.hold(name, Some((16 * at as u64, text)), own.map_or(0, count), measured);
            }
        }
    }
    check
}

impl StreamCheck {
    fn hold(&mut self, name: &str, instruction: Option<(u64, String)>, simulated: u64, measured: [u64; 2]) {
        self.compared += 1;
        self.unrepeated += usize::from(measured[0] != measured[1]);
        if simulated < measured[0] || simulated > measured[1] {
            self.differences.push(StreamDifference { counter: name.to_owned(), instruction, simulated, measured });
        }
    }
}

/// The exact counters of all launches together, in the first round.
#[must_use]
pub fn exact(streams: &[Vec<Counted>]) -> Metrics {
    let mut sum = Metrics::new();
    for round in streams.iter().filter_map(|rounds| rounds.first()) {
        for counter in EXACT {
            if let Some(value) = round.metrics.get(counter.metric) {
                *sum.entry(counter.metric.to_owned()).or_default() += value;
            }
        }
    }
    sum
}

fn value(values: &[u64], at: usize) -> u64 {
    values.get(at).copied().unwrap_or(0)
}

/// The least and the most; none of no values.
fn range(values: impl Iterator<Item = u64>) -> Option<[u64; 2]> {
    let [least, most] = values.fold([u64::MAX, 0], |[least, most], value| [least.min(value), most.max(value)]);
    (least <= most).then_some([least, most])
}

#[cfg(test)]
mod tests {
    use sim::report::machine_code::{MachineCode, MachineInstruction};

    use super::*;

    fn report() -> Report {
        let instruction = |text: &str, executed| MachineInstruction {
            text: text.to_owned(),
            executed,
            threads: 32 * executed,
            pred_on: 32 * executed,
            ..MachineInstruction::default()
        };
        let listing = vec![instruction("LDG.E R0, desc[UR4][R2.64]", 2), instruction("EXIT", 2), instruction("BRA", 0)];
        let counters = MACHINE.iter().map(|&name| (name.to_owned(), 4)).collect();
        let code = MachineCode { listing, counters, ..MachineCode::default() };
        Report { kernel: "k".to_owned(), machine_code: Some(code), ..Report::default() }
    }

    fn counted(executed: u64, duration: u64) -> Counted {
        let metrics = EXACT.iter().map(|counter| (counter.metric.to_owned(), 0));
        let metrics = metrics.chain(MACHINE.iter().map(|&name| (name.to_owned(), 4)));
        let metrics = metrics.chain([(DURATION.to_owned(), duration)]).collect();
        let lanes = vec![64, 64];
        let instructions = COUNTS.iter().zip([vec![executed, 2], lanes.clone(), lanes, Vec::new()]);
        let instructions = instructions.map(|((name, _), values)| ((*name).to_owned(), values)).collect();
        Counted { metrics, instructions }
    }

    #[test]
    fn what_the_gpu_counted_otherwise_is_named_with_its_instruction() {
        let same = check(&report(), &[counted(2, 900), counted(2, 1000)]);
        assert_eq!((same.compared, same.unrepeated), (EXACT.len() + MACHINE.len() + 12, 0));
        assert_eq!((&same.differences[..], &same.duration_ns[..]), (&[][..], &[900, 1000][..]));
        let other = check(&report(), &[counted(3, 900), counted(5, 900)]);
        let [difference] = &other.differences[..] else { panic!("{other:?}") };
        let expected = "inst_executed at 0x0 (LDG.E R0, desc[UR4][R2.64]): 2 simulated, 3 to 5 measured";
        assert_eq!((difference.sentence().as_str(), difference.repeats(), other.unrepeated), (expected, false, 1));
        let within = check(&report(), &[counted(1, 900), counted(5, 900)]);
        assert_eq!((within.differences.len(), within.unrepeated), (0, 1), "what is not repeated has a range");
    }

    #[test]
    fn without_machine_code_nothing_is_compared() {
        let plain = Report { machine_code: None, ..report() };
        assert_eq!(check(&plain, &[counted(2, 1)]).compared, 0);
    }

    #[test]
    fn launches_are_added() {
        let mut one = counted(2, 1);
        one.metrics.insert(EXACT[0].metric.to_owned(), 7);
        assert_eq!(exact(&[vec![one.clone()], vec![one]]).get(EXACT[0].metric), Some(&14));
    }
}
