//! The notations of PTX numbers.

use super::ast::Literal;

/// Reads a number as PTX writes it: decimal, `0x` hexadecimal, `0b` binary, leading-zero octal, with or without `U`;
/// `0f` and `0d` followed by the bits of an f32 or f64; decimal fractions, which are f64.
pub(super) fn literal(text: &str) -> Option<Literal> {
    let bytes = text.as_bytes();
    if bytes.len() > 2 && bytes[0] == b'0' {
        match bytes[1] {
            b'f' | b'F' => return exact(&text[2..], 8).map(|bits| Literal::F32(bits as u32)),
            b'd' | b'D' => return exact(&text[2..], 16).map(Literal::F64),
            _ => {}
        }
    }
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if !hexadecimal && text.contains(['.', 'e', 'E']) {
        return text.parse::<f64>().ok().map(|value| Literal::F64(value.to_bits()));
    }
    let digits = text.strip_suffix(['U', 'u']).unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(|value| Literal::Int(i128::from(value)))
}

fn exact(digits: &str, count: usize) -> Option<u64> {
    (digits.len() == count).then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

/// The literal with its sign turned.
pub(super) fn negated(literal: Literal) -> Literal {
    match literal {
        Literal::Int(value) => Literal::Int(-value),
        Literal::F32(bits) => Literal::F32(bits ^ 0x8000_0000),
        Literal::F64(bits) => Literal::F64(bits ^ 0x8000_0000_0000_0000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation() {
        assert_eq!(literal("42"), Some(Literal::Int(42)));
        assert_eq!(literal("0x1fU"), Some(Literal::Int(31)));
        assert_eq!(literal("0b101"), Some(Literal::Int(5)));
        assert_eq!(literal("017"), Some(Literal::Int(15)));
        assert_eq!(literal("0"), Some(Literal::Int(0)));
        assert_eq!(literal("18446744073709551615"), Some(Literal::Int(u64::MAX.into())));
        assert_eq!(literal("0f3F800000"), Some(Literal::F32(0x3f80_0000)));
        assert_eq!(literal("0d3FF0000000000000"), Some(Literal::F64(0x3ff0_0000_0000_0000)));
        assert_eq!(literal("1.5e-3"), Some(Literal::F64(1.5e-3f64.to_bits())));
        assert_eq!(literal("0x1e"), Some(Literal::Int(30)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["0f3F8", "0xzz", "12abc", "99999999999999999999999", "0b2", "1.2.3"] {
            assert_eq!(literal(text), None, "{text}");
        }
    }
}
