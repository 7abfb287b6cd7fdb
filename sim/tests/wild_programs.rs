//! Programs that make no sense end all the same: with findings, not with a panic or a hang.

mod wild;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use wild::Wild;

#[test]
fn nothing_that_a_program_does_is_our_fault() {
    const CASES: u32 = 1500;
    let ran = Cell::new(0);
    let config = Config { cases: CASES, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    // The same programs every time: new ones are the fuzzer's task (`sim/fuzz`).
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let bytes = proptest::collection::vec(any::<u8>(), 0..900);
    let result = runner.run(&bytes, |bytes| {
        ran.set(ran.get() + u32::from(Wild::from_bytes(&bytes).survive()));
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.err().map_or(String::new(), |error| error.to_string()));
    assert!(
        ran.get() > CASES / 2,
        "only {} of {CASES} programs ran: the test has become blind to the executor",
        ran.get()
    );
}

/// Found by the fuzzer: atomics of many lanes on many addresses, whose check took minutes.
const MANY_ATOMICS: &[u8] = include_bytes!("data/wild-many-atomics.bin");

#[test]
fn what_the_fuzzer_found_is_mended() {
    assert!(Wild::from_bytes(MANY_ATOMICS).survive());
}
