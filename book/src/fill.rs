//! Fills a chapter: every directive becomes Markdown or HTML.

use std::collections::BTreeMap;

use crate::blocks::{self, Open};
use crate::code::{self, framed, listing, part};
use crate::context::{Context, recorded};
use crate::directive::{Directive, Malformed, Piece, pieces};
use crate::fault::Reason;
use crate::figures::{self, banks};
use crate::html::{self, escape};
use crate::quantity::Quantity;
use crate::repeats::{self, Shown};
use crate::runs::Runs;
use crate::source::Region;
use crate::tables::capital;
use crate::value::{self, Value};
use crate::verdict;
use crate::{claims, hold, instructions, ladder, math, parts, reference, sanitizer, summary, tables, targets, time};

/// Fills the directives of chapters.
#[derive(Clone, Copy)]
pub struct Filler<'a> {
    context: Context<'a>,
}

impl<'a> Filler<'a> {
    /// A filler for a chapter. `pages` says which page of the site shows a source file, `to_root` leads from the
    /// chapter to the site's root (`../` for every folder).
    pub fn new(runs: &'a dyn Runs, pages: &'a BTreeMap<String, String>, to_root: &'a str) -> Self {
        Self { context: Context { runs, pages, to_root, below: "" } }
    }

    /// The same for a chapter whose generated pages lie in the folder `below`, seen from it.
    #[must_use]
    pub fn with_pages_below(self, below: &'a str) -> Self {
        Self { context: Context { below, ..self.context } }
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
            let block = blocks::block(&self.context, &mut directive, open, filled)?;
            directive.finish()?;
            return Ok(block);
        }
        let inline = match &*directive.name {
            "number" => Some(Value::take(&self.context, &mut directive)?.html()),
            "ratio" => Some(self.ratio(&mut directive)?),
            "claim" => Some(self.claim(&mut directive)?),
            "hold" => Some(hold::hold(&self.context, &mut directive)?),
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
            "counters" => tables::counters(&self.context, &mut directive)?,
            "compare" => tables::compare(&self.context, &mut directive)?,
            "lines" => tables::lines(&self.context, &mut directive)?,
            "bars" => tables::bars(&self.context, &mut directive)?,
            "targets" => targets::targets(&self.context, &mut directive)?,
            "ladder" => ladder::ladder(&self.context, &mut directive)?,
            "summary" => summary::summary(&self.context, &mut directive)?,
            "page" if open.is_empty() => parts::mark(&mut directive)?,
            "page" => return Err(Reason::Wrong("a page cannot end within a block: put `end` before it".to_owned())),
            "figure" => figures::figure(&self.context, &mut directive)?,
            "bank-map" => banks::bank_map(&self.context, &mut directive)?,
            "rounds" => banks::rounds(&self.context, &mut directive)?,
            "wrong" => self.wrong(&mut directive)?,
            "finding-index" => reference::findings::index(self.context.below)?,
            "counter-index" => reference::counters::index(self.context.runs, self.context.below),
            "instructions" => instructions::instructions()?,
            "absent" => instructions::absent()?,
            "claims" => claims::claims(&mut directive)?,
            "time" => time::time(&mut directive)?,
            "sanitizer" => sanitizer::sanitizer()?,
            "sanitized-problems" => sanitizer::problems()?,
            "closing" => tables::closing(&self.context)?,
            "agreement" => tables::agreement(&self.context)?,
            "provenance" => tables::provenance(&self.context)?,
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

    /// How many times more one kernel needs than another.
    fn ratio(&self, directive: &mut Directive) -> Result<String, Reason> {
        let (a, b) = (directive.word("two kernels")?, directive.word("two kernels")?);
        let (case, of) = (directive.option("case")?, directive.option("of")?);
        let quantity = Quantity::find(&of, self.context.runs)?;
        let recorded = recorded(directive)?;
        let (run_a, run_b) = (self.context.run(&a, &case)?, self.context.run(&b, &case)?);
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
            return value::faster(&self.context, directive, &a, &relation, &b);
        }
        let (case, of) = (directive.option("case")?, directive.option("of")?);
        let recorded = recorded(directive)?;
        let quantities = if of == "every counter" {
            self.context.runs.counters().iter().map(Quantity::from).collect()
        } else {
            vec![Quantity::find(&of, self.context.runs)?]
        };
        let constant = b.parse::<u64>().ok();
        self.context.kernel(&a)?;
        if constant.is_none() {
            self.context.kernel(&b)?;
        }
        let cases = if case == "every" {
            let others = self.context.runs.cases(&b);
            let mut cases = self.context.runs.cases(&a);
            cases.retain(|case| constant.is_some() || others.contains(case));
            cases
        } else {
            vec![case]
        };
        if cases.is_empty() {
            return Err(Reason::Wrong(format!("{a} and {b} have no case in common, so this claims nothing")));
        }
        for case in &cases {
            let run = self.context.run(&a, case)?;
            let other = if constant.is_none() { Some(self.context.run(&b, case)?) } else { None };
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
        let text = self.context.runs.source(file)?;
        let mut region = Region::find(&text, name)?;
        let (first, last) = match (region.lines.first(), region.lines.last()) {
            (Some((first, _)), Some((last, _))) => (*first, *last),
            _ => return Err(Reason::Wrong(format!("the region `{name}` is empty"))),
        };
        let link = self.context.link(file, first, &format!("{}, lines {first} to {last}", html::code(file)));
        let verdict = verdict::take(&mut region.lines);
        let parts = repeats::split(&region.lines, shown);
        shown.push((name.to_owned(), region.lines.iter().map(|(_, line)| (*line).to_owned()).collect()));
        let parts: Vec<String> = parts.iter().map(part).collect();
        Ok(framed(Some(&link), &parts.join("\n")) + &verdict::html(&verdict))
    }

    /// A whole source file, every line of which can be linked to.
    fn file(&self, directive: &mut Directive) -> Result<String, Reason> {
        let file = directive.word("a file")?;
        let text = self.context.runs.source(&file)?;
        Ok(listing(&Region::whole(&text), None, Some(&file)))
    }

    /// The `warpbook sim` command that runs a case, on zeros instead of its data.
    fn command(&self, directive: &mut Directive) -> Result<String, Reason> {
        let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
        let file = directive.option("file")?;
        let run = self.context.run(&kernel, &case)?;
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
        let faulty = self.context.runs.faulty(&name)?;
        let lines = code::broken(&faulty.source);
        let lines = lines.iter().map(|(number, line)| (*number, &**line)).collect();
        let caption = format!("{}, and what is found in it", html::code(&format!("{name}.cu")));
        let source = listing(&Region { lines }, Some(&caption), None);
        Ok(format!("{source}\n```text\n{}\n```\n", faulty.findings.join("\n\n")))
    }

    /// A case that is wrong on purpose: why, and what the simulator says of it.
    fn wrong(&self, directive: &mut Directive) -> Result<String, Reason> {
        let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
        self.context.check_case(&kernel, &case)?;
        let wrong = self.context.runs.wrong(&kernel, &case)?;
        let said = match (&wrong.kind, wrong.findings.len()) {
            (Some(kind), 1) => format!("one finding of the kind {}", html::code(kind)),
            (Some(kind), count) => format!("{count} findings of the kind {}", html::code(kind)),
            (None, _) => "nothing, for no check can know that the result is wrong".to_owned(),
        };
        let mut text = format!(
            "<div class=\"wb-wrong\"><p><strong>Wrong on purpose:</strong> {}, {}. {}. The simulator finds {said}.</p>\n",
            self.context.link(&wrong.file, 1, &html::code(&kernel)),
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
}
