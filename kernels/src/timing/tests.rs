//! The committed evaluation: that it is what the model predicts today, and that what is said of it is so.

use super::{Evaluation, Figures, Road, open, predict, recorded};
use crate::bench::{Selection, record};

/// Of the recorded times, at least so many percent are in the range that a prediction gives: nearly nine of ten.
const IN_RANGE: f64 = 88.0;

#[test]
fn the_figures_are_those_of_the_rows() {
    let Evaluation { all, development, held_out, problems, rows } = recorded().expect("the committed evaluation");
    assert!(rows.len() >= 100, "{} rows", rows.len());
    assert_eq!(all, Figures::of(&rows));
    let half = |held: bool| Figures::of(rows.iter().filter(|row| row.is_held_out() == held));
    assert_eq!((development, held_out), (half(false), half(true)));
    assert!(development.rows.min(held_out.rows) * 3 > all.rows, "{} and {} rows", development.rows, held_out.rows);
    for (problem, figures) in &problems {
        assert_eq!(*figures, Figures::of(rows.iter().filter(|row| row.problem == *problem)), "{problem}");
    }
}

#[test]
fn what_was_measured_is_what_the_bench_recorded() {
    let records = record::records().expect("records");
    for row in recorded().expect("the committed evaluation").rows {
        let of = |own: &&record::Row| {
            (&own.problem, &own.version, &own.size, &own.unit, &own.data)
                == (&row.problem, &row.version, &row.size, &row.unit, &row.data)
        };
        let found = records.iter().flat_map(|record| &record.rows).find(of).expect("a row of the bench");
        let us = found.outcome.times().expect("it was timed").median_us();
        assert!((us - row.measured_us).abs() < 1e-9, "{}: {us} and {} µs", row.title(), row.measured_us);
    }
}

#[test]
fn open_questions_are_listed_and_needed() {
    let questions = open::questions().expect("the list");
    let mut rows = recorded().expect("the committed evaluation").rows;
    let complaints = open::complaints(&questions, &rows);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    // A new one is told, and one that is answered, too.
    let good = rows.iter().position(|row| !row.is_open()).expect("a good row");
    rows[good].predicted_us = rows[good].measured_us * 3.0;
    assert_eq!(open::complaints(&questions, &rows).len(), 1);
    rows[good].predicted_us = rows[good].measured_us;
    if let Some(question) = questions.first() {
        let about = |row: &&mut super::Row| question.is_about(row);
        rows.iter_mut().filter(about).for_each(|row| row.predicted_us = row.measured_us);
        assert_eq!(open::complaints(&questions, &rows).len(), 1);
    }
}

#[test]
fn the_range_holds_nearly_nine_of_ten_measured_times() {
    let rows = recorded().expect("the committed evaluation").rows;
    let factor = sim::predict::MEASURED;
    let within = rows.iter().filter(|row| (1.0 / factor..=factor).contains(&(row.predicted_us / row.measured_us)));
    let percent = within.count() as f64 / rows.len() as f64 * 100.0;
    assert!(percent >= IN_RANGE, "{percent:.1} % are within a factor of {factor}");
}

#[test]
fn some_rows_come_out_as_they_are_recorded() {
    let records = record::records().expect("records");
    let rows = recorded().expect("the committed evaluation").rows;
    let selection = Selection {
        problems: vec!["summed_area_table".to_owned()],
        versions: vec!["sat_tiles_spread".to_owned(), "sat_strips".to_owned()],
        sizes: vec!["1920x1080".to_owned()],
        ..Selection::default()
    };
    let now = match predict(&selection, &records[0], Road::Ptx, &|_| {}) {
        Ok(now) => now,
        Err(error) => panic!("{error}"),
    };
    assert!(!now.is_empty(), "nothing was predicted");
    for row in now {
        let was = rows.iter().find(|was| was.title() == row.title()).expect("it is recorded");
        assert_eq!(
            (was.predicted_us, &was.bound),
            (row.predicted_us, &row.bound),
            "{}: warpbook dev time",
            row.title()
        );
    }
}
