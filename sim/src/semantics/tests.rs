//! Tests across the families.

use super::{LaneOp, TABLE};

fn split(form: &str) -> Vec<&str> {
    form.split('.').collect()
}

#[test]
fn every_row_decodes_its_example() {
    for row in TABLE {
        let found = LaneOp::decode(&split(row.example)).unwrap();
        assert!(found.is_some(), "{}", row.example);
    }
    assert!(size_of::<LaneOp>() <= 16);
}

#[test]
fn every_form_of_real_kernels_decodes() {
    let forms = include_str!("../../tests/data/lane-local-forms.txt");
    let mut count = 0;
    for form in forms.lines().filter(|line| !line.starts_with('#')) {
        match LaneOp::decode(&split(form)) {
            Ok(Some(_)) => count += 1,
            other => panic!("{form}: {other:?}"),
        }
    }
    assert!(count > 300, "{count}");
}
