//! Fills a chapter: every directive becomes Markdown or HTML.

use std::collections::BTreeMap;
use std::rc::Rc;

use sim::Report;

use crate::blocks::{self, Open};
use crate::code::{self, framed, line_id, listing, part};
use crate::directive::{Directive, Malformed, Piece, pieces};
use crate::fault::Reason;
use crate::figures::{self, banks};
use crate::html::{self, escape};
use crate::quantity::Quantity;
use crate::repeats::{self, Shown};
use crate::runs::{Run, Runs};
use crate::source::Region;
use crate::tables::capital;
use crate::value::{self, Value};
use crate::verdict;
use crate::{claims, hold, instructions, ladder, math, parts, reference, sanitizer, summary, tables, targets, time};

/// Fills the directives of chapters.
#[derive(Clone, Copy)]
pub struct Filler<'a> {
    pub(crate) runs: &'a dyn Runs,
    /// For every source file that has a page: the page, from the site's root.
    pub(crate) pages: &'a BTreeMap<String, String>,
    /// The way from the chapter to the site's root: `../` or nothing.
    pub(crate) to_root: &'a str,
    /// The way from the chapter to the pages that are made for it, such as `checks/`.
    pub(crate) below: &'a str,
}

impl<'a> Filler<'a> {
    /// A filler for a chapter. `pages` says which page of the site shows a source file, `to_root` leads from the
    /// chapter to the site's root (`../` for every folder).
    pub fn new(runs: &'a dyn Runs, pages: &'a BTreeMap<String, String>, to_root: &'a str) -> Self {
        Self { runs, pages, to_root, below: "" }
    }

    /// The same for a chapter whose generated pages lie in the folder `below`, seen from it.
    #[must_use]
    pub fn with_pages_below(self, below: &'a str) -> Self {
        Self { below, ..self }
    }

    /// The chapter with every directive filled.
    ///
    /// # Errors
    /// Every directive that cannot be filled: its line, from 1, and why.
    pub fn fill(&self, text: &str) -> Result<String, Vec<(u32, Reason)>> {
        let text = math::render(text)
            .map_err(|all| all.into_iter().map(|(line, why)| (line, Reason::Wrong(why))).collect::<Vec<_>>())?;
        let wrong = |Malformed { line, message }| (line, Reason::Wrong(message));
        let pieces = pieces(&text).map_err(|all| all.into_iter().map(wrong).collect::<Vec<_>>())?;
        let (mut filled, mut faults) = (String::new(), Vec::new());
        let mut open: Vec<Open> = Vec::new();
        let mut shown: Vec<Shown> = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Directive(directive) => {
                    let line = directive.line;
                    match self.directive(directive, &mut open, &mut filled, &mut shown) {
                        Ok(text) => filled.push_str(&text),
                        Err(reason) => faults.push((line, reason)),
                    }
                }
            }
        }
        for open in open {
            faults.push((open.line, Reason::Wrong(format!("this `{}` has no `{{{{#wb end}}}}`", open.name()))));
        }
        if faults.is_empty() { Ok(filled) } else { Err(faults) }
    }

    /// What comes in the place of a directive. `filled` is the chapter up to it, from which a block may take back what
    /// belongs further below; `shown` are the page's listings so far.
    fn directive(
        &self,
        mut directive: Directive,
        open: &mut Vec<Open>,
        filled: &mut String,
        shown: &mut Vec<Shown>,
    ) -> Result<String, Reason> {
        if directive.name == "end" || blocks::NAMES.contains(&&*directive.name) {
            let block = blocks::block(self, &mut directive, open, filled)?;
            directive.finish()?;
            return Ok(block);
        }
        let inline = match &*directive.name {
            "number" => Some(Value::take(self, &mut directive)?.html()),
            "ratio" => Some(self.ratio(&mut directive)?),
            "claim" => Some(self.claim(&mut directive)?),
            "hold" => Some(hold::hold(self, &mut directive)?),
            _ => None,
        };
        if let Some(inline) = inline {
            directive.finish()?;
            return Ok(inline);
        }
        if !directive.alone {
            return Err(Reason::Wrong(format!("`{}` is a block and must stand on lines of its own", directive.name)));
        }
        let block = match &*directive.name {
            "source" => self.source(&mut directive, shown)?,
            "file" => self.file(&mut directive)?,
            "command" => self.command(&mut directive)?,
            "finding" => self.finding(&mut directive)?,
            "counters" => tables::counters(self, &mut directive)?,
            "compare" => tables::compare(self, &mut directive)?,
            "lines" => tables::lines(self, &mut directive)?,
            "bars" => tables::bars(self, &mut directive)?,
            "targets" => targets::targets(self, &mut directive)?,
            "ladder" => ladder::ladder(self, &mut directive)?,
            "summary" => summary::summary(self, &mut directive)?,
            "page" if open.is_empty() => parts::mark(&mut directive)?,
            "page" => return Err(Reason::Wrong("a page cannot end within a block: put `end` before it".to_owned())),
            "figure" => figures::figure(self, &mut directive)?,
            "bank-map" => banks::bank_map(self, &mut directive)?,
            "rounds" => banks::rounds(self, &mut directive)?,
            "wrong" => self.wrong(&mut directive)?,
            "finding-index" => reference::findings::index(self.below)?,
            "counter-index" => reference::counters::index(self.runs, self.below),
            "instructions" => instructions::instructions()?,
            "absent" => instructions::absent()?,
            "claims" => claims::claims(&mut directive)?,
            "time" => time::time(&mut directive)?,
            "sanitizer" => sanitizer::sanitizer()?,
            "sanitized-problems" => sanitizer::problems()?,
            "closing" => tables::closing(self)?,
            "agreement" => tables::agreement(self)?,
            "provenance" => tables::provenance(self)?,
            "known" => tables::known()?,
            other => {
                return Err(Reason::Wrong(format!(
                    "there is no directive `{other}`; there are number, ratio, claim, hold, {}, end, source, file, command, \
                     finding, wrong, counters, compare, lines, bars, ladder, summary, page, figure, targets, bank-map, rounds, \
                     finding-index, counter-index, instructions, absent, claims, time, sanitizer, sanitized-problems, closing, agreement, provenance, \
                     known",
                    blocks::NAMES.join(", ")
                )));
            }
        };
        directive.finish()?;
        // An HTML block ends at a blank line.
        Ok(format!("\n{block}\n"))
    }

    /// The run of a kernel's case, both of which must exist.
    pub(crate) fn run(&self, kernel: &str, case: &str) -> Result<Rc<Run>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.run(kernel, case).map_err(Reason::Contradicted)
    }

    /// The same on another GPU.
    pub(crate) fn run_on(&self, kernel: &str, case: &str, target: &str) -> Result<Rc<Run>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.run_on(kernel, case, target).map_err(Reason::Contradicted)
    }

    /// The launches of a case with all details, both of which must exist.
    pub(crate) fn detailed(&self, kernel: &str, case: &str) -> Result<Rc<Vec<Report>>, Reason> {
        self.check_case(kernel, case)?;
        self.runs.detailed(kernel, case).map_err(Reason::Contradicted)
    }

    /// Whether a line of a source that a report names has `text` in it.
    pub(crate) fn line_has(&self, path: &str, line: u32, text: &str) -> Result<bool, Reason> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let source = self.runs.source(file)?;
        Ok(source.lines().nth(line.saturating_sub(1) as usize).is_some_and(|own| own.contains(text)))
    }

    /// Makes sure that kernel and case exist.
    pub(crate) fn check_case(&self, kernel: &str, case: &str) -> Result<(), Reason> {
        self.kernel(kernel)?;
        let cases = self.runs.cases(kernel);
        if !cases.iter().any(|known| known == case) {
            let cases: Vec<String> = cases.iter().map(|case| format!("\"{case}\"")).collect();
            return Err(Reason::Wrong(format!("{kernel} has no case \"{case}\"; there are {}", cases.join(", "))));
        }
        Ok(())
    }

    fn kernel(&self, kernel: &str) -> Result<(), Reason> {
        let known = self.runs.kernels();
        if known.iter().any(|known| known == kernel) {
            return Ok(());
        }
        Err(Reason::Wrong(format!("there is no kernel `{kernel}`; there are {}", known.join(", "))))
    }

    /// How many times more one kernel needs than another.
    fn ratio(&self, directive: &mut Directive) -> Result<String, Reason> {
        let (a, b) = (directive.word("two kernels")?, directive.word("two kernels")?);
        let (case, of) = (directive.option("case")?, directive.option("of")?);
        let quantity = Quantity::find(&of, self.runs)?;
        let recorded = recorded(directive)?;
        let (run_a, run_b) = (self.run(&a, &case)?, self.run(&b, &case)?);
        let (value_a, value_b) = (quantity.agreed(&run_a, recorded)?, quantity.agreed(&run_b, recorded)?);
        if value_b == 0 {
            return Err(Reason::Contradicted(format!("{b} has 0 {of} for this case, which nothing can be divided by")));
        }
        let ratio = value_a as f64 / value_b as f64;
        let title = format!("{case}: {a} {} / {b} {} {of}", quantity.show(value_a), quantity.show(value_b));
        let shown = if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") };
        Ok(format!("<data class=\"wb-number\" value=\"{ratio}\" title=\"{}\">{shown}</data>", escape(&title)))
    }

    /// Says nothing, and makes sure that a sentence of the text is true.
    fn claim(&self, directive: &mut Directive) -> Result<String, Reason> {
        let what = "a claim, such as `A more-than B`";
        let (a, relation, b) = (directive.word(what)?, directive.word(what)?, directive.word(what)?);
        if matches!(&*relation, "faster-than" | "slower-than") {
            return value::faster(self, directive, &a, &relation, &b);
        }
        let (case, of) = (directive.option("case")?, directive.option("of")?);
        let recorded = recorded(directive)?;
        let quantities = if of == "every counter" {
            self.runs.counters().iter().map(Quantity::from).collect()
        } else {
            vec![Quantity::find(&of, self.runs)?]
        };
        let constant = b.parse::<u64>().ok();
        self.kernel(&a)?;
        if constant.is_none() {
            self.kernel(&b)?;
        }
        let cases = if case == "every" {
            let others = self.runs.cases(&b);
            let mut cases = self.runs.cases(&a);
            cases.retain(|case| constant.is_some() || others.contains(case));
            cases
        } else {
            vec![case]
        };
        if cases.is_empty() {
            return Err(Reason::Wrong(format!("{a} and {b} have no case in common, so this claims nothing")));
        }
        for case in &cases {
            let run = self.run(&a, case)?;
            let other = if constant.is_none() { Some(self.run(&b, case)?) } else { None };
            for quantity in &quantities {
                let left = quantity.agreed(&run, recorded)?;
                let right = match (&other, constant) {
                    (Some(other), _) => quantity.agreed(other, recorded)?,
                    (None, constant) => constant.unwrap_or_default(),
                };
                let holds = match &*relation {
                    "more-than" => left > right,
                    "less-than" => left < right,
                    "same-as" | "is" => left == right,
                    _ => {
                        let message = format!(
                            "`{relation}` is no relation; there are more-than, less-than, same-as, is, faster-than, slower-than"
                        );
                        return Err(Reason::Wrong(message));
                    }
                };
                if !holds {
                    let (left, right) = (quantity.show(left), quantity.show(right));
                    return Err(Reason::Contradicted(format!(
                        "the text claims that {a} is {relation} {b} in {}, but for {case} it is {left} against {right}",
                        quantity.name
                    )));
                }
            }
        }
        Ok(String::new())
    }

    /// A region of a source, with its line numbers; below it what it is wrong and right about. What a listing above has
    /// already is folded.
    fn source(&self, directive: &mut Directive, shown: &mut Vec<Shown>) -> Result<String, Reason> {
        let place = directive.word("FILE:REGION")?;
        let (file, name) = place.split_once(':').ok_or_else(|| {
            format!("`{place}` is no region of a source; write FILE:REGION, or `file {place}` for the whole file")
        })?;
        let text = self.runs.source(file)?;
        let mut region = Region::find(&text, name)?;
        let (first, last) = match (region.lines.first(), region.lines.last()) {
            (Some((first, _)), Some((last, _))) => (*first, *last),
            _ => return Err(Reason::Wrong(format!("the region `{name}` is empty"))),
        };
        let link = self.link(file, first, &format!("{}, lines {first} to {last}", html::code(file)));
        let verdict = verdict::take(&mut region.lines);
        let parts = repeats::split(&region.lines, shown);
        shown.push((name.to_owned(), region.lines.iter().map(|(_, line)| (*line).to_owned()).collect()));
        let parts: Vec<String> = parts.iter().map(part).collect();
        Ok(framed(Some(&link), &parts.join("\n")) + &verdict::html(&verdict))
    }

    /// A whole source file, every line of which can be linked to.
    fn file(&self, directive: &mut Directive) -> Result<String, Reason> {
        let file = directive.word("a file")?;
        let text = self.runs.source(&file)?;
        Ok(listing(&Region::whole(&text), None, Some(&file)))
    }

    /// The `warpbook sim` command that runs a case, on zeros instead of its data.
    fn command(&self, directive: &mut Directive) -> Result<String, Reason> {
        let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
        let file = directive.option("file")?;
        let run = self.run(&kernel, &case)?;
        if run.launches != 1 {
            let launches = run.launches;
            return Err(Reason::Wrong(format!("`{kernel}` is {launches} launches, and one command simulates one")));
        }
        let extent = |[x, y, z]: [u32; 3]| match (y, z) {
            (1, 1) => x.to_string(),
            (y, 1) => format!("{x},{y}"),
            (y, z) => format!("{x},{y},{z}"),
        };
        let launch = &run.report.launch;
        let args: Vec<String> = run.args.iter().map(|arg| format!("--arg {arg}")).collect();
        Ok(format!(
            "```sh\nwarpbook sim {file} --kernel {kernel} \\\n    --grid {} --block {} --shared {} \\\n    {}\n```\n",
            extent(launch.grid),
            extent(launch.block),
            launch.shared_dynamic,
            args.join(" ")
        ))
    }

    /// A faulty kernel with what is found in it.
    fn finding(&self, directive: &mut Directive) -> Result<String, Reason> {
        let name = directive.word("a faulty kernel")?;
        let faulty = self.runs.faulty(&name)?;
        let lines = code::broken(&faulty.source);
        let lines = lines.iter().map(|(number, line)| (*number, &**line)).collect();
        let caption = format!("{}, and what is found in it", html::code(&format!("{name}.cu")));
        let source = listing(&Region { lines }, Some(&caption), None);
        Ok(format!("{source}\n```text\n{}\n```\n", faulty.findings.join("\n\n")))
    }

    /// A case that is wrong on purpose: why, and what the simulator says of it.
    fn wrong(&self, directive: &mut Directive) -> Result<String, Reason> {
        let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
        self.check_case(&kernel, &case)?;
        let wrong = self.runs.wrong(&kernel, &case)?;
        let said = match (&wrong.kind, wrong.findings.len()) {
            (Some(kind), 1) => format!("one finding of the kind {}", html::code(kind)),
            (Some(kind), count) => format!("{count} findings of the kind {}", html::code(kind)),
            (None, _) => "nothing, for no check can know that the result is wrong".to_owned(),
        };
        let mut text = format!(
            "<div class=\"wb-wrong\"><p><strong>Wrong on purpose:</strong> {}, {}. {}. The simulator finds {said}.</p>\n",
            self.link(&wrong.file, 1, &html::code(&kernel)),
            escape(&case),
            capital(&escape(&wrong.why))
        );
        if let Some(first) = wrong.findings.first() {
            // A fence longer than any in a message.
            text += &format!("\n````text\n{first}\n````\n\n");
        }
        if let Some(result) = &wrong.result {
            text += &format!("<p>The result is wrong: {}.</p>\n", escape(result.trim_end_matches('.')));
        }
        Ok(text + "</div>\n")
    }

    /// `label` as a link to a line of a source, if the source has a page.
    pub(crate) fn link(&self, file: &str, line: u32, label: &str) -> String {
        match self.pages.get(file) {
            Some(page) => format!("<a href=\"{}{page}#{}\">{label}</a>", self.to_root, line_id(file, line)),
            None => label.to_owned(),
        }
    }
}

/// Whether the numbers of this directive must have been measured too.
pub(crate) fn recorded(directive: &mut Directive) -> Result<bool, Reason> {
    match directive.maybe("measured").as_deref() {
        None | Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(other) => Err(Reason::Wrong(format!("`measured={other}` is neither `measured=yes` nor `measured=no`"))),
    }
}
