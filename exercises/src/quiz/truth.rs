//! The right answers, computed by the simulator, and how near a given one is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use sim::report::details::{AccessDetails, BankMap};

use crate::course::Exercise;
use crate::instance::{Code, Instance, Ran, is_the_file};
use crate::measure;
use crate::model::GradeError;
use crate::spec::{Answer, Question};

/// A right answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// A count: near ones count too.
    Number(u64),
    /// A number that is right or wrong: a line, a bank, a lane.
    Exact(u64),
    /// Lanes of a warp.
    Lanes(BTreeSet<u32>),
    /// A word.
    Word(String),
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) | Self::Exact(number) => write!(f, "{number}"),
            Self::Lanes(lanes) if lanes.is_empty() => f.write_str("none"),
            Self::Lanes(lanes) if lanes.len() == 32 => f.write_str("all"),
            Self::Lanes(lanes) => {
                let lanes: Vec<u32> = lanes.iter().copied().collect();
                f.write_str(&crate::words::ranges(&lanes))
            }
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl Truth {
    /// Reads an answer of the same form.
    ///
    /// # Errors
    /// A sentence for the learner.
    pub fn read(&self, text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_' | ' ')).collect();
            digits.parse::<u64>().map_err(|_| format!("`{text}` is no whole number"))
        };
        match self {
            Self::Number(_) => number(text).map(Self::Number),
            Self::Exact(_) => number(text).map(Self::Exact),
            Self::Lanes(_) => lanes(text).map(Self::Lanes),
            Self::Word(_) => Ok(Self::Word(text.trim().to_lowercase())),
        }
    }

    /// The share of the points: all for the right answer; for counts 0.8 if it is off by a tenth at most, 0.5 by less than
    /// a factor of 2, 0.2 by less than a factor of 10; for lanes the common ones by all that are in one of both.
    pub fn credit(&self, own: &Self) -> f64 {
        match (self, own) {
            _ if self == own => 1.0,
            (Self::Number(truth), Self::Number(own)) => Near::of(*truth, *own).map_or(0.0, Near::credit),
            (Self::Lanes(truth), Self::Lanes(own)) => {
                truth.intersection(own).count() as f64 / truth.union(own).count().max(1) as f64
            }
            (Self::Word(truth), Self::Word(own)) if truth.to_lowercase() == *own => 1.0,
            _ => 0.0,
        }
    }

    /// How far an answer is from the truth, without telling it.
    pub fn distance(&self, own: &Self) -> String {
        match (self, own) {
            (Self::Number(truth), Self::Number(own)) => {
                let way = if own > truth { "too many" } else { "too few" };
                format!("{way}{}", Near::of(*truth, *own).map_or("", Near::words))
            }
            (Self::Lanes(truth), Self::Lanes(own)) => {
                let (missing, extra) = (truth.difference(own).count(), own.difference(truth).count());
                format!(
                    "{} lanes are right, {extra} do not belong there, {missing} are missing",
                    truth.intersection(own).count()
                )
            }
            _ => "not that".to_owned(),
        }
    }
}

/// How far a count is from another, both above 0. A factor of exactly 2 is not less than 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Near {
    Tenth,
    BelowTwo,
    BelowTen,
    TenOrMore,
}

impl Near {
    fn of(truth: u64, own: u64) -> Option<Self> {
        // Whole numbers: 110 and 100 are a tenth apart exactly.
        let (less, more) = (u128::from(truth.min(own)), u128::from(truth.max(own)));
        (less > 0).then(|| match more {
            _ if 10 * more <= 11 * less => Self::Tenth,
            _ if more < 2 * less => Self::BelowTwo,
            _ if more < 10 * less => Self::BelowTen,
            _ => Self::TenOrMore,
        })
    }

    const fn credit(self) -> f64 {
        match self {
            Self::Tenth => 0.8,
            Self::BelowTwo => 0.5,
            Self::BelowTen => 0.2,
            Self::TenOrMore => 0.0,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Tenth => ", by a tenth at most",
            Self::BelowTwo => ", by less than a factor of 2",
            Self::BelowTen => ", by a factor of 2 or more, but less than 10",
            Self::TenOrMore => ", by a factor of 10 or more",
        }
    }
}

/// Reads lanes: `0-3, 7`, `none`, `all`.
fn lanes(text: &str) -> Result<BTreeSet<u32>, String> {
    let wrong = || format!("`{text}` is no list of lanes: write 0-3, 7 or none or all");
    match text.trim() {
        "none" => return Ok(BTreeSet::new()),
        "all" => return Ok((0..32).collect()),
        _ => {}
    }
    let mut lanes = BTreeSet::new();
    for part in text.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let lane = |text: &str| text.trim().parse::<u32>().ok().filter(|lane| *lane < 32).ok_or_else(wrong);
        lanes.extend(lane(first)?..=lane(last)?);
    }
    if lanes.is_empty() { Err(wrong()) } else { Ok(lanes) }
}

/// The right answers to all questions, in order, from what the kernel that they are about does with the cases.
///
/// # Errors
/// When the course is wrong, or something is not simulated.
pub(crate) fn all(
    exercise: &Exercise,
    kernel: Option<&Code>,
    instances: &[Instance],
) -> Result<Vec<Truth>, GradeError> {
    let name = &exercise.name;
    let kernel = kernel.ok_or_else(|| GradeError::Internal("questions without a kernel".to_owned()))?;
    let mut runs: BTreeMap<String, Ran> = BTreeMap::new();
    let options = sim::Options { budget: exercise.run.budget, details: true, ..sim::Options::default() };
    for instance in instances {
        let ran = instance.run(kernel, &options);
        let ran = ran.map_err(|why| GradeError::Course(format!("{name}, case `{}`: {why}", instance.case.name)))?;
        runs.insert(instance.case.name.clone(), ran);
    }
    let sight = Sight { kernel, instances, runs: &runs };
    let of = |question: &Question| {
        sight.truth(question).map_err(|why| GradeError::Course(format!("{name}, question `{}`: {why}", question.id)))
    };
    exercise.questions.iter().map(of).collect()
}

/// What all cases showed.
struct Sight<'a> {
    kernel: &'a Code,
    instances: &'a [Instance],
    runs: &'a BTreeMap<String, Ran>,
}

impl Sight<'_> {
    fn truth(&self, question: &Question) -> Result<Truth, String> {
        let answer = &question.answer;
        let wanted = |one: &&Instance| question.case.as_ref().is_none_or(|name| one.case.name == *name);
        let instance = self.instances.iter().find(wanted).ok_or("there is no such case")?;
        let ran = self.runs.get(&instance.case.name).ok_or("the case was not run")?;
        let line = answer.line.as_ref().map(|text| self.line(text)).transpose()?;
        if let Some(counter) = &answer.counter {
            let count = match line {
                None => measure::of_report(counter, &instance.names, &ran.report)?,
                Some(number) => {
                    let of_line = ran.report.lines.iter().find(|one| self.is_own(&one.file) && one.line == number);
                    measure::of_line(counter, &instance.names, of_line)?
                }
            };
            return Ok(Truth::Number(count));
        }
        if let Some(counter) = &answer.largest {
            return self.largest(counter);
        }
        if let Some(what) = &answer.finding {
            return finding(ran, what);
        }
        if let Some(place) = &answer.value {
            return value(instance, ran, place);
        }
        let access = self.access(ran, line.ok_or("`line` is missing")?, answer.access.as_deref())?;
        if answer.cost_of_access == Some(true) {
            return Ok(Truth::Number(access.worst.cost.into()));
        }
        if answer.lanes_active == Some(true) {
            let taking = access.worst.addresses.iter().enumerate().filter(|(_, address)| address.is_some());
            return Ok(Truth::Lanes(taking.map(|(lane, _)| lane as u32).collect()));
        }
        let map = access.worst.banks.as_ref().ok_or("that access is not in shared memory: it has no banks")?;
        banks(answer, map)
    }

    /// The line of the kernel's file that holds a text.
    fn line(&self, text: &str) -> Result<u32, String> {
        let mut lines = self.kernel.source.lines().enumerate().filter(|(_, line)| line.contains(text));
        match (lines.next(), lines.next()) {
            (Some((at, _)), None) => Ok(at as u32 + 1),
            (None, _) => Err(format!("no line of the kernel's file holds `{text}`")),
            (Some(_), Some(_)) => Err(format!("several lines of the kernel's file hold `{text}`")),
        }
    }

    fn is_own(&self, file: &str) -> bool {
        is_the_file(file, &self.kernel.file)
    }

    /// The dearest access on a line.
    fn access<'r>(&self, ran: &'r Ran, line: u32, which: Option<&str>) -> Result<&'r AccessDetails, String> {
        let details = ran.report.details.as_ref().ok_or("there are no details")?;
        let of_line = details.lines.iter().find(|one| self.is_own(&one.file) && one.line == line);
        let accesses = of_line.map_or(&[][..], |line| &line.accesses);
        let mut fitting = accesses.iter().filter(|access| which.is_none_or(|which| access.kind.contains(which)));
        let first = fitting.next().ok_or_else(|| format!("line {line} makes no such access"))?;
        if fitting.next().is_some() {
            let kinds: Vec<&str> = accesses.iter().map(|access| access.kind.as_str()).collect();
            return Err(format!("line {line} makes several accesses: {}; `access` says which", kinds.join(", ")));
        }
        Ok(first)
    }

    fn largest(&self, counter: &str) -> Result<Truth, String> {
        let mut counts = Vec::new();
        for instance in self.instances.iter().filter(|instance| !instance.case.hidden) {
            let ran = self.runs.get(&instance.case.name).ok_or("a case was not run")?;
            counts.push((measure::of_report(counter, &instance.names, &ran.report)?, &instance.case.name));
        }
        let most = counts.iter().map(|(count, _)| *count).max().unwrap_or(0);
        let mut best = counts.iter().filter(|(count, _)| *count == most);
        match (best.next(), best.next()) {
            (Some((_, name)), None) => Ok(Truth::Word((*name).clone())),
            _ => Err(format!("several cases show {most}: the question has no one answer")),
        }
    }
}

/// What is asked of an access's banks.
fn banks(answer: &Answer, map: &BankMap) -> Result<Truth, String> {
    let of_lane = |lane: u32| map.lanes.get(lane as usize).and_then(|words| words.first()).map(|(bank, _)| *bank);
    let using = |bank: u32| {
        let uses = map.lanes.iter().enumerate().filter(|(_, words)| words.iter().any(|(used, _)| *used == bank));
        Truth::Lanes(uses.map(|(lane, _)| lane as u32).collect())
    };
    if let Some(bank) = answer.lanes_in_bank {
        return Ok(using(bank));
    }
    let lane = answer.bank_of_lane.or(answer.lanes_with_lane).ok_or("nothing is asked")?;
    let bank = of_lane(lane).ok_or_else(|| format!("lane {lane} takes no part in that access"))?;
    Ok(if answer.bank_of_lane.is_some() { Truth::Exact(bank.into()) } else { using(bank) })
}

/// What is asked of the first finding of a case.
fn finding(ran: &Ran, what: &str) -> Result<Truth, String> {
    let finding = ran.report.errors().next().ok_or("that case has no finding")?;
    let party = |at: usize| finding.parties.get(at).ok_or_else(|| "only a race has two threads".to_owned());
    Ok(match what {
        "kind" => Truth::Word(finding.kind.name().to_owned()),
        "line" => Truth::Exact(finding.line.into()),
        "other-line" => Truth::Exact(party(1)?.line.into()),
        "warp" => Truth::Exact(finding.warp.into()),
        "block" => Truth::Exact(finding.block[0].into()),
        "lanes" => Truth::Lanes(finding.lanes.iter().copied().collect()),
        "lane" => Truth::Exact(match finding.parties.first() {
            Some(party) => party.lane.into(),
            None => finding.lanes.first().copied().unwrap_or(0).into(),
        }),
        "other-lane" => Truth::Exact(party(1)?.lane.into()),
        other => return Err(format!("a finding has no `{other}`")),
    })
}

/// An element of a buffer after the launch: `out[5]`.
fn value(instance: &Instance, ran: &Ran, place: &str) -> Result<Truth, String> {
    let wrong = || format!("`{place}` is no element of a buffer, such as out[5]");
    let (name, index) = place.strip_suffix(']').and_then(|place| place.split_once('[')).ok_or_else(wrong)?;
    let index: usize = index.trim().parse().map_err(|_| wrong())?;
    let at = instance.buffers.iter().position(|buffer| buffer.name == name.trim()).ok_or_else(wrong)?;
    let element = instance.buffers[at].element();
    let size = element.bytes();
    let bytes = ran.buffers[at].get(index * size..(index + 1) * size).ok_or_else(wrong)?;
    let text = element.show(bytes);
    Ok(text.parse().map_or_else(|_| Truth::Word(text.clone()), Truth::Exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_credited_by_distance() {
        let truth = Truth::Number(32);
        let credit = |text: &str| truth.credit(&truth.read(text).unwrap());
        assert_eq!(
            [credit("32"), credit("33"), credit("16"), credit("8"), credit("1"), credit("0")],
            [1.0, 0.8, 0.2, 0.2, 0.0, 0.0]
        );
        assert_eq!([credit("17"), credit("63"), credit("64"), credit("319"), credit("320")], [0.5, 0.5, 0.2, 0.2, 0.0]);
        assert_eq!(Truth::Number(100).credit(&Truth::Number(110)), 0.8);
        assert_eq!(Truth::Number(0).credit(&Truth::Number(1)), 0.0);
        assert_eq!(truth.read("1,024"), Ok(Truth::Number(1024)));
        assert!(truth.read("many").unwrap_err().contains("no whole number"));

        let lanes = Truth::Lanes([0, 1, 2, 3].into());
        assert_eq!(lanes.read("0-3"), Ok(lanes.clone()));
        assert_eq!(lanes.credit(&lanes.read("0, 1").unwrap()), 0.5);
        assert_eq!(lanes.read("none").map(|none| lanes.credit(&none)), Ok(0.0));
        assert_eq!(lanes.to_string(), "0-3");
        assert!(lanes.read("40").is_err() && lanes.read("-").is_err() && lanes.read("").is_err());
        assert_eq!(Truth::Word("race".into()).credit(&Truth::Word("Race".to_lowercase())), 1.0);
        assert_eq!(Truth::Exact(3).credit(&Truth::Exact(4)), 0.0, "a line is right or wrong");
    }

    #[test]
    fn distances_do_not_tell_the_truth() {
        assert_eq!(Truth::Number(32).distance(&Truth::Number(40)), "too many, by less than a factor of 2");
        // Twice as many is not less than a factor of 2 away.
        assert_eq!(
            Truth::Number(2).distance(&Truth::Number(4)),
            "too many, by a factor of 2 or more, but less than 10"
        );
        assert_eq!(Truth::Number(4).distance(&Truth::Number(2)), "too few, by a factor of 2 or more, but less than 10");
        assert_eq!(Truth::Number(2).distance(&Truth::Number(20)), "too many, by a factor of 10 or more");
        assert_eq!(Truth::Number(10).distance(&Truth::Number(11)), "too many, by a tenth at most");
        assert_eq!(Truth::Number(0).distance(&Truth::Number(1)), "too many");
        let text = Truth::Lanes([0, 1].into()).distance(&Truth::Lanes([1, 2].into()));
        assert_eq!(text, "1 lanes are right, 1 do not belong there, 1 are missing");
        assert_eq!(Truth::Exact(7).distance(&Truth::Exact(8)), "not that");
    }
}
