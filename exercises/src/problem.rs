//! The problems that exercises pose: what a kernel gets, what it has to give back, and which costs no kernel can beat.

mod exclusive_scan;

use std::collections::BTreeMap;

use sim::Arg;

/// A problem, for kernels of one signature.
pub trait Problem: Sync {
    /// Its stable name, as it stands in `info.toml`.
    fn name(&self) -> &'static str;

    /// The sizes that it takes, for messages.
    fn values(&self) -> &'static str;

    /// The arguments and the answer for given sizes and a seed.
    ///
    /// # Errors
    /// A sentence for the course's author when a size is missing, unknown or impossible.
    fn instance(&self, values: &BTreeMap<String, u64>, seed: u64) -> Result<Instance, String>;
}

/// A problem with its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The kernel's arguments with their names, in order.
    pub args: Vec<(&'static str, Arg)>,
    /// Which argument is the output.
    pub output: usize,
    /// What the output has to be. Equal means equal: inputs are chosen so that no order of operations rounds.
    pub expected: Vec<f32>,
    /// Costs that a good kernel reaches, by name.
    pub bounds: BTreeMap<&'static str, u64>,
}

/// The bits of an output element that the kernel has not written: a NaN that no arithmetic gives.
pub const UNWRITTEN: u32 = 0x7fa5_5a7f;

/// A sector, the unit in which global memory is read and written, in bytes.
pub const SECTOR: u64 = 32;

/// All problems.
const PROBLEMS: [&dyn Problem; 1] = [&exclusive_scan::ExclusiveScan];

/// The problem of that name.
pub fn find(name: &str) -> Option<&'static dyn Problem> {
    PROBLEMS.into_iter().find(|problem| problem.name() == name)
}

/// The names of all problems.
pub fn names() -> Vec<&'static str> {
    PROBLEMS.iter().map(|problem| problem.name()).collect()
}

/// Takes the sizes called `names` out of `values`, which must hold these and no others.
fn sizes<const N: usize>(values: &BTreeMap<String, u64>, names: [&str; N]) -> Result<[u64; N], String> {
    if let Some(unknown) = values.keys().find(|key| !names.contains(&key.as_str())) {
        return Err(format!("`{unknown}` is not a size of this problem"));
    }
    let mut sizes = [0; N];
    for (size, name) in sizes.iter_mut().zip(names) {
        *size = *values.get(name).ok_or_else(|| format!("the size `{name}` is missing"))?;
    }
    Ok(sizes)
}
