//! Details of source lines as text: histograms, the bank map of the worst access, where atomics meet, who waits.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::details::{
    AccessDetails, BankMap, BarrierDetails, Details, Distance, LaneActivity, LineDetails, Multiplicity,
};

/// Most lines of the list of those that keep the launch from the ideal.
const WORST: usize = 8;

/// Renders what `details` tell of source lines: of all, or of those with the number `line`, in `file` if it is given (its
/// end is enough). `sources` are the source files that are at hand. `None` when nothing was executed there.
pub fn render(
    details: &Details,
    file: Option<&str>,
    line: Option<u32>,
    sources: &BTreeMap<String, String>,
) -> Option<String> {
    let wanted = |details: &&LineDetails| {
        file.is_none_or(|file| details.file.ends_with(file)) && line.is_none_or(|line| details.line == line)
    };
    let lines: Vec<&LineDetails> = details.lines.iter().filter(wanted).collect();
    if lines.is_empty() {
        return None;
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_distance(&mut text, &details.distance);
    for line in lines {
        let code = sources.get(&line.file).and_then(|source| source.lines().nth((line.line as usize).checked_sub(1)?));
        let _ = write_line(&mut text, line, code.map_or("", str::trim));
    }
    Some(text)
}

fn write_distance(text: &mut String, distance: &Distance) -> std::fmt::Result {
    writeln!(
        text,
        "if the lanes of every access addressed consecutive elements: {} wavefronts instead of {}, {} sectors instead of \
         {}",
        distance.ideal_wavefronts, distance.wavefronts, distance.ideal_sectors, distance.sectors
    )?;
    for line in distance.lines.iter().take(WORST) {
        let place = format!("{}:{}", line.file, line.line);
        writeln!(
            text,
            "  {place} costs {} wavefronts and {} sectors too many",
            line.excess_wavefronts, line.excess_sectors
        )?;
    }
    let hidden = distance.lines.len().saturating_sub(WORST);
    if hidden > 0 {
        writeln!(text, "  … and {hidden} more lines")?;
    }
    Ok(())
}

fn write_line(text: &mut String, line: &LineDetails, code: &str) -> std::fmt::Result {
    writeln!(text, "\n{}:{}  {code}", line.file, line.line)?;
    write_lanes(text, &line.lanes)?;
    for access in &line.accesses {
        write_access(text, access)?;
    }
    for barrier in &line.barriers {
        write_barrier(text, barrier)?;
    }
    Ok(())
}

fn write_lanes(text: &mut String, lanes: &LaneActivity) -> std::fmt::Result {
    let (warps, busy) = lanes.totals();
    let mean = if warps == 0 { 0.0 } else { busy as f64 / warps as f64 };
    writeln!(text, "  {warps} warp-instructions with {mean:.1} of 32 lanes on average")?;
    if lanes.by_count.keys().any(|&count| count != 32) {
        write_histogram(text, "lanes", &lanes.by_count)?;
    }
    Ok(())
}

fn write_histogram(text: &mut String, what: &str, histogram: &BTreeMap<u32, u64>) -> std::fmt::Result {
    let width = histogram.values().chain(histogram.keys().map(|key| u64::from(*key)).max().as_ref()).max().copied();
    let width = width.unwrap_or(0).to_string().len() + 1;
    // Sixteen to a row: the widest histograms have 33 columns.
    let entries: Vec<(u32, u64)> = histogram.iter().map(|(&key, &times)| (key, times)).collect();
    for row in entries.chunks(16) {
        let cells = |values: Vec<u64>| values.iter().map(|value| format!("{value:>width$}")).collect::<String>();
        writeln!(text, "    {what:>10}{}", cells(row.iter().map(|(key, _)| u64::from(*key)).collect()))?;
        writeln!(text, "    {:>10}{}", "times", cells(row.iter().map(|(_, times)| *times).collect()))?;
    }
    Ok(())
}

fn write_access(text: &mut String, access: &AccessDetails) -> std::fmt::Result {
    let AccessDetails { instruction, ptx_line, kind, unit, cost, ideal, histogram, worst, .. } = access;
    let times: u64 = histogram.values().sum();
    writeln!(text, "  {kind} (PTX line {ptx_line}: {})", instruction.trim())?;
    writeln!(text, "    {times} accesses of warps, {} bytes a lane: {cost} {unit}, at best {ideal}", access.width)?;
    write_histogram(text, unit, histogram)?;
    if worst.cost > worst.ideal {
        let [x, y, z] = worst.block;
        writeln!(
            text,
            "    the worst is that of block ({x},{y},{z}), warp {}: {} {unit} instead of {}",
            worst.warp, worst.cost, worst.ideal
        )?;
        match &worst.banks {
            Some(map) => write_banks(text, map)?,
            None => write_addresses(text, &worst.addresses)?,
        }
    }
    access.atomics.iter().try_for_each(|atomics| write_atomics(text, atomics))
}

/// The bank map: a row for each bank that is used, a column for each lane, a letter for each word of the bank.
fn write_banks(text: &mut String, map: &BankMap) -> std::fmt::Result {
    writeln!(text, "    bank, then lanes 0 to 31: each letter is one word of the bank, and one lane's use of it")?;
    for bank in 0..map.banks {
        let mut rows: Vec<u32> = Vec::new();
        let mut cells = String::new();
        for (lane, words) in map.lanes.iter().enumerate() {
            if lane % 8 == 0 {
                cells.push(' ');
            }
            let here: Vec<u32> = words.iter().filter(|(own, _)| *own == bank).map(|(_, row)| *row).collect();
            rows.extend(here.iter().filter(|row| !rows.contains(row)).collect::<Vec<_>>());
            cells.push(here.first().map_or('·', |row| letter(rows.iter().position(|other| other == row))));
        }
        if !rows.is_empty() {
            let words = if rows.len() == 1 { "word" } else { "words" };
            writeln!(text, "    {bank:>4} {cells}  {} {words}", rows.len())?;
        }
    }
    Ok(())
}

fn letter(position: Option<usize>) -> char {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#@";
    position.and_then(|at| LETTERS.get(at)).map_or('?', |&letter| letter.into())
}

/// Lanes and the sectors that they address, as distances from the lowest one.
fn write_addresses(text: &mut String, addresses: &[Option<u64>]) -> std::fmt::Result {
    let lowest = addresses.iter().flatten().min().copied().unwrap_or(0) & !31;
    writeln!(text, "    bytes from the first sector, lanes 0 to 31:")?;
    for lanes in addresses.chunks(8) {
        let cells = lanes.iter().map(|lane| match lane {
            Some(address) => format!("{:>11}", address - lowest),
            None => format!("{:>11}", "·"),
        });
        writeln!(text, "    {}", cells.collect::<String>())?;
    }
    Ok(())
}

fn write_atomics(text: &mut String, atomics: &Multiplicity) -> std::fmt::Result {
    writeln!(text, "    how many lanes of a warp meet at an address, and how often:")?;
    write_histogram(text, "lanes", &atomics.together)?;
    let more = if atomics.elsewhere > 0 { " or more" } else { "" };
    writeln!(text, "    {}{more} different addresses; most lanes in the whole launch:", atomics.addresses)?;
    for busy in &atomics.busiest {
        writeln!(text, "    {:>10} {}", busy.lanes, busy.place)?;
    }
    Ok(())
}

fn write_barrier(text: &mut String, barrier: &BarrierDetails) -> std::fmt::Result {
    let mean = barrier.steps as f64 / barrier.warps.max(1) as f64;
    writeln!(
        text,
        "  barrier (PTX line {}): warps waited {} times, {mean:.1} steps on average and {} at most",
        barrier.ptx_line, barrier.warps, barrier.most
    )?;
    let mut last: Vec<(u32, u64)> = barrier.last.iter().map(|(&warp, &times)| (warp, times)).collect();
    last.sort_by_key(|&(warp, times)| (std::cmp::Reverse(times), warp));
    if barrier.steps > 0 {
        let names: Vec<String> = last.iter().take(4).map(|(warp, times)| format!("warp {warp} ({times})")).collect();
        writeln!(text, "    those that most often came last: {}", names.join(", "))?;
    }
    Ok(())
}
