//! Predicted launches below the roofs of their GPU, as an SVG that is legible on light and dark backgrounds and says in
//! words what it shows.

use markup::drawing::{Drawing, Tenths, dot, line, text};
use markup::{Append, Markup, html};
use sim::Prediction;

// Width and height of the picture, and the margins around the axes.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 56.0;

/// Colours, for light and for dark backgrounds.
const STYLE: &str = "svg{--ground:#ffffff;--ink:#1a1a1a;--faint:#6b6b6b;--ours:#2f6fb0;--roof:#b0702f}\
@media (prefers-color-scheme:dark){svg{--ground:#16181c;--ink:#ececec;--faint:#a0a0a0;--ours:#6aa6e6;--roof:#e0a05f}}\
text{font:13px sans-serif;fill:var(--ink)}.title{font-weight:bold;font-size:15px}.faint{fill:var(--faint);\
font-size:12px}.end{text-anchor:end}.middle{text-anchor:middle}.ground{fill:var(--ground)}.dot{fill:var(--ours)}\
.roof{fill:none;stroke:var(--roof);stroke-width:2}.grid{stroke:var(--faint);stroke-width:.5;stroke-dasharray:2 4}";

/// The picture of launches as a file.
pub fn svg(launches: &[(String, &Prediction)]) -> String {
    drawing(launches).file(STYLE)
}

/// The picture of launches by name: instructions per byte of memory to the right, instructions per nanosecond upwards,
/// both in powers of ten. Launches that move nothing stand at the right edge. Its classes are `title`, `faint`, `end`,
/// `middle`, `dot`, `roof` and `grid`.
pub fn drawing(launches: &[(String, &Prediction)]) -> Drawing {
    let roofs = launches.first().map(|(_, prediction)| prediction.roofline).unwrap_or_default();
    let issue = roofs.issue_per_ns.max(1e-3);
    let slope = roofs.dram_bytes_per_ns.max(1e-3);
    let ridge = issue / slope;
    let intensity = |p: &Prediction| match p.roofline.instructions_per_byte {
        none if none <= 0.0 => ridge * 50.0,
        some => some,
    };
    let of = |value: fn(&Prediction) -> f64, start: f64| launches.iter().map(|(_, p)| value(p)).fold(start, f64::min);
    let least_y = of(|p| p.roofline.per_ns.max(1e-4), issue / 100.0);
    let x_range = (
        launches.iter().map(|(_, p)| intensity(p)).fold(ridge / 30.0, f64::min).log10().floor(),
        launches.iter().map(|(_, p)| intensity(p)).fold(ridge * 10.0, f64::max).log10().ceil(),
    );
    let y_range = (least_y.log10().floor(), issue.log10().ceil());
    let x = |v: f64| LEFT + (v.log10() - x_range.0) / (x_range.1 - x_range.0) * (WIDTH - LEFT - RIGHT);
    let y = |v: f64| HEIGHT - BOTTOM - (v.log10() - y_range.0) / (y_range.1 - y_range.0) * (HEIGHT - TOP - BOTTOM);
    let mut svg = Markup::default();
    svg.add(text("title", LEFT, 24.0, "Instructions per byte and per nanosecond, predicted"));
    for power in x_range.0 as i32..=x_range.1 as i32 {
        let at = x(10f64.powi(power));
        svg.add(line("grid", (Tenths(at), TOP), (Tenths(at), Tenths(HEIGHT - BOTTOM))));
        svg.add(text("faint middle", at, HEIGHT - BOTTOM + 18.0, &number(power)));
    }
    for power in y_range.0 as i32..=y_range.1 as i32 {
        let at = y(10f64.powi(power));
        svg.add(line("grid", (LEFT, Tenths(at)), (Tenths(WIDTH - RIGHT), Tenths(at))));
        svg.add(text("faint end", LEFT - 8.0, at + 4.0, &number(power)));
    }
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    svg.add(text("faint middle", middle, HEIGHT - 14.0, "warp-instructions per byte of memory"));
    svg.add(text("faint", 10.0, TOP - 12.0, "warp-instructions per ns"));
    let from = 10f64.powf(x_range.0).max(10f64.powf(y_range.0) / slope);
    let points = [(x(from), y(from * slope)), (x(ridge), y(issue)), (WIDTH - RIGHT, y(issue))];
    let points = points.map(|(x, y)| format!("{x:.1},{y:.1}")).join(" ");
    svg.add(html! { polyline class="roof" points=(points) {} "\n" });
    // Above the roofs, where no launch can be; names stand to the right.
    svg.add(text("faint end", WIDTH - RIGHT - 6.0, y(issue) - 6.0, &format!("issue: {issue} per ns")));
    let beside = from.powf(0.25) * ridge.powf(0.75);
    svg.add(text("faint end", x(beside) - 10.0, y(beside * slope), &format!("memory: {slope} bytes per ns")));
    let mut lowest = f64::MAX;
    let mut sorted: Vec<_> = launches.iter().collect();
    sorted.sort_by(|a, b| a.1.roofline.per_ns.total_cmp(&b.1.roofline.per_ns));
    for (name, prediction) in sorted {
        let (cx, cy) = (x(intensity(prediction)), y(prediction.roofline.per_ns.max(1e-4)));
        svg.add(dot((cx, cy), 5.0, &sentence(name, prediction)));
        // Names stand at the right, one above the other, so that they do not cover each other.
        let base = (cy + 4.0).min(lowest - 16.0);
        lowest = base;
        svg.add(text("", WIDTH - RIGHT + 8.0, base.max(TOP), name));
        let end = (Tenths(WIDTH - RIGHT + 4.0), Tenths(base.max(TOP) - 4.0));
        svg.add(line("grid", (Tenths(cx + 6.0), Tenths(cy)), end));
    }
    Drawing {
        width: WIDTH,
        height: HEIGHT,
        title: "Roofline of instructions".to_owned(),
        description: words(launches),
        body: svg,
    }
}

fn sentence(name: &str, prediction: &Prediction) -> String {
    let r = prediction.roofline;
    let share = r.per_ns / r.roof_per_ns.max(f64::MIN_POSITIVE) * 100.0;
    format!(
        "{name}: {} instructions per byte, {} per ns, {share:.0} % of what the limit above it allows; {:.1} µs, \
         limited by {}",
        r.instructions_per_byte, r.per_ns, prediction.us, prediction.bound
    )
}

fn words(launches: &[(String, &Prediction)]) -> String {
    let all: Vec<String> = launches.iter().map(|(name, prediction)| sentence(name, prediction)).collect();
    if all.is_empty() { "No launch.".to_owned() } else { format!("{}.", all.join(". ")) }
}

/// A power of ten as a number.
fn number(power: i32) -> String {
    format!("{}", 10f64.powi(power))
}
