//! What a corpus showed, added up: by suite, by counter, and by what may be the cause.

use std::collections::{BTreeMap, BTreeSet};

use super::{Difference, DifferentLine, Roads, Row, Suite};
use crate::counters::EXACT;

/// What a suite showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuiteSum {
    /// Which.
    pub suite: Suite,
    /// Kernels, each with all launches of a subject.
    pub kernels: usize,
    /// Kernels of which every counter agrees.
    pub equal: usize,
    /// Exact counters that were compared.
    pub counters: usize,
    /// Those that are more than 0 on a road at least.
    pub nonzero: usize,
    /// Those that differ.
    pub differ: usize,
    /// Those that differ for no known reason.
    pub unexplained: usize,
    /// Subjects with other trouble.
    pub troubled: usize,
}

/// A counter's differences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterSum {
    /// The counter, by Nsight Compute's name.
    pub counter: &'static str,
    /// Its short name.
    pub label: &'static str,
    /// The kernels in which it differs.
    pub kernels: usize,
    /// Those in which the road over PTX counts more.
    pub more: usize,
}

/// What may be the cause of differences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateSum {
    /// What is seen on the lines.
    pub candidate: String,
    /// The kernels in which it is seen.
    pub kernels: usize,
    /// The first place where it is seen.
    pub example: String,
}

/// Kernels by subject, case and name.
type Kernels<'a> = BTreeSet<(&'a str, &'a str, &'a str)>;

impl Roads {
    /// The suites that something was run of.
    #[must_use]
    pub fn suites(&self) -> Vec<SuiteSum> {
        let sum = |suite: Suite| {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.suite == suite).collect();
            let troubled = self.troubled.iter().filter(|troubled| troubled.suite == suite).count();
            let add = |of: fn(&Row) -> usize| rows.iter().map(|row| of(row)).sum();
            (!rows.is_empty() || troubled > 0).then(|| SuiteSum {
                suite,
                kernels: rows.len(),
                equal: rows.iter().filter(|row| row.differences.is_empty()).count(),
                counters: add(|row| row.counters),
                nonzero: add(|row| row.nonzero),
                differ: add(|row| row.differences.len()),
                unexplained: add(|row| row.unexplained().count()),
                troubled,
            })
        };
        Suite::ALL.into_iter().filter_map(sum).collect()
    }

    /// The counters that differ somewhere, those first that differ in most kernels.
    #[must_use]
    pub fn counters(&self) -> Vec<CounterSum> {
        let sum = |counter: &crate::counters::Counter| {
            let differences = self.rows.iter().flat_map(|row| &row.differences);
            let own: Vec<&Difference> = differences.filter(|found| found.counter == counter.metric).collect();
            (!own.is_empty()).then(|| CounterSum {
                counter: counter.metric,
                label: counter.label,
                kernels: own.len(),
                more: own.iter().filter(|found| found.ptx > found.machine_code).count(),
            })
        };
        let mut sums: Vec<CounterSum> = EXACT.iter().filter_map(sum).collect();
        sums.sort_by_key(|sum| std::cmp::Reverse(sum.kernels));
        sums
    }

    /// What may be the cause, seen on the lines of kernels whose totals differ, the most frequent first.
    #[must_use]
    pub fn candidates(&self) -> Vec<CandidateSum> {
        let mut seen: BTreeMap<String, (Kernels<'_>, String)> = BTreeMap::new();
        for row in &self.rows {
            let differs = |counter: &str| row.differences.iter().any(|own| own.counter == counter);
            for line in &row.lines {
                if !line.differences.iter().any(|difference| differs(difference.counter)) {
                    continue;
                }
                let example = format!("{} ({}), {}:{}", row.subject, row.kernel, line.file, line.line);
                let (kernels, _) = seen.entry(line.candidate()).or_insert_with(|| (BTreeSet::new(), example));
                kernels.insert((&row.subject, &row.case, &row.kernel));
            }
        }
        let sum = |(candidate, (kernels, example)): (String, (Kernels<'_>, String))| CandidateSum {
            candidate,
            kernels: kernels.len(),
            example,
        };
        let mut sums: Vec<CandidateSum> = seen.into_iter().map(sum).collect();
        sums.sort_by_key(|sum| std::cmp::Reverse(sum.kernels));
        sums
    }

    /// How many kernels have equal totals and differ by line alone: the roads name other lines for the same accesses.
    #[must_use]
    pub fn other_lines(&self) -> usize {
        self.rows.iter().filter(|row| row.differences.is_empty() && !row.lines.is_empty()).count()
    }

    /// How many differences and troubles have no known cause.
    #[must_use]
    pub fn unexplained(&self) -> usize {
        let troubled = self.troubled.iter().filter(|troubled| troubled.known.is_none()).count();
        self.rows.iter().map(|row| row.unexplained().count()).sum::<usize>() + troubled
    }

    /// The line that closes the comparison.
    #[must_use]
    pub fn closing(&self) -> String {
        let add = |of: fn(&SuiteSum) -> usize| self.suites().iter().map(of).sum::<usize>();
        let (counters, nonzero, differ) = (add(|sum| sum.counters), add(|sum| sum.nonzero), add(|sum| sum.differ));
        #[allow(clippy::cast_precision_loss, reason = "a percentage")]
        let percent = 100.0 * nonzero.saturating_sub(differ) as f64 / nonzero.max(1) as f64;
        format!(
            "{} of {counters} exact counters agree, {percent:.2} % of the {nonzero} that are not 0, in {} kernels, {} of \
             which differ; {} differences have no known cause",
            counters - differ,
            add(|sum| sum.kernels),
            add(|sum| sum.kernels - sum.equal),
            self.unexplained(),
        )
    }

    /// All differences as a table of comma-separated values: those of whole kernels, which have no line, and those of lines.
    ///
    /// # Errors
    /// The writer's.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record([
            "suite",
            "subject",
            "case",
            "kernel",
            "file",
            "line",
            "counter",
            "ptx",
            "machine code",
            "known",
        ])?;
        for row in &self.rows {
            let head = [row.suite.name(), &row.subject, &row.case, &row.kernel];
            let totals = row.differences.iter().map(|difference| (None, difference));
            let lines = row.lines.iter().flat_map(|line| line.differences.iter().map(move |found| (Some(line), found)));
            for (line, difference) in totals.chain(lines) {
                let file = line.map_or("", |line| &*line.file);
                let number = line.map_or(String::new(), |line| line.line.to_string());
                let (ptx, machine_code) = (difference.ptx.to_string(), difference.machine_code.to_string());
                let known = difference.known.as_deref().unwrap_or_default();
                let rest = [file, &*number, difference.counter, &*ptx, &*machine_code, known];
                writer.write_record(head.into_iter().chain(rest))?;
            }
        }
        let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl DifferentLine {
    /// What may be the cause of the line's differences, as far as both sides' instructions tell it.
    #[must_use]
    pub fn candidate(&self) -> String {
        let only = |own: &[String], other: &[String]| -> Vec<String> {
            own.iter().filter(|access| !other.contains(access)).cloned().collect()
        };
        let (ours, theirs) = (only(&self.ptx, &self.machine_code), only(&self.machine_code, &self.ptx));
        if !ours.is_empty() || !theirs.is_empty() {
            let list = |own: &[String]| if own.is_empty() { "–".to_owned() } else { own.join(", ") };
            return format!("only PTX: {}; only machine code: {}", list(&ours), list(&theirs));
        }
        let signs = |parts: &[(&str, &'static str)]| -> Vec<String> {
            let sign = |(part, name): &(&str, &'static str)| {
                let found = self.differences.iter().find(|difference| difference.counter.contains(part))?;
                Some(format!("{} {name}", if found.ptx > found.machine_code { "fewer" } else { "more" }))
            };
            parts.iter().filter_map(sign).collect()
        };
        let arithmetic = signs(&[
            ("_op_fadd_", "FADD"),
            ("_op_fmul_", "FMUL"),
            ("_op_ffma_", "FFMA"),
            ("_op_dadd_", "DADD"),
            ("_op_dmul_", "DMUL"),
            ("_op_dfma_", "DFMA"),
            ("_inter_thread_", "votes and shuffles"),
        ]);
        if !arithmetic.is_empty() {
            return format!("machine code: {}", arithmetic.join(", "));
        }
        let executed = self.differences.iter().find(|found| found.counter.contains("inst_executed_op"));
        match executed {
            Some(found) if found.ptx > found.machine_code => {
                "the same accesses, executed by fewer warps in machine code".to_owned()
            }
            Some(_) => "the same accesses, executed by more warps in machine code".to_owned(),
            None => "the same accesses by the same warps, of other lanes or addresses".to_owned(),
        }
    }
}
