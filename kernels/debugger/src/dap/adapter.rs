//! Takes requests and answers them.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim::session::Direction;

use super::protocol::{
    BreakpointLocations, Evaluate, Initialize, Request, SetBreakpoints, SetExceptionBreakpoints, SourceGiven,
    SourceWanted, capabilities,
};
use super::stack::Frame;
use super::variables::Handle;
use crate::answers::Commands;
use crate::command::{self, Command};
use crate::model::{Model, Spot};
use crate::sources::same_file;
use crate::start::Start;

/// The number of the PTX among the texts that are in no file.
pub(super) const PTX: i64 = 1;

/// What an answer holds, or a sentence that says why there is none.
pub(super) type Answer = Result<Value, String>;

/// An adapter: at most one launch, and what the client knows of it.
#[derive(Debug, Default)]
pub(super) struct Adapter {
    /// The launch with the commands that the console takes.
    pub(super) commands: Option<Commands>,
    client: Initialize,
    stop_on_entry: bool,
    /// The frames that were told since the last stop; a frame's number is one more than its place.
    pub(super) frames: Vec<Frame>,
    /// What variables unfold to, likewise.
    pub(super) handles: Vec<Handle>,
    /// The finding that stopped the launch, by its index.
    pub(super) finding: Option<usize>,
    sent: i64,
    outgoing: Vec<Value>,
    /// Events that the answer to a request brings about.
    events: Vec<Value>,
    ended: bool,
}

impl Adapter {
    /// Whether the client has disconnected.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// The messages to be sent, in order.
    pub(super) fn outgoing(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.outgoing)
    }

    fn send(&mut self, mut message: Value) {
        self.sent += 1;
        message["seq"] = self.sent.into();
        self.outgoing.push(message);
    }

    pub(super) fn event(&mut self, event: &str, body: Value) {
        self.events.push(json!({"type": "event", "event": event, "body": body}));
    }

    /// The latest of the events that the answer brings about.
    pub(super) fn last_event(&mut self) -> &mut Value {
        self.events.last_mut().expect("an event was raised before")
    }

    fn respond(&mut self, seq: i64, command: &str, answer: Answer) {
        let mut response = json!({"type": "response", "request_seq": seq, "command": command});
        match answer {
            Ok(body) => {
                response["success"] = true.into();
                response["body"] = body;
            }
            Err(why) => {
                response["success"] = false.into();
                response["message"] = why.clone().into();
                // What is in braces would be taken for the name of a value.
                let format = why.replace(['{', '}'], "");
                response["body"] = json!({"error": {"id": 1, "format": format, "showUser": true}});
            }
        }
        self.send(response);
    }

    /// Answers what is no message.
    pub(super) fn malformed(&mut self, why: &str) {
        self.respond(0, "", Err(why.to_owned()));
    }

    /// Takes a message.
    pub(super) fn take(&mut self, message: Value) {
        if message["type"].as_str().is_some_and(|kind| kind != "request") {
            // Answers and events of the client: this adapter asks nothing.
            return;
        }
        let seq = message["seq"].as_i64().unwrap_or(0);
        let request: Request = match serde_json::from_value(message) {
            Ok(request) => request,
            Err(why) => return self.respond(seq, "", Err(format!("this is no request: {why}"))),
        };
        let Request { seq, command, arguments } = request;
        let answer = self.answer(&command, arguments);
        self.respond(seq, &command, answer);
        // What an answer brings about comes behind it.
        for event in std::mem::take(&mut self.events) {
            self.send(event);
        }
    }

    /// The launch.
    pub(super) fn model(&mut self) -> Result<&mut Model, String> {
        self.commands().map(|commands| &mut commands.model)
    }

    pub(super) fn commands(&mut self) -> Result<&mut Commands, String> {
        self.commands.as_mut().ok_or_else(|| "nothing was launched".to_owned())
    }

    /// A line as the client counts.
    pub(super) fn line_out(&self, line: u32) -> i64 {
        i64::from(line) - i64::from(!self.client.lines_start_at1)
    }

    fn line_in(&self, line: i64) -> u32 {
        u32::try_from(line.saturating_add(i64::from(!self.client.lines_start_at1))).unwrap_or(0).max(1)
    }

    fn answer(&mut self, command: &str, arguments: Value) -> Answer {
        match command {
            "initialize" => {
                self.client = read(arguments)?;
                Ok(capabilities())
            }
            "launch" => self.launch(arguments),
            "attach" => Err("there is nothing to attach to: a simulated launch is launched".to_owned()),
            "setBreakpoints" => self.set_breakpoints(read(arguments)?),
            "breakpointLocations" => self.breakpoint_locations(read(arguments)?),
            "setExceptionBreakpoints" => {
                let wanted: SetExceptionBreakpoints = read(arguments)?;
                self.model()?.stops_at_findings = wanted.filters.iter().any(|filter| filter == "findings");
                Ok(json!({}))
            }
            "configurationDone" => {
                self.model()?;
                if self.stop_on_entry {
                    self.stopped("entry", None);
                } else {
                    self.run(Direction::Forward)?;
                }
                Ok(Value::Null)
            }
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(read(arguments)?),
            "scopes" => self.scopes(read(arguments)?),
            "variables" => self.variables(read(arguments)?),
            "evaluate" => self.evaluate(read(arguments)?),
            "readMemory" => self.read_memory(&read(arguments)?),
            "source" => self.source(&read(arguments)?),
            "exceptionInfo" => self.exception_info(),
            "continue" => self.run(Direction::Forward).map(|()| json!({"allThreadsContinued": true})),
            "reverseContinue" => self.run(Direction::Back).map(|()| Value::Null),
            "next" | "stepIn" | "stepOut" | "stepBack" => self.step(command, read(arguments)?),
            "pause" => {
                self.model()?;
                self.stopped("pause", None);
                Ok(Value::Null)
            }
            "restart" => {
                self.model()?.seek(0);
                self.stopped("entry", None);
                Ok(Value::Null)
            }
            "terminate" => {
                self.event("terminated", json!({}));
                Ok(Value::Null)
            }
            "disconnect" => {
                self.ended = true;
                Ok(Value::Null)
            }
            other => Err(format!("warpbook does not know the request `{other}`")),
        }
    }

    fn launch(&mut self, arguments: Value) -> Answer {
        let options: super::protocol::LaunchOptions = read(arguments.clone())?;
        let start: Start = read(arguments)?;
        if start.file.as_os_str().is_empty() {
            return Err("`program` is missing: the .cu, .ptx or launch file (.toml) to be stepped".to_owned());
        }
        let model = start.open().map_err(|refused| refused.message)?;
        self.stop_on_entry = options.stop_on_entry;
        let mut said: Vec<String> = vec![model.about.warnings.clone()];
        said.extend(model.about.notes.iter().map(|note| format!("note: {note}")));
        let found = model.findings().len() as u64;
        said.push(format!("{} steps, {}", model.length(), crate::words::count(found, "finding")));
        for text in said.iter().filter(|text| !text.is_empty()) {
            self.event("output", json!({"category": "console", "output": format!("{text}\n")}));
        }
        self.commands = Some(Commands::new(model));
        self.event("initialized", json!({}));
        Ok(Value::Null)
    }

    /// The spot in a source that the client names.
    fn spot(&mut self, source: &SourceGiven, line: u32) -> Result<Spot, String> {
        let file = source.path.clone().or(source.name.clone()).unwrap_or_default();
        let model = self.model()?;
        let ptx = &model.sources.ptx;
        let path = ptx.path.as_ref().map_or_else(|| ptx.name.clone(), |path| path.display().to_string());
        if source.source_reference == PTX || same_file(&path, &file) && file.ends_with(".ptx") {
            return Ok(Spot::Ptx(line));
        }
        Ok(Spot::Source { file, line })
    }

    fn set_breakpoints(&mut self, wanted: SetBreakpoints) -> Answer {
        let here = self.spot(&wanted.source, 1)?;
        self.model()?.remove_breakpoints(|own| match (&own.spot, &here) {
            (Spot::Ptx(_), Spot::Ptx(_)) => true,
            (Spot::Source { file: one, .. }, Spot::Source { file: other, .. }) => same_file(one, other),
            _ => false,
        });
        let mut set = Vec::new();
        for one in &wanted.breakpoints {
            let line = self.line_in(one.line);
            let spot = self.spot(&wanted.source, line)?;
            let added = self.model()?.add_breakpoint(&spot).map(|own| (own.number, own.spot.clone()));
            set.push(match added {
                Some((number, Spot::Ptx(line) | Spot::Source { line, .. })) => {
                    json!({"id": number, "verified": true, "line": self.line_out(line)})
                }
                None => {
                    let message = format!("{spot} has no code, and none behind it has");
                    json!({"verified": false, "line": one.line, "message": message})
                }
            });
        }
        Ok(json!({"breakpoints": set}))
    }

    fn breakpoint_locations(&mut self, wanted: BreakpointLocations) -> Answer {
        let (from, to) = (self.line_in(wanted.line), self.line_in(wanted.end_line.unwrap_or(wanted.line)));
        let lines = match self.spot(&wanted.source, from)? {
            Spot::Ptx(_) => {
                let mut lines: Vec<u32> = self.model()?.places().iter().map(|place| place.ptx_line).collect();
                lines.retain(|line| (from..=to).contains(line));
                lines.sort_unstable();
                lines.dedup();
                lines
            }
            Spot::Source { file, .. } => self.model()?.lines_with_code(&file, from..=to),
        };
        let lines: Vec<Value> = lines.into_iter().map(|line| json!({"line": self.line_out(line)})).collect();
        Ok(json!({"breakpoints": lines}))
    }

    fn evaluate(&mut self, wanted: Evaluate) -> Answer {
        if let Some(frame) = wanted.frame_id {
            let warp = self.frame(frame)?.warp;
            self.model()?.look_at(warp)?;
        }
        if wanted.context == "repl"
            && let Ok(command) = Command::parse(&wanted.expression)
        {
            let before = self.model()?.position();
            let answer = self.commands()?.answer(command)?;
            if self.model()?.position() != before {
                self.stopped("goto", None);
            }
            return Ok(json!({"result": answer.trim_end(), "variablesReference": 0}));
        }
        let thing = command::thing(&wanted.expression)?;
        let shown = self.model()?.value(&thing)?;
        let variable = self.shown(wanted.expression, shown)?;
        let mut body = serde_json::to_value(variable).map_err(|why| why.to_string())?;
        body["result"] = body["value"].take();
        Ok(body)
    }

    fn source(&mut self, wanted: &SourceWanted) -> Answer {
        let number =
            if wanted.source_reference != 0 { wanted.source_reference } else { wanted.source.source_reference };
        let sources = &self.model()?.sources;
        let text = match number {
            PTX => Some(&sources.ptx),
            _ => sources.texts().nth(usize::try_from(number.saturating_sub(PTX + 1)).unwrap_or(usize::MAX)),
        };
        let text = text.ok_or_else(|| format!("there is no source {number}"))?;
        Ok(json!({"content": text.lines.join("\n") + "\n", "mimeType": "text/plain"}))
    }

    fn exception_info(&mut self) -> Answer {
        let index = self.finding.ok_or("the launch stands at no finding")?;
        let found = self.model()?.findings().get(index).cloned().ok_or("there is no such finding")?;
        let own = found.finding;
        Ok(json!({
            "exceptionId": own.kind.name(),
            "description": format!("{}. {}", own.message, own.help),
            "breakMode": "always",
            "details": {"message": own.message, "typeName": own.kind.name()},
        }))
    }
}

/// The arguments of a request.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    let arguments = if arguments.is_null() { json!({}) } else { arguments };
    serde_json::from_value(arguments).map_err(|why| format!("the arguments of the request: {why}"))
}
