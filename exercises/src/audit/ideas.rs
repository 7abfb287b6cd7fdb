//! Mutants of the idea: kernels with the right result that evade what an exercise teaches. They are made from the
//! exercise's own files, whatever it is about.
//!
//! - From the reference kernel: one thread, one lane of each warp or everybody does the work, for the whole input or for
//!   the share of a block or a warp (`whole`).
//! - From a solution: a block does the work of all, and, where warps or threads do not talk to each other, a warp or a
//!   thread does the work of many (`turns`).
//! - From a solution whose threads talk: they talk through slower memory, or lane by lane (`slower`).
//! - From a solution: it loads its input twice (`again`).
//!
//! A mutant that does not compile, whose result is wrong or in which the simulator finds a fault is no such kernel: then
//! the idea does not apply to the exercise, and the report says why.

mod again;
mod slower;
mod source;
mod turns;
mod whole;

use crate::course::Exercise;

/// A kernel that evades a lesson, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idea {
    /// A stable name.
    pub name: &'static str,
    /// How it evades the lesson.
    pub evades: &'static str,
    /// The whole source, or why the idea does not apply.
    pub text: Result<String, String>,
}

/// What ideas are made from.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// The exercise.
    pub exercise: &'a Exercise,
    /// Its solution's text.
    pub solution: &'a str,
    /// Its reference kernel's text.
    pub reference: &'a str,
    /// Most thread blocks of a case.
    pub blocks: u64,
    /// Most threads of a block.
    pub threads: u64,
    /// Most dynamic shared memory of a block, in bytes.
    pub shared: u64,
}

/// All ideas for an exercise, in a fixed order.
pub fn ideas(material: &Material<'_>) -> Vec<Idea> {
    let mut ideas = whole::ideas(material);
    ideas.extend(turns::ideas(material));
    ideas.extend(slower::ideas(material));
    ideas.extend(again::ideas(material));
    ideas
}
