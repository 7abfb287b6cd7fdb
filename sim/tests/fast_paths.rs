//! The executor's loops over 32 lanes against the scalar semantics, for every form that has a loop of its own.

use proptest::prelude::*;
use sim::ir::inst::Op;
use sim::semantics::{LaneOp, ScalarType, Signature};
use sim::{Arg, Dim3, Launch, Lowering, Module, Options, simulate};

/// Every opcode that the decoder gives a loop of its own.
fn forms() -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    let mut add = |names: &[&str], rest: &[&str]| {
        for name in names {
            forms.extend(rest.iter().map(|rest| format!("{name}.{rest}")));
        }
    };
    add(&["add", "sub", "min", "max", "mul.lo", "mad.lo", "mul.wide", "mad.wide"], &["u32", "s32"]);
    add(&["and", "or", "xor"], &["b32", "b64", "pred"]);
    add(&["shl"], &["b32", "b64"]);
    add(&["shr"], &["b32", "u32", "s32"]);
    add(&["add", "sub", "mul.lo"], &["u64", "s64"]);
    add(&["cvt.u64", "cvt.s64"], &["u32", "s32"]);
    add(&["cvt.u32", "cvt.s32"], &["u64", "s64"]);
    add(&["add", "sub", "mul", "add.rn", "sub.rn", "mul.rn", "fma.rn"], &["f32", "f64"]);
    for test in ["eq", "ne", "lt", "le", "gt", "ge"] {
        let bits: &[&str] = if matches!(test, "eq" | "ne") { &["b32", "b64"] } else { &[] };
        add(&[&format!("setp.{test}")], &["u32", "s32", "u64", "s64", "f32"]);
        add(&[&format!("setp.{test}")], bits);
    }
    add(&["selp"], &["b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"]);
    add(&["not"], &["pred"]);
    forms
}

fn decode(form: &str) -> (LaneOp, Signature) {
    let parts: Vec<&str> = form.split('.').collect();
    LaneOp::decode(&parts).unwrap_or_else(|_| panic!("{form}")).unwrap_or_else(|| panic!("{form} is not lane-local"))
}

/// The register, and how it is filled from and written to 64 bits of memory.
fn class(kind: ScalarType) -> (&'static str, &'static str) {
    match (kind, kind.bits()) {
        (ScalarType::Pred, _) => ("pred", "p"),
        (_, 64) => ("b64", "d"),
        _ => ("b32", "r"),
    }
}

/// Loads the operands of 32 lanes, runs the form for the lanes of a mask and stores what the destination holds.
fn program(form: &str, signature: &Signature, negated: bool) -> String {
    let mut text = String::from(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 operands, .param .u64 results)\n{\n\
         .reg .b64 %at, %to, %off;\n.reg .b32 %lane, %bit;\n.reg .pred %guard;\n\
         mov.u32 %lane, %tid.x;\nmul.wide.u32 %off, %lane, 8;\nld.param.u64 %at, [operands];\nadd.u64 %at, %at, %off;\n\
         ld.param.u64 %to, [results];\nadd.u64 %to, %to, %off;\n\
         ld.global.b32 %bit, [%at+1024];\nsetp.ne.s32 %guard, %bit, 0;\n",
    );
    for (index, &kind) in signature.src.iter().enumerate() {
        let (ty, name) = class(kind);
        text += &format!(".reg .{ty} %{name}a{index};\n");
        match ty {
            "pred" => {
                text += &format!(
                    "ld.global.b32 %bit, [%at+{0}];\nand.b32 %bit, %bit, 1;\nsetp.eq.s32 %pa{index}, %bit, 1;\n",
                    index * 256
                );
            }
            _ => text += &format!("ld.global.{ty} %{name}a{index}, [%at+{}];\n", index * 256),
        }
    }
    let sources: Vec<String> =
        signature.src.iter().enumerate().map(|(index, &kind)| format!("%{}a{index}", class(kind).1)).collect();
    let (ty, name) = class(signature.dst);
    text += &format!(".reg .{ty} %{name}out;\n");
    text += match ty {
        "pred" => "setp.eq.s32 %pout, %lane, %lane;\n",
        "b64" => "mov.b64 %dout, 0x5a5a5a5a5a5a5a5a;\n",
        _ => "mov.b32 %rout, 0x5a5a5a5a;\n",
    };
    let not = if negated { "!" } else { "" };
    text += &format!("@{not}%guard {form} %{name}out, {};\n", sources.join(", "));
    text += match ty {
        "pred" => "selp.b32 %bit, 1, 0, %pout;\nst.global.b32 [%to], %bit;\n",
        "b64" => "st.global.b64 [%to], %dout;\n",
        _ => "st.global.b32 [%to], %rout;\n",
    };
    text + "ret;\n}\n"
}

fn untouched(kind: ScalarType) -> u64 {
    match class(kind).0 {
        "pred" => 1,
        "b64" => 0x5a5a_5a5a_5a5a_5a5a,
        _ => 0x5a5a_5a5a,
    }
}

fn check(form: &str, operands: &[[u64; 32]; 4], mask: u32, negated: bool) {
    let (op, signature) = decode(form);
    let module = Module::parse("form.ptx", &program(form, &signature, negated)).expect("PTX");
    let lowered = module.lower("k", Lowering::Sm90).unwrap_or_else(|error| panic!("{form}: {error}"));
    assert!(!lowered.insts.iter().any(|inst| matches!(inst.op, Op::Lane(_))), "{form} has no loop of its own");
    let guards = std::array::from_fn(|lane| u64::from(mask >> lane & 1));
    let memory: Vec<u64> = operands.iter().chain([&guards]).flatten().copied().collect();
    let launch = Launch {
        grid: Dim3::linear(1),
        block: Dim3::linear(32),
        shared_bytes: 0,
        args: vec![Arg::buffer_of(&memory), Arg::Zeros(256)],
    };
    let outcome =
        simulate(&module, "k", &launch, &Options::default()).unwrap_or_else(|error| panic!("{form}: {error}"));
    assert!(outcome.report.findings.is_empty(), "{form}: {:?}", outcome.report.findings);
    let results = outcome.buffers[1].as_deref().expect("a buffer");
    for lane in 0..32 {
        let source = std::array::from_fn(|at| match signature.src.get(at) {
            Some(&ScalarType::Pred) => operands[at][lane] & 1,
            Some(_) => operands[at][lane],
            None => 0,
        });
        let active = (mask >> lane & 1 != 0) != negated;
        let expected = if active { signature.dst.extend(op.eval(source)) } else { untouched(signature.dst) };
        let bytes: [u8; 8] = results[lane * 8..][..8].try_into().expect("eight bytes");
        let cut = if signature.dst.bits() == 64 { u64::MAX } else { u64::from(u32::MAX) };
        assert_eq!(u64::from_le_bytes(bytes), expected & cut, "{form}, lane {lane}: {source:x?}, active: {active}");
    }
}

/// Random bits, small numbers, and the values at which arithmetic changes.
fn operand() -> impl Strategy<Value = u64> {
    let special32 = proptest::sample::select(vec![
        0u32,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        65,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0xffff_ffff,
        0x0000_0001,
        0x807f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
    ]);
    let special64 = proptest::sample::select(vec![
        0u64,
        u64::MAX,
        1 << 63,
        (1 << 63) - 1,
        1.0f64.to_bits(),
        (-0.0f64).to_bits(),
        f64::INFINITY.to_bits(),
        f64::NEG_INFINITY.to_bits(),
        0x7ff8_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        1,
        f64::MAX.to_bits(),
        f64::MIN_POSITIVE.to_bits(),
    ]);
    prop_oneof![
        any::<u64>(),
        (any::<u32>(), special32).prop_map(|(high, low)| u64::from(high) << 32 | u64::from(low)),
        special64,
        any::<f32>().prop_map(|value| u64::from(value.to_bits())),
        any::<f64>().prop_map(f64::to_bits),
    ]
}

fn rows() -> impl Strategy<Value = [[u64; 32]; 4]> {
    proptest::collection::vec(operand(), 128)
        .prop_map(|values| std::array::from_fn(|row| std::array::from_fn(|lane| values[row * 32 + lane])))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_loop_computes_what_the_scalar_semantics_say(
        operands in rows(),
        mask in prop_oneof![Just(u32::MAX), Just(1), Just(0x8000_0000), any::<u32>()],
        negated in any::<bool>(),
    ) {
        for form in forms() {
            check(&form, &operands, mask, negated);
        }
    }
}
