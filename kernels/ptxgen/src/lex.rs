//! LLVM IR text as tokens, each with its line.

use std::borrow::Cow;

use crate::Error;

/// A token. Names are without their sign.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'a> {
    /// A keyword, type, opcode or number-like word: `define`, `i32`, `-5`, `0x3FF0000000000000`, `1.0e+00`.
    Word(&'a str),
    /// `%name`.
    Local(Cow<'a, str>),
    /// `@name`.
    Global(Cow<'a, str>),
    /// `!name` or `!12`; empty for a `!` before a brace.
    Meta(&'a str),
    /// `!"text"` or `"text"`.
    Text(Vec<u8>),
    /// `c"bytes"`.
    Bytes(Vec<u8>),
    /// `#12`.
    Attributes(u32),
    /// `$name`.
    Comdat,
    /// One of the signs `( ) [ ] { } < > , = * : |`.
    Sign(char),
    /// `...`.
    Dots,
}

/// A token and the line on which it stands.
#[derive(Debug, Clone)]
pub(crate) struct Spot<'a> {
    /// The token.
    pub(crate) token: Token<'a>,
    /// Its line, from 1.
    pub(crate) line: u32,
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+' | b'$')
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Spot<'_>>, Error> {
    let bytes = text.as_bytes();
    let mut all = Vec::with_capacity(bytes.len() / 5);
    let (mut at, mut line) = (0, 1);
    let name = |at: usize, line: u32| -> Result<(Cow<'_, str>, usize), Error> {
        if bytes.get(at) == Some(&b'"') {
            let (raw, end) = quoted(bytes, at, line)?;
            return Ok((Cow::Owned(String::from_utf8_lossy(&raw).into_owned()), end));
        }
        let end = word_end(bytes, at);
        if end == at {
            return Err(Error::Syntax { line, message: "a name is missing".into() });
        }
        Ok((Cow::Borrowed(&text[at..end]), end))
    };
    while let Some(&byte) = bytes.get(at) {
        let (token, end) = match byte {
            b'\n' => {
                line += 1;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b';' => {
                while bytes.get(at).is_some_and(|&b| b != b'\n') {
                    at += 1;
                }
                continue;
            }
            b'%' => {
                let (name, end) = name(at + 1, line)?;
                (Token::Local(name), end)
            }
            b'@' => {
                let (name, end) = name(at + 1, line)?;
                (Token::Global(name), end)
            }
            b'$' => {
                let (_, end) = name(at + 1, line)?;
                (Token::Comdat, end)
            }
            b'#' => {
                let end = word_end(bytes, at + 1);
                let number = text[at + 1..end].parse();
                let number = number.map_err(|_| Error::Syntax { line, message: "`#` begins no number".into() })?;
                (Token::Attributes(number), end)
            }
            b'!' if bytes.get(at + 1) == Some(&b'"') => {
                let (raw, end) = quoted(bytes, at + 1, line)?;
                (Token::Text(raw), end)
            }
            b'!' => {
                let end = word_end(bytes, at + 1);
                (Token::Meta(&text[at + 1..end]), end)
            }
            b'"' => {
                let (raw, end) = quoted(bytes, at, line)?;
                (Token::Text(raw), end)
            }
            b'c' if bytes.get(at + 1) == Some(&b'"') => {
                let (raw, end) = quoted(bytes, at + 1, line)?;
                (Token::Bytes(raw), end)
            }
            b'.' if bytes[at..].starts_with(b"...") => (Token::Dots, at + 3),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b'=' | b'*' | b':' | b'|' | b'^' => {
                (Token::Sign(byte as char), at + 1)
            }
            _ if is_word(byte) => {
                let end = word_end(bytes, at);
                (Token::Word(&text[at..end]), end)
            }
            _ => {
                let sign = text[at..].chars().next().unwrap_or(' ');
                return Err(Error::Syntax { line, message: format!("`{sign}` stands where no such sign may stand") });
            }
        };
        all.push(Spot { token, line });
        at = end;
    }
    Ok(all)
}

fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_word(byte)) {
        at += 1;
    }
    at
}

/// The bytes of a text in quotes that begins at `at`, and where it ends.
fn quoted(bytes: &[u8], at: usize, line: u32) -> Result<(Vec<u8>, usize), Error> {
    let mut raw = Vec::new();
    let mut at = at + 1;
    let digit = |at: usize| bytes.get(at).and_then(|&byte| (byte as char).to_digit(16));
    loop {
        match bytes.get(at) {
            None => return Err(Error::Syntax { line, message: "a text in quotes does not end".into() }),
            Some(b'"') => return Ok((raw, at + 1)),
            Some(b'\\') => {
                if let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) {
                    raw.push((high * 16 + low) as u8);
                    at += 3;
                } else {
                    raw.push(b'\\');
                    at += if bytes.get(at + 1) == Some(&b'\\') { 2 } else { 1 };
                }
            }
            Some(&byte) => {
                raw.push(byte);
                at += 1;
            }
        }
    }
}
