//! PTX text to tokens. Never fails: a character that PTX does not have becomes a token of its own, and the parser
//! complains about it with its place.

use crate::diagnostic::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Name, register, directive or dotted opcode: `%r1`, `$L__BB0_2`, `.reg`, `ld.shared::cta.u32`.
    Word,
    /// A number of any notation, without its sign.
    Number,
    /// A string, quotes included.
    Text,
    /// A single punctuation character.
    Punct(u8),
    /// A string or comment that the file ends in.
    Unterminated,
    /// Anything else.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    pub(super) fn span(self) -> Span {
        self.start as usize..self.end as usize
    }
}

/// A cursor over the text that produces tokens on demand.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips white space and comments. Returns the start of a comment that never ends.
    fn skip_blank(&mut self) -> Option<usize> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.text.len() && self.text[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    let start = self.at;
                    self.at += 2;
                    while self.at < self.text.len() && (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        self.at += 1;
                    }
                    if self.at >= self.text.len() {
                        return Some(start);
                    }
                    self.at += 2;
                }
                _ => return None,
            }
        }
    }

    pub(super) fn next_token(&mut self) -> Token {
        if let Some(start) = self.skip_blank() {
            return self.token(Kind::Unterminated, start);
        }
        let start = self.at;
        if start >= self.text.len() {
            return self.token(Kind::End, start);
        }
        let kind = match self.text[start] {
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'%' | b'.' => self.word(),
            b'"' => self.string(),
            c if c.is_ascii_punctuation() => {
                self.at += 1;
                Kind::Punct(c)
            }
            _ => {
                // One whole character, so that spans stay on character boundaries.
                self.at += 1;
                while self.at < self.text.len() && self.text[self.at] & 0xc0 == 0x80 {
                    self.at += 1;
                }
                Kind::Unknown
            }
        };
        self.token(kind, start)
    }

    fn token(&self, kind: Kind, start: usize) -> Token {
        Token { kind, start: start as u32, end: self.at as u32 }
    }

    fn word(&mut self) -> Kind {
        // Directives may stand without a space between them: `.reg.b32`.
        let directive = self.peek(0) == b'.';
        self.at += 1;
        loop {
            match self.peek(0) {
                b'.' if directive => return Kind::Word,
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | b'%' | b'.' => self.at += 1,
                // `shared::cta` is one word; `label:` is a word and a colon.
                b':' if self.peek(1) == b':' && self.peek(2).is_ascii_alphanumeric() => self.at += 2,
                _ => return Kind::Word,
            }
        }
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X' | b'f' | b'F' | b'd' | b'D');
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'.' {
            self.at += 1;
            // The sign of a decimal exponent belongs to the number: `1.5e-3`.
            let exponent = !hexadecimal && matches!(self.text[self.at - 1], b'e' | b'E') && self.at - start > 1;
            if exponent && matches!(self.peek(0), b'+' | b'-') && self.peek(1).is_ascii_digit() {
                self.at += 1;
            }
        }
        Kind::Number
    }

    fn string(&mut self) -> Kind {
        self.at += 1;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'\\' => self.at = (self.at + 2).min(self.text.len()),
                b'"' => {
                    self.at += 1;
                    return Kind::Text;
                }
                _ => self.at += 1,
            }
        }
        Kind::Unterminated
    }
}
