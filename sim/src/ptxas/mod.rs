//! What a compiler of machine code does to counters: the passes between PTX and what a GPU counts.
//!
//! `Codegen` is a compiler. There are two: `Plain` counts the PTX instructions as they stand, `Sm90` what ptxas makes
//! of them for compute capability 9.0. The simulator executes the same either way.

#![deny(clippy::wildcard_enum_match_arm)]

mod access_vectorisation;
mod aggregated_atomics;
mod alignment;
mod barrier_setup;
pub(crate) mod code_sinking;
pub(crate) mod dead_code;
mod float_instructions;
mod fma_contraction;
mod load_narrowing;
mod modifier_folding;
mod predicated_arithmetic;
mod uniformity;

use std::ops::Deref;

use serde::Deserialize;

use crate::ir::Program;
use crate::ir::arithmetic::Arithmetic;
use code_sinking::Place;

/// Which compiler's instructions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Lowering {
    /// What the simulated target's file says; where no target is given, as for the default target.
    #[default]
    #[serde(skip)]
    OfTarget,
    /// What ptxas makes of the PTX for compute capability 9.0.
    #[serde(rename = "sm_90")]
    Sm90,
    /// The PTX instructions as they stand.
    #[serde(rename = "none")]
    None,
}

impl Lowering {
    /// The name in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OfTarget => "of the target",
            Self::Sm90 => "sm_90",
            Self::None => "none",
        }
    }

    /// The compiler that this names. Where no target says which, nothing is compiled.
    pub(crate) fn codegen(self) -> &'static dyn Codegen {
        match self {
            Self::Sm90 => &Sm90,
            Self::OfTarget | Self::None => &Plain,
        }
    }
}

/// The floating-point instructions that a compiler makes of one instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emitted {
    /// How many, by kind.
    pub arithmetic: Arithmetic,
    /// How many lanes execute them.
    pub place: Place,
    /// The votes that all lanes execute which execute the instruction.
    pub votes: u8,
}

/// A program of which is known what a GPU counts. It can be read as the [`Program`] that it is.
#[derive(Debug, Clone)]
pub struct Counted {
    program: Program,
    emitted: Vec<Emitted>,
}

impl Counted {
    /// The floating-point instructions that the one at a position becomes.
    pub fn emitted(&self, pc: usize) -> Emitted {
        self.emitted[pc]
    }

    /// For the passes that prepare it: they neither add instructions nor take any away.
    pub(crate) fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }
}

impl Deref for Counted {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

/// A compiler of machine code, as far as counters show it.
pub(crate) trait Codegen {
    /// Changes a program as the compiler does, and finds out what is counted of it.
    fn compile(&self, program: Program) -> Counted;
}

/// Every PTX instruction is counted as it stands.
#[derive(Debug)]
struct Plain;

impl Codegen for Plain {
    fn compile(&self, program: Program) -> Counted {
        let emitted = float_instructions::as_written(&program);
        Counted { program, emitted }
    }
}

/// ptxas 13.0 for compute capability 9.0.
#[derive(Debug)]
struct Sm90;

impl Codegen for Sm90 {
    fn compile(&self, mut program: Program) -> Counted {
        // What nobody needs is not counted; what follows looks at the rest.
        dead_code::run(&mut program);
        // Of an element, the half is loaded that is used.
        load_narrowing::run(&mut program);
        // Products and sums become fused operations.
        fma_contraction::run(&mut program);
        // One lane works for all, loops of compare-and-swap, increments, reductions.
        aggregated_atomics::run(&mut program);
        // Adjacent accesses to shared memory become wide ones.
        access_vectorisation::run(&mut program);
        // The floating-point instructions that each instruction becomes, where, and for which lanes.
        let mut emitted = float_instructions::run(&mut program);
        // Votes of the warp on whether any lane sets up a barrier.
        barrier_setup::run(&program, &mut emitted);
        Counted { program, emitted }
    }
}
