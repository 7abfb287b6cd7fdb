//! Resident blocks against NVIDIA's own arithmetic: `data/occupancy.csv` holds what `cuda_occupancy.h` of CUDA 13.0
//! (`cudaOccMaxActiveBlocksPerMultiprocessor`, all shared memory for the kernel) computes for launches of all sizes.

use sim::target::{Usage, find};

const HEADER: &str = include_str!("data/occupancy.csv");

#[test]
fn resident_blocks_are_those_of_the_header() {
    let mut compared = 0;
    for line in HEADER.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, numbers @ ..] = &fields[..] else { panic!("{line}") };
        let numbers: Vec<u32> = numbers.iter().map(|number| number.parse().expect("a number")).collect();
        let [threads, registers, shared, blocks] = numbers[..] else { panic!("{line}") };
        let usage = Usage { threads, shared_bytes: u64::from(shared), parameter_bytes: 64, registers: Some(registers) };
        let occupancy = find(name).expect("a target").occupancy(&usage);
        assert_eq!(occupancy.blocks, blocks, "{line}: {occupancy:?}");
        compared += 1;
    }
    assert_eq!(compared, 360);
}
