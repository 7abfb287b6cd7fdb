//! What a run can be asked for: sums of counters that GPUs have too, and what only the simulator knows of it.

use std::collections::{BTreeMap, BTreeSet};

use sim::report::FindingKind;
use sim::report::details::AccessDetails;
use sim::target::Target;

use crate::launch::run::{Ran, RanLaunch};

/// Quantities that are sums of exact counters: the name, what is summed.
pub(super) const EXACT: [(&str, &[&str]); 16] = [
    (
        "wavefronts",
        &[
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        ],
    ),
    ("wavefronts_loaded", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]),
    ("wavefronts_stored", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]),
    ("shared_loads", &["smsp__sass_inst_executed_op_shared_ld.sum"]),
    ("shared_inst", &["smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum"]),
    ("shared_bytes_stored", &["smsp__sass_data_bytes_mem_shared_op_st.sum"]),
    ("atomic_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"]),
    ("global_bytes", &["smsp__sass_data_bytes_mem_global_op_ld.sum", "smsp__sass_data_bytes_mem_global_op_st.sum"]),
    ("global_bytes_loaded", &["smsp__sass_data_bytes_mem_global_op_ld.sum"]),
    ("global_bytes_stored", &["smsp__sass_data_bytes_mem_global_op_st.sum"]),
    ("sectors_loaded", &["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"]),
    ("atomic_bytes", &["smsp__sass_data_bytes_mem_global_op_atom.sum", "smsp__sass_data_bytes_mem_global_op_red.sum"]),
    ("atomic_inst", &["smsp__sass_inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_red.sum"]),
    ("additions", &["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"]),
    ("lane_exchanges", &["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"]),
    ("double_additions", &["smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"]),
];

/// The names of the other quantities.
pub(super) const OWN: [&str; 14] = [
    "degree",
    "barriers",
    "threads",
    "warps_run",
    "blocks_run",
    "launches",
    "shared_static",
    "resident_blocks",
    "resident_warps",
    "room_for_warps",
    "wrong",
    "findings",
    "races",
    "missing",
];

/// Whether the quantity needs the report's details.
pub(super) fn needs_details(name: &str) -> bool {
    name == "degree"
}

/// The counters whose sum a quantity is.
pub(super) fn metrics(name: &str) -> Option<&'static [&'static str]> {
    EXACT.iter().find(|(exact, _)| *exact == name).map(|(_, metrics)| *metrics)
}

/// A quantity of the launches of `only` in a run, or of all launches.
///
/// # Errors
/// A sentence that lists the quantities, or says what the run lacks.
pub(super) fn of(name: &str, ran: &Ran, only: Option<&str>, target: &Target) -> Result<u64, String> {
    let launches = || ran.launches.iter().filter(move |launch| only.is_none_or(|only| launch.report.kernel == only));
    let sum = |value: &dyn Fn(&RanLaunch) -> u64| launches().map(value).sum::<u64>();
    let occupancy = |value: &dyn Fn(&sim::report::Occupancy) -> u32| {
        let last = launches().next_back().and_then(|launch| launch.report.occupancy.as_ref());
        last.map(|occupancy| u64::from(value(occupancy))).ok_or_else(|| "the run has no occupancy".to_owned())
    };
    let blocks = |launch: &RanLaunch| launch.report.launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let threads = |launch: &RanLaunch| launch.report.launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let races = |launch: &RanLaunch| {
        let races = launch.report.errors().filter(|finding| finding.kind == FindingKind::Race);
        races.map(|finding| finding.count).sum()
    };
    if let Some(metrics) = metrics(name) {
        return Ok(sum(&|launch| metrics.iter().map(|metric| launch.report.metric(metric)).sum()));
    }
    Ok(match name {
        "degree" => launches().map(|launch| degree(launch, target)).max().unwrap_or(0),
        "barriers" => sum(&|launch| launch.report.estimates.get("warpbook__barriers.sum").copied().unwrap_or(0)),
        "threads" => sum(&|launch| blocks(launch) * threads(launch)),
        "warps_run" => sum(&|launch| blocks(launch) * threads(launch).div_ceil(u64::from(target.warp_lanes))),
        "blocks_run" => sum(&blocks),
        "launches" => launches().count() as u64,
        "shared_static" => launches().map(|launch| u64::from(launch.report.launch.shared_static)).max().unwrap_or(0),
        "resident_blocks" => occupancy(&|occupancy| occupancy.blocks)?,
        "resident_warps" => occupancy(&|occupancy| occupancy.warps)?,
        "room_for_warps" => occupancy(&|occupancy| occupancy.most_warps)?,
        "wrong" if ran.comparisons.is_empty() => return Err("a run without `expect` has no wrong elements".to_owned()),
        "wrong" => ran.comparisons.iter().map(|comparison| comparison.wrong as u64).sum(),
        "findings" => sum(&|launch| launch.report.errors().count() as u64),
        "races" => sum(&races),
        "missing" => sum(&|launch| launch.report.missing.len() as u64),
        _ => {
            let known: Vec<&str> = EXACT.iter().map(|(name, _)| *name).chain(OWN).collect();
            return Err(format!("a run has no `{name}`; it has {}", known.join(", ")));
        }
    })
}

/// The largest degree of a bank conflict: of the lanes that are served together (half a warp on old GPUs), how many
/// rows of one bank they ask for, at worst. Of 4-byte accesses and of pairs; pairs take two passes in any case.
fn degree(launch: &RanLaunch, target: &Target) -> u64 {
    let details = launch.report.details.iter();
    let accesses = details.flat_map(|details| &details.lines).flat_map(|line| &line.accesses);
    accesses.filter(|access| access.width == 4).map(|access| degree_of(access, target)).max().unwrap_or(0)
}

fn degree_of(access: &AccessDetails, target: &Target) -> u64 {
    let Some(map) = &access.worst.banks else { return 0 };
    let requests = map.lanes.chunks(target.request_lanes as usize);
    let worst = |request: &[Vec<(u32, u32)>]| {
        let mut rows: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for &(bank, row) in request.iter().flatten() {
            rows.entry(bank).or_default().insert(row);
        }
        rows.values().map(BTreeSet::len).max().unwrap_or(0) as u64
    };
    requests.map(worst).max().unwrap_or(0)
}
