//! The manifest for VS Code names the fields that a configuration may have, and no others.

use std::collections::BTreeSet;

use debugger::Start;
use serde_json::{Value, json};

#[path = "shared/launches.rs"]
#[allow(dead_code, reason = "each test uses what it needs")]
mod launches;

fn debugger() -> Value {
    let text = std::fs::read_to_string(launches::path("kernels/debugger/vscode/package.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["contributes"]["debuggers"][0].clone()
}

#[test]
fn the_fields_are_those_that_are_read() {
    let debugger = debugger();
    let properties = debugger["configurationAttributes"]["launch"]["properties"].as_object().unwrap();
    let mut named: BTreeSet<String> = properties.keys().cloned().collect();
    assert!(named.remove("stopOnEntry"), "which is the adapter's own");
    // A field that is read refuses what it cannot be.
    let wrong = json!({"nonsense": {"deeper": []}});
    let read = |name: &String| serde_json::from_value::<Start>(json!({name: [wrong.clone()]})).is_err();
    let unread: Vec<&String> = named.iter().filter(|name| !read(name)).collect();
    assert!(unread.is_empty(), "{unread:?} are no fields");
    let printed = format!("{:?}", Start::default());
    let fields = printed.matches(": ").count();
    assert_eq!(named.len(), fields, "{named:?}\n{printed}");
}

#[test]
fn the_first_configuration_is_one() {
    let first = &debugger()["initialConfigurations"][0];
    assert!(serde_json::from_value::<Start>(first.clone()).is_ok());
}
