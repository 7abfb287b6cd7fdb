//! What a kernel prints: kept in the order of thread blocks, up to a bound.

/// Most bytes that are kept. CUDA's own buffer has as many (`cudaLimitPrintfFifoSize`, 1 MiB), and overwrites the oldest
/// when it is full; here the first are kept.
const MOST: usize = 1 << 20;

/// The calls of `printf` so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    text: Vec<u8>,
    /// Where each call's text ends.
    ends: Vec<u32>,
    /// Calls that came when there was no room.
    lost: u64,
}

impl Printed {
    /// Nothing more is kept.
    pub(crate) fn is_full(&self) -> bool {
        self.lost > 0
    }

    /// Adds the text of one call.
    pub(crate) fn add(&mut self, text: &[u8]) {
        // What comes behind a call that was lost is lost too: what is kept has no gaps.
        if self.lost > 0 || self.text.len() + text.len() > MOST || self.ends.len() >= MOST {
            self.lost += 1;
            return;
        }
        self.text.extend_from_slice(text);
        self.ends.push(self.text.len() as u32);
    }

    /// Counts a call whose text nobody will see.
    pub(crate) fn add_lost(&mut self) {
        self.lost += 1;
    }

    /// Adds what blocks printed that come later.
    pub(crate) fn merge(&mut self, later: &Self) {
        let mut start = 0;
        for &end in &later.ends {
            self.add(&later.text[start..end as usize]);
            start = end as usize;
        }
        self.lost += later.lost;
    }

    /// The text that was kept, the calls of `printf`, and those whose text was not kept.
    pub(crate) fn told(&self) -> (String, u64, u64) {
        let calls = self.ends.len() as u64 + self.lost;
        (String::from_utf8_lossy(&self.text).into_owned(), calls, self.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_megabyte_is_kept_however_it_was_gathered() {
        let calls: Vec<String> = (0..60_000).map(|number| format!("call {number} of many that print\n")).collect();
        let gather = |size: usize| {
            let mut all = Printed::default();
            for group in calls.chunks(size) {
                let mut part = Printed::default();
                group.iter().for_each(|call| part.add(call.as_bytes()));
                all.merge(&part);
            }
            all
        };
        let all = gather(calls.len());
        assert!(all.lost > 0 && all.text.len() <= MOST && all.text.ends_with(b"\n"));
        assert_eq!(all, gather(7));
        assert_eq!(all, gather(59_999));
        assert_eq!(all.told().1, 60_000);
    }
}
