//! The authors' sources as clang makes them, beside NVRTC's: the exact counters of every case, both simulated.
//!
//! Both come from what is committed (`ptx/GROUP/NAME.json.gz`), so that neither compiler is needed.

use kernels::compilers::{Row, Table, differences};
use kernels::counters::EXACT;
use rayon::prelude::*;

use crate::built::Maker;
use crate::course::{Course, Exercise};
use crate::grade::authors;
use crate::instance::{Code, Instance};
use crate::model::GradeError;

/// Compares the solutions of the exercises whose names are given, all if none is; with `alternatives` the honest ones, too. A
/// row's problem is the exercise, its version the source. Whether results are right is not asked here: a course's proof is.
///
/// # Errors
/// [`GradeError`], when what is committed is of other sources, or a run fails.
pub fn compare(course: &Course, names: &[String], alternatives: bool) -> Result<Table, GradeError> {
    let chosen = course.exercises.iter().filter(|exercise| !exercise.kind.asks());
    let chosen: Vec<&Exercise> = chosen.filter(|exercise| names.is_empty() || names.contains(&exercise.name)).collect();
    let rows: Result<Vec<Vec<Row>>, GradeError> =
        chosen.into_par_iter().map(|exercise| rows(course, exercise, alternatives)).collect();
    Ok(Table { clang: None, rows: rows?.into_iter().flatten().collect() })
}

fn rows(course: &Course, exercise: &Exercise, alternatives: bool) -> Result<Vec<Row>, GradeError> {
    let stale = || GradeError::Course(crate::bundle::BundleError::Stale(exercise.name.clone()).to_string());
    let built = authors::committed(course, exercise).ok_or_else(stale)?;
    let by = |maker: Maker| built.own.iter().filter(move |build| build.compiler == maker);
    let mut rows = Vec::new();
    for nvrtc in by(Maker::Nvrtc).filter(|build| alternatives || build.file == exercise.file_name()) {
        let clang = by(Maker::Clang).find(|build| build.file == nvrtc.file).ok_or_else(stale)?;
        let (nvrtc_code, clang_code) = (nvrtc.code("")?, clang.code("")?);
        for case in &exercise.cases {
            let instance = Instance::new(exercise, case, &course.dir, None).map_err(GradeError::Course)?;
            let counted = |code: &Code| {
                let ran = instance.count(code, &sim::Options::default());
                ran.map(|ran| ran.report).map_err(|why| GradeError::Course(format!("{}: {why}", nvrtc.file)))
            };
            let differences = differences(&[counted(&nvrtc_code)?], &[counted(&clang_code)?]);
            rows.push(Row {
                problem: exercise.name.clone(),
                version: nvrtc.file.clone(),
                case: case.name.clone(),
                counters: EXACT.len(),
                differences,
                wrong: None,
            });
        }
    }
    Ok(rows)
}
