//! Sources in chapters: a region, a whole file, a faulty kernel with what is found in it, a version that is wrong on
//! purpose, and the command that runs a case.

use crate::code::{self, framed, listing, part};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, capital, escape};
use crate::repeats::{self, Shown};
use crate::source::Region;
use crate::verdict;

/// A region of a source, with its line numbers; below it what it is wrong and right about. What a listing above has
/// already is folded.
pub(crate) fn source(
    context: &Context<'_>,
    directive: &mut Directive,
    shown: &mut Vec<Shown>,
) -> Result<String, Reason> {
    let place = directive.word("FILE:REGION")?;
    let (file, name) = place.split_once(':').ok_or_else(|| {
        format!("`{place}` is no region of a source; write FILE:REGION, or `file {place}` for the whole file")
    })?;
    let text = context.runs.source(file)?;
    let mut region = Region::find(&text, name)?;
    let (first, last) = match (region.lines.first(), region.lines.last()) {
        (Some((first, _)), Some((last, _))) => (*first, *last),
        _ => return Err(Reason::Wrong(format!("the region `{name}` is empty"))),
    };
    let link = context.link(file, first, &format!("{}, lines {first} to {last}", html::code(file)));
    let verdict = verdict::take(&mut region.lines);
    let parts = repeats::split(&region.lines, shown);
    shown.push((name.to_owned(), region.lines.iter().map(|(_, line)| (*line).to_owned()).collect()));
    let parts: Vec<String> = parts.iter().map(part).collect();
    Ok(framed(Some(&link), &parts.join("\n")) + &verdict::html(&verdict))
}

/// The regions `FILE:REGION …` of a widget, none of which is folded: numbers and marks are beside every line.
pub(crate) fn unfolded(
    context: &Context<'_>,
    directive: &Directive,
    places: Option<&str>,
    shown: &mut Vec<Shown>,
) -> Result<String, Reason> {
    let mut html = String::new();
    for place in places.iter().flat_map(|places| places.split_whitespace()) {
        let mut inner = directive.within(place)?;
        let mut own = Vec::new();
        html += &source(context, &mut inner, &mut own)?;
        shown.extend(own);
    }
    Ok(html)
}

/// The listing of a faulty kernel without its comments: they say what is wrong, and that is to be found.
pub(crate) fn riddle(context: &Context<'_>, name: &str) -> Result<String, Reason> {
    let faulty = context.runs.faulty(name)?;
    let lines = faulty.source.iter().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let lines = lines.map(|(number, line)| (*number, &**line)).collect();
    Ok(listing(&Region { lines }, Some(&html::code(&format!("{name}.cu"))), None))
}

/// A whole source file, every line of which can be linked to.
pub(crate) fn file(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let file = directive.word("a file")?;
    let text = context.runs.source(&file)?;
    Ok(listing(&Region::whole(&text), None, Some(&file)))
}

/// The `warpbook sim` command that runs a case, on zeros instead of its data.
pub(crate) fn command(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let file = directive.option("file")?;
    let run = context.run(&kernel, &case)?;
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
pub(crate) fn finding(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let name = directive.word("a faulty kernel")?;
    let faulty = context.runs.faulty(&name)?;
    // A panel above may show the source already.
    match directive.maybe("source").as_deref() {
        None => {}
        Some("no") => return Ok(format!("```text\n{}\n```\n", faulty.findings.join("\n\n"))),
        Some(other) => return Err(Reason::Wrong(format!("`source={other}`: there is `source=no`, or nothing"))),
    }
    let lines = code::broken(&faulty.source);
    let lines = lines.iter().map(|(number, line)| (*number, &**line)).collect();
    let caption = format!("{}, and what is found in it", html::code(&format!("{name}.cu")));
    let source = listing(&Region { lines }, Some(&caption), None);
    Ok(format!("{source}\n```text\n{}\n```\n", faulty.findings.join("\n\n")))
}

/// A case that is wrong on purpose: why, and what the simulator says of it.
pub(crate) fn wrong(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    context.check_case(&kernel, &case)?;
    let wrong = context.runs.wrong(&kernel, &case)?;
    let said = match (&wrong.kind, wrong.findings.len()) {
        (Some(kind), 1) => format!("one finding of the kind {}", html::code(kind)),
        (Some(kind), count) => format!("{count} findings of the kind {}", html::code(kind)),
        (None, _) => "nothing, for no check can know that the result is wrong".to_owned(),
    };
    let mut text = format!(
        "<div class=\"wb-wrong\"><p><strong>Wrong on purpose:</strong> {}, {}. {}. The simulator finds {said}.</p>\n",
        context.link(&wrong.file, 1, &html::code(&kernel)),
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
