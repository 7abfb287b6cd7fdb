//! A prediction as text for a terminal.

use std::fmt::Write as _;

use super::prediction::Prediction;

/// Width of the longest bar.
const BAR: f64 = 30.0;
/// Resources that work for less than this part of the time are left out.
const SHOWN: f64 = 0.02;

/// Renders a prediction: the time, what limits it, what works for how long, what warps wait for.
pub fn render(prediction: &Prediction) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, prediction);
    text
}

fn write(text: &mut String, p: &Prediction) -> std::fmt::Result {
    writeln!(text, "predicted time: {} µs ({} to {}), limited by {}", us(p.us), us(p.low_us), us(p.high_us), p.bound)?;
    let mut resources: Vec<_> = p.resources.iter().filter(|resource| resource.us >= p.us * SHOWN).collect();
    resources.sort_by(|a, b| b.us.total_cmp(&a.us));
    for resource in resources {
        let part = resource.us / p.us;
        let bar = "█".repeat((part * BAR).round().min(BAR) as usize);
        writeln!(text, "  {:<20}{:>10} µs {:>5.1} %  {bar}", resource.name, us(resource.us), part * 100.0)?;
    }
    let warps: Vec<String> =
        p.warps.iter().filter(|share| share.percent >= 1.0).map(|s| format!("{} {} %", s.name, s.percent)).collect();
    writeln!(text, "  a warp {}", warps.join(", "))?;
    let stalls: Vec<String> =
        p.stalls.iter().filter(|share| share.percent >= 1.0).map(|s| format!("{} {} %", s.name, s.percent)).collect();
    if !stalls.is_empty() {
        writeln!(text, "  in Nsight Compute's words: {}", stalls.join(", "))?;
    }
    let r = p.roofline;
    if r.instructions_per_byte > 0.0 {
        writeln!(
            text,
            "  roofline: {} instructions per byte of memory, {} per ns of {} that the roofline allows ({:.0} %)",
            r.instructions_per_byte,
            r.per_ns,
            r.roof_per_ns,
            r.per_ns / r.roof_per_ns * 100.0
        )?;
    }
    for supposed in &p.what_if {
        let changes = supposed.changes.join(" and ");
        writeln!(text, "  with {changes}: {} µs, limited by {}", us(supposed.us), supposed.bound)?;
    }
    let sampled = match p.sampling_percent {
        _ if p.sampled_blocks >= p.blocks => String::new(),
        percent => format!(", ± {percent} % for that"),
    };
    writeln!(
        text,
        "  from {}{} of {} blocks{sampled}; {} registers per thread, {} blocks per multiprocessor",
        if p.from_machine_code { "the machine code of " } else { "estimated machine code of " },
        p.sampled_blocks,
        p.blocks,
        p.registers,
        p.resident_blocks
    )?;
    for note in &p.notes {
        writeln!(text, "  note: {note}")?;
    }
    Ok(())
}

/// Microseconds with as many digits as they deserve.
fn us(us: f64) -> String {
    match us {
        us if us >= 100.0 => format!("{us:.0}"),
        us if us >= 10.0 => format!("{us:.1}"),
        us => format!("{us:.2}"),
    }
}
