//! `play`: what launches do to arrays, round by round, as drawings that readers play. Without JavaScript it is one of the
//! drawings, and all rounds in words.
//!
//! The launches run here when the book is built, and every line and every number of a drawing comes from their events
//! (`sim_wasm::rounds`). What a kernel is for is known to nobody.

use serde::Serialize;
use serde_json::{Value, json};
use sim::Module;
use sim_wasm::rounds::{Rounds, rounds};

use crate::context::Context;
use crate::directive::Directive;
use crate::excerpt;
use crate::fault::Reason;
use crate::html::escape;
use crate::panel::{self, Changes};
use crate::repeats::Shown;

/// Elements in a row where the author says nothing.
const COLUMNS: usize = 16;

/// Rounds of a figure, at most: so many can still be followed.
const MOST_ROUNDS: usize = 40;

/// What the page's script needs to know.
#[derive(Serialize)]
struct Config {
    /// The drawings, the first of which is the beginning.
    frames: Vec<String>,
    /// What happens in each.
    said: Vec<String>,
    /// The one that is shown first.
    key: usize,
}

/// Makes the section of a page.
pub(crate) fn play(context: &Context<'_>, directive: &mut Directive, shown: &mut Vec<Shown>) -> Result<String, Reason> {
    let id = panel::id(directive)?;
    let title = directive.option("title")?;
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let arrays = arrays(&directive.option("arrays")?)?;
    let by = directive.maybe("by").unwrap_or_else(|| "barrier".to_owned());
    let columns = number(directive, "columns")?.unwrap_or(COLUMNS);
    let key = number(directive, "key")?;
    let source = directive.maybe("source");
    let fill = directive.maybe("fill");
    let set = directive.maybe("set");
    let changes = Changes::take(directive);
    context.check_case(&kernel, &case)?;
    let playable = context.runs.playable(&kernel, &case).map_err(Reason::Contradicted)?;
    let (mut launches, mut buffers) = (playable.launches.launches.clone(), playable.launches.buffers.clone());
    changes.apply(&mut launches, &mut buffers)?;
    if let Some(set) = &set {
        scalars(&mut launches, set)?;
    }
    if let Some(fill) = &fill {
        filled(&mut buffers, fill)?;
    }
    let what = format!("{kernel} (\"{case}\")");
    let broken = |why: &dyn std::fmt::Display| Reason::Contradicted(format!("{what} cannot be played: {why}"));
    let module = Module::parse(&playable.file, &playable.ptx).map_err(|why| broken(&why))?;
    let request = json!({"buffers": buffers, "launches": launches, "arrays": arrays, "by": by});
    let request: Rounds = serde_json::from_value(request).map_err(|why| Reason::Wrong(format!("{what}: {why}")))?;
    let played = rounds(&module, &request).map_err(|failure| broken(&failure.message))?;
    let count = played.rounds.len();
    if count == 0 || count > MOST_ROUNDS {
        return Err(broken(&format!("it writes to these arrays in {count} rounds; there may be 1 to {MOST_ROUNDS}")));
    }
    // The first round in which something is made of something shows the most.
    let speaking = || played.rounds.iter().position(|round| round.writes.iter().any(|write| !write.from.is_empty()));
    let key = key.unwrap_or_else(|| speaking().map_or(1, |at| at + 1));
    if key > count {
        return Err(Reason::Wrong(format!("`key={key}`: {what} has {count} rounds")));
    }
    let frames = draw::rounds::frames(&played, columns);
    let mut body = excerpt::unfolded(context, directive, source.as_deref(), shown)?;
    body += &format!("<figure class=\"wb-figure wb-play-stage\">{}</figure>\n", frames[key].drawing.trim_end());
    body += &format!("<p class=\"wb-play-said\">{}</p>\n", escape(&frames[key].said));
    body += "<details class=\"wb-play-all\"><summary>All rounds in words</summary><ol start=\"0\">\n";
    for frame in &frames {
        body += &format!("<li>{}</li>\n", escape(&frame.said));
    }
    body += "</ol></details>\n";
    let (frames, said) = frames.into_iter().map(|frame| (frame.drawing.trim_end().to_owned(), frame.said)).unzip();
    let config = serde_json::to_string(&Config { frames, said, key }).map_err(|error| broken(&error))?;
    Ok(format!(
        "<section class=\"wb-widget wb-play\" data-widget=\"play\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
         <p class=\"wb-lab-title\" id=\"{id}-title\">{}</p>\n\n{body}\
         <script type=\"application/json\">{}</script>\n</section>\n",
        escape(&title),
        config.replace('<', "\\u003c"),
    ))
}

/// A whole number of an option.
fn number(directive: &mut Directive, option: &str) -> Result<Option<usize>, Reason> {
    let Some(text) = directive.maybe(option) else { return Ok(None) };
    let wrong = || Reason::Wrong(format!("`{option}={text}` is no whole number"));
    text.parse().map(Some).map_err(|_| wrong())
}

/// `temp=shared:f32:16; keys=in:u32:64..128`: names with a place, a type, and how many or which elements.
fn arrays(text: &str) -> Result<Vec<Value>, Reason> {
    let array = |part: &str| {
        let (name, rest) = part.split_once('=')?;
        let (place, rest) = rest.split_once(':')?;
        let (element, range) = rest.split_once(':')?;
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let (from, to) = match range.split_once("..") {
            Some((from, to)) => (number(from)?, number(to)?),
            None => (0, number(range)?),
        };
        let buffer = (place.trim() != "shared").then(|| place.trim());
        let count = to.checked_sub(from).filter(|&count| count > 0)?;
        Some(json!({"name": name.trim(), "buffer": buffer, "element": element.trim(), "from": from, "count": count}))
    };
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            array(part).ok_or_else(|| Reason::Wrong(format!("`{part}` is no array, such as `temp=shared:f32:16`")))
        })
        .collect()
}

/// `0.2=u32:6; 1.1=u32:6`: arguments by launch and position, where there are several launches.
fn scalars(launches: &mut [Value], text: &str) -> Result<(), Reason> {
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let read = || {
            let (place, value) = part.split_once('=')?;
            let (launch, argument) = place.trim().split_once('.')?;
            Some((launch.parse::<usize>().ok()?, argument.parse::<usize>().ok()?, value.trim()))
        };
        let (launch, argument, value) =
            read().ok_or_else(|| Reason::Wrong(format!("`{part}` sets no argument, such as `1.2=u32:6`")))?;
        let own = launches.get_mut(launch).and_then(|launch| launch["args"].get_mut(argument));
        let own = own.filter(|own| own["scalar"].is_string());
        let own = own.ok_or_else(|| Reason::Wrong(format!("argument {argument} of launch {launch} is no scalar")))?;
        own["scalar"] = value.into();
    }
    Ok(())
}

/// `in=3 1 7 0` or `in:f32=3 1 7 0`: other elements than the case's, the rest zeros, as they are or of another type of that size.
fn filled(buffers: &mut [Value], text: &str) -> Result<(), Reason> {
    for part in text.split(';') {
        let (name, values) = part.split_once('=').ok_or_else(|| Reason::Wrong(format!("`{part}` fills no buffer")))?;
        let values: Option<Vec<serde_json::Number>> =
            values.split_whitespace().map(|value| value.parse().ok()).collect();
        let values = values.ok_or_else(|| Reason::Wrong(format!("`{part}`: these are no numbers")))?;
        let (name, element) = name.trim().split_once(':').map_or((name.trim(), None), |(name, of)| (name, Some(of)));
        let buffer = buffers.iter_mut().find(|buffer| buffer["name"] == name);
        let buffer = buffer.ok_or_else(|| Reason::Wrong(format!("there is no buffer `{name}`")))?;
        if let Some(element) = element {
            buffer["element"] = element.into();
        }
        buffer["content"] = json!({"values": values});
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_a_place_a_type_and_elements() {
        let read = arrays("temp=shared:f32:16; keys = in : u32 : 64..128").unwrap();
        assert_eq!(read[0], json!({"name": "temp", "buffer": null, "element": "f32", "from": 0, "count": 16}));
        assert_eq!(read[1], json!({"name": "keys", "buffer": "in", "element": "u32", "from": 64, "count": 64}));
        for wrong in ["temp", "temp=shared", "temp=shared:f32", "temp=shared:f32:0", "temp=shared:f32:9..3"] {
            assert!(arrays(wrong).is_err(), "{wrong}");
        }
    }
}
