//! What kernels can use that not every target has. A kernel that uses more than its target has would not have been
//! compiled for it; it is simulated all the same, and the report says what is missing.
//!
//! Only what a CUDA program asks for by name counts. Instructions that a compiler puts in the place of others (fused
//! multiply-add, funnel shifts, loads through the read-only cache) are left out: an older compiler takes others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Capability, Target};
use crate::ir::{Opcode, Program};
use crate::ptx::ast::Module;

/// Something that a kernel uses and its target does not have. Part of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Missing {
    /// What it is, for example `warp shuffles`.
    pub feature: String,
    /// The first compute capability that has it.
    pub since: String,
    /// The document that says so.
    pub source: String,
    /// The first instruction that needs it, without its operands.
    pub instruction: String,
    /// Where it is used: files and lines.
    pub lines: Vec<(String, u32)>,
}

/// An instruction as it is written: `atom.shared.add.u32 %r1, [%rd1], %r2;`.
struct Written<'a> {
    name: &'a str,
    parts: Vec<&'a str>,
    text: &'a str,
}

impl<'a> Written<'a> {
    fn new(opcode: &'a Opcode, text: &'a str) -> Self {
        Self { name: opcode.name(), parts: opcode.parts()[1..].to_vec(), text }
    }

    fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }

    fn ends_with(&self, types: &[&str]) -> bool {
        self.parts.last().is_some_and(|last| types.contains(last))
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name)
    }

    fn is_atomic(&self) -> bool {
        self.is(&["atom", "red"])
    }

    fn is_wide_atomic(&self) -> bool {
        self.is_atomic() && self.ends_with(&["b64", "u64", "s64"])
    }

    /// An atomic in global memory, or in memory of any kind.
    fn is_global_atomic(&self) -> bool {
        self.is_atomic() && !self.has("shared")
    }

    fn computes(&self) -> bool {
        !self.is(&["ld", "st", "mov", "atom", "red", "cvt", "selp"])
    }
}

struct Feature {
    name: &'static str,
    since: Capability,
    source: &'static str,
    needs: fn(&Written<'_>) -> bool,
}

/// The notes on targets that the PTX manual has for each instruction.
const PTX: &str = "NVIDIA, PTX ISA 9.0, section of the instruction, Target ISA Notes";
const GUIDE: &str = "NVIDIA, CUDA C++ Programming Guide 12.x, Compute Capabilities, table Feature Support per Compute \
                     Capability; for 1.x: CUDA C Programming Guide 4.2, appendix F, table F-1";

const fn feature(
    name: &'static str,
    (major, minor): (u32, u32),
    source: &'static str,
    needs: fn(&Written<'_>) -> bool,
) -> Feature {
    Feature { name, since: Capability::new(major, minor), source, needs }
}

#[allow(clippy::redundant_closure_for_method_calls, reason = "a method's name is not general over both lifetimes")]
const FEATURES: &[Feature] = &[
    feature("atomics in global memory", (1, 1), GUIDE, |o| o.is_global_atomic()),
    feature("atomics in shared memory", (1, 2), GUIDE, |o| o.is_atomic() && o.has("shared")),
    feature("64-bit atomics in global memory", (1, 2), GUIDE, |o| o.is_wide_atomic() && o.is_global_atomic()),
    feature("64-bit atomics in shared memory", (2, 0), GUIDE, |o| o.is_wide_atomic() && o.has("shared")),
    feature("64-bit atomic minimum, maximum and logic", (3, 2), PTX, |o| {
        o.is_wide_atomic() && ["min", "max", "and", "or", "xor"].iter().any(|op| o.has(op))
    }),
    feature("atomic addition of f32", (2, 0), GUIDE, |o| o.is_atomic() && o.has("f32")),
    feature("atomic addition of f64", (6, 0), GUIDE, |o| o.is_atomic() && o.has("f64")),
    feature("atomic addition of half2", (6, 0), PTX, |o| o.is_atomic() && o.has("f16x2")),
    feature("atomic addition of half, 16-bit compare-and-swap", (7, 0), PTX, |o| {
        o.is_atomic() && (o.has("f16") || o.ends_with(&["b16"]))
    }),
    feature("atomic addition of bfloat16", (9, 0), PTX, |o| o.is_atomic() && (o.has("bf16") || o.has("bf16x2"))),
    feature("128-bit atomics", (9, 0), PTX, |o| o.is_atomic() && o.ends_with(&["b128"])),
    feature("warp votes", (1, 2), GUIDE, |o| o.name == "vote"),
    feature("ballots", (2, 0), GUIDE, |o| o.name == "vote" && o.has("ballot")),
    feature("warp shuffles", (3, 0), GUIDE, |o| o.name == "shfl"),
    feature("warp match", (7, 0), GUIDE, |o| o.name == "match"),
    feature("warp-wide reductions (redux)", (8, 0), GUIDE, |o| o.name == "redux"),
    feature("election of a lane", (9, 0), PTX, |o| o.name == "elect"),
    feature("barriers that count or combine (__syncthreads_count, _and, _or)", (2, 0), GUIDE, |o| {
        o.is(&["bar", "barrier"]) && o.has("red")
    }),
    feature("double precision", (1, 3), GUIDE, |o| o.computes() && o.has("f64")),
    feature("half-precision arithmetic", (5, 3), GUIDE, |o| o.computes() && (o.has("f16") || o.has("f16x2"))),
    feature("bfloat16 arithmetic", (8, 0), PTX, |o| o.computes() && (o.has("bf16") || o.has("bf16x2"))),
    feature("dot products of bytes (dp4a, dp2a)", (6, 1), PTX, |o| o.is(&["dp4a", "dp2a"])),
    feature("memory orders (acquire, release, relaxed) and fences by scope", (7, 0), PTX, |o| {
        o.name == "fence" || (o.is(&["ld", "st"]) && ["acquire", "release", "relaxed"].iter().any(|order| o.has(order)))
    }),
    feature("nanosleep", (7, 0), PTX, |o| o.name == "nanosleep"),
    feature("tensor cores (mma, wmma)", (7, 0), GUIDE, |o| o.is(&["mma", "wmma"])),
    feature("ldmatrix", (7, 5), PTX, |o| o.name == "ldmatrix"),
    feature("stmatrix", (9, 0), PTX, |o| o.name == "stmatrix"),
    feature("asynchronous copies", (8, 0), GUIDE, |o| o.name == "cp" && o.has("async")),
    feature("bulk asynchronous copies", (9, 0), PTX, |o| o.name == "cp" && o.has("async") && o.has("bulk")),
    feature("asynchronous stores and reductions in shared memory", (9, 0), PTX, |o| {
        o.is(&["st", "red"]) && o.has("async")
    }),
    feature("clusters of thread blocks", (9, 0), PTX, |o| {
        ["%cluster", "%ncluster", "%is_explicit_cluster"].iter().any(|register| o.text.contains(register))
    }),
    feature("split arrive/wait barriers (mbarrier)", (8, 0), GUIDE, |o| o.name == "mbarrier"),
    feature("device-side printf", (2, 0), GUIDE, |o| o.name == "call" && o.text.contains("vprintf")),
    feature("device-side malloc", (2, 0), GUIDE, |o| o.name == "call" && o.text.contains("malloc")),
];

/// What `program` uses and `target` does not have, oldest feature first.
pub(crate) fn missing(target: &Target, program: &Program, module: &Module, ptx_file: &str) -> Vec<Missing> {
    let mut found: BTreeMap<(Capability, &str), Missing> = BTreeMap::new();
    for (pc, inst) in program.insts.iter().enumerate() {
        let opcode = Written::new(&inst.opcode, &inst.text);
        for feature in FEATURES.iter().filter(|f| f.since > target.compute_capability && (f.needs)(&opcode)) {
            let entry = found.entry((feature.since, feature.name)).or_insert_with(|| Missing {
                feature: feature.name.to_owned(),
                since: feature.since.to_string(),
                source: feature.source.to_owned(),
                instruction: [opcode.name].iter().chain(&opcode.parts).copied().collect::<Vec<_>>().join("."),
                lines: Vec::new(),
            });
            entry.lines.push(program.place(module, ptx_file, pc));
        }
    }
    let mut all: Vec<Missing> = found.into_values().collect();
    for missing in &mut all {
        missing.lines.sort();
        missing.lines.dedup();
    }
    all
}

impl Missing {
    /// A sentence for a reader; `title` is the target's, with its article.
    pub fn sentence(&self, title: &str) -> String {
        let (file, line) = self.lines.first().cloned().unwrap_or_default();
        let more = match self.lines.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more lines", n - 1),
        };
        format!(
            "{title} has no {}: they came with compute capability {}; `{}` at {file}:{line}{more} is simulated as if it \
             had",
            self.feature, self.since, self.instruction
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::find;

    /// The features that `target` lacks of those that an instruction needs.
    fn lacks(target: &str, text: &str) -> Vec<&'static str> {
        let capability = find(target).expect("a target").compute_capability;
        let word = text.split_whitespace().find(|word| !word.starts_with('@')).expect("an opcode");
        let opcode = Opcode::new(word.trim_end_matches(';'));
        let opcode = Written::new(&opcode, text);
        FEATURES.iter().filter(|f| f.since > capability && (f.needs)(&opcode)).map(|f| f.name).collect()
    }

    #[test]
    fn features_come_with_their_generation() {
        assert_eq!(lacks("g80", "atom.shared.add.u32 %r1, [%r2], 1;"), ["atomics in shared memory"]);
        assert_eq!(lacks("gt200", "atom.shared.add.u32 %r1, [%r2], 1;"), [""; 0]);
        assert_eq!(lacks("gtx580", "@%p1 shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, -1;"), ["warp shuffles"]);
        assert_eq!(lacks("k40", "shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, -1;"), [""; 0]);
        assert_eq!(lacks("k40", "match.any.sync.b32 %r1, %r2, -1;"), ["warp match"]);
        assert_eq!(lacks("v100", "redux.sync.add.s32 %r1, %r2, -1;"), ["warp-wide reductions (redux)"]);
        assert_eq!(lacks("gtx980", "atom.global.add.f64 %fd1, [%rd1], %fd2;"), ["atomic addition of f64"]);
        assert_eq!(lacks("g80", "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;"), ["double precision"]);
        assert_eq!(lacks("gt200", "red.global.add.f32 [%rd1], %f1;"), ["atomic addition of f32"]);
        assert_eq!(lacks("g80", "fma.rn.f32 %f1, %f2, %f3, %f4;"), [""; 0]);
        assert_eq!(lacks("a100", "mov.u32 %r1, %cluster_ctarank;"), ["clusters of thread blocks"]);
        for text in ["elect.sync _|%p1, -1;", "mbarrier.init.shared.b64 [%r1], 1;", "stmatrix.sync.x1 [%r1], {%r2};"] {
            assert_eq!(lacks("h200", text), [""; 0], "{text}");
        }
    }
}
