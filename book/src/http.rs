//! What `serve` needs of HTTP: a thread for every connection, and one request and one answer on each.
//!
//! A browser opens several connections at a time, some of which it never uses. With a pool of threads one that is used can
//! wait for one that is not, and a page stays half loaded.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Longest head of a request that is read, in bytes.
const LONGEST: u64 = 64 << 10;
/// Longest body of a request, in bytes: a source of 1 MiB as JSON.
pub(crate) const MOST_BODY: u64 = 2 << 20;
/// What is read of a longer body, so that its sender reads the refusal.
const MOST_IGNORED: u64 = 64 << 20;
/// How long a connection may be silent.
const PATIENCE: Duration = Duration::from_secs(30);
/// What every answer says besides: nobody else may show a page in a frame, use a file of it, or guess what it is.
const HEADS: &str = "Cache-Control: no-store\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\
                     Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors 'self'\r\n";

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Request {
    /// `GET`, `POST` …
    pub(crate) method: String,
    /// The path, without what follows `?`.
    pub(crate) path: String,
    /// Heads, by their names in small letters, in order.
    pub(crate) heads: Vec<(String, String)>,
    /// The body of a `POST`.
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// What a head says; none if it is not there, or there twice.
    pub(crate) fn head(&self, name: &str) -> Option<&str> {
        let mut all = self.heads.iter().filter(|(own, _)| own == name);
        let (_, value) = all.next()?;
        all.next().is_none().then_some(value)
    }
}

/// What is sent back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// A status of [`reason`].
    pub(crate) status: u16,
    /// The kind of content.
    pub(crate) kind: &'static str,
    /// The content.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A sentence.
    pub(crate) fn text(status: u16, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: format!("{text}\n").into_bytes() }
    }

    /// JSON.
    pub(crate) fn json(status: u16, text: String) -> Self {
        Self { status, kind: "application/json", body: text.into_bytes() }
    }
}

/// What HTTP calls a status.
const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        _ => "Not Found",
    }
}

/// Answers requests until the program ends.
pub(crate) fn run(listener: &TcpListener, answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, for example: some will be closed soon.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let answer = Arc::clone(&answer);
        // A browser that has gone away is no fault of ours.
        thread::spawn(move || talk(&stream, &*answer).unwrap_or_default());
    }
}

fn talk(stream: &TcpStream, answer: &dyn Fn(&Request) -> Answer) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut input = BufReader::new(stream);
    let Some(mut request) = head(&mut input)? else { return Ok(()) };
    let reply = match body(&mut input, &request)? {
        Ok(body) => {
            request.body = body;
            answer(&request)
        }
        Err(refused) => refused,
    };
    let mut out = stream;
    write!(
        out,
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{HEADS}\r\n",
        reply.status,
        reason(reply.status),
        reply.kind,
        reply.body.len()
    )?;
    if request.method != "HEAD" {
        out.write_all(&reply.body)?;
    }
    out.flush()
}

/// The request without its body; none where there is none.
fn head(input: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut input = input.take(LONGEST);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let path = target.split(['?', '#']).next().unwrap_or("/").to_owned();
    let mut request = Request { method: method.to_owned(), path, ..Request::default() };
    // All of it is read: a connection that is closed with something unread is an error to a browser.
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            return Ok(Some(request));
        }
        if let Some((name, value)) = line.split_once(':') {
            request.heads.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

/// The body of a request, or why it is not read.
fn body(input: &mut impl Read, request: &Request) -> io::Result<Result<Vec<u8>, Answer>> {
    let sized = request.heads.iter().any(|(name, _)| name == "content-length");
    if request.heads.iter().any(|(name, _)| name == "transfer-encoding") {
        return Ok(Err(Answer::text(411, "A request says its length at its head.")));
    }
    let length: u64 = match request.head("content-length").map(str::parse) {
        Some(Ok(length)) => length,
        None if !sized => return Ok(Ok(Vec::new())),
        _ => return Ok(Err(Answer::text(400, "The length of the request is no number."))),
    };
    if length > MOST_BODY {
        io::copy(&mut input.take(length.min(MOST_IGNORED)), &mut io::sink())?;
        let message = format!("A request has at most {MOST_BODY} bytes, and this one has {length}.");
        return Ok(Err(Answer::text(413, &message)));
    }
    let mut body = vec![0; length as usize];
    input.read_exact(&mut body)?;
    Ok(Ok(body))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Sends `text` to a port of this machine, and gives all that comes back.
    pub(crate) fn ask(port: u16, text: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn started() -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let page = |request: &Request| Answer {
            status: if request.path == "/a b" { 404 } else { 200 },
            kind: "text/plain; charset=utf-8",
            body: format!("<{} {} {}>", request.method, request.path, request.body.len()).into_bytes(),
        };
        thread::spawn(move || run(&listener, page));
        port
    }

    #[test]
    fn silent_connections_keep_nobody_waiting() {
        let port = started();
        let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
        let answer = ask(port, "GET /page.html?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n<GET /page.html 0>"),
            "{answer}"
        );
        assert!(
            answer.contains("\r\nContent-Length: 18\r\n") && answer.contains("\r\nConnection: close\r\n"),
            "{answer}"
        );
        assert!(answer.contains("frame-ancestors 'self'") && answer.contains("same-origin"), "{answer}");
        let head = ask(port, "HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
        assert_eq!(ask(port, "nonsense\r\n\r\n"), "");
        assert_eq!(silent.len(), 40);
    }

    #[test]
    fn a_body_is_read_as_far_as_its_length_and_not_beyond_the_limit() {
        let port = started();
        let answer = ask(port, "POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcdef");
        assert!(answer.ends_with("<POST /x 3>"), "{answer}");
        let chunked = ask(port, "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
        assert!(chunked.starts_with("HTTP/1.1 411 "), "{chunked}");
        for wrong in ["-1", "many", "3\r\nContent-Length: 4"] {
            let answer = ask(port, &format!("POST /x HTTP/1.1\r\nContent-Length: {wrong}\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        }
        let body = "x".repeat(MOST_BODY as usize + 1);
        let answer = ask(port, &format!("POST /x HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("has at most"), "{answer}");
    }

    #[test]
    fn what_is_said_twice_is_not_said() {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\nOrigin: c\r\n\r\n";
        let request = head(&mut text.as_bytes()).unwrap().unwrap();
        assert_eq!((request.head("host"), request.head("origin"), request.head("cookie")), (None, Some("c"), None));
    }
}
