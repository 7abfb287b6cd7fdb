//! Which forms exist.

use std::collections::HashSet;

use crate::semantics::{DecodeError, LaneOp, TABLE};

fn split(form: &str) -> Vec<&str> {
    form.split('.').collect()
}

#[test]
fn every_row_decodes_all_its_forms() {
    for row in TABLE {
        for form in crate::isa::expand(row.forms) {
            assert!(matches!(LaneOp::decode(&split(&form)), Ok(Some(_))), "{form}");
        }
    }
    assert!(size_of::<LaneOp>() <= 20);
}

#[test]
fn every_form_of_real_kernels_decodes() {
    let forms = include_str!("../../../tests/data/lane-local-forms.txt");
    let mut count = 0;
    for form in forms.lines().filter(|line| !line.starts_with('#')) {
        match LaneOp::decode(&split(form)) {
            Ok(Some(_)) => count += 1,
            other => panic!("{form}: {other:?}"),
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn agrees_with_ptxas_on_what_exists() {
    let verdicts = include_str!("../../../tests/data/lane-local-verdicts.tsv");
    let mut count = 0;
    let table: HashSet<String> = TABLE.iter().flat_map(|row| crate::isa::expand(row.forms)).collect();
    for line in verdicts.lines().filter(|line| !line.starts_with('#')) {
        let (form, verdict) = line.split_once('\t').unwrap();
        let ours = match LaneOp::decode(&split(form)) {
            Ok(Some(_)) => "yes",
            Ok(None) => "none",
            Err(DecodeError::Invalid(_)) => "no",
            Err(DecodeError::Unsupported(_)) => "unsupported",
        };
        assert_eq!(ours, verdict, "{form}");
        assert_eq!(table.contains(form), verdict == "yes", "{form} in the table");
        count += 1;
    }
    assert!(count > 2500, "{count}");
}

#[test]
fn other_instructions_are_not_ours() {
    for form in ["ld.global.u32", "bra", "mov.u32", "cvta.to.global.u64", "shfl.sync.down.b32", "ret", ""] {
        assert_eq!(LaneOp::decode(&split(form)), Ok(None), "{form}");
    }
    assert_eq!(LaneOp::decode(&[]), Ok(None));
}

#[test]
fn messages_name_the_form_and_the_reason() {
    let message = |form: &str| LaneOp::decode(&split(form)).unwrap_err().to_string();
    assert_eq!(message("add.sat.u32"), "`add.sat.u32` is not a PTX instruction: `.sat` needs the type `.s32`");
    assert_eq!(
        message("mul.s32"),
        "`mul.s32` is not a PTX instruction: it needs a part of the product: one of `.lo`, `.hi`, `.wide`"
    );
    assert_eq!(message("add.f32x2"), "`add.f32x2` is not simulated: `.f32x2` exists from compute capability 10.0 on");
    assert_eq!(message("add"), "`add` is not a PTX instruction: a type is missing");
    assert_eq!(message("and.f32"), "`and.f32` is not a PTX instruction: it does not exist for the type `.f32`");
    assert_eq!(
        message("add.banana.s32"),
        "`add.banana.s32` is not a PTX instruction: modifier `.banana` does not belong here"
    );
}

#[test]
fn signatures_name_every_operand() {
    use crate::semantics::{ScalarType as T, Signature};
    let signature = |form: &str| LaneOp::decode(&split(form)).unwrap().unwrap().1;
    let expect =
        |form: &str, dst, src: &[T]| assert_eq!(signature(form), Signature { dst, src: src.to_vec() }, "{form}");
    expect("shl.b64", T::B64, &[T::B64, T::U32]);
    expect("mad.wide.s32", T::S64, &[T::S32, T::S32, T::S64]);
    expect("setp.lt.and.f32", T::Pred, &[T::F32, T::F32, T::Pred]);
    expect("selp.f64", T::F64, &[T::F64, T::F64, T::Pred]);
    expect("lop3.b32", T::B32, &[T::B32, T::B32, T::B32, T::U32]);
    expect("cvt.rn.f16x2.f32", T::F16x2, &[T::F32, T::F32]);
    expect("dp4a.s32.u32", T::S32, &[T::S32, T::U32, T::S32]);
    expect("popc.b64", T::U32, &[T::B64]);
}
