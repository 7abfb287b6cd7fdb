//! Figures that play: what launches do to arrays, one drawing and one sentence for each round.
//!
//! What is drawn is data of a run: which element was written by which thread from which elements. All
//! rounds are drawn in one layout, so that nothing but the elements and the lines between them changes.

use std::collections::{BTreeMap, BTreeSet};

use markup::Markup;
use markup::svg::Svg;
use played::{Array, Played, Round, Write};

/// Height of an element.
const HIGH: u32 = 24;
/// Room below an element for the number of the thread that writes it.
const BELOW: u32 = 16;
/// From row to row of an array that is read.
const PITCH: u32 = HIGH + 2;
/// Room for an array's name.
const NAME: u32 = 20;
/// Room for the lines from what is read to what is written.
const GAP: u32 = 48;
/// Columns of tables that lie beside each other, at most.
const BESIDE: usize = 20;
/// What is said of an array below it, where it is shown above, too.
const THREADS: &str = ", after; below it the threads";
/// Characters of a value, at most.
const LONGEST: usize = 6;
/// Elements that are named in a sentence, at most.
const NAMED: usize = 4;

/// A round as it is shown.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The drawing.
    pub drawing: Markup,
    /// What happens, in a sentence or a few.
    pub said: String,
}

/// Where the elements are drawn.
struct Layout {
    columns: usize,
    width: u32,
    /// The left edges of the arrays.
    left: Vec<u32>,
    /// They lie beside each other.
    beside: bool,
    /// The most that the arrays take that a round reads, and those that it writes.
    read: u32,
    written: u32,
}

/// The arrays of one drawing with their upper edges.
struct Bands {
    read: BTreeMap<usize, u32>,
    written: BTreeMap<usize, u32>,
}

/// The arrays that a round reads, and those that it writes. One that reads none is shown what it writes to, as it was.
fn sides(round: &Round) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let written: BTreeSet<usize> = round.writes.iter().map(|write| write.array).collect();
    let read: BTreeSet<usize> = round.writes.iter().flat_map(|write| &write.from).map(|&(array, _)| array).collect();
    (if read.is_empty() { written.clone() } else { read }, written)
}

impl Layout {
    fn new(played: &Played, columns: usize) -> Self {
        let texts = played.rounds.iter().flat_map(|round| round.after.iter().flatten());
        let texts = texts.chain(played.arrays.iter().flat_map(|array| &array.values));
        let longest = texts.map(|text| shortened(text).chars().count() as u32).max().unwrap_or(0);
        let width = (longest * 7 + 8).max(HIGH);
        let mut layout =
            Self { columns, width, left: vec![0; played.arrays.len()], beside: false, read: 0, written: 0 };
        let across = |array: &Array| array.values.len().min(columns) + 1;
        // Narrow tables have room beside each other, and lines between them do not cross other tables there.
        layout.beside = played.arrays.iter().all(|array| array.values.len() > columns)
            && played.arrays.iter().map(across).sum::<usize>() <= BESIDE;
        if layout.beside {
            let mut x = 0;
            for (left, array) in layout.left.iter_mut().zip(&played.arrays) {
                *left = x;
                x += across(array) as u32 * width;
            }
        }
        for round in &played.rounds {
            let (read, written) = sides(round);
            layout.read = layout.read.max(layout.tops(played, &read, 0, PITCH).1);
            layout.written = layout.written.max(layout.tops(played, &written, 0, HIGH + BELOW).1);
        }
        layout
    }

    /// What an array takes with its name.
    fn height(&self, played: &Played, array: usize, pitch: u32) -> u32 {
        NAME + played.arrays[array].values.len().div_ceil(self.columns) as u32 * pitch
    }

    /// The upper edges of arrays from `y` on, and where they end.
    fn tops(&self, played: &Played, arrays: &BTreeSet<usize>, y: u32, pitch: u32) -> (BTreeMap<usize, u32>, u32) {
        let (mut tops, mut end) = (BTreeMap::new(), y);
        for &array in arrays {
            let top = if self.beside { y } else { end };
            tops.insert(array, top);
            end = end.max(top + self.height(played, array, pitch));
        }
        (tops, end)
    }

    fn bands(&self, played: &Played, round: &Round) -> Bands {
        let (read, written) = sides(round);
        let written = self.tops(played, &written, self.read + GAP, HIGH + BELOW).0;
        Bands { read: self.tops(played, &read, 0, PITCH).0, written }
    }

    fn place(&self, array: usize, top: u32, pitch: u32, element: usize) -> (u32, u32) {
        let x = self.left[array] + (element % self.columns) as u32 * self.width;
        (x, top + (element / self.columns) as u32 * pitch)
    }
}

/// A value as far as it fits into an element.
fn shortened(value: &str) -> String {
    if value.chars().count() <= LONGEST {
        return value.to_owned();
    }
    value.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// The drawings: one of the beginning, and one for each round. Arrays are drawn in rows of so many elements.
pub fn frames(played: &Played, columns: usize) -> Vec<Frame> {
    let layout = Layout::new(played, columns.max(1));
    let start: Vec<Vec<String>> = played.arrays.iter().map(|array| array.values.clone()).collect();
    let mut before = &start;
    let said = "The beginning: nothing has been written yet.".to_owned();
    let mut frames = Vec::new();
    if let Some(first) = played.rounds.first() {
        let still = Round { writes: Vec::new(), after: start.clone(), ..first.clone() };
        frames
            .push(Frame { drawing: draw(played, &layout, &start, &still, &layout.bands(played, first), &said), said });
    }
    for (number, round) in (1..).zip(&played.rounds) {
        let said = sentence(played, number, round);
        let drawing = draw(played, &layout, before, round, &layout.bands(played, round), &said);
        frames.push(Frame { drawing, said });
        before = &round.after;
    }
    frames
}

fn draw(played: &Played, layout: &Layout, before: &[Vec<String>], round: &Round, bands: &Bands, title: &str) -> Markup {
    let name = |array: usize, when: &str| {
        let Array { name, values, from, .. } = &played.arrays[array];
        match values.len() {
            1 => format!("{name}{when}"),
            length => format!("{name}[{from}] to [{}]{when}", from + length as u64 - 1),
        }
    };
    // The longest name has its room, too: its letters are about 6 wide.
    let right = |(array, own): (usize, &Array)| {
        let cells = own.values.len().min(layout.columns) as u32 * layout.width;
        layout.left[array] + cells.max(name(array, THREADS).chars().count() as u32 * 6)
    };
    let mut svg = Svg::new(played.arrays.iter().enumerate().map(right).max().unwrap_or(1));
    let read: BTreeSet<(usize, usize)> = round.writes.iter().flat_map(|write| write.from.iter().copied()).collect();
    let mut threads: BTreeMap<(usize, usize), Vec<&Write>> = BTreeMap::new();
    for write in &round.writes {
        threads.entry((write.array, write.element)).or_default().push(write);
    }
    let source = |(array, element)| bands.read.get(&array).map(|&top| layout.place(array, top + NAME, PITCH, element));
    let target =
        |(array, element)| bands.written.get(&array).map(|&top| layout.place(array, top, HIGH + BELOW, element));
    // Lines lie below the elements that they join. Several threads may join the same two.
    let lines: BTreeSet<((usize, usize), (usize, usize))> = round
        .writes
        .iter()
        .flat_map(|write| write.from.iter().map(|&from| (from, (write.array, write.element))))
        .collect();
    for (from, to) in lines {
        let (Some((x, y)), Some((to_x, to_y))) = (source(from), target(to)) else { continue };
        let half = layout.width / 2;
        svg.line((x + half, y + HIGH), (to_x + half, to_y), "wb-svg-edge");
    }
    for (&array, &top) in &bands.read {
        let again = bands.written.contains_key(&array);
        svg.text(layout.left[array], top + NAME - 6, "wb-svg-small", &name(array, if again { ", before" } else { "" }));
        for (element, value) in before[array].iter().enumerate() {
            let (x, y) = layout.place(array, top + NAME, PITCH, element);
            let class = if read.contains(&(array, element)) { "wb-svg-cell" } else { "wb-svg-idle" };
            svg.cell(x, y, (layout.width, HIGH), class, &shortened(value));
        }
    }
    for (&array, &top) in &bands.written {
        let again = bands.read.contains_key(&array);
        for (element, value) in round.after[array].iter().enumerate() {
            let (x, y) = layout.place(array, top, HIGH + BELOW, element);
            let by = threads.get(&(array, element));
            let class = if by.is_some() { "wb-svg-on" } else { "wb-svg-idle" };
            svg.cell(x, y, (layout.width, HIGH), class, &shortened(value));
            let label = match by.map(Vec::as_slice) {
                None | Some([]) => continue,
                Some([one]) => one.thread.to_string(),
                Some(several) => format!("×{}", several.len()),
            };
            svg.text(x + layout.width / 2, y + HIGH + 12, "wb-svg-bank", &label);
        }
        let bottom = top + layout.height(played, array, HIGH + BELOW);
        let name = name(array, if again { THREADS } else { "; below it the threads" });
        svg.text(layout.left[array], bottom - 6, "wb-svg-small", &name);
    }
    svg.reach(layout.read + GAP + layout.written);
    svg.html(title, &described(played, &round.writes, &round.after))
}

/// What is drawn, in words.
fn described(played: &Played, writes: &[Write], after: &[Vec<String>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for write in writes.iter().take(32) {
        let target = element(played, (write.array, write.element));
        let value = &after[write.array][write.element];
        let from: Vec<String> = write.from.iter().take(NAMED).map(|&own| element(played, own)).collect();
        let from = if from.is_empty() { String::new() } else { format!(" from {}", from.join(", ")) };
        parts.push(format!("thread {} writes {target} = {value}{from}", write.thread));
    }
    if writes.len() > 32 {
        parts.push(format!("and {} more", writes.len() - 32));
    }
    parts.join("; ")
}

/// `temp[7]`.
fn element(played: &Played, (array, element): (usize, usize)) -> String {
    let Array { name, from, .. } = &played.arrays[array];
    format!("{name}[{}]", from + element as u64)
}

/// `1 thread`, `2 threads`.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// What happens in a round.
fn sentence(played: &Played, number: usize, round: &Round) -> String {
    let mut said = format!("Round {number} of {}.", played.rounds.len());
    let arrays: BTreeSet<usize> = round.writes.iter().map(|write| write.array).collect();
    for array in arrays {
        let writes: Vec<&Write> = round.writes.iter().filter(|write| write.array == array).collect();
        let threads: BTreeSet<(u64, u32)> = writes.iter().map(|write| (write.block, write.thread)).collect();
        let elements: BTreeSet<usize> = writes.iter().map(|write| write.element).collect();
        let name = &played.arrays[array].name;
        let who = count(threads.len(), "thread");
        let verb = match (writes.iter().all(|write| write.atomic), threads.len()) {
            (true, 1) => "updates",
            (true, _) => "update",
            (false, 1) => "writes",
            (false, _) => "write",
        };
        said += &format!(" {who} {verb} {} of {name}", count(elements.len(), "element"));
        said += if writes.iter().all(|write| write.atomic) { " by atomics." } else { "." };
        if elements.len() < writes.len() {
            let mut busy: BTreeMap<usize, usize> = BTreeMap::new();
            writes.iter().for_each(|write| *busy.entry(write.element).or_default() += 1);
            let most = busy.values().max().copied().unwrap_or(0);
            let which = if elements.len() == 1 { "It" } else { "The busiest of them" };
            said += &format!(" {which} is written {most} times.");
        }
        said += &origin(played, array, &writes);
    }
    let (accesses, wavefronts, ideal) = round.shared;
    if accesses > 0 {
        let wavefronts = count(wavefronts as usize, "wavefront");
        let rest = if round.shared.1 == ideal { String::new() } else { format!(", and {ideal} would be enough") };
        let takes = if accesses == 1 { "takes" } else { "take" };
        let accesses = if accesses == 1 { "access".to_owned() } else { "accesses".to_owned() };
        said += &format!(" {} {accesses} to shared memory {takes} {wavefronts}{rest}.", round.shared.0);
    }
    said
}

/// Where what is written comes from, as far as a few sentences can say it.
fn origin(played: &Played, array: usize, writes: &[&Write]) -> String {
    let with: Vec<&&Write> = writes.iter().filter(|write| !write.from.is_empty()).collect();
    if with.is_empty() {
        return String::new();
    }
    // How far away, array by array: a few such patterns can be told.
    let mut patterns: Vec<(Vec<(usize, i64)>, usize)> = Vec::new();
    for write in &with {
        let pattern: Vec<(usize, i64)> =
            write.from.iter().map(|&(from, element)| (from, write.element as i64 - element as i64)).collect();
        match patterns.iter_mut().find(|(known, _)| *known == pattern) {
            Some((_, count)) => *count += 1,
            None => patterns.push((pattern, 1)),
        }
    }
    if let [(pattern, _)] = &patterns[..] {
        let subject = if with.len() == 1 { "It comes" } else { "Each comes" };
        return format!(" {subject} from {}.", places(played, array, pattern));
    }
    if with.len() <= NAMED {
        let part = |write: &&&Write| {
            let from: Vec<String> = write.from.iter().map(|&own| element(played, own)).collect();
            format!("{} comes from {}", element(played, (array, write.element)), from.join(" and "))
        };
        return format!(" {}.", with.iter().map(part).collect::<Vec<_>>().join("; "));
    }
    if patterns.len() <= 3 {
        let part = |(pattern, count): &(Vec<(usize, i64)>, usize)| {
            let verb = if *count == 1 { "comes" } else { "come" };
            format!("{count} {verb} from {}", places(played, array, pattern))
        };
        return format!(" {}.", patterns.iter().map(part).collect::<Vec<_>>().join("; "));
    }
    let sources: BTreeSet<usize> = with.iter().flat_map(|write| &write.from).map(|&(from, _)| from).collect();
    if sources.len() == 1 && with.iter().all(|write| write.from.len() == 1) {
        let names = sources.iter().map(|&own| &*played.arrays[own].name);
        return format!(" Each comes from one element of {}.", names.collect::<String>());
    }
    String::new()
}

/// `itself and the element 4 places before it`.
fn places(played: &Played, array: usize, pattern: &[(usize, i64)]) -> String {
    let place = |&(from, distance): &(usize, i64)| {
        let far = count(distance.unsigned_abs() as usize, "place");
        let side = if distance > 0 { "before" } else { "behind" };
        let other = &played.arrays[from].name;
        match (from == array, distance) {
            (true, 0) => "itself".to_owned(),
            (true, _) => format!("the element {far} {side} it"),
            (false, 0) => format!("the same place of {other}"),
            (false, _) => format!("the place of {other} that is {far} {side} its own"),
        }
    };
    let mut parts: Vec<&(usize, i64)> = pattern.iter().collect();
    parts.sort_by_key(|&&(from, distance)| (from != array, distance != 0));
    parts.into_iter().map(place).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played() -> Played {
        let write = |element, thread, from: &[usize]| Write {
            array: 0,
            element,
            block: 0,
            thread,
            atomic: false,
            from: from.iter().map(|&from| (0, from)).collect(),
        };
        let text = |values: [u32; 4]| values.map(|value| value.to_string()).to_vec();
        let round = |writes, after, shared| Round {
            kernel: "k".to_owned(),
            launch: 0,
            writes,
            shared,
            after: vec![text(after)],
        };
        Played {
            arrays: vec![Array { name: "temp".to_owned(), shared: true, from: 0, values: text([3, 1, 7, 0]) }],
            rounds: vec![
                round(vec![write(1, 0, &[0, 1]), write(3, 1, &[2, 3])], [3, 4, 7, 7], (3, 6, 3)),
                round(vec![write(3, 0, &[1, 3])], [3, 4, 7, 11], (3, 3, 3)),
            ],
        }
    }

    #[test]
    fn a_round_is_told_from_what_was_written() {
        let frames = frames(&played(), 4);
        let said: Vec<&str> = frames.iter().map(|frame| &*frame.said).collect();
        assert_eq!(
            said,
            [
                "The beginning: nothing has been written yet.",
                "Round 1 of 2. 2 threads write 2 elements of temp. Each comes from itself and the element 1 place before it. \
                 3 accesses to shared memory take 6 wavefronts, and 3 would be enough.",
                "Round 2 of 2. 1 thread writes 1 element of temp. It comes from itself and the element 2 places before it. \
                 3 accesses to shared memory take 3 wavefronts.",
            ]
        );
    }

    #[test]
    fn all_rounds_have_one_size_and_a_line_for_every_source() {
        let frames = frames(&played(), 4);
        let size = |frame: &Frame| {
            frame.drawing.0.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned)
        };
        assert!(frames.iter().all(|frame| size(frame) == size(&frames[0]) && size(frame).is_some()));
        let lines: Vec<usize> = frames.iter().map(|frame| frame.drawing.0.matches("wb-svg-edge").count()).collect();
        assert_eq!(lines, [0, 4, 2]);
        assert!(frames[2].drawing.0.contains("thread 0 writes temp[3] = 11 from temp[1], temp[3]"));
    }
}
