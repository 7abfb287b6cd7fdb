//! Forms whose results on a GPU are known to differ from the simulator's, or that are not simulated.

/// The beginnings of their names, with the reason.
pub const KNOWN: &[(&str, &str)] = &[];

/// Why results of a probe may differ; `None` when they must not.
pub fn reason(probe: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(form, _)| probe.starts_with(form)).map(|&(_, why)| why)
}
