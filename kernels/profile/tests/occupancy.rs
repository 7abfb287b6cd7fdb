//! The tables of the occupancy calculator say what the simulator says, for every target.

use profile::Tables;
use sim::target::{self, Limit, Usage};

const LIMITS: [Limit; 4] = [Limit::Warps, Limit::Blocks, Limit::Registers, Limit::SharedMemory];

#[test]
fn a_look_into_the_tables_is_the_occupancy() {
    for target in target::all() {
        // As the page gets them.
        let json = serde_json::to_string(&Tables::of(target)).unwrap();
        assert!(!json.contains('<'), "{}", target.name);
        let tables: Tables = serde_json::from_str(&json).unwrap();
        let most = target.threads_per_block;
        let threads = (1..=most + 40).step_by(13).chain([32, 33, 64, 96, most - 1, most, most + 1]);
        let registers =
            [None].into_iter().chain([0, 1, 8, 9, 24, 25, 32, 33, 40, 63, 64, 65, 127, 128, 168, 255, 256].map(Some));
        let registers: Vec<Option<u32>> = registers.collect();
        let step = u64::from(target.shared_per_block / 23);
        let shared: Vec<u64> = (0..26)
            .map(|number| number * step)
            .chain([1, 1023, 1024, 1025, 16_384, u64::from(target.shared_per_block)])
            .collect();
        let mut looked_up = 0;
        for threads in threads {
            for &registers in &registers {
                for &shared_bytes in &shared {
                    let usage = Usage { threads, shared_bytes, parameter_bytes: 0, registers };
                    let occupancy = target.occupancy(&usage);
                    let looked = tables.look(u64::from(threads), registers.map(u64::from), shared_bytes);
                    let got = (looked.blocks, looked.warps, LIMITS[looked.limit]);
                    let wanted = (occupancy.blocks, occupancy.warps, occupancy.limited_by);
                    assert_eq!(got, wanted, "{}: {usage:?}", target.name);
                    looked_up += 1;
                }
            }
        }
        assert!(looked_up > 20_000, "{}: {looked_up}", target.name);
        assert_eq!(tables.limits, LIMITS.map(|limit| limit.text().to_owned()));
    }
}
