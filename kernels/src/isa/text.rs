//! Probes as PTX: kernels of one block that run several probes with the same sources, and reading back what they left.

use std::fmt::Write as _;

use sim::Dim3;
use sim::semantics::ScalarType as T;

use super::operands::{self, Style, THREADS};
use super::probe::Probe;
use crate::case::{Buffer, Pass, Prepared, Shape, Step};

/// Results of a probe: a row of [`THREADS`] values per output.
pub type Rows = Vec<Vec<u64>>;

/// Bytes of a row: one value of 8 bytes per thread.
const ROW: usize = THREADS * 8;
/// Most probes of a kernel: compilers take more than linearly long for long ones.
const MOST: usize = 48;
/// The name of every kernel.
pub const KERNEL: &str = "probes";

/// A kernel that runs probes with the same sources.
#[derive(Debug, Clone)]
pub struct Batch {
    /// What it runs, in order.
    pub probes: Vec<Probe>,
}

/// The register type that holds a value of type `ty`. Narrow integers are in wider registers, as compilers do it.
const fn register(ty: T) -> &'static str {
    match (ty, ty.bits()) {
        (T::Pred, _) => "pred",
        (_, 64) => "b64",
        (_, 16) => "b16",
        _ => "b32",
    }
}

/// All probes in batches.
pub fn batches(probes: Vec<Probe>) -> Vec<Batch> {
    let mut probes = probes;
    probes.sort_by(|a, b| {
        let key = |probe: &Probe| {
            let types: Vec<u8> = probe.sources.iter().map(|&ty| ty as u8).collect();
            (probe.style, probe.together, types)
        };
        key(a).cmp(&key(b)).then(a.name.cmp(&b.name))
    });
    let mut batches: Vec<Batch> = Vec::new();
    for probe in probes {
        match batches.last_mut() {
            Some(batch)
                if batch.probes.len() < if probe.together { MOST / 4 } else { MOST }
                    && batch.probes[0].sources == probe.sources
                    && (batch.probes[0].style, batch.probes[0].together) == (probe.style, probe.together) =>
            {
                batch.probes.push(probe);
            }
            _ => batches.push(Batch { probes: vec![probe] }),
        }
    }
    batches
}

impl Batch {
    /// The module.
    pub fn ptx(&self) -> String {
        self.head() + &self.blocks().concat() + "ret;\n}\n"
    }

    /// Which probe, from 0, has a line of the module, from 1; none has those before and after all probes.
    pub fn of_line(&self, line: usize) -> Option<usize> {
        let lines = |text: &str| text.lines().count();
        let mut end = lines(&self.head());
        if line <= end {
            return None;
        }
        self.blocks().iter().position(|block| {
            end += lines(block);
            line <= end
        })
    }

    /// The module up to the first probe: the operands are in registers.
    fn head(&self) -> String {
        let sources = &self.probes[0].sources;
        let mut text = String::from(
            ".version 9.0\n.target sm_90\n.address_size 64\n\
             .visible .entry probes(.param .u64 operands, .param .u64 results, .param .u64 scratch)\n{\n\
             .shared .align 128 .b8 memory[8192];\n.reg .b32 %thread, %lane, %sh, %ws, %t<8>;\n.reg .b64 %in, %out, %own, %off, %d<8>;\n\
             .reg .pred %q<4>;\nmov.u32 %thread, %tid.x;\nmov.u32 %lane, %laneid;\nmul.wide.u32 %off, %thread, 8;\n\
             ld.param.u64 %in, [operands];\nadd.s64 %in, %in, %off;\nld.param.u64 %out, [results];\n\
             add.s64 %out, %out, %off;\nld.param.u64 %own, [scratch];\nmul.wide.u32 %off, %thread, 32;\n\
             add.s64 %own, %own, %off;\nmov.u32 %ws, memory;\nmad.lo.u32 %sh, %thread, 32, %ws;\nshr.u32 %t0, %thread, 5;\n\
             mad.lo.u32 %ws, %t0, 1024, %ws;\n",
        );
        for (at, &ty) in sources.iter().enumerate() {
            let (register, offset) = (register(ty), at * ROW);
            let _ = writeln!(text, ".reg .{register} %a{at};");
            let _ = match register {
                "pred" => {
                    writeln!(
                        text,
                        "ld.global.b32 %t0, [%in+{offset}];\nand.b32 %t0, %t0, 1;\nsetp.ne.u32 %a{at}, %t0, 0;"
                    )
                }
                _ => writeln!(text, "ld.global.{register} %a{at}, [%in+{offset}];"),
            };
        }
        text
    }

    /// A block for each probe.
    fn blocks(&self) -> Vec<String> {
        let mut row = 0;
        let block = |probe: &Probe| {
            let mut text = String::from("{\n");
            for (at, &ty) in probe.outputs.iter().enumerate() {
                let _ = writeln!(text, ".reg .{} %o{at};", register(ty));
            }
            let _ = writeln!(text, "{}", probe.body);
            for (at, &ty) in probe.outputs.iter().enumerate() {
                let (register, offset) = (register(ty), row * ROW);
                let _ = match register {
                    "pred" => writeln!(text, "selp.b32 %t0, 1, 0, %o{at};\nst.global.b32 [%out+{offset}], %t0;"),
                    _ => writeln!(text, "st.global.{register} [%out+{offset}], %o{at};"),
                };
                row += 1;
            }
            text + "}\n"
        };
        self.probes.iter().map(block).collect()
    }

    /// The launch: operands, results, scratch memory.
    pub fn prepared(&self) -> Prepared {
        let first = &self.probes[0];
        let rows = self.probes.iter().map(|probe| probe.outputs.len()).sum();
        prepared(KERNEL, first.style, &first.sources, rows)
    }

    /// The results in the buffer that the launch left: for every probe, a row per output.
    pub fn results(&self, contents: &[Vec<u8>]) -> Vec<Rows> {
        let mut rows = rows_of(contents).into_iter();
        self.probes.iter().map(|probe| rows.by_ref().take(probe.outputs.len()).collect()).collect()
    }
}

/// The launch of a function's kernel.
pub fn function_launch(kernel: &'static str, probe: &Probe) -> Prepared {
    prepared(kernel, probe.style, &probe.sources, probe.outputs.len())
}

/// One launch of a kernel that takes operands, results and scratch memory, and leaves `rows` rows of results.
fn prepared(kernel: &'static str, style: Style, sources: &[T], rows: usize) -> Prepared {
    let operands: Vec<u64> = operands::rows(style, sources).concat();
    let shape = Shape { grid: Dim3::linear(1), block: Dim3::linear(THREADS as u32), shared_bytes: 0 };
    let names = ["operands", "results", "scratch"];
    Prepared {
        buffers: vec![
            Buffer::of(names[0], &operands),
            Buffer::zeros(names[1], (rows * ROW) as u64),
            Buffer::zeros(names[2], THREADS as u64 * 32),
        ],
        steps: vec![Step { kernel, shape, args: names.map(Pass::Buffer).into() }],
        expected: Vec::new(),
    }
}

/// The rows that a launch of `prepared` left in its buffers.
pub fn rows_of(contents: &[Vec<u8>]) -> Rows {
    let results = contents.get(1).map(Vec::as_slice).unwrap_or_default();
    let row = |row: &[u8]| row.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
    results.chunks(ROW).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_module_has_its_probe() {
        let batches = batches(crate::isa::probes());
        assert!(batches.len() > 20);
        for batch in batches {
            let ptx = batch.ptx();
            let lines: Vec<_> = (1..).map(|line| batch.of_line(line)).zip(ptx.lines()).collect();
            let of =
                |probe| lines.iter().filter(move |(of, _)| *of == probe).map(|&(_, text)| text).collect::<Vec<_>>();
            for (at, probe) in batch.probes.iter().enumerate() {
                let own = of(Some(at));
                assert!(own.first() == Some(&"{") && own.last() == Some(&"}"), "{}: {own:?}", probe.name);
                assert!(own.join("\n").contains(probe.body.trim_end()), "{}: {own:?}", probe.name);
            }
            let nobodys = of(None);
            assert!(nobodys[0].starts_with(".version") && nobodys.ends_with(&["ret;", "}"]), "{nobodys:?}");
        }
    }
}
