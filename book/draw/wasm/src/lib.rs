//! The access explorer as a WebAssembly module: what a reader has set in, figure, sentences and table out, both as JSON
//! ([`draw::explorer::Request`] and [`draw::explorer::Reply`], or `{"error": …}`).
//!
//! The exports are those of `sim/wasm`: [`input`] makes room for a request, [`run`] answers it and returns the answer's size,
//! [`output`] says where the answer lies.

#![allow(unsafe_code, reason = "names that are exported unmangled count as unsafe")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use draw::explorer::{Fault, Request, reply};
use serde::Serialize;

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// A panic ends a module, so what it left behind is never seen.
fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of `bytes` bytes and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    input.clear();
    input.resize(bytes, 0);
    input.as_mut_ptr()
}

/// Answers the request that lies in the room and returns the size of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    let answer = answer(&lock(&INPUT));
    let mut output = lock(&OUTPUT);
    *output = answer.into_bytes();
    output.len()
}

/// The address of the latest answer. It is good until the next call of [`run`].
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

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
