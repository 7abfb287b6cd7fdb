//! Steps over and out of inlined functions: the code's places tell which calls it was inlined in.

use sim::session::{Direction, Place};

use super::Model;

/// The lines of a place, from the kernel's own to that of the innermost function.
fn frames(place: &Place) -> Vec<(&str, u32)> {
    let callers = place.inlined_in.iter().rev().map(|caller| (&*caller.file, caller.line));
    callers.chain([(&*place.file, place.line)]).collect()
}

impl Model {
    /// Positions before the steps of the warp that one looks at: from the position on, or before it, the nearest first.
    fn own_steps(&self, direction: Direction) -> Box<dyn Iterator<Item = (u64, &Place)> + '_> {
        let look = self.look;
        let own = move |at: u64| {
            let step = self.step_at(at).filter(|step| (step.block, step.warp) == look)?;
            Some((at, self.place(step)))
        };
        match direction {
            Direction::Forward => Box::new((self.position()..self.length()).filter_map(own)),
            Direction::Back => Box::new((0..self.position()).rev().filter_map(own)),
        }
    }

    /// Goes to where the warp is about to execute another line of the function that it is in, or of a function that called
    /// it; what is inlined into the line is passed over. Back: to the beginning of the line, or of the one before.
    pub fn over(&mut self, direction: Direction) -> bool {
        let to = match direction {
            Direction::Forward => self.over_forward(),
            Direction::Back => self.over_back(),
        };
        to.inspect(|&to| self.seek(to)).is_some()
    }

    fn over_forward(&self) -> Option<u64> {
        let mut steps = self.own_steps(Direction::Forward);
        let (mut last, place) = steps.next()?;
        let here = frames(place);
        for (at, place) in steps {
            if frames(place).get(..here.len()) != Some(&here[..]) {
                return Some(at);
            }
            last = at;
        }
        Some(last + 1)
    }

    fn over_back(&self) -> Option<u64> {
        let mut steps = self.own_steps(Direction::Back);
        let (mut first, place) = steps.next()?;
        let mut here = frames(place);
        // Going back into an inlined function means to go over it: its line in the function that one is in.
        let now = self.own_steps(Direction::Forward).next().map_or(1, |(_, place)| frames(place).len());
        here.truncate(now);
        for (at, place) in steps {
            if frames(place).get(..here.len()) != Some(&here[..]) {
                break;
            }
            first = at;
        }
        Some(first)
    }

    /// Goes to where the warp has left the function that is inlined here; from the kernel itself, to behind its last step.
    pub fn out(&mut self) -> bool {
        let to = self.outside();
        to.inspect(|&to| self.seek(to)).is_some()
    }

    fn outside(&self) -> Option<u64> {
        let mut steps = self.own_steps(Direction::Forward);
        let (mut last, place) = steps.next()?;
        let mut callers = frames(place);
        callers.pop();
        for (at, place) in steps {
            let other = frames(place);
            if other.len() <= callers.len() || other[..callers.len()] != callers[..] {
                return Some(at);
            }
            last = at;
        }
        Some(last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_line_comes_first() {
        let listed = |line| sim::session::Listed { file: "k.cu".to_owned(), line };
        let place = Place {
            file: "inner.cuh".to_owned(),
            line: 3,
            inlined_in: vec![listed(20), listed(90)],
            ptx_line: 1,
            text: String::new(),
        };
        assert_eq!(frames(&place), [("k.cu", 90), ("k.cu", 20), ("inner.cuh", 3)]);
    }
}
