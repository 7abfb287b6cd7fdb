//! How long ago a sector was touched, as L2 counts it: by what was asked for since. L2 drops what was touched least
//! recently. Blocks of an H200 that read a part of memory of their own, again and again, find all of it in L2 as long as all
//! parts together are at most 44 MB (1.2 MB of it come from memory), and nothing of it from 56 MB on (54.7 MB come); where all
//! blocks read the same, all of 28 MB and nothing of 36. What is stored takes a place as well.
//!
//! The two numbers differ because L2 has two sides. What is loaded from the other side is kept on both, which of what one
//! multiprocessor loads is a quarter, and of what all of them load all of it.

/// Touches that count as one moment.
const MOMENT: u32 = 256;
/// Copies that L2 keeps of what one, two, and more multiprocessors load: what it holds of that (62.9 MB) by what it was seen to.
const COPIES: [f64; 3] = [1.25, 1.5, 2.0];
/// Of what L2 holds: from where on a part is dropped, and from where on all.
const DROPPED: (f64, f64) = (0.9, 1.1);

/// What was touched, in order; each sector at its last touch.
#[derive(Debug, Default)]
pub(in super::super) struct Recency {
    /// Sectors by moment, as a binary indexed tree (Fenwick, A new data structure for cumulative frequency tables, 1994).
    tree: Vec<f64>,
    all: f64,
    touches: u32,
}

/// When a sector was touched last, and for how many it stands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in super::super) struct Last {
    moment: u32,
    weight: f32,
}

/// Sectors of L2 for which one of this multiprocessor stands, if `active` ones do alike and `shared` of them touch the same; of a
/// buffer of which it stands for `most` sectors at most.
pub(super) fn weight(active: f64, shared: f64, most: f64) -> f64 {
    let shared = shared.max(active / most).clamp(1.0, active.max(1.0));
    active / shared * copies(shared as usize)
}

/// Copies that L2 keeps of what so many multiprocessors load.
pub(in super::super) fn copies(shared: usize) -> f64 {
    COPIES[shared.clamp(1, COPIES.len()) - 1]
}

/// The part of what was touched so many sectors ago that L2 has dropped, if it holds `held` of them.
pub(in super::super) fn dropped(since: f64, held: f64) -> f64 {
    let (from, to) = DROPPED;
    ((since / held.max(1.0) - from) / (to - from)).clamp(0.0, 1.0)
}

impl Recency {
    /// A sector is touched that was touched before as `last` says: how it is from now on, and how many were touched since.
    pub(in super::super) fn touch(&mut self, last: Option<Last>, weight: f64) -> (Last, f64) {
        let since = last.map_or(0.0, |last| {
            let since = self.all - self.until(last.moment);
            self.add(last.moment, -f64::from(last.weight));
            since
        });
        let last = Last { moment: self.touches / MOMENT, weight: weight as f32 };
        self.touches += 1;
        self.add(last.moment, f64::from(last.weight));
        (last, since)
    }

    /// All that was touched.
    pub(in super::super) const fn all(&self) -> f64 {
        self.all
    }

    /// What was touched last up to a moment.
    fn until(&self, moment: u32) -> f64 {
        let mut at = moment as usize + 1;
        let mut sum = 0.0;
        while at > 0 {
            sum += self.tree[at - 1];
            at &= at - 1;
        }
        sum
    }

    fn add(&mut self, moment: u32, weight: f64) {
        while self.tree.len() <= moment as usize {
            // A new place has what the places below it have that it stands for.
            let at = self.tree.len() + 1;
            let below = at & (at - 1);
            let sum = if at > 1 { self.until(at as u32 - 2) } else { 0.0 };
            let before = if below > 0 { self.until(below as u32 - 1) } else { 0.0 };
            self.tree.push(sum - before);
        }
        self.all += weight;
        let mut at = moment as usize + 1;
        while at <= self.tree.len() {
            self.tree[at - 1] += weight;
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_touched_since_is_counted_once() {
        let mut recency = Recency::default();
        let mut last: Vec<Option<Last>> = vec![None; 4096];
        let mut touch = |recency: &mut Recency, sector: usize| {
            let (now, since) = recency.touch(last[sector], 2.0);
            last[sector] = Some(now);
            since
        };
        (0..4096).for_each(|sector| assert_eq!(touch(&mut recency, sector), 0.0));
        // A second and a third round: all others were touched since, whatever the rounds before.
        for sector in (0..4096).chain(0..4096) {
            let since = touch(&mut recency, sector);
            assert!((2.0 * 3500.0..=2.0 * 4096.0).contains(&since), "{sector}: {since}");
        }
        // What comes again at once.
        touch(&mut recency, 17);
        assert!(touch(&mut recency, 17) <= 2.0 * f64::from(MOMENT));
    }

    #[test]
    fn l2_drops_what_a_gpu_was_seen_to_drop() {
        // An H200 of 132 multiprocessors: what all parts of memory have, and how many blocks read the same.
        let held = 62.9e6 / 32.0;
        let dropped = |megabytes: f64, shared: f64| {
            let of_one = megabytes * 1e6 / 32.0 / (132.0 / shared);
            dropped(of_one * weight(132.0, shared, f64::INFINITY), held)
        };
        assert!(dropped(44.0, 1.0) < 0.1 && dropped(56.0, 1.0) > 0.9);
        assert!(dropped(36.0, 2.0) < 0.1 && dropped(48.0, 2.0) > 0.9);
        assert!(dropped(28.0, 132.0) < 0.1 && dropped(36.0, 132.0) > 0.9);
        // What one multiprocessor has touched of a third of a buffer the others have touched, too.
        assert_eq!(weight(132.0, 1.0, 3.0), 6.0);
    }
}
