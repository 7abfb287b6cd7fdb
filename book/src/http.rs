//! What `serve` needs of HTTP: a thread for every connection, and one request and one answer on each.
//!
//! A browser opens several connections at a time, some of which it never uses. With a pool of threads one that is used can
//! wait for one that is not, and a page stays half loaded.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Longest head of a request that is read, in bytes.
const LONGEST: u64 = 64 << 10;
/// How long a connection may be silent.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is sent back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// 200, 404 or 405.
    pub(crate) status: u16,
    /// The kind of content.
    pub(crate) kind: &'static str,
    /// The content.
    pub(crate) body: Vec<u8>,
}

/// Answers requests for paths until the program ends.
pub(crate) fn run(listener: &TcpListener, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) {
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

fn talk(stream: &TcpStream, answer: &dyn Fn(&str) -> Answer) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut head = BufReader::new(stream.take(LONGEST));
    let mut request = String::new();
    head.read_line(&mut request)?;
    // What else the head says does not matter, but a connection that is closed with something unread is an error to a browser.
    let mut line = String::from("unread");
    while !line.trim().is_empty() {
        line.clear();
        head.read_line(&mut line)?;
    }
    let mut words = request.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(()) };
    let reply = match method {
        "GET" | "HEAD" => answer(target.split(['?', '#']).next().unwrap_or("/")),
        _ => Answer { status: 405, kind: "text/plain; charset=utf-8", body: b"only GET and HEAD\n".to_vec() },
    };
    let reason = match reply.status {
        200 => "OK",
        405 => "Method Not Allowed",
        _ => "Not Found",
    };
    let mut out = stream;
    write!(
        out,
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        reply.status,
        reply.kind,
        reply.body.len()
    )?;
    if method == "GET" || reply.status == 405 {
        out.write_all(&reply.body)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(port: u16, text: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn silent_connections_keep_nobody_waiting() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let page = |path: &str| Answer {
            status: if path == "/a b" { 404 } else { 200 },
            kind: "text/plain; charset=utf-8",
            body: format!("<{path}>").into_bytes(),
        };
        thread::spawn(move || run(&listener, page));
        let silent: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
        let answer = ask(port, "GET /page.html?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n</page.html>"), "{answer}");
        assert!(
            answer.contains("\r\nContent-Length: 12\r\n") && answer.contains("\r\nConnection: close\r\n"),
            "{answer}"
        );
        let head = ask(port, "HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
        assert!(ask(port, "POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        assert_eq!(ask(port, "nonsense\r\n\r\n"), "");
        assert_eq!(silent.len(), 40);
    }
}
