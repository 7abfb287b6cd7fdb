//! Floating-point immediates as nvdisasm prints them.

/// Prints a number as nvdisasm does: 20 significant digits without trailing zeros, from 10^9 on 20 digits behind the point;
/// infinities, NaNs and -0 end with a blank.
///
/// Found out by probing nvdisasm 13.5.37 with numbers of every size.
#[must_use]
pub fn float(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+INF ".to_owned() } else { "-INF ".to_owned() };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0 ".to_owned() } else { "0".to_owned() };
    }
    if value.abs() >= 1e9 {
        return scientific(&format!("{value:.20e}"));
    }
    let text = format!("{value:.19e}");
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if exponent < -4 {
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return scientific(&format!("{}e{exponent}", trimmed(digits)));
    }
    let behind = usize::try_from(19 - exponent).unwrap_or(0);
    trimmed(&format!("{value:.behind$}")).to_owned()
}

/// Prints a NaN with its sign, and whether it is quiet.
#[must_use]
pub fn nan(negative: bool, quiet: bool) -> String {
    format!("{}{}NAN ", if negative { '-' } else { '+' }, if quiet { 'Q' } else { 'S' })
}

/// Prints a number that `mantissa` bits follow the sign and the exponent of, given as bits, when `value` is the same number.
pub(crate) fn of_bits(bits: u64, width: u32, mantissa: u32, value: f64) -> String {
    if value.is_nan() { nan(bits >> (width - 1) & 1 == 1, bits >> (mantissa - 1) & 1 == 1) } else { float(value) }
}

/// The value of a half-precision number.
pub(crate) fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let value = match exponent {
        0x1f if mantissa == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        0 => mantissa * 2f64.powi(-24),
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -value } else { value }
}

/// Turns Rust's exponent (`e9`, `e-5`) into C's (`e+09`, `e-05`).
fn scientific(text: &str) -> String {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Removes zeros at the end of the digits behind the point.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_as_nvdisasm_prints_them() {
        // Each text was printed by nvdisasm 13.5.37 for FADD's immediate.
        for (value, text) in [
            (1e5, "100000"),
            (100_000_000.0, "100000000"),
            (1e9, "1.00000000000000000000e+09"),
            (9_999_999_488.0, "9.99999897600000000000e+09"),
            (1e30, "1.00000001504746621988e+30"),
            (0.0001, "9.9999997473787516356e-05"),
            (1e-10, "1.00000001335143196e-10"),
            (1e-45, "1.4012984643248170709e-45"),
            (0.1, "0.10000000149011611938"),
            (123_456.79, "123456.7890625"),
            (-1.0, "-1"),
            (-0.0, "-0.0 "),
            (0.0, "0"),
            (f32::NEG_INFINITY, "-INF "),
        ] {
            assert_eq!(float(f64::from(value)), text);
        }
        assert_eq!((nan(false, true), nan(true, false)), ("+QNAN ".to_owned(), "-SNAN ".to_owned()));
    }

    #[test]
    fn halves_have_their_values() {
        assert_eq!((half(0x3c00), half(0xc000), half(1), half(0x7bff)), (1.0, -2.0, 2f64.powi(-24), 65504.0));
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan() && half(0x8000).is_sign_negative());
    }
}
