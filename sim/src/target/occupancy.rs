//! How many thread blocks are resident on a multiprocessor at once, and which resource limits them.
//!
//! The arithmetic is that of NVIDIA's occupancy calculator: the spreadsheet for compute capability 1.x and 2.x, the
//! header `cuda_occupancy.h` of CUDA 13.0 for 3.5 and later (with all of the shared memory given to the kernels that
//! need it, and without the half-multiprocessor mode of 5.2, which is off unless a program asks for it).

use serde::{Deserialize, Serialize};

use super::{Granularity, Target};

/// What a thread block needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Threads of the block.
    pub threads: u32,
    /// Its shared memory, static and dynamic, in bytes.
    pub shared_bytes: u64,
    /// Bytes of the kernel's parameters.
    pub parameter_bytes: u64,
    /// Registers of a thread. PTX does not tell; `None` leaves this limit out.
    pub registers: Option<u32>,
}

/// A resource of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Room for warps.
    Warps,
    /// Room for blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

impl Limit {
    /// The name in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Warps => "room for warps",
            Self::Blocks => "room for blocks",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
        }
    }
}

/// How full a multiprocessor gets. Part of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Occupancy {
    /// Resident blocks of a multiprocessor. 0: not even one fits.
    pub blocks: u32,
    /// Resident warps of a multiprocessor.
    pub warps: u32,
    /// Warps that a multiprocessor has room for.
    pub most_warps: u32,
    /// What the multiprocessor runs out of first; where several resources run out together, the first of [`Limit`].
    pub limited_by: Limit,
    /// Blocks that fit as far as warps are concerned.
    pub by_warps: u32,
    /// Blocks that a multiprocessor holds in any case.
    pub by_blocks: u32,
    /// Blocks that fit into the registers; `None` when their number is not known.
    pub by_registers: Option<u32>,
    /// Blocks that fit into the shared memory; `None` when none is used.
    pub by_shared_memory: Option<u32>,
    /// The most registers of a thread with which that many blocks are resident.
    pub most_registers: u32,
}

/// What a multiprocessor has for thread blocks, and in which units it hands it out: the numbers of a [`Target`] that decide how
/// many blocks are resident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of `Target`")]
pub struct Resources {
    pub warp_lanes: u32,
    pub threads_per_block: u32,
    pub shared_per_block: u32,
    pub warps_per_multiprocessor: u32,
    pub blocks_per_multiprocessor: u32,
    pub registers_per_multiprocessor: u32,
    pub registers_per_thread: u32,
    pub register_unit: u32,
    pub register_granularity: Granularity,
    pub warp_unit: u32,
    pub shared_per_multiprocessor: u32,
    pub shared_unit: u32,
    pub shared_reserved: u32,
    pub parameters_in_shared: bool,
}

impl Target {
    /// What a multiprocessor has for thread blocks.
    pub const fn resources(&self) -> Resources {
        Resources {
            warp_lanes: self.warp_lanes,
            threads_per_block: self.threads_per_block,
            shared_per_block: self.shared_per_block,
            warps_per_multiprocessor: self.warps_per_multiprocessor,
            blocks_per_multiprocessor: self.blocks_per_multiprocessor,
            registers_per_multiprocessor: self.registers_per_multiprocessor,
            registers_per_thread: self.registers_per_thread,
            register_unit: self.register_unit,
            register_granularity: self.register_granularity,
            warp_unit: self.warp_unit,
            shared_per_multiprocessor: self.shared_per_multiprocessor,
            shared_unit: self.shared_unit,
            shared_reserved: self.shared_reserved,
            parameters_in_shared: self.parameters_in_shared,
        }
    }

    /// Resident blocks of a multiprocessor and what limits them.
    pub fn occupancy(&self, usage: &Usage) -> Occupancy {
        self.resources().occupancy(usage)
    }

    /// Blocks that are resident on one multiprocessor at once; 0 when not even one fits.
    pub fn resident_blocks(&self, usage: &Usage) -> u32 {
        self.occupancy(usage).blocks
    }
}

impl Resources {
    /// Resident blocks of a multiprocessor and what limits them.
    pub fn occupancy(&self, usage: &Usage) -> Occupancy {
        let warps = usage.threads.div_ceil(self.warp_lanes).max(1);
        let by_warps = if usage.threads > self.threads_per_block { 0 } else { self.warps_per_multiprocessor / warps };
        let by_blocks = self.blocks_per_multiprocessor;
        let by_registers = usage.registers.map(|registers| self.blocks_by_registers(warps, registers));
        let by_shared_memory = self.blocks_by_shared_memory(usage);
        let limits = [
            (Limit::Warps, Some(by_warps)),
            (Limit::Blocks, Some(by_blocks)),
            (Limit::Registers, by_registers),
            (Limit::SharedMemory, by_shared_memory),
        ];
        let (blocks, limited_by) = limits
            .into_iter()
            .filter_map(|(limit, blocks)| Some((blocks?, limit)))
            .min()
            .unwrap_or((by_blocks, Limit::Blocks));
        let fits = |registers: &u32| self.blocks_by_registers(warps, *registers) >= blocks;
        let most_registers = (1..=self.registers_per_thread).rev().find(fits).unwrap_or(0);
        Occupancy {
            blocks,
            warps: blocks * warps,
            most_warps: self.warps_per_multiprocessor,
            limited_by,
            by_warps,
            by_blocks,
            by_registers,
            by_shared_memory,
            most_registers,
        }
    }

    fn blocks_by_registers(&self, warps: u32, registers: u32) -> u32 {
        if registers > self.registers_per_thread {
            return 0;
        }
        let per_warp = registers * self.warp_lanes;
        if per_warp == 0 {
            return self.blocks_per_multiprocessor;
        }
        match self.register_granularity {
            Granularity::Block => {
                let per_block =
                    (warps.next_multiple_of(self.warp_unit) * per_warp).next_multiple_of(self.register_unit);
                self.registers_per_multiprocessor / per_block
            }
            Granularity::Warp => {
                let per_warp = per_warp.next_multiple_of(self.register_unit);
                // The hardware admits a block only if its warps, rounded up to all partitions, fit.
                if warps.next_multiple_of(self.warp_unit) * per_warp > self.registers_per_multiprocessor {
                    return 0;
                }
                let partition = self.registers_per_multiprocessor / self.warp_unit;
                partition / per_warp * self.warp_unit / warps
            }
        }
    }

    fn blocks_by_shared_memory(&self, usage: &Usage) -> Option<u32> {
        let needed = self.shared_of_block(usage);
        if needed > self.shared_limit() {
            return Some(0);
        }
        u64::from(self.shared_per_multiprocessor).checked_div(self.allocated_shared(usage)).map(|blocks| blocks as u32)
    }

    /// Registers that a block is given, in the units in which they are handed out; `None` when their number is not known.
    pub fn registers_of_block(&self, usage: &Usage) -> Option<u64> {
        let warps = usage.threads.div_ceil(self.warp_lanes).max(1);
        let per_warp = usage.registers? * self.warp_lanes;
        Some(u64::from(match self.register_granularity {
            Granularity::Block => {
                (warps.next_multiple_of(self.warp_unit) * per_warp).next_multiple_of(self.register_unit)
            }
            Granularity::Warp => per_warp.next_multiple_of(self.register_unit) * warps,
        }))
    }

    /// Shared memory that a block is given, in the units in which it is handed out, in bytes.
    pub fn allocated_shared(&self, usage: &Usage) -> u64 {
        self.shared_of_block(usage).next_multiple_of(u64::from(self.shared_unit))
    }

    /// Shared memory of a block with everything that the system puts there, in bytes.
    pub(crate) fn shared_of_block(&self, usage: &Usage) -> u64 {
        let parameters = if self.parameters_in_shared { usage.parameter_bytes } else { 0 };
        usage.shared_bytes.saturating_add(parameters).saturating_add(u64::from(self.shared_reserved))
    }

    /// The most that [`Self::shared_of_block`] may be. From compute capability 8.0 on, what the system takes does not
    /// count against the limit of a block.
    pub(crate) fn shared_limit(&self) -> u64 {
        let reserved = if self.parameters_in_shared { 0 } else { self.shared_reserved };
        u64::from(self.shared_per_block + reserved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::find;

    fn occupancy(target: &str, threads: u32, registers: u32, shared_bytes: u64) -> (u32, Limit) {
        let usage = Usage { threads, shared_bytes, parameter_bytes: 0, registers: Some(registers) };
        let occupancy = find(target).expect("a target").occupancy(&usage);
        (occupancy.blocks, occupancy.limited_by)
    }

    #[test]
    fn each_resource_can_be_the_limit() {
        assert_eq!(occupancy("h200", 1024, 32, 0), (2, Limit::Warps));
        assert_eq!(occupancy("h200", 32, 32, 0), (32, Limit::Blocks));
        assert_eq!(occupancy("h200", 256, 128, 0), (2, Limit::Registers));
        // 228 KiB hold 13 blocks of 16 KiB with 1 KiB reserved for each.
        assert_eq!(occupancy("h200", 64, 32, 16 * 1024), (13, Limit::SharedMemory));
        assert_eq!(occupancy("h200", 64, 32, 227 * 1024), (1, Limit::SharedMemory));
        assert_eq!(occupancy("h200", 64, 32, 227 * 1024 + 1), (0, Limit::SharedMemory));
        assert_eq!(occupancy("h200", 1024, 65, 0), (0, Limit::Registers));
        assert_eq!(occupancy("h200", 1024, 64, 0), (1, Limit::Registers));
        assert_eq!(occupancy("h200", 2048, 16, 0), (0, Limit::Warps));
    }

    /// Figures that were published for their time.
    #[test]
    fn published_occupancies() {
        // CUDA C Programming Guide 4.2, section 5.2.3: on 1.2, 16 registers and 512 threads leave two blocks resident,
        // 17 registers one. On 1.0 and 1.1: 256 threads at 10 registers give three blocks, at 11 two (the best-known
        // example of the performance cliff; NVIDIA and University of Illinois, course ECE 498AL, 2007).
        assert_eq!(occupancy("gt200", 512, 16, 0).0, 2);
        assert_eq!(occupancy("gt200", 512, 17, 0).0, 1);
        assert_eq!(occupancy("g80", 256, 10, 0).0, 3);
        assert_eq!(occupancy("g80", 256, 11, 0).0, 2);
        // A histogram of 16,384 bytes per block: three blocks on Fermi, whose 48 KiB it fills.
        assert_eq!(occupancy("gtx580", 64, 16, 16_384), (3, Limit::SharedMemory));
    }

    #[test]
    fn parameters_take_shared_memory_on_the_oldest_targets() {
        let usage =
            |parameter_bytes| Usage { threads: 64, shared_bytes: 16_384 - 16, parameter_bytes, registers: None };
        let g80 = find("g80").expect("a target");
        assert_eq!((g80.resident_blocks(&usage(0)), g80.resident_blocks(&usage(4))), (1, 0));
        let k40 = find("k40").expect("a target");
        assert_eq!((k40.resident_blocks(&usage(0)), k40.resident_blocks(&usage(4))), (3, 3));
    }

    #[test]
    fn unknown_registers_are_no_limit() {
        let usage = Usage { threads: 256, ..Usage::default() };
        let occupancy = find("rtx4090").expect("a target").occupancy(&usage);
        assert_eq!((occupancy.blocks, occupancy.warps, occupancy.by_registers), (6, 48, None));
        // 65,536 registers for 48 warps are 42 for each thread, in steps of 8: 40.
        assert_eq!((occupancy.most_warps, occupancy.most_registers), (48, 40));
    }
}
