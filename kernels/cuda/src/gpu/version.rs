//! PTX ISA versions and the drivers that know them.

use std::borrow::Cow;

/// CUDA version of a driver (as cuDriverGetVersion gives it: 1000 major + 10 minor) and the newest PTX ISA that it
/// knows. From the release history in NVIDIA's "PTX ISA", section "Release Notes".
const KNOWN: [(i32, &str); 19] = [
    (11_000, "7.0"),
    (11_010, "7.1"),
    (11_020, "7.2"),
    (11_030, "7.3"),
    (11_040, "7.4"),
    (11_050, "7.5"),
    (11_060, "7.6"),
    (11_070, "7.7"),
    (11_080, "7.8"),
    (12_000, "8.0"),
    (12_010, "8.1"),
    (12_020, "8.2"),
    (12_030, "8.3"),
    (12_040, "8.4"),
    (12_050, "8.5"),
    (12_070, "8.6"),
    (12_080, "8.7"),
    (12_090, "8.8"),
    (13_000, "9.0"),
];

/// The newest PTX ISA version that a driver is known to read. `None` for drivers older than CUDA 11.
pub(super) fn newest_for(driver: i32) -> Option<&'static str> {
    KNOWN.iter().rev().find(|(first, _)| *first <= driver).map(|(_, version)| *version)
}

/// The text with another `.version`, and the version that stood there. `None` when there is none.
pub(super) fn replace<'a>(ptx: &'a str, version: &str) -> Option<(Cow<'a, str>, &'a str)> {
    let mut at = 0;
    for line in ptx.split_inclusive('\n') {
        if let Some(rest) = line.trim_start().strip_prefix(".version") {
            let old = rest.trim();
            let start = at + line.find(old)?;
            let text = [&ptx[..start], version, &ptx[start + old.len()..]].concat();
            return (!old.is_empty()).then_some((text.into(), old));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_between_two_ptx_versions_know_the_older() {
        assert_eq!(newest_for(13_020), Some("9.0"));
        assert_eq!(newest_for(12_060), Some("8.5"));
        assert_eq!(newest_for(11_000), Some("7.0"));
        assert_eq!(newest_for(10_020), None);
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn only_the_version_is_replaced() {
        let ptx = "// .version 1.0\n.version 9.0\n.target sm_75\n// 9.0\n";
        let (text, old) = replace(ptx, "8.5").unwrap();
        assert_eq!((text.as_ref(), old), ("// .version 1.0\n.version 8.5\n.target sm_75\n// 9.0\n", "9.0"));
        assert!(replace(".target sm_75\n", "8.5").is_none());
        assert!(replace(".version\n", "8.5").is_none());
    }
}
