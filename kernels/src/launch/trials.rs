//! The launches that are tried for a kernel, most likely first: blocks as the source launches them, then usual ones; numbers
//! that fit the grid, by what the parameters are called, then all alike, then small.

use sim::Dim3;

use super::element::Element;
use super::hints::Hint;
use super::signature::{Parameter, Signature};

/// Most launches that are tried for a kernel.
const MOST: usize = 44;

/// Most shapes of blocks that are tried for a kernel.
const MOST_BLOCKS: usize = 7;

/// Numbers up to this are taken as the source passes them: they are more often a width or a number of rounds than a size.
const SMALL: u64 = 64;

/// Largest number of the source's that is tried: simulating takes longer than running.
const LARGEST_PASSED: u64 = 1 << 14;

/// What buffers of whole numbers hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// Random numbers where they are only read, else zeros.
    Plain,
    /// Every element its index: what they address lies inside, and lists of beginnings ascend.
    Counted,
    /// Zeros.
    Zeros,
}

/// A launch to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    /// The arguments as text; none where a buffer belongs.
    pub(super) scalars: Vec<Option<String>>,
    pub(super) fill: Fill,
    /// Bytes of dynamic shared memory to try it with.
    pub(super) shared_room: u32,
    /// Whether numbers grow with the grid or come from the source, so that loops may be long.
    pub(super) large: bool,
}

/// How numbers are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// By the parameters' names and what launches of the source pass, where that is small.
    Named,
    /// By what launches of the source pass, then by the parameters' names.
    Passed,
    /// By the parameters' names, and no larger than this.
    Small(u64),
    /// All as large as the grid.
    Grid,
    /// All this.
    All(u64),
}

/// The trials for a kernel. `shapes` are constant shapes of the source that may be blocks of its launches.
pub(super) fn trials(signature: &Signature, ptx: &str, hints: &[&Hint], shapes: &[Dim3]) -> Vec<Trial> {
    let body = body(ptx, &signature.ptx_name);
    let uses = |register: &str| body.contains(register);
    let tall_block = uses("%tid.y") || uses("%ntid.y");
    let tall_grid = uses("%ctaid.y") || uses("%nctaid.y");
    let deep = uses("%tid.z") || uses("%ctaid.z");
    let fits = |block: &Dim3| signature.max_threads.is_none_or(|most| block.count() <= most);
    let mut blocks: Vec<Dim3> = Vec::new();
    if let Some(required) = signature.required_threads {
        blocks.push(required.into());
    } else {
        blocks.extend(hints.iter().filter_map(|hint| hint.block));
        blocks.extend(match (tall_block, deep) {
            (true, true) => vec![Dim3::new(8, 8, 4), Dim3::new(4, 4, 4), Dim3::new(16, 16, 1)],
            (true, false) => vec![Dim3::new(16, 16, 1), Dim3::new(32, 32, 1), Dim3::new(32, 8, 1), Dim3::new(8, 8, 1)],
            _ => [256, 32, 128, 64, 1024].map(Dim3::linear).to_vec(),
        });
        let tall = |shape: &&Dim3| (shape.y > 1) == tall_block || shape.z > 1 && deep;
        blocks.extend(shapes.iter().filter(tall));
    }
    blocks.retain(fits);
    if blocks.is_empty() {
        blocks.push(Dim3::linear(signature.max_threads.map_or(32, |most| most.clamp(1, 1024) as u32)));
    }
    let mut different: Vec<Dim3> = Vec::new();
    for block in blocks {
        if !different.contains(&block) {
            different.push(block);
        }
    }
    let blocks = &different[..different.len().min(MOST_BLOCKS)];
    let grid = match (tall_grid, deep) {
        (true, true) => Dim3::new(2, 2, 2),
        (true, false) => Dim3::new(2, 2, 1),
        _ => Dim3::linear(4),
    };
    let one = Dim3::linear(1);
    let first = blocks[0];
    let mut shapes: Vec<(Dim3, Dim3, Numbers, Fill)> = Vec::new();
    shapes.extend(blocks.iter().map(|&block| (grid, block, Numbers::Named, Fill::Plain)));
    shapes.push((one, first, Numbers::Named, Fill::Plain));
    if hints.iter().any(|hint| hint.values.iter().flatten().any(|&number| number > SMALL)) {
        shapes.push((grid, first, Numbers::Passed, Fill::Plain));
    }
    shapes.push((grid, first, Numbers::Small(64), Fill::Plain));
    shapes.push((grid, first, Numbers::Grid, Fill::Plain));
    shapes.push((grid, first, Numbers::Named, Fill::Counted));
    shapes.push((one, first, Numbers::Named, Fill::Counted));
    shapes.push((grid, first, Numbers::Named, Fill::Zeros));
    shapes.push((one, first, Numbers::Named, Fill::Zeros));
    shapes.extend(blocks.iter().skip(1).map(|&block| (one, block, Numbers::Named, Fill::Plain)));
    shapes.push((one, first, Numbers::Small(64), Fill::Plain));
    shapes.push((grid, first, Numbers::Small(16), Fill::Plain));
    shapes.push((one, first, Numbers::Small(16), Fill::Counted));
    for number in [16, 1, 4, 0] {
        shapes.push((grid, first, Numbers::All(number), Fill::Plain));
        shapes.push((one, first, Numbers::All(number), Fill::Counted));
    }
    shapes.extend(blocks.iter().skip(1).map(|&block| (one, block, Numbers::Grid, Fill::Counted)));
    let warp = if tall_block { Dim3::new(4, 4, 1) } else { Dim3::linear(32) };
    shapes.push((one, warp, Numbers::All(2), Fill::Zeros));
    shapes.push((one, one, Numbers::Named, Fill::Plain));
    shapes.push((one, one, Numbers::All(1), Fill::Zeros));
    shapes.truncate(MOST);
    let trial = |(grid, block, numbers, fill)| {
        let scalar = |(index, param)| scalar(param, index, (grid, block), numbers, hints);
        let scalars = signature.params.iter().enumerate().map(scalar).collect();
        let large = !matches!(numbers, Numbers::Small(_) | Numbers::All(_));
        Trial { grid, block, scalars, fill, shared_room: 32 << 10, large }
    };
    shapes.into_iter().filter(|(_, block, ..)| fits(block)).map(trial).collect()
}

/// The text of a kernel in the PTX, with all functions that are no kernels: it may call them.
fn body<'a>(ptx: &'a str, kernel: &str) -> std::borrow::Cow<'a, str> {
    let mut text = String::new();
    for part in ptx.split("\n}") {
        let is_entry = part.contains(".entry ");
        let is_it =
            || part.split(".entry ").nth(1).is_some_and(|rest| rest.split(['(', ' ', '\n']).next() == Some(kernel));
        if !is_entry || is_it() {
            text.push_str(part);
        }
    }
    text.into()
}

/// An argument that is no buffer.
fn scalar(
    param: &Parameter,
    index: usize,
    (grid, block): (Dim3, Dim3),
    numbers: Numbers,
    hints: &[&Hint],
) -> Option<String> {
    if param.pointer {
        return None;
    }
    let Some(element) = param.scalar else { return Some(format!("bytes:{}", "00".repeat(param.bytes as usize))) };
    if element.is_real() {
        return Some("1.0".to_owned());
    }
    if element == Element::Bool {
        return Some("true".to_owned());
    }
    let (x, y) = (u64::from(grid.x) * u64::from(block.x), u64::from(grid.y) * u64::from(block.y));
    let number = match numbers {
        Numbers::Grid => x,
        Numbers::All(number) => number,
        Numbers::Small(most) => named(&param.text, x.min(most), y.min(most)),
        Numbers::Named | Numbers::Passed => {
            let most = if numbers == Numbers::Named { SMALL } else { LARGEST_PASSED };
            let constant = hints.iter().find_map(|hint| hint.values.get(index).copied().flatten());
            constant.filter(|&number| number <= most).unwrap_or_else(|| named(&param.text, x, y))
        }
    };
    Some(if element.bytes() == 1 { number.min(100) } else { number }.to_string())
}

/// A number that fits what a parameter is called.
fn named(text: &str, x: u64, y: u64) -> u64 {
    let name = text.rsplit([' ', '*', '&']).next().unwrap_or_default().to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["offset", "start", "begin", "first", "shift", "rank", "device", "seed", "base", "axis"])
        || matches!(&*name, "id" | "idx" | "lo" | "low" | "left" | "min" | "bit" | "pass")
    {
        0
    } else if has(&["stride", "step", "radius", "iter", "pad", "level", "stage", "dilation", "repeat", "times"]) {
        1
    } else if y > 1 && (has(&["height", "row", "ny"]) || matches!(&*name, "h" | "m" | "rows")) {
        y
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_numbers_are_for() {
        assert_eq!(named("int n", 1024, 1), 1024);
        assert_eq!(named("size_t offset", 1024, 1), 0);
        assert_eq!(named("int stride", 1024, 1), 1);
        assert_eq!(named("int height", 64, 32), 32);
        assert_eq!(named("int width", 64, 32), 64);
    }
}
