//! The GPUs whose rules of access are known, as a table that needs no file: a test holds it against `sim/targets`.

use sim::target::{BankRule, Coalescing, Rules, SharedAtomics};

/// A GPU, as far as one access is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gpu {
    /// Its name among the simulator's targets.
    pub name: &'static str,
    /// Its name in sentences, with an article.
    pub title: &'static str,
    /// What its accesses cost.
    pub rules: Rules,
}

const fn gpu(
    name: &'static str,
    title: &'static str,
    banks: BankRule,
    coalescing: Coalescing,
    shared_atomics: SharedAtomics,
) -> Gpu {
    Gpu { name, title, rules: Rules { banks, coalescing, shared_atomics } }
}

/// All of them, oldest first.
pub static GPUS: &[Gpu] = &[
    gpu("g80", "a GeForce 8800 GTX", BankRule::HalfWarpBroadcast, Coalescing::HalfWarpInOrder, SharedAtomics::None),
    gpu(
        "gt200",
        "a GeForce GTX 280",
        BankRule::HalfWarpBroadcast,
        Coalescing::HalfWarpSegments,
        SharedAtomics::LockLoop,
    ),
    gpu("gtx580", "a GeForce GTX 580", BankRule::Fermi, Coalescing::Lines, SharedAtomics::LockLoop),
    gpu("k40", "a Tesla K40", BankRule::Kepler, Coalescing::SplitSectors, SharedAtomics::LockLoop),
    gpu("gtx980", "a GeForce GTX 980", BankRule::Words, Coalescing::SplitSectors, SharedAtomics::Native),
    gpu("v100", "a V100", BankRule::Words, Coalescing::Sectors, SharedAtomics::Native),
    gpu("a100", "an A100", BankRule::Words, Coalescing::Sectors, SharedAtomics::NativeIncrement),
    gpu("rtx4090", "an RTX 4090", BankRule::Words, Coalescing::Sectors, SharedAtomics::NativeIncrement),
    gpu("h100", "an H100", BankRule::Words, Coalescing::Sectors, SharedAtomics::NativeIncrement),
    gpu("h200", "an H200", BankRule::Words, Coalescing::Sectors, SharedAtomics::NativeIncrement),
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
        let own: Vec<_> = GPUS.iter().map(|gpu| (gpu.name, gpu.title, gpu.rules)).collect();
        let files: Vec<_> =
            sim::target::all().iter().map(|target| (&*target.name, &*target.title, target.rules())).collect();
        assert_eq!(own, files);
    }
}
