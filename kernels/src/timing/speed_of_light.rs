//! What Nsight Compute's section on the speed of light says of the bench's launches on an H200: which part of the GPU
//! is nearest to what it can do. Recorded once with the bench (`kernels/truth/speed_of_light.h200.tsv`).

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use sim::predict::{BUSY_PERCENT, Class};

/// The recorded metrics, a line per launch, a column per metric.
const RECORDED: &str = include_str!("../../truth/speed_of_light.h200.tsv");

/// The workloads as the recorded lines call them: problem, size, unit, data.
const WORKLOADS: [(&str, [&str; 4]); 20] = [
    ("copy24", ["copy", "2^24", "ints", "any ints, a square"]),
    ("copy28", ["copy", "2^28", "ints", "any ints, a square"]),
    ("red24", ["reduction", "2^24", "ints", "any ints"]),
    ("red28", ["reduction", "2^28", "ints", "any ints"]),
    ("scan24", ["scan", "2^24", "floats", "small whole numbers, tiles of 1024"]),
    ("scan28", ["scan", "2^28", "floats", "small whole numbers, tiles of 1024"]),
    ("as24i", ["array_scan", "2^24", "ints", "any numbers"]),
    ("as24f", ["array_scan", "2^24", "floats", "small whole numbers"]),
    ("comp24", ["compaction", "2^24", "ints", "half kept"]),
    ("hist24u", ["histogram", "2^24", "bytes", "uniform"]),
    ("hist24o", ["histogram", "2^24", "bytes", "one value"]),
    ("sat2048", ["summed_area_table", "2048×2048", "floats", "small whole numbers"]),
    ("sat8192", ["summed_area_table", "8192×8192", "floats", "small whole numbers"]),
    ("rbk24", ["reduce_by_key", "2^24", "", "runs of 10"]),
    ("rbkperm", ["reduce_by_key", "2^24", "doubles", "1048576 keys in random order"]),
    ("rbkshift", ["reduce_by_key", "10000000", "", "box of 100³ cells shifted along the axes"]),
    ("merge20", ["merge_sort", "2^20", "unsigned ints", "uniform keys"]),
    ("merge24", ["merge_sort", "2^24", "unsigned ints", "uniform keys"]),
    ("radix20", ["radix_sort", "2^20", "unsigned ints", "uniform keys"]),
    ("radix24", ["radix_sort", "2^24", "unsigned ints", "uniform keys"]),
];

/// What was recorded of a launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// What limits it.
    pub class: Class,
    /// The busiest part, by the name of its metric.
    pub busiest: String,
    /// How busy that is, in percent of what it can do.
    pub percent: f64,
    /// Instructions of warps.
    pub instructions: f64,
    /// Microseconds that the launch took under the profiler.
    pub us: f64,
}

/// A line of the record: workload, kernel, thread blocks, and the metrics.
struct Line {
    workload: &'static str,
    kernel: &'static str,
    blocks: u64,
    speed: Speed,
    hit_rates: [f64; 2],
}

static LINES: LazyLock<Vec<Line>> = LazyLock::new(lines);

fn lines() -> Vec<Line> {
    let mut lines = RECORDED.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let line = |text: &'static str| {
        let cells: Vec<&str> = text.split('\t').collect();
        let value = |name: &str| -> f64 {
            let column = names.iter().position(|own| *own == name);
            column.and_then(|column| cells.get(column)?.parse().ok()).unwrap_or(0.0)
        };
        let grid = cells.get(2)?.trim_matches(['(', ')']);
        let blocks = grid.split(',').map(|side| side.trim().parse::<u64>().unwrap_or(1)).product();
        let (compute, memory) = (
            value("sm__throughput.pct"),
            value("gpu__compute_memory_throughput.pct").max(value("gpu__dram_throughput.pct")),
        );
        let class = match compute.max(memory) {
            most if most < BUSY_PERCENT => Class::Latency,
            _ if compute > memory => Class::Compute,
            _ => Class::Memory,
        };
        // The sums over parts are not parts themselves.
        let sums = ["sm__throughput.pct", "gpu__compute_memory", "lts__throughput.pct", "hit_rate", "warps_active"];
        let parts = names.iter().filter(|name| name.ends_with(".pct") && !sums.iter().any(|sum| name.contains(sum)));
        let (busiest, percent) =
            parts.map(|name| (*name, value(name))).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        let speed = Speed {
            class,
            busiest: busiest.trim_end_matches(".pct").to_owned(),
            percent,
            instructions: value("smsp__inst_executed.sum"),
            us: value("gpu__time_duration.sum") / 1000.0,
        };
        let hit_rates = ["l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"].map(value);
        Some(Line { workload: cells[0], kernel: cells.get(1)?, blocks, speed, hit_rates })
    };
    lines.filter_map(line).collect()
}

/// What was recorded of a kernel with so many blocks on a workload; `None` where nothing was.
pub fn find(workload: [&str; 4], kernel: &str, blocks: u64) -> Option<&'static Speed> {
    line_of(workload, kernel, blocks).map(|line| &line.speed)
}

/// The hit rates of L1 and L2 that were recorded of it, in percent.
pub fn hit_rates(workload: [&str; 4], kernel: &str, blocks: u64) -> Option<[f64; 2]> {
    line_of(workload, kernel, blocks).map(|line| line.hit_rates)
}

/// Whether anything was recorded of a workload: problem, size, unit, data.
pub fn has(workload: [&str; 4]) -> bool {
    name_of(workload).is_some()
}

fn name_of([problem, size, unit, data]: [&str; 4]) -> Option<&'static str> {
    let is_it = |own: &[&str; 4]| {
        own[0] == problem && own[1] == size && (own[2].is_empty() || own[2] == unit) && own[3] == data
    };
    WORKLOADS.iter().find(|(_, own)| is_it(own)).map(|(name, _)| *name)
}

fn line_of(workload: [&str; 4], kernel: &str, blocks: u64) -> Option<&'static Line> {
    let name = name_of(workload)?;
    LINES.iter().find(|line| line.workload == name && line.kernel == kernel && line.blocks == blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_line_belongs_to_a_workload_of_the_bench() {
        assert!(LINES.len() > 200, "{} lines", LINES.len());
        for line in LINES.iter() {
            let known = WORKLOADS.iter().any(|(name, _)| *name == line.workload);
            assert!(known && line.speed.us > 0.0 && line.blocks > 0, "{} {}", line.workload, line.kernel);
        }
        let workload = ["copy", "2^28", "ints", "any ints, a square"];
        let copied =
            LINES.iter().find(|line| line.workload == "copy28" && line.kernel == "copy_vectors").expect("it is");
        assert_eq!(find(workload, "copy_vectors", copied.blocks).map(|speed| speed.class), Some(Class::Memory));
    }
}
