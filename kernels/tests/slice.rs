//! A part of a PTX file (`front::slice`): every kernel of the workbook can be cut out, with what it needs and no more.

use front::slice::slice;
use kernels::ptx;

#[test]
fn a_slice_has_what_its_kernel_needs_and_no_more() {
    let text = ptx::committed("reduction").unwrap().text;
    let part = slice(text, &["reduce_redux"]);
    let module = sim::Module::parse("reduction.ptx", &part).unwrap();
    assert_eq!(module.kernels(), ["reduce_redux"]);
    assert!(part.contains("ByRedux") && !part.contains("temp[]") && part.contains(".file"), "{part}");
    // The names of functions that its lines are inlined from, and no others.
    let has = |what: String| part.contains(&what);
    for name in (0..10).map(|number| format!("$L__info_string{number}")) {
        assert_eq!(has(format!("{name}:")), has(format!("function_name {name},")), "{name}: {part}");
    }
    assert!(text.contains("$L__info_string1:") && !part.contains("$L__info_string1:"), "{part}");
    assert!(part.len() * 5 < text.len());
}

#[test]
fn every_kernel_of_every_problem_can_be_cut_out() {
    for problem in ptx::problems() {
        let text = ptx::committed(problem).unwrap().text;
        let module = sim::Module::parse(problem, text).unwrap();
        for kernel in module.kernels() {
            let part = slice(text, &[kernel]);
            let cut = sim::Module::parse(problem, &part).unwrap_or_else(|why| panic!("{kernel}: {why}"));
            assert_eq!(cut.kernels(), [kernel]);
            assert_eq!(cut.entry(kernel), module.entry(kernel));
            cut.lower(kernel, sim::Lowering::Sm90).unwrap_or_else(|why| panic!("{kernel}: {why}"));
        }
    }
}
