//! Runs a program on both machines and demands the same.

use sim::{Arg, Checks, Dim3, Launch, Lowering, Module, Options, simulate};

use super::interpret::{self, Left, OUT_WORDS, interpret};
use super::program::{Program, REDUCTIONS, SUM_WORDS, Stage};
use super::write::write;

fn words_of(bytes: Option<&[u8]>) -> Vec<u32> {
    let words = bytes.unwrap_or_default().as_chunks::<4>().0.iter();
    words.map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

/// Simulates the program with every check on as it is lowered for a GPU, and without checks as it stands.
///
/// # Errors
/// What differs, with the program.
pub(crate) fn agree(program: &Program) -> Result<(), String> {
    let text = write(program);
    let expected = interpret(program);
    let exchange = program.stages.iter().map(|stage| match stage {
        Stage::Exchange { words, stride, .. } => words * stride * 4 * program.threads() as usize,
        _ => 0,
    });
    let threads = u64::from(program.blocks * program.threads());
    let [x, y, z] = program.block;
    let sums: Vec<u32> = (0..REDUCTIONS.len()).flat_map(|kind| [interpret::identity(kind); SUM_WORDS]).collect();
    let launch = Launch {
        grid: Dim3::linear(program.blocks),
        block: Dim3::new(x, y, z),
        shared_bytes: exchange.max().unwrap_or(0) as u32,
        args: vec![
            Arg::Zeros(threads * OUT_WORDS as u64 * 4),
            Arg::buffer_of(&interpret::table()),
            Arg::buffer_of(&sums),
        ],
    };
    let module = Module::parse("random.ptx", &text).map_err(|error| format!("{error}\n{text}"))?;
    for (lowering, checks) in [(Lowering::Sm90, Checks::ALL), (Lowering::None, Checks::NONE)] {
        let options = Options { lowering, checks, budget: 1 << 24, ..Options::default() };
        let run = simulate(&module, "k", &launch, &options).map_err(|error| format!("{error}\n{text}"))?;
        if let Some(finding) = run.report.findings.first() {
            return Err(format!("a finding in a faultless program: {finding:#?}\n{text}"));
        }
        let left = Left { out: words_of(run.buffers[0].as_deref()), sums: words_of(run.buffers[2].as_deref()) };
        if left != expected {
            let lists = [(&left.out, &expected.out, OUT_WORDS), (&left.sums, &expected.sums, SUM_WORDS)];
            let differs = lists.iter().find_map(|(got, wanted, row)| {
                let at = got.iter().zip(*wanted).position(|(got, wanted)| got != wanted)?;
                Some(format!("row {}, word {}: {:#x} instead of {:#x}", at / row, at % row, got[at], wanted[at]))
            });
            return Err(format!("{} with {lowering:?}: {differs:?}\n{text}", "a different result"));
        }
    }
    Ok(())
}
