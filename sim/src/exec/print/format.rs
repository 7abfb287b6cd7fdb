//! Formats of `printf`: cut into parts, and each part written as the C library writes it.

use super::float;

/// Longest text of one `%s`, and widest field, in bytes.
const LONGEST: usize = 4096;

/// A part of a format.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// Printed as it is.
    Text(Vec<u8>),
    /// Takes an argument.
    Conversion(Conversion),
}

/// Bytes of an integer argument, and to how many bits it is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Length {
    bytes: u32,
    bits: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    /// The width is an argument of its own.
    width_given: bool,
    precision: Option<usize>,
    length: Length,
    kind: u8,
}

/// Cuts a format into its parts.
pub(super) fn parse(format: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            text.push(format[at]);
            at += 1;
        } else if let Some(end) = percent(format, at + 1) {
            text.push(b'%');
            at = end;
        } else if let Some((conversion, end)) = conversion(format, at + 1) {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            pieces.push(Piece::Conversion(conversion));
            at = end;
        } else {
            text.push(b'%');
            at += 1;
        }
    }
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    pieces
}

/// The end of a `%` that is printed as such, though with a width.
fn percent(format: &[u8], at: usize) -> Option<usize> {
    let digits = format[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (format.get(at + digits) == Some(&b'%')).then_some(at + digits + 1)
}

/// The conversion behind the `%` before `at`, and where it ends; `None` when it is none that CUDA has.
fn conversion(format: &[u8], mut at: usize) -> Option<(Conversion, usize)> {
    let mut it = Conversion {
        left: false,
        plus: false,
        space: false,
        alternate: false,
        zeros: false,
        width: 0,
        width_given: false,
        precision: None,
        length: Length { bytes: 4, bits: 32 },
        kind: 0,
    };
    loop {
        match format.get(at)? {
            b'-' => it.left = true,
            b'+' => it.plus = true,
            b' ' => it.space = true,
            b'#' => it.alternate = true,
            b'0' => it.zeros = true,
            _ => break,
        }
        at += 1;
    }
    let number = |at: &mut usize| {
        let mut value = 0usize;
        while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
            value = (value * 10 + usize::from(digit - b'0')).min(LONGEST);
            *at += 1;
        }
        value
    };
    if format.get(at) == Some(&b'*') {
        it.width_given = true;
        at += 1;
    } else {
        it.width = number(&mut at);
    }
    if format.get(at) == Some(&b'.') {
        at += 1;
        it.precision = Some(number(&mut at));
    }
    let lengths: [(&[u8], Length); 8] = [
        (b"hh", Length { bytes: 4, bits: 8 }),
        (b"h", Length { bytes: 4, bits: 16 }),
        (b"ll", Length { bytes: 8, bits: 64 }),
        (b"l", Length { bytes: 8, bits: 64 }),
        (b"z", Length { bytes: 8, bits: 64 }),
        (b"t", Length { bytes: 8, bits: 64 }),
        (b"j", Length { bytes: 8, bits: 64 }),
        (b"", it.length),
    ];
    let (name, length) = lengths.into_iter().find(|(name, _)| format[at..].starts_with(name))?;
    at += name.len();
    it.length = length;
    it.kind = *format.get(at)?;
    b"diouxXcspfFeEgGaA".contains(&it.kind).then_some((it, at + 1))
}

impl Piece {
    /// Arguments that it takes.
    pub(super) fn arguments(&self) -> u64 {
        match self {
            Self::Text(_) => 0,
            Self::Conversion(conversion) => 1 + u64::from(conversion.width_given),
        }
    }

    /// Writes it. `next` gives the next argument of some bytes, `string` the text at an address.
    pub(super) fn write(
        &self,
        text: &mut Vec<u8>,
        next: &mut impl FnMut(u32) -> u64,
        string: &impl Fn(u64) -> Vec<u8>,
    ) {
        let it = match self {
            Self::Text(verbatim) => return text.extend_from_slice(verbatim),
            Self::Conversion(conversion) => conversion,
        };
        let mut it = it.clone();
        if it.width_given {
            let width = next(4) as i32;
            it.left |= width < 0;
            it.width = (width.unsigned_abs() as usize).min(LONGEST);
        }
        match it.kind {
            b's' => {
                let mut string = string(next(8));
                string.truncate(it.precision.unwrap_or(LONGEST));
                it.pad(text, b"", &string, false);
            }
            b'c' => it.pad(text, b"", &[next(4) as u8], false),
            b'p' => match next(8) {
                0 => it.pad(text, b"", b"(nil)", false),
                address => it.pad(text, b"0x", format!("{address:x}").as_bytes(), false),
            },
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => {
                let value = next(it.length.bytes);
                it.integer(text, value);
            }
            _ => it.float(text, f64::from_bits(next(8))),
        }
    }
}

impl Conversion {
    /// Writes `sign` and `body` into the field.
    fn pad(&self, text: &mut Vec<u8>, sign: &[u8], body: &[u8], zeros: bool) {
        let fill = self.width.saturating_sub(sign.len() + body.len());
        if !self.left && !zeros {
            text.extend(std::iter::repeat_n(b' ', fill));
        }
        text.extend_from_slice(sign);
        if !self.left && zeros {
            text.extend(std::iter::repeat_n(b'0', fill));
        }
        text.extend_from_slice(body);
        if self.left {
            text.extend(std::iter::repeat_n(b' ', fill));
        }
    }

    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }

    fn integer(&self, text: &mut Vec<u8>, value: u64) {
        let shift = 64 - self.length.bits;
        let (signed, value) = ((value << shift) as i64 >> shift, value << shift >> shift);
        let (sign, mut digits): (&[u8], String) = match self.kind {
            b'd' | b'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            b'o' => (b"", format!("{value:o}")),
            b'x' => (if self.alternate && value != 0 { b"0x" } else { b"" }, format!("{value:x}")),
            b'X' => (if self.alternate && value != 0 { b"0X" } else { b"" }, format!("{value:X}")),
            _ => (b"", value.to_string()),
        };
        if let Some(precision) = self.precision {
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
        }
        if self.kind == b'o' && self.alternate && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        self.pad(text, sign, digits.as_bytes(), self.zeros && self.precision.is_none());
    }

    fn float(&self, text: &mut Vec<u8>, value: f64) {
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let mut body = if magnitude.is_nan() {
            "nan".to_owned()
        } else if magnitude.is_infinite() {
            "inf".to_owned()
        } else {
            match self.kind.to_ascii_lowercase() {
                b'f' => float::fixed(magnitude, self.precision.unwrap_or(6), self.alternate),
                b'e' => float::exponential(magnitude, self.precision.unwrap_or(6), self.alternate),
                b'g' => float::general(magnitude, self.precision.unwrap_or(6).max(1), self.alternate),
                _ => float::hexadecimal(magnitude, self.precision, self.alternate),
            }
        };
        if self.kind.is_ascii_uppercase() {
            body.make_ascii_uppercase();
        }
        // Zeros go between `0x` and the digits.
        if let Some(digits) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
            let prefix = [sign, &body.as_bytes()[..2]].concat();
            self.pad(text, &prefix, digits.as_bytes(), self.zeros);
        } else {
            self.pad(text, sign, body.as_bytes(), self.zeros && magnitude.is_finite());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats with arguments of 8 bytes each.
    fn print(format: &str, arguments: &[u64]) -> String {
        let mut arguments = arguments.iter();
        let mut text = Vec::new();
        for piece in parse(format.as_bytes()) {
            piece.write(&mut text, &mut |_| *arguments.next().expect("an argument"), &|_| b"text".to_vec());
        }
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn integers_as_the_c_library_prints_them() {
        for (format, value, expected) in [
            ("%d|", u64::MAX, "-1|"),
            ("%5d|%%", 42, "   42|%"),
            ("%-5d|", 42, "42   |"),
            ("%05d|", (-42i64) as u64, "-0042|"),
            ("%+.3d|", 7, "+007|"),
            ("%.0d|", 0, "|"),
            ("%08.3d|", 7, "     007|"),
            ("%#x", 255, "0xff"),
            ("%#X", 0, "0"),
            ("%#o", 8, "010"),
            ("%hhd", 200, "-56"),
            ("%hu", 0x12345, "9029"),
            ("%llu", u64::MAX, "18446744073709551615"),
            ("%u", u64::MAX, "4294967295"),
            ("%c%%", 65, "A%"),
            ("%p", 0, "(nil)"),
            ("%6.2s|", 1, "    te|"),
        ] {
            assert_eq!(print(format, &[value]), expected, "{format}");
        }
        assert_eq!(print("%*d|%*d|", &[5, 42, (-5i64) as u64, 42]), "   42|42   |");
        assert_eq!(print("%n %.*f %", &[]), "%n %.*f %", "what CUDA does not have stays as it is");
    }

    #[test]
    fn floats_as_the_c_library_prints_them() {
        for (format, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 2.5, "2."),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.0e", 0.0, "0e+00"),
            ("%E", 1e-300, "1.000000E-300"),
            ("%g", 1e-5, "1e-05"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 123456.0, "123456"),
            ("%g", 1234567.0, "1.23457e+06"),
            ("%g", 0.0, "0"),
            ("%#g", 1.0, "1.00000"),
            ("%.3g", 999.9, "1e+03"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.1, "0x1.999999999999ap-4"),
            ("%.2a", 0.1, "0x1.9ap-4"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%012a|", 1.0, "0x0000001p+0|"),
            ("%+08.2f", -2.625, "-0002.62"),
            ("%08f", f64::INFINITY, "     inf"),
            ("%F", -f64::NAN, "-NAN"),
            ("% f", 0.5, " 0.500000"),
        ] {
            assert_eq!(print(format, &[f64::to_bits(value)]), expected, "{format} of {value}");
        }
    }
}
