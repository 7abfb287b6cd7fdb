//! Requests for the module, from a course: every solution, every wrong solution and every starter, and answers to questions.

use serde_json::{Value, json};

use crate::bundle::Bundle;
use crate::compiler::{CompileFailure, Compiler};
use crate::course::{Course, Exercise, read, sources};
use crate::grade::{Bench, GradeError};

/// A text that a learner could hand in: what it is, and the text.
pub type Text = (String, String);

/// The texts of an exercise that are tried.
///
/// # Errors
/// [`GradeError`], when a file of the course cannot be read or used.
pub fn texts(course: &Course, exercise: &Exercise, compiler: &dyn Compiler) -> Result<Vec<Text>, GradeError> {
    let wrong = |why: crate::course::CourseError| GradeError::Course(why.to_string());
    if exercise.kind.asks() {
        let right = Bench::new(course, exercise, None, compiler)?.right_answers()?;
        let ones: String = exercise.questions.iter().map(|question| format!("{}: 1\n", question.id)).collect();
        let open = crate::answers::template(exercise);
        return Ok(vec![("right answers".to_owned(), right), ("1".to_owned(), ones), ("open".to_owned(), open)]);
    }
    let mut all = vec![("solution".to_owned(), read(&course.solution_file(exercise)).map_err(wrong)?)];
    for (_, text) in course.starters(exercise).map_err(wrong)? {
        all.push(("starter".to_owned(), text));
    }
    for file in sources(&course.wrong_folder(exercise)).map_err(wrong)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push((name, read(&file).map_err(wrong)?));
    }
    all.push(("no CUDA".to_owned(), "nonsense;\n".to_owned()));
    Ok(all)
}

/// A request that has a text judged, as a page sends it.
///
/// # Errors
/// [`GradeError`], when there is no compiler.
pub fn request(bundle: &Bundle, text: &str, progress: &str, compiler: &dyn Compiler) -> Result<Value, GradeError> {
    let exercise = &bundle.exercise;
    let mut request = json!({
        "op": "check", "course": bundle, "exercise": exercise.name, "text": text, "progress": progress,
    });
    if !exercise.kind.asks() {
        request["compiled"] = match compiler.compile(&exercise.file_name(), text) {
            Ok(compiled) => json!(compiled),
            Err(CompileFailure::Rejected(log)) => json!({ "rejected": log }),
            Err(CompileFailure::Stopped(why) | CompileFailure::Missing(why)) => {
                return Err(GradeError::NoCompiler(why));
            }
        };
    }
    Ok(request)
}

/// Requests for all texts of a course, a line each.
///
/// # Errors
/// [`GradeError`], when there is no compiler or the course cannot be used.
pub fn lines(course: &Course, compiler: &dyn Compiler) -> Result<Vec<String>, GradeError> {
    let mut lines = Vec::new();
    for exercise in &course.exercises {
        let bundle = Bundle::of(course, exercise).map_err(|why| GradeError::Course(why.to_string()))?;
        for (_, text) in texts(course, exercise, compiler)? {
            lines.push(request(&bundle, &text, "", compiler)?.to_string());
        }
    }
    Ok(lines)
}
