//! `stepper`: a launch that readers step forwards and back in the page, beside its listing. Without JavaScript it is the listing
//! and what the warps of a block do at one position.
//!
//! The page's session is opened here first, by the same engine on the same part of the PTX: a launch that is too long to
//! be stepped, or has nothing of what the author promises, fails the build.

use serde_json::{Value, json};
use sim_wasm::Engine;
use sim_wasm::protocol::VERSION;

use crate::context::Context;
use crate::directive::Directive;
use crate::excerpt;
use crate::fault::Reason;
use crate::html::{self, Around, Markdown, Markup, Table, html, number, row, text, texts};
use crate::panel;
use crate::repeats::Shown;

/// Words of shared memory that the page shows.
const WORDS: u32 = 1024;

/// Makes the section of a page.
pub(crate) fn stepper(
    context: &Context<'_>,
    directive: &mut Directive,
    shown: &mut Vec<Shown>,
) -> Result<Markdown, Reason> {
    let id = panel::id(directive)?;
    let title = directive.option("title")?;
    let source = directive.maybe("source");
    let event = directive.maybe("at");
    let warp = directive.maybe("warp").map(|text| numbered("warp", &text)).transpose()?;
    let launch = directive.maybe("launch").map_or(Ok(0), |text| numbered("launch", &text))?;
    let mut body = Markdown::default();
    let (play, what) = match directive.maybe("faulty") {
        Some(name) => {
            body.push(excerpt::riddle(context, &name)?);
            (context.runs.playable_fault(&name)?, name)
        }
        None => {
            let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
            context.check_case(&kernel, &case)?;
            let play = context.runs.playable(&kernel, &case).map_err(Reason::Contradicted)?;
            (play, format!("{kernel} (\"{case}\")"))
        }
    };
    body.push(excerpt::unfolded(context, directive, source.as_deref(), shown)?);
    let needed: Vec<&str> = play.launches.kernels.iter().map(String::as_str).collect();
    let open = json!({
        "op": "open",
        "module": {"name": play.file, "ptx": front::slice::slice(&play.ptx, &needed)},
        "buffers": play.launches.buffers, "launches": play.launches.launches, "launch": launch,
    });
    let start = beginning(&open, &what, event.as_deref(), warp)?;
    body.push(still(&start));
    let config = json!({
        "open": open, "position": start["position"], "warp": start["warp"]["warp"], "block": start["warp"]["block"],
        "words": WORDS, "file": play.file,
    });
    let config = config.to_string();
    Ok(Around::of(|content| html::widget("stepper", &id, &title, content, &config)).with(&body))
}

/// A whole number of an option.
fn numbered(option: &str, text: &str) -> Result<u32, Reason> {
    text.parse().map_err(|_| Reason::Wrong(format!("`{option}={text}` is no whole number")))
}

/// The answer of an engine to a request.
fn ask(engine: &mut Engine, mut request: Value, what: &str) -> Result<Value, Reason> {
    request["v"] = VERSION.into();
    request["id"] = 1.into();
    let broken = |why: &dyn std::fmt::Display| Reason::Contradicted(format!("{what} cannot be stepped: {why}"));
    let mut answer: Value =
        serde_json::from_str(&engine.answer(request.to_string().as_bytes())).map_err(|why| broken(&why))?;
    match answer.get("error") {
        Some(error) => Err(broken(&error["message"].as_str().unwrap_or_default())),
        None => Ok(answer["ok"].take()),
    }
}

/// What the launch is where readers begin: behind the first `event`, or at the beginning.
fn beginning(open: &Value, what: &str, event: Option<&str>, warp: Option<u32>) -> Result<Value, Reason> {
    let mut engine = Engine::default();
    let opened = ask(&mut engine, open.clone(), what)?;
    if opened["complete"] != true {
        let message = format!("{what} is too long to be stepped: the first {} steps are not all", opened["length"]);
        return Err(Reason::Contradicted(message));
    }
    let session = &opened["session"];
    let mut show = json!({});
    if let Some(warp) = warp {
        show["warp"] = json!([0, warp]);
    }
    let request = match event {
        None => json!({"op": "view", "session": session, "show": show}),
        Some(event) => {
            let wanted = json!({"event": {"event": event, "warp": warp}});
            json!({"op": "find", "session": session, "for": wanted, "show": show})
        }
    };
    let mut found = ask(&mut engine, request, what)?;
    if found["found"] != true {
        return Err(Reason::Contradicted(format!("{what} has no `{}`", event.unwrap_or_default())));
    }
    Ok(found["view"].take())
}

/// What the warps of the block do, as a table.
fn still(view: &Value) -> Markup {
    let number_of = |value: &Value| number(value.as_u64().unwrap_or(0));
    let (position, length) = (number_of(&view["position"]), number_of(&view["length"]));
    let cells = |(warp, own): (usize, &Value)| {
        let line = own["line"].as_u64().filter(|&line| line > 0).map_or_else(String::new, |line| line.to_string());
        row![warp, told(&own["state"]), line]
    };
    let table = Table {
        caption: text(format_args!("The warps of the block after step {position}.")),
        heads: texts(["warp", "what it does", "line"]),
        rows: view["block"]["warps"].as_array().into_iter().flatten().enumerate().map(cells).collect(),
        total: None,
        text_columns: 2,
    };
    html! {
        div class="wb-step-still" {
            p { "Step " (position) " of " (length) ". " (view["sentence"].as_str().unwrap_or_default()) }
            "\n"
            (table.html())
        }
        "\n"
    }
}

/// What a warp does, in words.
fn told(state: &Value) -> String {
    if let Some(barrier) = state.get("at_barrier") {
        return format!("waits at barrier {barrier}");
    }
    if state.get("for_lanes").is_some() {
        return "waits for lanes of its own".to_owned();
    }
    match state.as_str() {
        Some("not_started") => "has not started",
        Some("ready") => "can go on",
        Some("to_reconverge") => "waits to reconverge",
        Some("spinning") => "spins",
        _ => "has exited",
    }
    .to_owned()
}
