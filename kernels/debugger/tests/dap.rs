//! A whole conversation with an editor, over a pipe.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::thread::JoinHandle;

use launches::path;
use serde_json::{Value, json};

#[path = "shared/launches.rs"]
#[allow(dead_code, reason = "each test uses what it needs")]
mod launches;

/// An editor's end.
struct Editor {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    adapter: JoinHandle<std::io::Result<()>>,
    seq: i64,
    events: Vec<Value>,
}

impl Editor {
    fn new() -> Self {
        let ((requests, to), (from, mut answers)) = (pipe().unwrap(), pipe().unwrap());
        let adapter = std::thread::spawn(move || debugger::dap::serve(&mut BufReader::new(requests), &mut answers));
        Self { to, from: BufReader::new(from), adapter, seq: 0, events: Vec::new() }
    }

    fn raw(&mut self, body: &str) {
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the adapter says no more");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => panic!("{line}"),
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn answer(&mut self) -> Value {
        loop {
            let message = self.message();
            if message["type"] == "response" {
                return message;
            }
            self.events.push(message);
        }
    }

    /// The whole response to a request.
    fn response(&mut self, command: &str, arguments: Value) -> Value {
        self.seq += 1;
        let request = json!({"seq": self.seq, "type": "request", "command": command, "arguments": arguments});
        self.raw(&request.to_string());
        let answer = self.answer();
        assert_eq!((&answer["request_seq"], &answer["command"]), (&json!(self.seq), &json!(command)));
        answer
    }

    /// The body of the response to a request that succeeds.
    #[track_caller]
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.response(command, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    /// The next event of a kind.
    fn event(&mut self, event: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|own| own["event"] == event) {
                return self.events.remove(at)["body"].clone();
            }
            let message = self.message();
            self.events.push(message);
        }
    }

    fn stack(&mut self, thread: &Value) -> Value {
        self.ask("stackTrace", json!({"threadId": thread}))["stackFrames"].clone()
    }

    /// The variables of a scope of the uppermost frame of a thread.
    fn scope(&mut self, thread: &Value, name: &str) -> Vec<Value> {
        let frame = self.stack(thread)[0]["id"].clone();
        let scopes = self.ask("scopes", json!({"frameId": frame}))["scopes"].clone();
        let scope = scopes.as_array().unwrap().iter().find(|scope| scope["name"] == name).unwrap().clone();
        self.unfold(&scope)
    }

    fn unfold(&mut self, variable: &Value) -> Vec<Value> {
        let reference = &variable["variablesReference"];
        let body = self.ask("variables", json!({"variablesReference": reference}));
        body["variables"].as_array().unwrap().clone()
    }

    fn end(mut self) {
        self.ask("disconnect", json!({}));
        self.adapter.join().unwrap().unwrap();
    }
}

fn scan() -> Value {
    json!({
        "type": "warpbook", "request": "launch", "program": path("kernels/ptx/scan.ptx"), "kernel": "scan_naive",
        "block": 64, "shared": 512, "args": ["sums:f32[64]=zeros", "ones:f32[64]=1", "i32:64", "i32:64"],
    })
}

#[test]
fn an_editor_steps_a_launch_forwards_and_back() {
    let mut editor = Editor::new();
    let can = editor.ask("initialize", json!({"adapterID": "warpbook", "linesStartAt1": true}));
    for capability in ["supportsStepBack", "supportsSteppingGranularity", "supportsConfigurationDoneRequest"] {
        assert_eq!(can[capability], true, "{capability}");
    }
    editor.ask("launch", scan());
    assert!(editor.event("output")["output"].as_str().unwrap().contains("steps, 0 findings"));
    editor.event("initialized");

    // The text of the workbook's own source is the adapter's: it is in no file beside the PTX.
    let (from, to) = (json!({"name": "scan.cu"}), json!({"path": "/elsewhere/other.cu"}));
    let set = editor.ask("setBreakpoints", json!({"source": from, "breakpoints": [{"line": 1}, {"line": 999999}]}));
    assert_eq!(set["breakpoints"][0]["verified"], true);
    let line = set["breakpoints"][0]["line"].as_i64().unwrap();
    assert!(line > 1, "it moved to the next line with code");
    assert_eq!(set["breakpoints"][1]["verified"], false);
    let set = editor.ask("setBreakpoints", json!({"source": to, "breakpoints": [{"line": 3}]}));
    assert_eq!(set["breakpoints"][0]["verified"], false);
    let locations = editor.ask("breakpointLocations", json!({"source": from, "line": 1, "endLine": 1000}));
    assert_eq!(locations["breakpoints"][0]["line"], line);
    editor.ask("setExceptionBreakpoints", json!({"filters": ["findings"]}));
    editor.ask("configurationDone", Value::Null);
    let entry = editor.event("stopped");
    assert_eq!(entry["reason"], "entry");

    let threads = editor.ask("threads", Value::Null)["threads"].clone();
    let names: Vec<&str> = threads.as_array().unwrap().iter().map(|own| own["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["block (0,0,0) warp 0: can go on", "block (0,0,0) warp 1: can go on"]);

    let thread = entry["threadId"].clone();
    let frames = editor.stack(&thread);
    assert_eq!(frames[0]["source"]["name"], "scan.cu");
    let reference = &frames[0]["source"]["sourceReference"];
    let text = editor.ask("source", json!({"sourceReference": reference}))["content"].clone();
    assert!(text.as_str().unwrap().contains("scan_naive"));

    // Some lines on, and to the same state again from behind.
    for _ in 0..4 {
        editor.ask("next", json!({"threadId": thread}));
        assert_eq!(editor.event("stopped")["reason"], "step");
    }
    let (there, registers) = (editor.stack(&thread), editor.scope(&thread, "Registers"));
    assert!(!registers.is_empty());
    let lanes = editor.unfold(&registers[0]);
    assert_eq!((lanes.len(), &lanes[5]["name"]), (32, &json!("5")));
    let same = |one: &[Value], other: &[Value]| {
        let told = |own: &Value| (own["name"].clone(), own["value"].clone());
        one.iter().map(told).collect::<Vec<_>>() == other.iter().map(told).collect::<Vec<_>>()
    };
    for (forward, back, granularity) in [("next", "stepBack", "statement"), ("stepIn", "stepBack", "instruction")] {
        for command in [forward, back] {
            editor.ask(command, json!({"threadId": thread, "granularity": granularity}));
            assert_eq!(editor.event("stopped")["reason"], "step");
        }
        assert_eq!(editor.stack(&thread)[0]["line"], there[0]["line"], "{granularity}");
        let again = editor.scope(&thread, "Registers");
        assert!(same(&registers, &again), "{granularity}: {registers:?}\n{again:?}");
    }

    let ids = editor.scope(&thread, "Thread ids");
    assert_eq!(ids[0]["name"], "threadIdx.x");
    assert_eq!(editor.unfold(&ids[0])[7]["value"], "7");
    let buffers = editor.scope(&thread, "Buffers");
    let ones = buffers.iter().find(|own| own["name"] == "ones").unwrap();
    assert_eq!(editor.unfold(ones)[63]["value"], "1");
    let memory =
        editor.ask("readMemory", json!({"memoryReference": ones["memoryReference"], "offset": 252, "count": 8}));
    assert_eq!((&memory["data"], &memory["unreadableBytes"]), (&json!("AACAPw=="), &json!(4)));
    let shared = editor.scope(&thread, "Shared memory");
    assert!(editor.unfold(&shared[0])[33]["name"].as_str().unwrap().contains("bank 1"), "{shared:?}");
    let warp = editor.scope(&thread, "Warp");
    assert!(warp.iter().any(|own| own["name"] == "live" && own["value"] == "0xffffffff: all 32 lanes"), "{warp:?}");

    let value = editor.ask("evaluate", json!({"expression": "ones[3]", "context": "hover"}));
    assert_eq!(value["result"], "1");
    let refused = editor.response("evaluate", json!({"expression": "nothing", "context": "watch"}));
    assert!(refused["message"].as_str().unwrap().contains("nothing is called `nothing`"), "{refused}");
    let said = editor.ask("evaluate", json!({"expression": "next barrier", "context": "repl"}));
    assert!(said["result"].as_str().unwrap().contains("waits at barrier 0"), "{said}");
    assert_eq!(editor.event("stopped")["reason"], "goto");

    editor.ask("reverseContinue", json!({"threadId": thread}));
    assert!(["breakpoint", "pause"].contains(&editor.event("stopped")["reason"].as_str().unwrap()));
    editor.ask("continue", json!({"threadId": thread}));
    editor.event("stopped");
    editor.ask("stepOut", json!({"threadId": thread}));
    editor.event("stopped");
    editor.ask("pause", json!({"threadId": thread}));
    assert_eq!(editor.event("stopped")["reason"], "pause");
    editor.ask("restart", json!({}));
    assert_eq!(editor.event("stopped")["reason"], "entry");
    editor.ask("terminate", json!({}));
    editor.event("terminated");
    editor.end();
}

#[test]
fn a_finding_stops_the_launch_as_an_exception() {
    let mut editor = Editor::new();
    editor.ask("initialize", json!({}));
    let program = path("sim/tests/faulty/half_of_the_block_at_a_barrier.ptx");
    editor.ask("launch", json!({"program": program, "block": 64, "args": ["zeros:256"], "stopOnEntry": false}));
    editor.event("initialized");
    editor.ask("configurationDone", json!({}));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "exception");
    let info = editor.ask("exceptionInfo", json!({"threadId": stopped["threadId"]}));
    let message = info["details"]["message"].as_str().unwrap();
    assert!(stopped["text"].as_str().unwrap().contains(message), "{stopped}\n{info}");
    editor.ask("reverseContinue", json!({"threadId": 1}));
    editor.event("stopped");
    assert!(editor.response("exceptionInfo", json!({"threadId": 1}))["success"] == false);
    editor.ask("continue", json!({"threadId": 1}));
    assert_eq!(editor.event("stopped")["reason"], "exception", "the same again");
    editor.end();
}

#[test]
fn what_is_wrong_is_answered_and_ends_nothing() {
    let mut editor = Editor::new();
    editor.raw("{]");
    let answer = editor.answer();
    assert!(answer["success"] == false && answer["message"].as_str().unwrap().contains("no JSON"), "{answer}");
    editor.raw(r#"{"seq": 7, "type": "request"}"#);
    let answer = editor.answer();
    assert_eq!((&answer["success"], &answer["request_seq"]), (&json!(false), &json!(7)));
    for (command, arguments, part) in [
        ("threads", json!({}), "nothing was launched"),
        ("fly", json!({}), "does not know the request `fly`"),
        ("attach", json!({}), "nothing to attach to"),
        ("launch", json!({}), "`program` is missing"),
        ("launch", json!({"program": "no-such.ptx"}), "cannot read no-such.ptx"),
        ("launch", json!({"program": 3}), "the arguments of the request"),
        ("stackTrace", json!({"threadId": "x"}), "the arguments of the request"),
        ("setBreakpoints", json!([]), "the arguments of the request"),
    ] {
        let answer = editor.response(command, arguments);
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(part), "{answer}");
    }
    editor.ask("launch", scan());
    for (command, arguments, part) in [
        ("stackTrace", json!({"threadId": 99}), "there is no thread 99"),
        ("scopes", json!({"frameId": 99}), "no frame 99"),
        ("variables", json!({"variablesReference": 99}), "nothing with the number 99"),
        ("readMemory", json!({"memoryReference": "x", "count": 4}), "`x` is no address"),
        ("source", json!({"sourceReference": -9}), "there is no source -9"),
        ("next", json!({"threadId": 0}), "there is no thread 0"),
        ("exceptionInfo", json!({"threadId": 1}), "stands at no finding"),
    ] {
        let answer = editor.response(command, arguments);
        assert!(answer["message"].as_str().unwrap().contains(part), "{answer}");
    }
    let far = editor.ask("readMemory", json!({"memoryReference": "0x10", "count": 4}));
    assert_eq!(far["unreadableBytes"], 4);
    editor.end();
}
