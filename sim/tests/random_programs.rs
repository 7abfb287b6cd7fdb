//! Random programs of whole thread blocks against a plain scalar interpreter: arithmetic, branches, loops, calls,
//! tables, local and shared memory, shuffles, votes, matches, reductions and barriers.

mod scalar;

use proptest::prelude::*;
use scalar::program::Program;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn warps_compute_what_threads_compute_one_by_one(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        if let Err(difference) = scalar::agree::agree(&Program::from_bytes(&bytes)) {
            prop_assert!(false, "{difference}");
        }
    }
}
