//! The access explorer as a WebAssembly module: what a reader has set in, figure, sentences and table out, both as JSON
//! ([`draw::explorer::Request`] and [`draw::explorer::Reply`], or `{"error": …}`).
//!
//! What a host calls is what every module of the pages exports (`wasm_interface`).

#![forbid(unsafe_code)]

use draw::explorer::{Fault, Request, reply};
use serde::Serialize;

wasm_interface::exports!(answer);

#[derive(Serialize)]
struct Refusal {
    error: Fault,
}

/// The answer to a request.
pub fn answer(request: &[u8]) -> String {
    let answer = match serde_json::from_slice::<Request>(request) {
        Ok(request) => reply(&request),
        Err(error) => Err(Fault { field: "request", message: format!("this is no request: {error}"), at: None }),
    };
    let text = match answer {
        Ok(reply) => serde_json::to_string(&reply),
        Err(error) => serde_json::to_string(&Refusal { error }),
    };
    text.unwrap_or_else(|error| {
        format!("{{\"error\":{{\"field\":\"request\",\"message\":\"no JSON: {error}\",\"at\":null}}}}")
    })
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn a_request_is_answered_and_nonsense_is_an_error() {
        let four = answer(br#"{"state":{"mode":"banks","stride":12}}"#);
        assert!(four.contains("\"cost\":4") && four.contains("\"ideal\":1"), "{four}");
        assert!(answer(b"{}").contains("missing field `state`"));
        let wrong = answer(br#"{"state":{"formula":"lane * "}}"#);
        assert_eq!(wrong, r#"{"error":{"field":"formula","message":"`lane *` ends too early","at":[6,6]}}"#);
    }
}
