//! Sources in chapters: a region, a whole file, a faulty kernel with what is found in it, a version that is wrong on
//! purpose, and the command that runs a case.

use crate::code::{self, framed, listing, part};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Around, Markdown, capital, html};
use crate::repeats::{self, Shown};
use crate::source::Region;
use crate::verdict;

/// A region of a source, with its line numbers; below it what it is wrong and right about. What a listing above has
/// already is folded.
pub(crate) fn source(
    context: &Context<'_>,
    directive: &mut Directive,
    shown: &mut Vec<Shown>,
) -> Result<Markdown, Reason> {
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
    let link = context.link(file, first, html! { (html::code(file)) ", lines " (first) " to " (last) });
    let verdict = verdict::take(&mut region.lines);
    let parts = repeats::split(&region.lines, shown);
    shown.push((name.to_owned(), region.lines.iter().map(|(_, line)| (*line).to_owned()).collect()));
    let parts: Vec<String> = parts.iter().map(|own| part(own).0).collect();
    let mut listing = framed(Some(link), &parts.join("\n").into());
    listing.push(verdict::shown(&verdict));
    Ok(listing)
}

/// The regions `FILE:REGION …` of a widget, none of which is folded: numbers and marks are beside every line.
pub(crate) fn unfolded(
    context: &Context<'_>,
    directive: &Directive,
    places: Option<&str>,
    shown: &mut Vec<Shown>,
) -> Result<Markdown, Reason> {
    let mut all = Markdown::default();
    for place in places.iter().flat_map(|places| places.split_whitespace()) {
        let mut inner = directive.within(place)?;
        let mut own = Vec::new();
        all.push(source(context, &mut inner, &mut own)?);
        shown.extend(own);
    }
    Ok(all)
}

/// The listing of a faulty kernel without its comments: they say what is wrong, and that is to be found.
pub(crate) fn riddle(context: &Context<'_>, name: &str) -> Result<Markdown, Reason> {
    let faulty = context.runs.faulty(name)?;
    let lines = faulty.source.iter().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let lines = lines.map(|(number, line)| (*number, &**line)).collect();
    Ok(listing(&Region { lines }, Some(html::code(&format!("{name}.cu"))), None))
}

/// A whole source file, every line of which can be linked to.
pub(crate) fn file(context: &Context<'_>, directive: &mut Directive) -> Result<Markdown, Reason> {
    let file = directive.word("a file")?;
    let text = context.runs.source(&file)?;
    Ok(listing(&Region::whole(&text), None, Some(&file)))
}

/// The `warpbook sim` command that runs a case, on zeros instead of its data.
pub(crate) fn command(context: &Context<'_>, directive: &mut Directive) -> Result<Markdown, Reason> {
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
    let command = format!(
        "warpbook sim {file} --kernel {kernel} \\\n    --grid {} --block {} --shared {} \\\n    {}",
        extent(launch.grid),
        extent(launch.block),
        launch.shared_dynamic,
        args.join(" ")
    );
    let mut text = Markdown::default();
    text.fenced("sh", &command);
    Ok(text)
}

/// A faulty kernel with what is found in it.
pub(crate) fn finding(context: &Context<'_>, directive: &mut Directive) -> Result<Markdown, Reason> {
    let name = directive.word("a faulty kernel")?;
    let faulty = context.runs.faulty(&name)?;
    let mut found = Markdown::default();
    found.fenced("text", &faulty.findings.join("\n\n"));
    // A panel above may show the source already.
    match directive.maybe("source").as_deref() {
        None => {}
        Some("no") => return Ok(found),
        Some(other) => return Err(Reason::Wrong(format!("`source={other}`: there is `source=no`, or nothing"))),
    }
    let lines = code::broken(&faulty.source);
    let lines = lines.iter().map(|(number, line)| (*number, &**line)).collect();
    let caption = html! { (html::code(&format!("{name}.cu"))) ", and what is found in it" };
    let mut text = listing(&Region { lines }, Some(caption), None);
    text.push("\n");
    text.push(found);
    Ok(text)
}

/// A case that is wrong on purpose: why, and what the simulator says of it.
pub(crate) fn wrong(context: &Context<'_>, directive: &mut Directive) -> Result<Markdown, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    context.check_case(&kernel, &case)?;
    let wrong = context.runs.wrong(&kernel, &case)?;
    let said = match (&wrong.kind, wrong.findings.len()) {
        (Some(kind), 1) => html! { "one finding of the kind " (html::code(kind)) },
        (Some(kind), count) => html! { (count) " findings of the kind " (html::code(kind)) },
        (None, _) => html! { "nothing, for no check can know that the result is wrong" },
    };
    let frame = Around::of(|content| {
        html! {
            div class="wb-wrong" {
                p {
                    strong { "Wrong on purpose:" } " " (context.link(&wrong.file, 1, html::code(&kernel))) ", " (case) ". "
                    (capital(&wrong.why)) ". The simulator finds " (said) "."
                }
                "\n"
                (content)
            }
            "\n"
        }
    });
    let mut text = Markdown::default();
    if let Some(first) = wrong.findings.first() {
        text.push("\n");
        text.fenced("text", first);
        text.push("\n");
    }
    if let Some(result) = &wrong.result {
        text.push(html! { p { "The result is wrong: " (result.trim_end_matches('.')) "." } "\n" });
    }
    Ok(frame.close(&text))
}
