//! `play`: what launches do to arrays, round by round, or in which order they write the tiles of a table, as drawings that readers
//! play. Without JavaScript it is one of the drawings, and all rounds in words.
//!
//! The launches run here when the book is built, and every line and every number of a drawing comes from their events
//! (`rounds_wasm`). What a kernel is for is known to nobody. Where the author offers numbers or data to change, the page gets the
//! launches too, and the same code as WebAssembly draws them again.

use rounds_wasm::Request;
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::directive::Directive;
use crate::excerpt;
use crate::fault::Reason;
use crate::html::{self, Around, Markdown, html};
use crate::panel::{self, Changes, Knob};
use crate::repeats::Shown;

/// Elements in a row where the author says nothing.
const COLUMNS: usize = 16;

/// The number of a figure that is the order of what the hardware leaves open.
const ORDER: &str = "order";

/// What the page's script needs to know.
#[derive(Serialize)]
struct Config {
    /// The drawings, the first of which is the beginning. They are markup, which the script puts into the page.
    frames: Vec<String>,
    /// What happens in each.
    said: Vec<String>,
    /// The one that is shown first.
    key: usize,
    /// What readers change, where there is something.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Change>,
}

/// The number that generators of data may name: readers change it where the chosen data depends on it.
const SEED: &str = "seed";

/// What readers change, and the request that their numbers and data go into.
#[derive(Serialize)]
struct Change {
    request: Value,
    numbers: Vec<Knob>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
}

/// The buffer whose elements readers choose.
#[derive(Serialize)]
struct Data {
    buffer: String,
    /// What there is to choose beside what is printed: names, and contents as the engine takes them.
    choices: Vec<(String, Value)>,
}

/// Puts the numbers into what is asked for: names for its texts, and the order of threads.
fn set_numbers(what: &mut Value, numbers: &[Knob], value: impl Fn(&Knob) -> u64) {
    let names = numbers.iter().filter(|knob| knob.name != ORDER).map(|knob| (knob.name.clone(), value(knob)));
    what["let"] = names.chain([(SEED.to_owned(), 1)]).map(|(name, value)| (name, Value::from(value))).collect();
    what["seed"] = numbers.iter().find(|knob| knob.name == ORDER).map_or(0, &value).into();
}

impl Change {
    /// Whether what readers can choose can be played: the least and the most of all numbers, and all data.
    fn is_sound(&self) -> Result<(), String> {
        let with = |change: &dyn Fn(&mut Value)| {
            let mut request = self.request.clone();
            let what = request["what"].as_object_mut().and_then(|what| what.values_mut().next());
            change(what.ok_or("it asks for nothing")?);
            let asked: Request = serde_json::from_value(request).map_err(|why| why.to_string())?;
            rounds_wasm::play(&asked).map(drop).map_err(|failure| failure.message)
        };
        if !self.numbers.is_empty() {
            with(&|what| set_numbers(what, &self.numbers, |knob| knob.from))
                .map_err(|why| format!("at its least: {why}"))?;
            with(&|what| set_numbers(what, &self.numbers, |knob| knob.to))
                .map_err(|why| format!("at its most: {why}"))?;
        }
        let Some(Data { buffer, choices }) = &self.data else { return Ok(()) };
        for (name, content) in choices {
            let put = |what: &mut Value| {
                let buffers = what["buffers"].as_array_mut();
                if let Some(own) = buffers.and_then(|buffers| buffers.iter_mut().find(|own| own["name"] == **buffer)) {
                    own["content"] = content.clone();
                }
            };
            with(&put).map_err(|why| format!("with the data \"{name}\": {why}"))?;
        }
        Ok(())
    }
}

/// Makes the section of a page.
pub(crate) fn play(
    context: &Context<'_>,
    directive: &mut Directive,
    shown: &mut Vec<Shown>,
) -> Result<Markdown, Reason> {
    let id = panel::id(directive)?;
    let title = directive.option("title")?;
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let tiles = directive.maybe("tiles").map(|text| table(&text)).transpose()?;
    let arrays = if tiles.is_some() { Vec::new() } else { arrays(&directive.option("arrays")?)? };
    let by = directive.maybe("by").unwrap_or_else(|| "barrier".to_owned());
    let columns = number(directive, "columns")?.unwrap_or(COLUMNS);
    let key = number(directive, "key")?;
    let source = directive.maybe("source");
    let fill = directive.maybe("fill");
    let set = directive.maybe("set");
    let numbers = panel::knobs(directive)?;
    let choices = directive.maybe("data");
    let changes = Changes::take(directive);
    context.check_case(&kernel, &case)?;
    let playable = context.runs.playable(&kernel, &case).map_err(Reason::Contradicted)?;
    let (mut launches, mut buffers) = (playable.launches.launches.clone(), playable.launches.buffers.clone());
    changes.apply(&mut launches, &mut buffers)?;
    if let Some(set) = &set {
        scalars(&mut launches, set)?;
    }
    let filled = fill.as_deref().map(|fill| filled(&mut buffers, fill)).transpose()?;
    let data = choices.map(|text| data(&text, filled)).transpose()?;
    let what = format!("{kernel} (\"{case}\")");
    let broken = |why: &dyn std::fmt::Display| Reason::Contradicted(format!("{what} cannot be played: {why}"));
    let of_tiles = tiles.is_some();
    let mut own = match tiles {
        Some(table) => json!({"table": table}),
        None => json!({"arrays": arrays, "by": by}),
    };
    (own["buffers"], own["launches"]) = (buffers.into(), launches.into());
    set_numbers(&mut own, &numbers, |knob| knob.value);
    let needed: Vec<&str> = playable.launches.kernels.iter().map(String::as_str).collect();
    let request = json!({
        "module": {"name": playable.file, "ptx": front::slice::slice(&playable.ptx, &needed)},
        "what": {(if of_tiles { "waves" } else { "rounds" }): own},
        "columns": columns,
    });
    let asked: Request =
        serde_json::from_value(request.clone()).map_err(|why| Reason::Wrong(format!("{what}: {why}")))?;
    let seen = rounds_wasm::play(&asked).map_err(|failure| broken(&failure.message))?;
    let frames = seen.frames;
    let key = key.unwrap_or(seen.key);
    if key >= frames.len() {
        return Err(Reason::Wrong(format!("`key={key}`: {what} has {} rounds", frames.len() - 1)));
    }
    let mut body = excerpt::unfolded(context, directive, source.as_deref(), shown)?;
    body.push(html! {
        figure class="wb-figure wb-play-stage" { (frames[key].drawing) }
        "\n"
        p class="wb-play-said" { (frames[key].said) }
        "\n"
        details class="wb-play-all" {
            summary { "All rounds in words" }
            ol start="0" { "\n" @for frame in &frames { li { (frame.said) } "\n" } }
        }
        "\n"
    });
    let (frames, said) = frames.into_iter().map(|frame| (frame.drawing.into_string(), frame.said)).unzip();
    let change = (!numbers.is_empty() || data.is_some()).then_some(Change { request, numbers, data });
    if let Some(change) = &change {
        change.is_sound().map_err(|why| broken(&why))?;
    }
    let config = serde_json::to_string(&Config { frames, said, key, change }).map_err(|error| broken(&error))?;
    Ok(Around::of(|content| html::widget("play", &id, &title, content, &config)).with(&body))
}

/// A whole number of an option.
fn number(directive: &mut Directive, option: &str) -> Result<Option<usize>, Reason> {
    let Some(text) = directive.maybe(option) else { return Ok(None) };
    let wrong = || Reason::Wrong(format!("`{option}={text}` is no whole number"));
    text.parse().map(Some).map_err(|_| wrong())
}

/// `temp=shared:f32:16; keys=in:u32:n..2*n`: names with a place, a type, and how many or which elements.
fn arrays(text: &str) -> Result<Vec<Value>, Reason> {
    let array = |part: &str| {
        let (name, rest) = part.split_once('=')?;
        let (place, rest) = rest.split_once(':')?;
        let (element, range) = rest.split_once(':')?;
        let (from, to) = range.split_once("..").unwrap_or(("0", range));
        let (from, to) = (from.trim(), to.trim());
        let buffer = (place.trim() != "shared").then(|| place.trim());
        // Numbers are known here, and expressions where they are computed.
        let count = match (from.parse::<u64>(), to.parse::<u64>()) {
            (Ok(from), Ok(to)) => to.checked_sub(from).filter(|&count| count > 0)?.to_string(),
            (Ok(0), Err(_)) => to.to_owned(),
            _ => format!("({to})-({from})"),
        };
        let named = !to.is_empty() && !from.is_empty();
        named.then(
            || json!({"name": name.trim(), "buffer": buffer, "element": element.trim(), "from": from, "count": count}),
        )
    };
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            array(part).ok_or_else(|| Reason::Wrong(format!("`{part}` is no array, such as `temp=shared:f32:16`")))
        })
        .collect()
}

/// `table=512,512/128,128`: a buffer, the width and the height of the table in it, and those of a tile.
fn table(text: &str) -> Result<Value, Reason> {
    let table = || {
        let (buffer, rest) = text.split_once('=')?;
        let (size, tile) = rest.rsplit_once('/')?;
        let ((width, height), (across, down)) = (size.split_once(',')?, tile.split_once(',')?);
        let tile = [across.trim(), down.trim()];
        Some(json!({"buffer": buffer.trim(), "width": width.trim(), "height": height.trim(), "tile": tile}))
    };
    table().ok_or_else(|| Reason::Wrong(format!("`{text}` is no table, such as `table=512,512/128,128`")))
}

/// `noise: random(min=0, max=9, seed=1); all equal: 5`: names, and what the elements are as `warpbook sim --arg` takes it.
fn data(text: &str, buffer: Option<String>) -> Result<Data, Reason> {
    let buffer =
        buffer.ok_or_else(|| Reason::Wrong("`data` needs `fill`, the elements that are printed".to_owned()))?;
    let choice = |part: &str| {
        let (name, content) = part.split_once(':')?;
        Some((name.trim().to_owned(), json!({"generate": content.trim()})))
    };
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    let wrong = |part: &str| Reason::Wrong(format!("`{part}` is no choice of data, such as `all equal: 5`"));
    let choices = parts.map(|part| choice(part).ok_or_else(|| wrong(part))).collect::<Result<_, _>>()?;
    Ok(Data { buffer, choices })
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
/// Returns the first buffer of them.
fn filled(buffers: &mut [Value], text: &str) -> Result<String, Reason> {
    let mut first = None;
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
        first = first.or_else(|| Some(name.to_owned()));
    }
    Ok(first.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_a_place_a_type_and_elements() {
        let read = arrays("temp=shared:f32:16; keys = in : u32 : 64..128").unwrap();
        assert_eq!(read[0], json!({"name": "temp", "buffer": null, "element": "f32", "from": "0", "count": "16"}));
        assert_eq!(read[1], json!({"name": "keys", "buffer": "in", "element": "u32", "from": "64", "count": "64"}));
        let read = arrays("first=shared:f32:n; second=shared:f32:n..2*n").unwrap();
        assert_eq!((&read[0]["count"], &read[1]["count"]), (&json!("n"), &json!("(2*n)-(n)")));
        for wrong in ["temp", "temp=shared", "temp=shared:f32", "temp=shared:f32:0", "temp=shared:f32:9..3"] {
            assert!(arrays(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_table_has_a_size_and_tiles() {
        let read = table("table=128*across,128*down/128,128").unwrap();
        let expected = json!({"buffer": "table", "width": "128*across", "height": "128*down", "tile": ["128", "128"]});
        assert_eq!(read, expected);
        assert!(table("table=128,128").is_err());
    }

    #[test]
    fn data_are_chosen_for_the_buffer_that_is_printed() {
        let choices = data("noise: random(min=0, max=9, seed=seed); all equal: 5", Some("in".to_owned())).unwrap();
        assert_eq!(choices.choices[0].1, json!({"generate": "random(min=0, max=9, seed=seed)"}));
        assert_eq!((choices.choices.len(), &*choices.choices[1].0), (2, "all equal"));
        assert!(data("noise: 1", None).is_err() && data("noise", Some("in".to_owned())).is_err());
    }
}
