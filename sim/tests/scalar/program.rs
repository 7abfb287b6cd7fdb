//! Random programs that many threads run together without a race.

use arbitrary::{Result, Unstructured};

use super::forms::{Class, FORMS, Form};

/// Words of the read-only table in global memory (a power of two).
pub(crate) const TABLE_WORDS: usize = 256;
/// Words of each thread's local array.
pub(crate) const LOCAL_WORDS: usize = 8;
/// Words of the array that each kind of reduction has, in shared and in global memory.
pub(crate) const SUM_WORDS: usize = 16;
/// The reductions, each with an array of its own, so that their order does not matter.
pub(crate) const REDUCTIONS: [&str; 6] = ["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"];
/// Device functions of a program.
pub(crate) const FUNCTIONS: usize = 2;

/// What one thread does on its own.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// `[@guard] form to, from…`.
    Compute { form: usize, to: usize, from: [usize; 4], guard: Option<(usize, bool)> },
    /// `mov to, value`.
    Constant { to: usize, value: u32 },
    /// `if (p) … else …`.
    If { test: usize, then: Vec<Step>, otherwise: Vec<Step> },
    /// The body `least + (r[extra] & 3)` times; left before step `leave` of the body when `test` holds.
    Loop { extra: usize, least: u32, test: usize, leave: usize, body: Vec<Step> },
    /// Loads `words` words (1, 2 or 4) of the table at an index from a register into `r[to]` and those behind it.
    Table { index: usize, words: usize, to: usize },
    /// A byte of the table, sign-extended.
    Byte { index: usize, to: usize },
    /// Writes the local array at `r[index]`.
    StoreLocal { index: usize, from: usize },
    /// Reads the local array.
    LoadLocal { index: usize, to: usize },
    /// `r[to] = f(r[a], r[b])`.
    Call { function: usize, to: usize, a: usize, b: usize },
    /// Adds `r[from]` into word `r[index]` of the array of a reduction.
    Reduce { shared: bool, kind: usize, index: usize, from: usize },
}

/// What all threads do together.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// Each thread on its own.
    Alone(Vec<Step>),
    /// Each thread leaves a value in shared memory, `words` words (1, 2 or 4) every `stride * words` words, and picks up another thread's.
    Exchange { from: usize, to: usize, words: usize, stride: usize, partner: Partner },
    /// `shfl.sync` with a mode, a lane operand and the operand of clamp and segments.
    Shuffle { mode: usize, from: usize, to: usize, lane: u32, clamp: u32, valid: usize },
    /// A vote, a match or a reduction of the warp, or of its lanes whose predicate `only` holds.
    Warp { what: Together, from: usize, to: usize, test: usize, only: Option<usize> },
    /// `barrier.red`: how many threads of the block have the predicate, or whether all or any have it.
    BarrierReduce { kind: usize, test: usize, to: usize },
}

/// Whose value a thread picks up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Partner {
    /// `(tid + delta) mod n`.
    Rotated(u32),
    /// `n - 1 - tid`.
    Reversed,
    /// `tid ^ mask`, or the thread itself where there is no such thread.
    Crossed(u32),
}

/// An operation of a warp.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Together {
    /// `vote.sync.ballot`, or `any`, `all`, `uni`.
    Vote(usize),
    /// `match.any.sync.b32`.
    MatchAny,
    /// `match.all.sync.b32`.
    MatchAll,
    /// `redux.sync` with one of eight operations.
    Redux(usize),
}

/// A kernel with its launch.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Thread blocks, linear.
    pub(crate) blocks: u32,
    /// Extents of a thread block.
    pub(crate) block: [u32; 3],
    /// Bodies of the device functions, which compute with registers of their own.
    pub(crate) functions: Vec<Vec<Step>>,
    /// The kernel.
    pub(crate) stages: Vec<Stage>,
}

impl Program {
    /// Threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// A program from a fuzzer's bytes; any bytes make one.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut input = Unstructured::new(bytes);
        Self::draw(&mut input).unwrap_or(Self {
            blocks: 1,
            block: [1, 1, 1],
            functions: vec![vec![]; 2],
            stages: vec![],
        })
    }

    fn draw(input: &mut Unstructured<'_>) -> Result<Self> {
        let blocks = input.int_in_range(1..=3)?;
        // Whole warps half of the time, because shuffles need them.
        let block = if input.arbitrary()? {
            *input.choose(&[[32, 1, 1], [64, 1, 1], [8, 4, 2], [16, 2, 3], [128, 1, 1]])?
        } else {
            [input.int_in_range(1..=40)?, input.int_in_range(1..=2)?, input.int_in_range(1..=2)?]
        };
        let mut functions = Vec::new();
        for _ in 0..FUNCTIONS {
            let steps = (0..input.int_in_range(1..=4)?).map(|_| compute(input)).collect::<Result<_>>()?;
            functions.push(steps);
        }
        let mut program = Self { blocks, block, functions, stages: Vec::new() };
        while !input.is_empty() && program.stages.len() < 24 {
            let stage = stage(input, program.threads().is_multiple_of(32))?;
            program.stages.push(stage);
        }
        Ok(program)
    }
}

fn register(input: &mut Unstructured<'_>, class: Class) -> Result<usize> {
    input.int_in_range(0..=class.count() - 1)
}

fn compute(input: &mut Unstructured<'_>) -> Result<Step> {
    let form = input.choose_index(FORMS.len())?;
    let Form { to, from, .. } = &FORMS[form];
    let mut sources = [0; 4];
    for (source, &class) in sources.iter_mut().zip(*from) {
        *source = register(input, class)?;
    }
    let guard = if input.ratio(1, 5)? { Some((register(input, Class::P)?, input.arbitrary()?)) } else { None };
    Ok(Step::Compute { form, to: register(input, *to)?, from: sources, guard })
}

fn steps(input: &mut Unstructured<'_>, depth: u32) -> Result<Vec<Step>> {
    let count = input.int_in_range(0..=5)?;
    (0..count).map(|_| step(input, depth)).collect()
}

fn step(input: &mut Unstructured<'_>, depth: u32) -> Result<Step> {
    let r = |input: &mut Unstructured<'_>| register(input, Class::R);
    let p = |input: &mut Unstructured<'_>| register(input, Class::P);
    let deeper = depth < 3;
    Ok(match input.int_in_range(0..=15u8)? {
        9 if deeper => {
            Step::If { test: p(input)?, then: steps(input, depth + 1)?, otherwise: steps(input, depth + 1)? }
        }
        10 if deeper => Step::Loop {
            extra: r(input)?,
            least: input.int_in_range(0..=2)?,
            test: p(input)?,
            leave: input.int_in_range(0..=5)?,
            body: steps(input, depth + 1)?,
        },
        8 => Step::Constant { to: r(input)?, value: constant(input)? },
        11 => {
            let words = *input.choose(&[1, 2, 4])?;
            Step::Table { index: r(input)?, words, to: input.int_in_range(0..=Class::R.count() - words)? }
        }
        12 => Step::Byte { index: r(input)?, to: r(input)? },
        13 => Step::StoreLocal { index: r(input)?, from: r(input)? },
        14 => Step::LoadLocal { index: r(input)?, to: r(input)? },
        15 if depth == 0 => Step::Reduce {
            shared: input.arbitrary()?,
            kind: input.choose_index(REDUCTIONS.len())?,
            index: r(input)?,
            from: r(input)?,
        },
        15 => Step::Call { function: input.choose_index(FUNCTIONS)?, to: r(input)?, a: r(input)?, b: r(input)? },
        _ => compute(input)?,
    })
}

/// Random bits, small numbers, and values at which arithmetic changes.
fn constant(input: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match input.int_in_range(0..=2u8)? {
        0 => input.arbitrary()?,
        1 => input.int_in_range(0..=70)?,
        _ => *input.choose(&[
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x0000_0001,
            0x807f_ffff,
            0x0080_0000,
            0x7f7f_ffff,
            0x8000_0001,
            0x4f00_0000,
        ])?,
    })
}

fn stage(input: &mut Unstructured<'_>, whole_warps: bool) -> Result<Stage> {
    let r = |input: &mut Unstructured<'_>| register(input, Class::R);
    Ok(match input.int_in_range(0..=9u8)? {
        5 | 6 => {
            let words = *input.choose(&[1, 2, 4])?;
            Stage::Exchange {
                from: input.int_in_range(0..=Class::R.count() - words)?,
                to: input.int_in_range(0..=Class::R.count() - words)?,
                words,
                stride: *input.choose(&[1, 2, 3, 16, 17, 32])?,
                partner: match input.int_in_range(0..=2u8)? {
                    0 => Partner::Rotated(input.int_in_range(0..=200)?),
                    1 => Partner::Reversed,
                    _ => Partner::Crossed(input.int_in_range(0..=127)?),
                },
            }
        }
        7 if whole_warps => Stage::Shuffle {
            mode: input.int_in_range(0..=3)?,
            from: r(input)?,
            to: r(input)?,
            lane: input.int_in_range(0..=40)?,
            clamp: *input.choose(&[0x1f, 0, 0x181f, 0x1c1f, 0x1807, 0x1000, 0x0f])?,
            valid: register(input, Class::P)?,
        },
        7 | 8 => Stage::Warp {
            what: match input.int_in_range(0..=3u8)? {
                0 => Together::Vote(input.int_in_range(0..=3)?),
                1 => Together::MatchAny,
                2 => Together::MatchAll,
                _ => Together::Redux(input.int_in_range(0..=7)?),
            },
            from: r(input)?,
            to: r(input)?,
            test: register(input, Class::P)?,
            only: if input.arbitrary()? { Some(register(input, Class::P)?) } else { None },
        },
        9 => Stage::BarrierReduce { kind: input.int_in_range(0..=2)?, test: register(input, Class::P)?, to: r(input)? },
        _ => Stage::Alone(steps(input, 0)?),
    })
}
