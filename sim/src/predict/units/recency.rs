//! How long ago a line was touched, as L2 counts it: by what was asked for since. L2 drops what was touched least
//! recently. Blocks of an H200 that read a part of memory of their own, again and again, find all of it in L2 as long as all
//! parts together are at most 44 MB (1.2 MB of it come from memory), and nothing of it from 56 MB on (54.7 MB come); where all
//! blocks read the same, all of 28 MB and nothing of 36. What is stored takes a place as well.
//!
//! The two numbers differ because L2 has two sides. What is loaded from the other side is kept on both, which of what one
//! multiprocessor loads is a quarter, and of what all of them load all of it.
//!
//! L2 has places for lines, of which it brings the pairs of sectors that are asked for. So what is alone in its line takes the place of
//! four sectors, and all of a line is dropped together: blocks of an H200 that read one, two and four sectors of each line of a part of
//! their own find all of it again if the lines have 40 MB, a tenth of it comes from memory with 48, and nearly all with 64.

/// Touches that count as one moment.
const MOMENT: u32 = 256;
/// Copies that L2 keeps of what one, two, and more multiprocessors load: what it holds of that (62.9 MB) by what it was seen to.
const COPIES: [f64; 3] = [1.25, 1.5, 2.0];
/// Of what L2 holds: from where on a part is dropped, and from where on all.
const DROPPED: (f64, f64) = (0.9, 1.1);

/// Sectors of a line.
pub(in super::super) const LINE: u64 = 4;
/// Added to [`Line::lost`] where all of a line is dropped.
const ALL: f64 = 64.0;

/// What was touched, in order; each line at its last touch.
#[derive(Debug, Default)]
pub(in super::super) struct Recency {
    /// Places of sectors by moment, as a binary indexed tree (Fenwick, A new data structure for cumulative frequency tables, 1994).
    tree: Vec<f64>,
    all: f64,
    touches: u32,
}

/// When a line was touched last, and for how many places of sectors it stands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Last {
    moment: u32,
    weight: f32,
}

/// A line of L2.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in super::super) struct Line {
    last: Option<Last>,
    /// The part that was dropped from the first touch on, as the logarithm of what stayed: the difference of two times tells what was
    /// dropped in between.
    lost: f64,
}

impl Line {
    /// All of it that was dropped so far, to be told to [`Self::dropped_since`] later.
    pub(in super::super) const fn mark(&self) -> f64 {
        self.lost
    }

    /// The part that was dropped since a mark.
    pub(in super::super) fn dropped_since(&self, mark: f64) -> f64 {
        1.0 - libm::exp(mark - self.lost)
    }
}

/// Lines of L2 for which one of this multiprocessor stands, if `active` ones do alike and `shared` of them touch the same; of a
/// buffer of which it stands for `most` lines at most.
pub(super) fn weight(active: f64, shared: f64, most: f64) -> f64 {
    let shared = shared.max(active / most).clamp(1.0, active.max(1.0));
    active / shared * copies(shared as usize)
}

/// Copies that L2 keeps of what so many multiprocessors load.
fn copies(shared: usize) -> f64 {
    COPIES[shared.clamp(1, COPIES.len()) - 1]
}

/// The part of what was touched so many sectors ago that L2 has dropped, if it holds `held` of them.
fn dropped(since: f64, held: f64) -> f64 {
    let (from, to) = DROPPED;
    ((since / held.max(1.0) - from) / (to - from)).clamp(0.0, 1.0)
}

impl Recency {
    /// A line is touched that stands for so many places of sectors from now on, in an L2 that holds so many sectors.
    pub(in super::super) fn touch(&mut self, line: &mut Line, held: f64, weight: f64) {
        let since = line.last.map_or(0.0, |last| {
            let since = self.all - self.until(last.moment);
            self.add(last.moment, -f64::from(last.weight));
            since
        });
        let dropped = dropped(since, held);
        line.lost += if dropped < 1.0 { -libm::log(1.0 - dropped) } else { ALL };
        let last = Last { moment: self.touches / MOMENT, weight: weight as f32 };
        self.touches += 1;
        self.add(last.moment, f64::from(last.weight));
        line.last = Some(last);
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

    /// The part of a line that is dropped until it is touched again.
    fn again(recency: &mut Recency, line: &mut Line, held: f64) -> f64 {
        let mark = line.mark();
        recency.touch(line, held, 2.0);
        line.dropped_since(mark)
    }

    #[test]
    fn what_was_touched_since_is_counted_once() {
        let mut recency = Recency::default();
        let mut lines = vec![Line::default(); 4096];
        // All others were touched since, whatever the rounds before, and there is place for most of them or for few.
        for (held, part) in [(2.0 * 4096.0 * 1.3, 0.0), (2.0 * 4096.0 * 0.8, 1.0)] {
            lines.iter_mut().for_each(|line| recency.touch(line, 1e9, 2.0));
            for line in &mut lines {
                assert!((again(&mut recency, line, held) - part).abs() < 1e-9);
            }
        }
        // What comes again at once.
        recency.touch(&mut lines[17], 1e9, 2.0);
        assert_eq!(again(&mut recency, &mut lines[17], 3.0 * f64::from(MOMENT)), 0.0);
    }

    #[test]
    fn a_line_tells_what_was_dropped_between_two_times() {
        let (mut recency, mut lines) = (Recency::default(), vec![Line::default(); 16384]);
        let round = |recency: &mut Recency, lines: &mut [Line], held: f64| {
            lines.iter_mut().for_each(|line| recency.touch(line, held, 1.0));
        };
        round(&mut recency, &mut lines, 1e9);
        let mark = lines[0].mark();
        round(&mut recency, &mut lines, 1e9);
        assert_eq!(lines[0].dropped_since(mark), 0.0);
        // Half of it, twice.
        for part in [0.5, 0.75] {
            round(&mut recency, &mut lines, 16384.0);
            assert!((lines[0].dropped_since(mark) - part).abs() < 0.1, "{}", lines[0].dropped_since(mark));
        }
        round(&mut recency, &mut lines, 100.0);
        assert!(lines[0].dropped_since(mark) > 0.999 && lines[0].dropped_since(lines[0].mark()) == 0.0);
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
