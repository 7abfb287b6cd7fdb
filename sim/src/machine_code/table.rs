//! Which pipe executes an opcode, and to which class of instructions it belongs, as an H200 counts them.
//!
//! This is the only table of them. The rows marked [`Source::Measured`] agree with the counters of an H200 in every one of
//! 950 launches, of all probes of instruction forms and of functions: Nsight Compute tells for each how often every opcode
//! was executed, and what every pipe and class counted (`kernels/truth/opcodes.h200.tsv.gz`, held by
//! `kernels/tests/opcodes.rs`). That tells opcodes apart as far as they stand in different launches; those marked
//! [`Source::Likeness`] stand only beside others of them there, or not at all, and have the place of opcodes like them.
//! Which pipe `S2R` takes depends on the special register, which the profiler does not tell; that is from launches of the
//! workbook's kernels.

/// A pipe of a multiprocessor's sub-partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are Nsight Compute's names")]
pub enum Pipe {
    Alu,
    Fma,
    Fp64,
    Lsu,
    Uniform,
    Xu,
    Adu,
    Cbu,
    Tex,
}

/// A class of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are Nsight Compute's names")]
pub enum Class {
    Integer,
    Fp32,
    Fp64,
    Fp16,
    Control,
    Bit,
    Conversion,
    Communication,
    Memory,
    Misc,
    Uniform,
    /// None of those that are counted.
    None,
}

/// Where a row is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Counters of an H200 fit no other pipe or class.
    Measured,
    /// It is like opcodes that were measured.
    Likeness,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The opcode without modifiers.
    pub opcode: &'static str,
    /// What the instruction's text must contain for the row to hold; the first row that holds counts.
    pub with: &'static str,
    /// The pipes that count it.
    pub pipes: &'static [Pipe],
    /// Its class.
    pub class: Class,
    /// Where this is from.
    pub source: Source,
}

const fn row(opcode: &'static str, pipes: &'static [Pipe], class: Class, source: Source) -> Row {
    Row { opcode, with: "", pipes, class, source }
}

const fn with(opcode: &'static str, with: &'static str, pipes: &'static [Pipe], class: Class, source: Source) -> Row {
    Row { opcode, with, pipes, class, source }
}

use Class::{Bit, Communication, Control, Conversion, Fp16, Fp32, Fp64, Integer, Memory, Misc};
use Pipe::{Adu, Alu, Cbu, Fma, Lsu, Tex, Xu};
use Source::{Likeness, Measured};

const FP64_PIPE: &[Pipe] = &[Pipe::Fp64];
const UNIFORM_PIPE: &[Pipe] = &[Pipe::Uniform];

/// All rows, by kind of instruction.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row("IADD3", &[Alu], Integer, Measured),
    row("LEA", &[Alu], Integer, Measured),
    row("LOP3", &[Alu], Integer, Measured),
    row("ISETP", &[Alu], Integer, Measured),
    row("SHF", &[Alu], Integer, Measured),
    row("VIMNMX", &[Alu], Integer, Measured),
    row("VIADDMNMX", &[Alu], Integer, Measured),
    row("IMAD", &[Fma], Integer, Measured),
    row("VIADD", &[Fma], Integer, Measured),
    row("POPC", &[Xu], Integer, Measured),
    row("FLO", &[Xu], Integer, Measured),
    row("IABS", &[Alu], Integer, Measured),
    row("VABSDIFF", &[Alu], Misc, Measured),
    row("VABSDIFF4", &[Alu], Misc, Measured),
    row("VIMNMX3", &[Alu], Integer, Measured),
    row("IDP", &[Fma], Integer, Measured),
    row("PLOP3", &[Alu], Bit, Measured),
    row("PRMT", &[Alu], Bit, Measured),
    row("SEL", &[Alu], Bit, Measured),
    row("BREV", &[Xu], Bit, Measured),
    row("SGXT", &[Alu], Integer, Measured),
    row("BMSK", &[Alu], Bit, Measured),
    row("P2R", &[Alu], Bit, Measured),
    row("R2P", &[Alu], Bit, Measured),
    row("MOV", &[Alu], Misc, Measured),
    row("FADD", &[Fma], Fp32, Measured),
    row("FMUL", &[Fma], Fp32, Measured),
    row("FFMA", &[Fma], Fp32, Measured),
    row("FSETP", &[Alu], Fp32, Measured),
    row("FCHK", &[Xu], Fp32, Measured),
    row("MUFU", &[Xu], Fp32, Measured),
    row("FSEL", &[Alu], Fp32, Measured),
    row("FSET", &[Alu], Fp32, Measured),
    row("FMNMX", &[Alu], Fp32, Measured),
    row("DADD", FP64_PIPE, Fp64, Measured),
    row("DMUL", FP64_PIPE, Fp64, Measured),
    row("DFMA", FP64_PIPE, Fp64, Measured),
    row("DSETP", FP64_PIPE, Fp64, Measured),
    with("HFMA2", ".MMA", &[], Fp16, Measured),
    row("HFMA2", &[Fma], Fp16, Measured),
    row("HADD2", &[Fma], Fp16, Measured),
    row("HMUL2", &[Fma], Fp16, Measured),
    row("HSET2", &[Alu], Fp16, Measured),
    row("HSETP2", &[Alu], Fp16, Measured),
    row("HMNMX2", &[Alu], Fp16, Measured),
    row("I2F", &[Xu], Conversion, Measured),
    row("F2I", &[Xu], Conversion, Measured),
    row("I2FP", &[Alu], Conversion, Measured),
    row("F2F", &[Xu], Conversion, Measured),
    row("FRND", &[Xu], Conversion, Measured),
    row("F2FP", &[Alu], Conversion, Measured),
    row("I2I", &[Alu], Integer, Measured),
    row("I2IP", &[Alu], Integer, Measured),
    row("F2IP", &[Alu], Conversion, Measured),
    row("VOTE", &[Alu], Communication, Measured),
    row("VOTEU", &[], Communication, Measured),
    row("SHFL", &[Lsu], Communication, Measured),
    row("MATCH", &[Adu], Communication, Measured),
    row("REDUX", &[Adu], Communication, Measured),
    row("ELECT", &[Alu], Communication, Measured),
    row("LDG", &[Lsu], Memory, Measured),
    row("STG", &[Lsu], Memory, Measured),
    row("LDS", &[Lsu], Memory, Measured),
    row("STS", &[Lsu], Memory, Measured),
    row("ATOMS", &[Lsu], Memory, Measured),
    row("ATOMG", &[Lsu], Memory, Measured),
    row("REDG", &[Lsu], Memory, Measured),
    row("LDC", &[Adu], Memory, Measured),
    row("LD", &[Lsu], Memory, Likeness),
    row("ST", &[Lsu], Memory, Likeness),
    row("LDL", &[Lsu], Memory, Measured),
    row("STL", &[Lsu], Memory, Measured),
    row("ATOM", &[Lsu], Memory, Likeness),
    row("LDGSTS", &[Lsu], Memory, Measured),
    row("LDSM", &[Lsu], Memory, Measured),
    row("STSM", &[Lsu], Memory, Measured),
    row("QSPC", &[Lsu], Memory, Likeness),
    with("MEMBAR", ".CTA", &[Lsu], Memory, Measured),
    row("MEMBAR", &[Lsu, Tex], Memory, Measured),
    // These two always stand together: which of them takes the pipe cannot be told.
    row("ERRBAR", &[Adu], Control, Likeness),
    row("CGAERRBAR", &[], Control, Likeness),
    row("CCTL", &[Lsu], Memory, Measured),
    row("FENCE", &[Lsu], Misc, Measured),
    row("LDGDEPBAR", &[Lsu], Memory, Measured),
    row("DEPBAR", &[], Misc, Measured),
    row("UBLKCP", &[], Memory, Measured),
    row("UBLKRED", &[], Memory, Measured),
    row("UTMACMDFLUSH", &[], Memory, Measured),
    row("SYNCS", &[Adu], Misc, Measured),
    row("ARRIVES", &[Adu], Misc, Likeness),
    with("S2R", "SR_TID", &[Lsu], Misc, Measured),
    with("S2R", "SR_LANEID", &[Lsu], Misc, Measured),
    with("S2R", "SR_LTMASK", &[Lsu], Misc, Measured),
    with("S2R", "SR_CTAID", &[Adu], Misc, Measured),
    with("S2R", "SR_CgaCtaId", &[Adu], Misc, Measured),
    with("S2R", "MASK", &[Lsu], Misc, Likeness),
    row("S2R", &[Adu], Misc, Likeness),
    row("S2UR", &[Adu], Misc, Measured),
    row("CS2R", &[Alu], Misc, Measured),
    row("B2R", &[Adu], Misc, Measured),
    row("BAR", &[Adu], Misc, Measured),
    row("R2UR", &[Alu], Misc, Measured),
    row("BRA", &[], Control, Measured),
    // Like `RET`, which reads the place from a register, too.
    row("BRX", &[Cbu, Adu], Control, Likeness),
    row("EXIT", &[Cbu], Control, Measured),
    row("BSSY", &[Cbu], Control, Measured),
    row("BSYNC", &[Cbu], Control, Measured),
    row("CALL", &[Cbu], Control, Measured),
    row("RET", &[Cbu, Adu], Control, Measured),
    row("BREAK", &[Cbu], Control, Measured),
    row("BMOV", &[Cbu], Control, Likeness),
    with("WARPSYNC", "WARPSYNC.ALL", &[Cbu], Control, Measured),
    row("WARPSYNC", &[Cbu, Adu], Control, Measured),
    row("ENDCOLLECTIVE", &[Cbu], Control, Likeness),
    row("YIELD", &[Cbu], Control, Likeness),
    row("NANOSLEEP", &[Cbu], Control, Likeness),
    row("BPT", &[Cbu], Control, Likeness),
    row("LEPC", &[Cbu], Misc, Likeness),
    row("NOP", &[], Misc, Measured),
    row("ULDC", &[], Class::Uniform, Measured),
    row("UMOV", &[], Class::Uniform, Measured),
    row("ULEA", UNIFORM_PIPE, Class::Uniform, Measured),
    row("USHF", UNIFORM_PIPE, Class::Uniform, Measured),
    row("UIADD3", UNIFORM_PIPE, Class::Uniform, Measured),
    row("UIMAD", UNIFORM_PIPE, Class::Uniform, Measured),
    row("UFLO", UNIFORM_PIPE, Class::Uniform, Measured),
    row("UPOPC", UNIFORM_PIPE, Class::Uniform, Measured),
    row("UBREV", UNIFORM_PIPE, Class::Uniform, Likeness),
    row("ULOP3", UNIFORM_PIPE, Class::Uniform, Likeness),
    row("UISETP", UNIFORM_PIPE, Class::Uniform, Likeness),
    row("USEL", UNIFORM_PIPE, Class::Uniform, Likeness),
    row("UPRMT", UNIFORM_PIPE, Class::Uniform, Likeness),
    row("UPLOP3", UNIFORM_PIPE, Class::Uniform, Likeness),
    row("HMMA", &[], Fp16, Measured),
    row("IMMA", &[], Integer, Measured),
    row("BMMA", &[], Bit, Measured),
    row("DMMA", &[], Fp64, Measured),
    row("MOVM", &[Lsu], Misc, Measured),
];

/// The row of an instruction by its name without modifiers and its text.
pub fn find(name: &str, text: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.opcode == name && text.contains(row.with))
}
