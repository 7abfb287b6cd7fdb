//! The GPUs with their rules of access and what their multiprocessors have, as a table that needs no file: a test holds it
//! against `sim/targets`.

use sim::target::{BankRule, Coalescing, Granularity, Resources, Rules, SharedAtomics};

/// A GPU, as far as one access and the room for thread blocks are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gpu {
    /// Its name among the simulator's targets.
    pub name: &'static str,
    /// Its name in sentences, with an article.
    pub title: &'static str,
    /// What its accesses cost.
    pub rules: Rules,
    /// What a multiprocessor of it has for thread blocks.
    pub resources: Resources,
}

/// All of them, oldest first.
pub static GPUS: &[Gpu] = &[
    Gpu {
        name: "g80",
        title: "a GeForce 8800 GTX",
        rules: Rules {
            banks: BankRule::HalfWarpBroadcast,
            coalescing: Coalescing::HalfWarpInOrder,
            shared_atomics: SharedAtomics::None,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 512,
            shared_per_block: 16_384,
            warps_per_multiprocessor: 24,
            blocks_per_multiprocessor: 8,
            registers_per_multiprocessor: 8192,
            registers_per_thread: 124,
            register_unit: 256,
            register_granularity: Granularity::Block,
            warp_unit: 2,
            shared_per_multiprocessor: 16_384,
            shared_unit: 512,
            shared_reserved: 16,
            parameters_in_shared: true,
        },
    },
    Gpu {
        name: "gt200",
        title: "a GeForce GTX 280",
        rules: Rules {
            banks: BankRule::HalfWarpBroadcast,
            coalescing: Coalescing::HalfWarpSegments,
            shared_atomics: SharedAtomics::LockLoop,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 512,
            shared_per_block: 16_384,
            warps_per_multiprocessor: 32,
            blocks_per_multiprocessor: 8,
            registers_per_multiprocessor: 16_384,
            registers_per_thread: 124,
            register_unit: 512,
            register_granularity: Granularity::Block,
            warp_unit: 2,
            shared_per_multiprocessor: 16_384,
            shared_unit: 512,
            shared_reserved: 16,
            parameters_in_shared: true,
        },
    },
    Gpu {
        name: "gtx580",
        title: "a GeForce GTX 580",
        rules: Rules { banks: BankRule::Fermi, coalescing: Coalescing::Lines, shared_atomics: SharedAtomics::LockLoop },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 49_152,
            warps_per_multiprocessor: 48,
            blocks_per_multiprocessor: 8,
            registers_per_multiprocessor: 32_768,
            registers_per_thread: 63,
            register_unit: 64,
            register_granularity: Granularity::Warp,
            warp_unit: 2,
            shared_per_multiprocessor: 49_152,
            shared_unit: 128,
            shared_reserved: 0,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "k40",
        title: "a Tesla K40",
        rules: Rules {
            banks: BankRule::Kepler,
            coalescing: Coalescing::SplitSectors,
            shared_atomics: SharedAtomics::LockLoop,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 49_152,
            warps_per_multiprocessor: 64,
            blocks_per_multiprocessor: 16,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 49_152,
            shared_unit: 256,
            shared_reserved: 0,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "gtx980",
        title: "a GeForce GTX 980",
        rules: Rules {
            banks: BankRule::Words,
            coalescing: Coalescing::SplitSectors,
            shared_atomics: SharedAtomics::Native,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 49_152,
            warps_per_multiprocessor: 64,
            blocks_per_multiprocessor: 32,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 98_304,
            shared_unit: 256,
            shared_reserved: 0,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "v100",
        title: "a V100",
        rules: Rules { banks: BankRule::Words, coalescing: Coalescing::Sectors, shared_atomics: SharedAtomics::Native },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 98_304,
            warps_per_multiprocessor: 64,
            blocks_per_multiprocessor: 32,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 98_304,
            shared_unit: 256,
            shared_reserved: 0,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "a100",
        title: "an A100",
        rules: Rules {
            banks: BankRule::Words,
            coalescing: Coalescing::Sectors,
            shared_atomics: SharedAtomics::NativeIncrement,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 166_912,
            warps_per_multiprocessor: 64,
            blocks_per_multiprocessor: 32,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 167_936,
            shared_unit: 128,
            shared_reserved: 1024,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "rtx4090",
        title: "an RTX 4090",
        rules: Rules {
            banks: BankRule::Words,
            coalescing: Coalescing::Sectors,
            shared_atomics: SharedAtomics::NativeIncrement,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 101_376,
            warps_per_multiprocessor: 48,
            blocks_per_multiprocessor: 24,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 102_400,
            shared_unit: 128,
            shared_reserved: 1024,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "h100",
        title: "an H100",
        rules: Rules {
            banks: BankRule::Words,
            coalescing: Coalescing::Sectors,
            shared_atomics: SharedAtomics::NativeIncrement,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 232_448,
            warps_per_multiprocessor: 64,
            blocks_per_multiprocessor: 32,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 233_472,
            shared_unit: 128,
            shared_reserved: 1024,
            parameters_in_shared: false,
        },
    },
    Gpu {
        name: "h200",
        title: "an H200",
        rules: Rules {
            banks: BankRule::Words,
            coalescing: Coalescing::Sectors,
            shared_atomics: SharedAtomics::NativeIncrement,
        },
        resources: Resources {
            warp_lanes: 32,
            threads_per_block: 1024,
            shared_per_block: 232_448,
            warps_per_multiprocessor: 64,
            blocks_per_multiprocessor: 32,
            registers_per_multiprocessor: 65_536,
            registers_per_thread: 255,
            register_unit: 256,
            register_granularity: Granularity::Warp,
            warp_unit: 4,
            shared_per_multiprocessor: 233_472,
            shared_unit: 128,
            shared_reserved: 1024,
            parameters_in_shared: false,
        },
    },
];

/// The GPU of this name.
pub fn find(name: &str) -> Option<&'static Gpu> {
    GPUS.iter().find(|gpu| gpu.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_the_targets_say() {
        let own: Vec<_> = GPUS.iter().map(|gpu| (gpu.name, gpu.title, gpu.rules, gpu.resources)).collect();
        let said = sim::target::all().iter();
        let files: Vec<_> =
            said.map(|target| (&*target.name, &*target.title, target.rules(), target.resources())).collect();
        assert_eq!(own, files);
    }
}
