//! Every case on a real GPU, where there is one.

use kernels::gpu::{Gpu, GpuError};
use kernels::testing::not_run;
use kernels::{case, problem, ptx};

#[test]
fn every_case_gives_its_reference_on_a_gpu() {
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => return not_run("the kernels on a GPU", &error.to_string()),
    };
    for problem in problem::all() {
        let committed = ptx::committed(problem.name).expect("every problem has its PTX");
        let kernels = gpu.load(committed.text).unwrap_or_else(|error| panic!("{}: {error}", problem.name));
        for case in (problem.cases)() {
            let prepared = case.prepare();
            let contents =
                prepared.work().and_then(|work| kernels.run(&work)).unwrap_or_else(|error| panic!("{case}: {error}"));
            let check = prepared.check(&contents);
            assert!(case.verdict.allows(check.right), "{case}: {check:?}");
        }
    }
}

#[test]
fn a_launch_that_does_not_fit_is_refused_before_the_gpu_sees_it() {
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => return not_run("launches that do not fit their kernel, on a GPU", &error.to_string()),
    };
    let kernels = gpu.load(ptx::committed("scan").expect("scan has its PTX").text).expect("it loads");
    let mut prepared = case::select(&["scan_naive, tile 64, 1 block"]).expect("it exists")[0].prepare();
    let refused = |error: GpuError| {
        assert_eq!(error.exit_code(), 2, "{error}");
        error.to_string()
    };
    prepared.steps[0].kernel = "scan_nothing";
    let error = refused(kernels.run(&prepared.work().unwrap()).unwrap_err());
    assert!(error.contains("scan_nothing") && error.contains("scan_blelloch_padded"), "{error}");
    prepared.steps[0].kernel = "scan_naive";
    prepared.steps[0].args.pop();
    assert!(refused(kernels.run(&prepared.work().unwrap()).unwrap_err()).contains("[8, 8, 4, 4]"));
    let broken = gpu.load("this is no PTX").unwrap_err();
    assert!(matches!(broken, GpuError::Ptx { .. }), "{broken}");
}
