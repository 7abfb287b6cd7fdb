//! Rows as text: numbers for reading, and comma-separated values.

use super::Row;

/// A number as a reader sees it: whole ones with their thousands set apart, others with three digits.
pub fn show(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        let digits = format!("{:.0}", value.abs());
        let mut text = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        return if value < 0.0 { format!("-{text}") } else { text };
    }
    let decimals = match value.abs() {
        100.0.. => 0,
        10.0..100.0 => 1,
        1.0..10.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// The rows with one line each: what is claimed, both figures with their origin, the verdict, the commands.
///
/// # Errors
/// The writer's, which writes to memory.
pub fn csv(rows: &[Row]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "claim",
        "publication",
        "place",
        "says",
        "unit",
        "claimed",
        "figure",
        "then_target",
        "then",
        "then_origin",
        "now",
        "now_origin",
        "verdict",
        "commands",
    ])?;
    for row in rows {
        let side = |figure: &Option<super::Figure>| {
            figure.as_ref().map(|f| (f.target.clone(), f.value.to_string(), f.origin.text())).unwrap_or_default()
        };
        let ((then_target, then, then_origin), (_, now, now_origin)) = (side(&row.then), side(&row.now));
        let commands = row.then.iter().chain(&row.now).flat_map(|figure| figure.commands.clone());
        let commands: Vec<String> = commands.collect();
        writer.write_record([
            &*row.id,
            row.seed.name(),
            &row.place,
            &row.says,
            &row.unit,
            &row.claimed,
            &row.figure,
            &then_target,
            &then,
            then_origin,
            &now,
            now_origin,
            row.verdict.text(),
            &commands.join("\n"),
        ])?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let shown = [0.0, 2032.0, 5.0 / 3.0, 0.541_666, 28.71, 1234.5, -3.0].map(show);
        assert_eq!(shown, ["0", "2,032", "1.67", "0.542", "28.7", "1234", "-3"]);
    }
}
