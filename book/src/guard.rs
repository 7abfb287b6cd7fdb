//! Who may ask the server of `warpbook book serve`, and for what: pages that it has served, and nothing else.
//!
//! A browser lets any page send requests to this machine, under any name that resolves to it. So a request must name the
//! server by its own address (a name of somebody else's that resolves to this machine is refused); and what does work (the
//! service) takes a token that is in served pages alone, which no other page can read, from an origin that is the server's.

use std::sync::Arc;

use markup::{Markup, committed, html};
use serde_json::json;

use crate::http::{Answer, Request};

/// Below this path lies the service.
pub(crate) const SERVICE: &str = "/warpbook/";
/// The head of a request that has the token.
const TOKEN: &str = "x-warpbook-token";

/// What pages can have done by the program that serves them.
pub trait Service: Send + Sync {
    /// The answer to an operation, as JSON: `{"ok": …}` or `{"error": {"kind": …, "message": …}}`. None where there is no such
    /// operation.
    fn answer(&self, operation: &str, request: &[u8]) -> Option<String>;
}

/// Who watches over the server.
pub(crate) struct Guard {
    /// The addresses under which the server is asked.
    hosts: Vec<String>,
    /// What a request to the service must know.
    token: String,
    service: Option<Arc<dyn Service>>,
}

impl Guard {
    /// A guard of the server on a port, with a token of its own.
    ///
    /// # Errors
    /// The operating system's reason for having no random numbers.
    pub(crate) fn new(port: u16, service: Option<Arc<dyn Service>>) -> Result<Self, String> {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random).map_err(|why| why.to_string())?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let names = ["127.0.0.1", "localhost"];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            // Browsers leave out the port that everybody uses.
            hosts.extend(names.map(str::to_owned));
        }
        Ok(Self { hosts, token, service })
    }

    /// Refuses a request that names another server, or none.
    pub(crate) fn refuse(&self, request: &Request) -> Option<Answer> {
        let known =
            request.head("host").is_some_and(|host| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
        if known {
            return None;
        }
        let own = &self.hosts[0];
        Some(Answer::text(403, &format!("This server answers only those who ask for it by its address: http://{own}/")))
    }

    /// What a served page gets, so that it can ask the service; nothing where there is none.
    pub(crate) fn introduction(&self) -> Markup {
        let service = json!({ "token": self.token }).to_string();
        html! {
            @if self.service.is_some() {
                script { (committed("window.wbService = ")) (markup::json(&service)) (committed(";")) }
                "\n"
            }
        }
    }

    /// The answer to a request below [`SERVICE`].
    pub(crate) fn serve(&self, request: &Request) -> Answer {
        let refused = |status, message: &str| {
            Answer::json(status, json!({"error": {"kind": "refused", "message": message}}).to_string())
        };
        if request.method != "POST" {
            return refused(405, "The service takes POST alone.");
        }
        let origin = request.head("origin").and_then(|origin| origin.strip_prefix("http://"));
        // The page's own address, and not merely one of the server's.
        if origin.is_none_or(|origin| request.head("host").is_none_or(|host| !host.eq_ignore_ascii_case(origin))) {
            return refused(403, "The service answers only pages of this server.");
        }
        if !request.head(TOKEN).is_some_and(|token| same(token.as_bytes(), self.token.as_bytes())) {
            return refused(403, "The page was served before this server was started: load it again.");
        }
        let kind = request.head("content-type").unwrap_or_default();
        if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json")) {
            return refused(415, "The service takes JSON.");
        }
        let operation = request.path.strip_prefix(SERVICE).unwrap_or_default();
        let answer = self.service.as_ref().and_then(|service| service.answer(operation, &request.body));
        answer.map_or_else(|| refused(404, "There is no such operation."), |text| Answer::json(200, text))
    }
}

/// Compares without telling by its time where the difference is.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says what it was asked.
    struct Echo;

    impl Service for Echo {
        fn answer(&self, operation: &str, request: &[u8]) -> Option<String> {
            (operation == "echo").then(|| String::from_utf8(request.to_vec()).unwrap())
        }
    }

    fn guard() -> Guard {
        Guard::new(3000, Some(Arc::new(Echo))).unwrap()
    }

    fn request(guard: &Guard, changed: &[(&str, Option<&str>)]) -> Request {
        let mut heads = vec![
            ("host", "127.0.0.1:3000".to_owned()),
            ("origin", "http://127.0.0.1:3000".to_owned()),
            (TOKEN, guard.token.clone()),
            ("content-type", "application/json; charset=utf-8".to_owned()),
        ];
        for (name, value) in changed {
            heads.retain(|(own, _)| own != name);
            heads.extend(value.map(|value| (*name, value.to_owned())));
        }
        let heads = heads.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Request { method: "POST".to_owned(), path: "/warpbook/echo".to_owned(), heads, body: b"{}".to_vec() }
    }

    #[test]
    fn only_who_asks_by_the_address_is_answered() {
        let guard = guard();
        for host in ["127.0.0.1:3000", "localhost:3000", "LocalHost:3000"] {
            assert_eq!(guard.refuse(&request(&guard, &[("host", Some(host))])), None, "{host}");
        }
        let wrong = ["127.0.0.1", "localhost:3001", "book.example:3000", "127.0.0.1:3000.example", "[::1]:3000", ""];
        for host in wrong.map(Some).into_iter().chain([None]) {
            let answer = guard.refuse(&request(&guard, &[("host", host)])).unwrap();
            let text = String::from_utf8(answer.body).unwrap();
            assert!(
                answer.status == 403 && text.contains("by its address: http://127.0.0.1:3000/"),
                "{host:?}: {text}"
            );
        }
        assert_eq!(Guard::new(80, None).unwrap().refuse(&request(&guard, &[("host", Some("localhost"))])), None);
    }

    #[test]
    fn the_service_answers_a_served_page() {
        let guard = guard();
        assert_eq!(guard.serve(&request(&guard, &[])), Answer::json(200, "{}".to_owned()));
        let by_name = [("host", Some("localhost:3000")), ("origin", Some("http://localhost:3000"))];
        assert_eq!(guard.serve(&request(&guard, &by_name)).status, 200);
        assert!(guard.introduction().0.contains(&guard.token));
        assert_eq!(Guard::new(3000, None).unwrap().introduction().0, "");
    }

    #[test]
    fn everybody_else_is_refused() {
        let guard = guard();
        let other = Guard::new(3000, None).unwrap().token;
        assert_ne!(other, guard.token, "the token is another at every start");
        for (status, what, changed) in [
            (403, "pages of this server", ("origin", None)),
            (403, "pages of this server", ("origin", Some("null"))),
            (403, "pages of this server", ("origin", Some("http://evil.example"))),
            (403, "pages of this server", ("origin", Some("http://127.0.0.1:3001"))),
            (403, "pages of this server", ("origin", Some("http://localhost:3000"))),
            (403, "pages of this server", ("origin", Some("https://127.0.0.1:3000"))),
            (403, "load it again", (TOKEN, None)),
            (403, "load it again", (TOKEN, Some(&*other))),
            (403, "load it again", (TOKEN, Some(&guard.token[1..]))),
            (415, "JSON", ("content-type", Some("text/plain"))),
            (415, "JSON", ("content-type", None)),
        ] {
            let answer = guard.serve(&request(&guard, &[changed]));
            let text = String::from_utf8(answer.body).unwrap();
            assert!(answer.status == status && text.contains(what), "{changed:?}: {} {text}", answer.status);
        }
        for method in ["GET", "HEAD", "OPTIONS", "PUT"] {
            let asked = Request { method: method.to_owned(), ..request(&guard, &[]) };
            assert_eq!(guard.serve(&asked).status, 405, "{method}");
        }
        let unknown = Request { path: "/warpbook/format".to_owned(), ..request(&guard, &[]) };
        assert_eq!(guard.serve(&unknown).status, 404);
        let nobody = Guard { service: None, hosts: guard.hosts.clone(), token: guard.token.clone() };
        assert_eq!(nobody.serve(&request(&guard, &[])).status, 404);
    }
}
