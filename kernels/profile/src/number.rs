//! Numbers as the page shows them.

/// A whole number with a comma behind every third digit from the right.
pub use markup::number as whole;

/// Microseconds, with as many digits as they deserve.
pub(crate) fn us(us: f64) -> String {
    match us {
        us if us >= 1000.0 => whole(us.round() as u64),
        us if us >= 100.0 => format!("{us:.0}"),
        us if us >= 10.0 => format!("{us:.1}"),
        us if us > 0.0 && us < 0.005 => "< 0.01".to_owned(),
        us => format!("{us:.2}"),
    }
}

/// A percentage with one digit behind the point; what is less than that is not called nothing.
pub(crate) fn percent(percent: f64) -> String {
    if percent > 0.0 && percent < 0.05 { "< 0.1 %".to_owned() } else { format!("{percent:.1} %") }
}

/// `part` of `all` in percent; 0 of nothing.
#[allow(clippy::cast_precision_loss, reason = "a percentage")]
pub(crate) fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 * 100.0 }
}

/// `value` for each of `each`, with two digits behind the point; `None` of nothing.
#[allow(clippy::cast_precision_loss, reason = "a quotient for people")]
pub(crate) fn quotient(value: Option<u64>, each: Option<u64>) -> Option<String> {
    let (value, each) = (value?, each.filter(|each| *each > 0)?);
    Some(format!("{:.2}", value as f64 / each as f64))
}

/// Three extents: `(4,1,1)`, and how many that are.
pub(crate) fn extents([x, y, z]: [u32; 3]) -> String {
    let all = u64::from(x) * u64::from(y) * u64::from(z);
    if y == 1 && z == 1 { whole(all) } else { format!("{} ({x} × {y} × {z})", whole(all)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_digits() {
        let texts: Vec<String> = [0, 999, 1000, 1_234_567, 12_345].into_iter().map(whole).collect();
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567", "12,345"]);
        assert_eq!(
            (us(1.234), us(12.34), us(123.4), us(1234.5)),
            ("1.23".into(), "12.3".into(), "123".into(), "1,235".into())
        );
        assert_eq!((us(0.0), us(0.001), percent(0.04)), ("0.00".into(), "< 0.01".into(), "< 0.1 %".into()));
        assert_eq!((quotient(Some(9), Some(2)).as_deref(), quotient(Some(1), Some(0))), (Some("4.50"), None));
        assert_eq!((extents([4, 1, 1]), extents([4, 2, 1])), ("4".into(), "8 (4 × 2 × 1)".into()));
    }
}
