//! The way of data between the kernel and the memories as a drawing, with what goes along each arrow.

use caches::{HitRates, Lookups};
use markup::Append;
use markup::drawing::{label, line};
use maud::{Markup, html};
use sim::Prediction;

use crate::number::{percent, whole};
use crate::origin::Origin;
use crate::parts::drawing;
use crate::shown::Shown;

const WIDTH: f64 = 1080.0;
const HEIGHT: f64 = 330.0;

/// The drawing.
pub(super) fn chart(shown: &Shown<'_>) -> Markup {
    let report = shown.report;
    let exact = |metric: &str| whole(report.metric(metric));
    let sum = |a: &str, b: &str| whole(report.metric(a) + report.metric(b));
    let mark = shown.counters.name();
    let mut svg = Markup::default();
    node(&mut svg, [10.0, 30.0, 100.0, 280.0], "Kernel", "");
    let rates = shown.launch.hit_rates.as_ref();
    let hit_rate = |of: fn(&HitRates) -> Lookups| {
        rates.map_or(format!("hit rate: {}", Origin::NotModelled.name()), |rates| {
            format!("hit rate: {} ({})", percent(of(rates).percent()), Origin::Predicted.name())
        })
    };
    node(&mut svg, [410.0, 30.0, 120.0, 170.0], "L1 cache", &hit_rate(|rates| rates.l1));
    node(&mut svg, [410.0, 230.0, 120.0, 80.0], "Shared memory", "");
    node(&mut svg, [720.0, 30.0, 120.0, 170.0], "L2 cache", &hit_rate(|rates| rates.l2));
    node(&mut svg, [980.0, 30.0, 90.0, 170.0], "Device memory", "");
    let global = (
        format!("global: {} instructions", exact("smsp__sass_inst_executed_op_global.sum")),
        format!(
            "{} sectors, {} bytes ({mark})",
            exact("smsp__sass_sectors_mem_global.sum"),
            exact("smsp__sass_data_bytes_mem_global.sum")
        ),
    );
    let local = (
        format!(
            "local: {} instructions",
            sum("smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum")
        ),
        format!(
            "{} bytes ({mark})",
            sum("smsp__sass_data_bytes_mem_local_op_ld.sum", "smsp__sass_data_bytes_mem_local_op_st.sum")
        ),
    );
    let shared = (
        format!("shared: {} instructions", exact("smsp__sass_inst_executed_op_shared.sum")),
        format!(
            "{} wavefronts, {} bytes ({mark})",
            exact("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"),
            exact("smsp__sass_data_bytes_mem_shared.sum")
        ),
    );
    let misses = ("loads and stores".to_owned(), format!("sectors: {}", Origin::NotModelled.name()));
    let requests = sum("lts__t_requests_srcunit_tex_op_atom.sum", "lts__t_requests_srcunit_tex_op_red.sum");
    let sectors = sum("lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_srcunit_tex_op_red.sum");
    let atomics = (format!("atomics: {requests} requests"), format!("{sectors} sectors ({mark})"));
    let device = |verb: &str, bytes: fn(&Prediction) -> u64| match &report.prediction {
        Some(prediction) => {
            (format!("{verb} ({})", Origin::Predicted.name()), format!("{} bytes", whole(bytes(prediction))))
        }
        None => (verb.to_owned(), Origin::NotModelled.name().to_owned()),
    };
    let read = device("read", |prediction| prediction.dram_read_bytes);
    let written = device("written", |prediction| prediction.dram_written_bytes);
    let arrows = [
        (110.0, 410.0, 80.0, &global),
        (110.0, 410.0, 155.0, &local),
        (110.0, 410.0, 270.0, &shared),
        (530.0, 720.0, 80.0, &misses),
        (530.0, 720.0, 155.0, &atomics),
        (840.0, 980.0, 80.0, &read),
        (840.0, 980.0, 155.0, &written),
    ];
    for (from, to, y, texts) in arrows {
        arrow(&mut svg, from, to, y, texts);
    }
    let words: Vec<String> = arrows.iter().map(|(_, _, _, (above, below))| format!("{above}, {below}")).collect();
    let words = format!("From the kernel through the caches to device memory. {}.", words.join(". "));
    drawing(WIDTH, HEIGHT, "Memory chart", &words, &shown.id("chart"), &svg)
}

fn node(svg: &mut Markup, [x, y, width, height]: [f64; 4], title: &str, below: &str) {
    let middle = x + width / 2.0;
    svg.add(html! { rect class="node" x=(x) y=(y) width=(width) height=(height) rx="4" {} "\n" });
    let lines: Vec<(&str, &str)> = title.split(' ').map(|word| ("strong", word)).collect();
    let below = below.split_inclusive(": ").map(|part| ("faint", part.trim()));
    let all: Vec<(&str, &str)> = lines.into_iter().chain(below).collect();
    #[allow(clippy::cast_precision_loss, reason = "a handful of lines")]
    let first = y + height / 2.0 + 5.0 - (all.len() as f64 - 1.0) * 8.0;
    for (at, (class, word)) in all.iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "a handful of lines")]
        let line = first + at as f64 * 16.0;
        svg.add(label(&format!("middle {class}"), (middle, line), word));
    }
}

fn arrow(svg: &mut Markup, from: f64, to: f64, y: f64, (above, below): &(String, String)) {
    let (start, end, middle) = (from + 4.0, to - 4.0, f64::midpoint(from, to));
    svg.add(line("flow", (start, y), (end, y)));
    for (tip, back) in [(end, -7.0), (start, 7.0)] {
        let base = tip + back;
        let (top, bottom) = (y - 4.0, y + 4.0);
        let points = format!("{tip},{y} {base},{top} {base},{bottom}");
        svg.add(html! { polygon class="tip" points=(points) {} "\n" });
    }
    for (words, base) in [(above, y - 8.0), (below, y + 17.0)] {
        svg.add(label("middle small", (middle, base), words));
    }
}
