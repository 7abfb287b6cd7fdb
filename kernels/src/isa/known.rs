//! Forms whose results on a GPU are known to differ from the simulator's, or that are not simulated.

/// The beginnings of their names, with the reason.
pub const KNOWN: &[(&str, &str)] = &[
    ("vadd.", SCALAR_VIDEO),
    ("vsub.", SCALAR_VIDEO),
    ("vabsdiff.", SCALAR_VIDEO),
    ("vmin.", SCALAR_VIDEO),
    ("vmax.", SCALAR_VIDEO),
    ("vshl.", SCALAR_VIDEO),
    ("vshr.", SCALAR_VIDEO),
    ("vmad.", SCALAR_VIDEO),
    ("vset.", SCALAR_VIDEO),
    ("cp.reduce.", UNSUPPORTED),
];
const SCALAR_VIDEO: &str = "no GPU of today has them: compilers replace them by other instructions, which keep fewer bits of \
                            sums and products than the manual says before they saturate or compare";
const UNSUPPORTED: &str = "not simulated";

/// Why results of a probe may differ; `None` when they must not.
pub fn reason(probe: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(form, _)| probe.starts_with(form)).map(|&(_, why)| why)
}
