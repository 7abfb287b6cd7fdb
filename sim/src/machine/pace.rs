//! How far a machine goes for one who steps it.

/// How far a machine goes. Nobody asks it but observers that step ([`Observer::STEPS`](crate::event::Observer::STEPS)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Warp-instructions that may still be executed. Where there are none left, it stops before the next one.
    pub left: u64,
    /// It pauses before a warp's turn when no more than this many are left; `None`: it does not.
    pub pause: Option<u64>,
    /// Most of them that are executed before the observer is told again. The last one stands alone in any case.
    pub most: u64,
    /// Where it stopped: the warp, and the path of it that is next.
    pub halted: Option<(u32, usize)>,
}

impl Default for Pace {
    /// On and on.
    fn default() -> Self {
        Self { left: u64::MAX, pause: None, most: u64::MAX, halted: None }
    }
}

impl Pace {
    /// How many may be executed at once; `None` where none are left.
    pub(crate) fn stride(&self) -> Option<u64> {
        match self.left {
            0 => None,
            left => Some(self.most.min((left - 1).max(1))),
        }
    }
}
