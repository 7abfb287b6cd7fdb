//! Where a number comes from, and the mark that says so beside it.

use maud::{Markup, html};
use sim::Report;

/// Where a number on the page comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A counter that the hardware has, too; that both are equal is tested.
    Exact,
    /// A counter of a GPU or of code for which that was not tested.
    Documented,
    /// It was given with the launch.
    Given,
    /// It follows from what is given by the documented limits of the GPU.
    Computed,
    /// It comes from the model of time.
    Predicted,
    /// It is a count that only the simulator has.
    Estimated,
    /// A GPU gave it.
    Measured,
    /// The simulator does not know it.
    NotModelled,
}

impl Origin {
    /// All, in the order of the legend.
    pub const ALL: [Self; 8] = [
        Self::Exact,
        Self::Documented,
        Self::Measured,
        Self::Predicted,
        Self::Estimated,
        Self::Computed,
        Self::Given,
        Self::NotModelled,
    ];

    /// The mark's text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Documented => "by document",
            Self::Given => "given",
            Self::Computed => "computed",
            Self::Predicted => "predicted",
            Self::Estimated => "estimated",
            Self::Measured => "measured",
            Self::NotModelled => "not modelled",
        }
    }

    /// The mark's class.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Documented => "documented",
            Self::Given => "given",
            Self::Computed => "computed",
            Self::Predicted => "predicted",
            Self::Estimated => "estimated",
            Self::Measured => "measured",
            Self::NotModelled => "absent",
        }
    }

    /// What the mark means, as a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Exact => {
                "A counter that the GPU has under the same name. Tests hold it against recorded counts of a GPU, and demand \
                 equality."
            }
            Self::Documented => {
                "A counter by the rules of NVIDIA's documents. It was not compared with a GPU of this kind, or not with \
                 what a compiler makes of this code."
            }
            Self::Given => "It was given with the launch.",
            Self::Computed => {
                "It follows from the launch by the limits of the GPU that NVIDIA documents, as in the occupancy calculator."
            }
            Self::Predicted => {
                "It comes from the model of time. The range of a time holds nine of ten launches that were measured."
            }
            Self::Estimated => {
                "A count that only the simulator has: what accesses would cost in the ideal case, for example. No counter \
                 of a GPU tells it."
            }
            Self::Measured => "A real GPU gave it.",
            Self::NotModelled => "The simulator does not know it, and the page has no number for it.",
        }
    }

    /// That of a report's counters.
    pub fn of_counters(report: &Report) -> Self {
        let measured = sim::target::find(&report.target).is_some_and(|target| target.measured);
        if measured && report.versions.lowering != "none" { Self::Exact } else { Self::Documented }
    }
}

/// The mark of a number.
pub(crate) fn mark(origin: Origin) -> Markup {
    html! { span class={ "mark " (origin.class()) } title=(origin.meaning()) { (origin.name()) } }
}
