//! Where a warp's instructions come from. A multiprocessor holds some code; what it does not hold comes line by line from a
//! cache that several multiprocessors share, and what is not there from L2. Code that goes straight on is fetched ahead, so
//! that a warp is not held up as long as its lines are near: the constants are those of straight code of 4 KiB to 256 KiB
//! (`straight` of `kernels/calibrate/calibrate.cu`).
//!
//! A launch finds the code that the launch of the same kernel before it left, as it does where its time is taken.

use std::collections::VecDeque;

use super::super::rates::Rates;

/// Instructions of 16 bytes in a line of 128 bytes.
const PER_LINE: u32 = 8;
/// No line.
pub(super) const NONE: u32 = u32::MAX;

/// Lines that are held, of which the one goes that was not asked for the longest.
#[derive(Debug, Clone)]
struct Cache {
    most: usize,
    /// When each line was asked for the last time; 0 for never, and for those that are not held.
    asked: Vec<u64>,
    order: VecDeque<(u64, u32)>,
    held: usize,
}

impl Cache {
    fn new(bytes: f64, lines: usize) -> Self {
        let most = if bytes.is_finite() { (bytes / 128.0) as usize } else { usize::MAX };
        Self { most: most.max(1), asked: vec![0; lines], order: VecDeque::new(), held: 0 }
    }

    /// Asks for a line at a time that no line was asked for before: whether it was held. Then it is.
    fn ask(&mut self, line: u32, now: u64) -> bool {
        let held = self.asked[line as usize] != 0;
        self.held += usize::from(!held);
        self.asked[line as usize] = now;
        self.order.push_back((now, line));
        while self.held > self.most {
            let Some((then, line)) = self.order.pop_front() else { break };
            // Who was asked for again stands further behind, too.
            if self.asked[line as usize] == then {
                self.asked[line as usize] = 0;
                self.held -= 1;
            }
        }
        held
    }
}

/// The instruction caches, as one multiprocessor sees them.
#[derive(Debug, Clone)]
pub(super) struct Fetch {
    near: Cache,
    shared: Cache,
    /// Clocks of a line that is not near: from the shared cache, from L2, and from memory.
    clocks: [f64; 3],
    /// The lines that are in L2, if no longer in the shared cache.
    brought: Vec<bool>,
    /// When each line is there.
    there: Vec<f64>,
    free: f64,
    now: u64,
    /// All of the code is held.
    fits: bool,
}

impl Fetch {
    /// Caches that hold what of so many instructions was executed last by a launch before.
    pub(super) fn new(instructions: usize, rates: &Rates) -> Self {
        let lines = instructions.div_ceil(PER_LINE as usize);
        let fits = lines as f64 * 128.0 <= rates.code_bytes;
        let mut fetch = Self {
            near: Cache::new(rates.code_bytes, lines),
            shared: Cache::new(rates.shared_code_bytes, lines),
            clocks: [rates.code_line, rates.far_code_line, rates.cold_code_line.max(rates.far_code_line)],
            brought: vec![false; lines],
            there: vec![0.0; lines],
            free: 0.0,
            now: 0,
            fits,
        };
        (0..lines as u32).filter(|_| !fits).for_each(|line| {
            fetch.now += 1;
            fetch.near.ask(line, fetch.now);
            fetch.shared.ask(line, fetch.now);
        });
        fetch
    }

    /// When a warp that has the line `last` has the instruction at `pc`, not before `time`.
    pub(super) fn fetch(&mut self, pc: u32, last: &mut u32, time: f64) -> f64 {
        let line = pc / PER_LINE;
        if self.fits || *last == line {
            return time;
        }
        // Of code that goes straight on, a line is asked for as soon as the one before is there.
        let next = *last != NONE && line == *last + 1;
        let asked = if next { self.there[*last as usize] } else { time };
        *last = line;
        self.now += 1;
        let near = self.near.ask(line, self.now);
        let shared = self.shared.ask(line, self.now);
        let brought = std::mem::replace(&mut self.brought[line as usize], true);
        if !near {
            let from = if shared { 0 } else { 1 + usize::from(!brought) };
            self.free = self.free.max(asked) + self.clocks[from];
            self.there[line as usize] = self.free;
        }
        time.max(self.there[line as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target;

    /// Clocks of a warp that goes straight through so many lines of code, twice.
    fn straight(lines: u32) -> f64 {
        let rates = Rates {
            code_bytes: 1024.0,
            code_line: 20.0,
            shared_code_bytes: 4096.0,
            far_code_line: 50.0,
            cold_code_line: 90.0,
            ..rates()
        };
        let mut fetch = Fetch::new((lines * PER_LINE) as usize, &rates);
        let mut last = NONE;
        let mut time = 0.0;
        for pc in (0..lines * PER_LINE).chain(0..lines * PER_LINE) {
            time = fetch.fetch(pc, &mut last, time) + 1.0;
        }
        time / f64::from(2 * lines)
    }

    fn rates() -> Rates {
        Rates::of(target::find("h200").expect("a target")).0
    }

    #[test]
    fn straight_code_takes_what_its_lines_take() {
        // Eight clocks to issue a line that is near; those that are not come while the ones before are issued.
        assert_eq!(straight(8), 8.0);
        assert!((straight(16) - 20.0).abs() < 1.0, "{}", straight(16));
        // Of what the shared cache does not hold the first time comes from memory.
        assert!((straight(64) - 70.0).abs() < 1.0, "{}", straight(64));
    }
}
