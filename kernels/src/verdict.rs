//! What is expected of a case: most are right on every machine. Some kernels are faulty on purpose, because finding the
//! fault is what they are for; then the fault is the expectation, and a clean run is the failure.

use serde::Serialize;
use sim::report::FindingKind;

/// What a case must show on the simulator and on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Verdict {
    /// The result is the reference's, and the simulator has nothing to say.
    Right,
    /// The result is wrong, the same on every machine, and no check can know that it is.
    Wrong {
        /// What is wrong with the kernel.
        why: &'static str,
    },
    /// The simulator finds this kind of fault and no other. What comes out depends on which thread comes first.
    Faulty {
        /// The kind of fault.
        finding: FindingKind,
        /// What is wrong with the kernel.
        why: &'static str,
    },
}

impl Verdict {
    /// Whether a machine's result is as expected.
    pub const fn allows(&self, right: bool) -> bool {
        match self {
            Self::Right => right,
            Self::Wrong { .. } => !right,
            Self::Faulty { .. } => true,
        }
    }

    /// Whether the simulator's findings are those expected.
    pub fn finds(&self, findings: impl IntoIterator<Item = FindingKind>) -> bool {
        let mut findings = findings.into_iter();
        match self {
            Self::Right | Self::Wrong { .. } => findings.next().is_none(),
            Self::Faulty { finding, .. } => findings.next() == Some(*finding) && findings.all(|kind| kind == *finding),
        }
    }

    /// Whether every machine must leave the same bytes behind.
    pub const fn is_determined(&self) -> bool {
        !matches!(self, Self::Faulty { .. })
    }

    /// The word for it in a table: `right`, or that the fault is there.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong { .. } => "wrong, as expected",
            Self::Faulty { .. } => "faulty, as expected",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_expected_and_nothing_else() {
        let race = Verdict::Faulty { finding: FindingKind::Race, why: "test" };
        assert!(race.finds([FindingKind::Race, FindingKind::Race]));
        assert!(!race.finds([]) && !race.finds([FindingKind::Race, FindingKind::Uninitialized]));
        assert!(race.allows(true) && race.allows(false) && !race.is_determined());
        let wrong = Verdict::Wrong { why: "test" };
        assert!(wrong.finds([]) && !wrong.finds([FindingKind::Race]) && wrong.is_determined());
        assert!(wrong.allows(false) && !wrong.allows(true));
        assert!(Verdict::Right.allows(true) && !Verdict::Right.allows(false));
        assert!(!Verdict::Right.finds([FindingKind::Race]));
    }
}
