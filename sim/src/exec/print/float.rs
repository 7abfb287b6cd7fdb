//! Floating-point numbers in the notations of `printf`.

/// `%f` of a value that is not negative; `point`: also without digits behind it.
pub(super) fn fixed(value: f64, precision: usize, point: bool) -> String {
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{dot}")
}

/// `%e`.
pub(super) fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mantissa, exponent) = parts(value, precision);
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{mantissa}{dot}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

/// Mantissa with `precision` digits behind the point, and exponent.
fn parts(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// `%g`; `keep_zeros`: also those at the end.
pub(super) fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let (_, exponent) = parts(value, precision - 1);
    let strip = |digits: String| {
        if keep_zeros || !digits.contains('.') {
            return digits;
        }
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if exponent >= -4 && exponent < precision as i32 {
        return strip(fixed(value, (precision as i32 - 1 - exponent) as usize, keep_zeros));
    }
    let text = exponential(value, precision - 1, keep_zeros);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    format!("{}e{exponent}", strip(mantissa.to_owned()))
}

/// `%a`.
pub(super) fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    let bits = value.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut digits = bits & ((1 << 52) - 1);
    let mut whole = 1;
    if bits >> 52 == 0 {
        whole = 0;
        exponent = if digits == 0 { 0 } else { -1022 };
    }
    let mut shown = 13;
    if let Some(precision) = precision.filter(|&precision| precision < 13) {
        // To the nearest, ties to even.
        let dropped = 4 * (13 - precision) as u32;
        let all = (whole << 52) | digits;
        let (kept, rest, half) = (all >> dropped, all & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        let kept = kept + u64::from(rest > half || rest == half && kept & 1 != 0);
        (whole, digits) = (kept >> (4 * precision), kept & ((1 << (4 * precision)) - 1));
        shown = precision;
    }
    let mut fraction = if shown == 0 { String::new() } else { format!("{digits:0shown$x}") };
    match precision {
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
        Some(precision) => fraction += &"0".repeat(precision.saturating_sub(13)),
    }
    let dot = if point || !fraction.is_empty() { "." } else { "" };
    format!("0x{whole}{dot}{fraction}p{exponent:+}")
}
