use serde_json::{Value, json};

use super::Engine;

/// Every thread stores its number, or goes round for ever.
const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
    .visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
    ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n\
    st.global.u32 [%rd3], %r1;\nret;\n}\n\
    .visible .entry endless()\n{\n$L:\nbra $L;\n}\n";

fn ask(engine: &mut Engine, mut request: Value) -> Value {
    request["v"] = 1.into();
    request["id"] = 7.into();
    let answer: Value = serde_json::from_str(&engine.answer(request.to_string().as_bytes())).unwrap();
    assert_eq!(answer["id"], 7);
    answer
}

fn run(launches: &Value) -> Value {
    json!({"op": "run", "module": {"name": "k.ptx", "ptx": PTX}, "let": {"n": 40, "half": "n/2"},
        "buffers": [{"name": "out", "element": "u32", "count": "n", "content": "zeros"}],
        "want": [{"buffer": "out", "from": 38, "count": 5}], "launches": launches})
}

#[test]
fn the_envelope_is_checked() {
    let mut engine = Engine::default();
    for (request, kind, part) in [
        ("nothing", "input", "this is no request"),
        ("[]", "input", "an object"),
        (r#"{"v":2,"id":1,"op":"hello"}"#, "unsupported", "version 1 of the protocol"),
        (r#"{"v":1,"op":"hello"}"#, "input", "no `id`"),
        (
            r#"{"v":1,"id":1,"op":"session.open"}"#,
            "unsupported",
            "no operation `session.open`; it has hello, load, run",
        ),
        (r#"{"v":1,"id":1,"op":"hello","more":1}"#, "input", "unknown field"),
        (r#"{"v":1,"id":1,"op":"load","name":"a.ptx","ptx":"mov.u32"}"#, "input", "a.ptx"),
        (r#"{"v":1,"id":1,"op":"run","module":"abc","launches":[]}"#, "input", "no module `abc` is loaded"),
    ] {
        let answer: Value = serde_json::from_str(&engine.answer(request.as_bytes())).unwrap();
        assert_eq!(answer["error"]["kind"], kind, "{request}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{request}: {answer}");
    }
    let about = &ask(&mut engine, json!({"op": "hello"}))["ok"];
    assert!(about["targets"].as_array().unwrap().contains(&"h200".into()), "{about}");
    assert!(about["inputs"]["histogram"].as_array().unwrap().contains(&"a bell".into()), "{about}");
}

#[test]
fn a_module_is_loaded_once_and_run_by_its_hash() {
    let mut engine = Engine::default();
    let loaded = ask(&mut engine, json!({"op": "load", "name": "k.ptx", "ptx": PTX}));
    assert_eq!(loaded["ok"]["kernels"][0]["parameters"], json!([{"name": "out", "element": "u64", "bytes": 8}]));
    let launches = json!([{"kernel": "k", "grid": [1], "block": ["half", 2], "args": [{"buffer": "out"}]}]);
    let mut request = run(&launches);
    request["module"] = loaded["ok"]["module"].clone();
    request["predict"] = true.into();
    let answer = ask(&mut engine, request);
    let report = &answer["ok"]["reports"][0];
    assert_eq!(report["launch"]["block"], json!([20, 2, 1]), "{answer}");
    assert!(report["prediction"]["us"].as_f64().unwrap() > 0.0);
    assert!(answer["ok"]["executed"].as_u64().unwrap() > 0);
    // Threads with the same x store the same number; nobody writes the rest.
    assert_eq!(answer["ok"]["buffers"], json!([{"buffer": "out", "from": 38, "values": ["0", "0"]}]));
    assert_eq!(engine.modules.len(), 1);
}

#[test]
fn launches_share_their_buffers() {
    let step = |block: u32| json!({"kernel": "k", "grid": [1], "block": [block], "args": [{"buffer": "out"}]});
    let answer = ask(&mut Engine::default(), run(&json!([step(39), step(40)])));
    assert_eq!(answer["ok"]["buffers"][0]["values"], json!(["38", "39"]));
    assert_eq!(answer["ok"]["reports"].as_array().unwrap().len(), 2);
}

#[test]
fn a_spent_budget_is_an_error_and_a_finding_is_none() {
    let mut engine = Engine::default();
    let endless = json!([{"kernel": "endless", "grid": [1], "block": [32], "args": []}]);
    let mut request = run(&endless);
    request["budget"] = 100_000.into();
    // What cannot end is found before that.
    let answer = ask(&mut engine, request.clone());
    assert_eq!(answer["ok"]["reports"][0]["findings"][0]["kind"], "budget", "{answer}");
    let many = json!([{"kernel": "k", "grid": [100_000], "block": [32], "args": [{"buffer": "out"}]}]);
    let mut request = run(&many);
    request["budget"] = 100_000.into();
    let answer = ask(&mut engine, request);
    assert_eq!(answer["error"]["kind"], "budget", "{answer}");
    let outside = json!([{"kernel": "k", "grid": [1], "block": [64], "args": [{"buffer": "out"}]}]);
    let answer = ask(&mut engine, run(&outside));
    assert_eq!(answer["ok"]["reports"][0]["findings"][0]["kind"], "out-of-bounds");
}

#[test]
fn what_is_wrong_with_a_launch_names_its_place() {
    let mut engine = Engine::default();
    let mut fault = |kernel: &str, grid: Value, args: Value| {
        let launches = json!([{"kernel": kernel, "grid": grid, "block": [1], "args": args}]);
        let error = ask(&mut engine, run(&launches))["error"].take();
        assert_eq!(error["kind"], "input");
        error["message"].as_str().unwrap().to_owned()
    };
    assert!(fault("k", json!([0]), json!([])).contains("the grid has an extent of 0"));
    assert!(fault("k", json!(["m"]), json!([])).contains("the grid: no number is called `m`"));
    assert!(fault("k", json!([1]), json!([{"buffer": "in"}])).contains("no buffer `in`; there are out"));
    assert!(fault("k", json!([1]), json!([{"scalar": "i8:n*n"}])).contains("argument 0: 1600 does not fit into i8"));
    assert!(fault("none", json!([1]), json!([])).contains("none"));
    let mut request = run(&json!([]));
    request["buffers"][0]["count"] = "n*1000000000".into();
    let error = ask(&mut engine, request)["error"].take();
    assert!(error["message"].as_str().unwrap().contains("buffer `out`: it would have"), "{error}");
}

#[test]
fn buffers_of_every_kind_are_made() {
    let mut engine = Engine::default();
    for (element, content, values) in [
        ("u32", json!({"fill": 1}), "16843009 16843009"),
        ("f32", json!({"generate": "i*0.5"}), "0 0.5"),
        ("f16", json!({"values": [1.5, "n"]}), "1.5 40"),
        ("i64", json!({"values": [-1]}), "-1 0"),
        ("u8", json!({"base64": "AQI="}), "1 2"),
        ("f32", json!({"workbook": {"problem": "scan", "kind": "ones"}}), "1 1"),
        ("u16", json!("uninit"), "0 0"),
    ] {
        let mut request = run(&json!([]));
        request["buffers"] = json!([{"name": "b", "element": element, "count": 2, "content": content}]);
        request["want"] = json!([{"buffer": "b", "count": 9}]);
        let answer = ask(&mut engine, request);
        let got = &answer["ok"]["buffers"][0]["values"];
        let got: Vec<_> =
            got.as_array().unwrap_or_else(|| panic!("{answer}")).iter().filter_map(Value::as_str).collect();
        assert_eq!(got.join(" "), values, "{element}: {content}");
    }
}

#[test]
fn a_session_is_stepped_forwards_and_back() {
    let mut engine = Engine::default();
    let module = json!({"name": "k.ptx", "ptx": PTX});
    let launch = json!({"kernel": "k", "grid": [2], "block": [64], "args": [{"buffer": "out"}]});
    let buffer = json!({"name": "out", "element": "u32", "count": "n", "content": "zeros"});
    let open = json!({"op": "open", "module": module, "let": {"n": 64}, "buffers": [buffer], "launches": [launch],
        "show": {"shared": [0, 32]}, "columns": 8});
    let opened = ask(&mut engine, open.clone())["ok"].take();
    let (session, length) = (opened["session"].clone(), opened["length"].as_u64().unwrap());
    assert_eq!((&opened["blocks"], &opened["warps"], &opened["complete"]), (&json!(2), &json!(2), &json!(true)));
    assert_eq!(opened["timeline"].as_array().unwrap().len(), 8);
    assert_eq!(opened["view"]["next"]["place"]["text"], "ld.param.u64 %rd1, [out]");
    assert!(opened["view"].get("last").is_none(), "{opened}");
    // Ten steps on and ten back lead to where one was.
    let show = json!({});
    let mut texts = vec![opened["view"].to_string()];
    for _ in 0..10 {
        let moved = ask(&mut engine, json!({"op": "step", "session": session, "show": show}));
        texts.push(moved["ok"]["view"].to_string());
    }
    for before in texts.iter().rev().skip(1) {
        let request = json!({"op": "step", "session": session, "direction": "back", "show": show});
        assert_eq!(ask(&mut engine, request)["ok"]["view"].to_string(), *before);
    }
    // A warp of the other block, its line, and the end.
    let warp = json!({"op": "step", "session": session, "unit": "warp", "warp": [1, 1], "show": {"warp": [1, 1]}});
    let moved = ask(&mut engine, warp);
    assert_eq!(moved["ok"]["view"]["last"]["warp"], 1, "{moved}");
    let global = json!({"op": "find", "session": session, "for": {"event": {"event": "global", "block": 1}}});
    let found = ask(&mut engine, global)["ok"].take();
    assert_eq!(found["found"], true);
    let word = json!({"global": {"address": 1u64 << 40, "bytes": 4}});
    let write = json!({"op": "find", "session": session, "for": {"last_write": word}, "show": show});
    let written = ask(&mut engine, write)["ok"].take();
    assert!(written["view"]["last"]["place"]["text"].as_str().unwrap().starts_with("st.global"), "{written}");
    let nothing = json!({"op": "find", "session": session, "for": {"event": {"event": "barrier"}}});
    assert_eq!(ask(&mut engine, nothing)["ok"]["found"], false);
    let end = ask(&mut engine, json!({"op": "seek", "session": session, "position": 1_000_000}));
    assert_eq!(end["ok"]["position"], length);
    // Who does not exist, and what is closed.
    for (request, part) in [
        (json!({"op": "view", "session": session, "show": {"warp": [0, 2]}}), "there is no warp 2"),
        (json!({"op": "view", "session": 77}), "no session 77 is open"),
    ] {
        let answer = ask(&mut engine, request);
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
    }
    assert_eq!(ask(&mut engine, json!({"op": "close", "session": session}))["ok"]["closed"], true);
    assert_eq!(ask(&mut engine, json!({"op": "close", "session": session}))["ok"]["closed"], false);
    // Of five the oldest goes.
    let numbers: Vec<_> = (0..5).map(|_| ask(&mut engine, open.clone())["ok"]["session"].clone()).collect();
    assert_eq!(ask(&mut engine, json!({"op": "view", "session": numbers[0]}))["error"]["kind"], "input");
    assert_eq!(ask(&mut engine, json!({"op": "view", "session": numbers[4]}))["ok"]["position"], 0);
    // What never ends is recorded up to a bound.
    let endless = json!({"op": "open", "module": {"name": "k.ptx", "ptx": PTX}, "steps": 500,
        "launches": [{"kernel": "endless", "grid": [1], "block": [32], "args": []}]});
    let opened = ask(&mut engine, endless)["ok"].take();
    assert_eq!((&opened["length"], &opened["complete"]), (&json!(500), &json!(false)));
}
