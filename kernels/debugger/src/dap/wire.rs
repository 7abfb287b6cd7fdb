//! Messages as the protocol writes them: headers, an empty line, and a body of JSON whose length the headers tell.

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// A longer message is none.
const LONGEST: usize = 1 << 26;

/// What was read.
#[derive(Debug)]
pub(crate) enum Read {
    /// A message.
    Message(Value),
    /// Something that is none, and why.
    Malformed(String),
    /// Nothing more will come.
    End,
}

/// Reads the next message. What cannot be read is passed over.
pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Read> {
    let mut length: Option<Result<usize, String>> = None;
    let mut headers = 0;
    loop {
        let mut line = Vec::new();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(Read::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            // Empty lines in front of headers are none.
            if headers == 0 {
                continue;
            }
            break;
        }
        headers += 1;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            let number = value.trim().parse().map_err(|_| format!("`{}` is no length", value.trim()));
            length = Some(number);
        }
    }
    let length = match length {
        None => return Ok(Read::Malformed("a message has no header Content-Length".to_owned())),
        Some(Err(why)) => return Ok(Read::Malformed(format!("the header Content-Length: {why}"))),
        Some(Ok(length)) if length > LONGEST => {
            return Ok(Read::Malformed(format!("a message of {length} bytes is too long")));
        }
        Some(Ok(length)) => length,
    };
    let mut body = vec![0; length];
    if let Err(why) = from.read_exact(&mut body) {
        return if why.kind() == io::ErrorKind::UnexpectedEof { Ok(Read::End) } else { Err(why) };
    }
    Ok(match serde_json::from_slice(&body) {
        Ok(value) => Read::Message(value),
        Err(why) => Read::Malformed(format!("a message is no JSON: {why}")),
    })
}

/// Writes a message.
pub(crate) fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other_and_what_is_none_is_told() {
        let mut bytes = Vec::new();
        write(&mut bytes, &serde_json::json!({"a": "ä"})).unwrap();
        bytes.extend(
            b"Content-Length: x\r\n\r\nFoo: 1\r\n\r\nContent-Length: 3\r\n\r\n{]}content-length: 2\r\nX: y\r\n\r\n{}",
        );
        bytes.extend(b"Content-Length: 99999999999\r\n\r\nContent-Length: 10\r\n\r\n{");
        let mut from = &bytes[..];
        let mut told = Vec::new();
        loop {
            match read(&mut from).unwrap() {
                Read::Message(value) => told.push(value.to_string()),
                Read::Malformed(why) => told.push(why),
                Read::End => break,
            }
        }
        assert_eq!(told.len(), 6, "{told:?}");
        assert_eq!((&told[0][..], &told[4][..]), (r#"{"a":"ä"}"#, "{}"));
        assert!(told[1].contains("`x` is no length") && told[2].contains("no header"), "{told:?}");
        assert!(told[3].contains("no JSON") && told[5].contains("too long"), "{told:?}");
    }
}
