//! The process that grades one submission, and its parent's side.

use std::io::{BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::submission::{Handed, Submission, look};
use super::{ExerciseResult, Settings, Status, counting};
use crate::compiler::{Cached, Local, Sandboxed};
use crate::course::{Course, Exercise, Kind};
use crate::feedback;
use crate::grade::{Bench, Depth, Grade, GradeError, share};
use crate::misconception;
use crate::page::places;
use crate::state::{EXPORT, FILE, Progress, State};

/// The hidden subcommand that [`child`] is reached by.
pub const SUBCOMMAND: &str = "grade-submission";

/// How long one exercise may take. The instruction budget ends kernels long before.
const PATIENCE: Duration = Duration::from_secs(300);

/// Address space of the process, in bytes.
const MEMORY: u64 = 16 << 30;

/// Longest line that a child may write, in bytes.
const LONGEST_LINE: u64 = 16 << 20;

/// What the child is asked.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    course: PathBuf,
    submission: PathBuf,
    secret: String,
    exercises: Vec<String>,
}

/// Grades a submission: every exercise gets a result, whatever happens.
pub(super) fn grade(course: &Course, submission: &Submission, settings: &Settings) -> Vec<ExerciseResult> {
    let wanted = counting(course, &settings.only);
    let mut results: Vec<ExerciseResult> = Vec::new();
    while results.len() < wanted.len() {
        let rest = &wanted[results.len()..];
        let request = Request {
            course: course.dir.clone(),
            submission: submission.path.clone(),
            secret: settings.secret.clone(),
            exercises: rest.iter().map(|exercise| exercise.name.clone()).collect(),
        };
        let why = ask(&settings.program, &request, rest.len(), &mut results);
        // The process ended before its work: the exercise that it was at is to blame.
        if let (Some(why), Some(exercise)) = (why, wanted.get(results.len())) {
            results.push(ExerciseResult::nothing(exercise, Status::Error, &why));
        }
    }
    results
}

/// Runs a child and collects what it tells. Gives the reason if it did not come to its end.
fn ask(program: &Path, request: &Request, count: usize, results: &mut Vec<ExerciseResult>) -> Option<String> {
    let mut child = match start(program, request) {
        Ok(child) => child,
        Err(why) => return Some(format!("the grader could not be started: {why}")),
    };
    let (sender, lines) = channel();
    let output = child.stdout.take();
    std::thread::spawn(move || {
        let Some(output) = output else { return };
        let mut reader = BufReader::new(output);
        loop {
            let mut line = Vec::new();
            match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(read) if read > 0 && sender.send(line).is_ok() => {}
                _ => return,
            }
        }
    });
    for at in 0..count {
        let failed = match lines.recv_timeout(PATIENCE) {
            Ok(line) => match serde_json::from_slice::<ExerciseResult>(&line) {
                Ok(result) if Some(&result.name) == request.exercises.get(at) => {
                    results.push(result);
                    continue;
                }
                _ => "the grader said something that cannot be read: please report it with this submission",
            },
            Err(RecvTimeoutError::Timeout) => "grading took too long and was stopped",
            Err(RecvTimeoutError::Disconnected) => {
                "the grader was ended while it worked on this: most likely the kernel needed more memory than it may have"
            }
        };
        let _ = child.kill();
        let _ = child.wait();
        return Some(failed.to_owned());
    }
    let _ = child.wait();
    None
}

fn start(program: &Path, request: &Request) -> std::io::Result<Child> {
    let mut child = Command::new(program)
        .arg(SUBCOMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A child that has died already is noticed when its answer is read.
        let _ = pipe.write_all(&serde_json::to_vec(request)?);
    }
    Ok(child)
}

/// What the child process does: reads a request from standard input, and writes one line of JSON for every exercise.
/// `program` is this program, which compiles in processes of its own.
///
/// # Errors
/// When it cannot read, write or limit itself, or the course cannot be read.
pub fn child(program: &Path) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let request: Request = serde_json::from_slice(&bytes)?;
    #[cfg(unix)]
    {
        let (_, hard) = rlimit::Resource::AS.get()?;
        rlimit::Resource::AS.set(MEMORY.min(hard), MEMORY.min(hard))?;
    }
    let course = Course::load(&request.course).map_err(std::io::Error::other)?;
    let mut out = std::io::stdout().lock();
    for exercise in counting(&course, &request.exercises) {
        let graded = catch_unwind(AssertUnwindSafe(|| one(&course, exercise, &request, program)));
        let result = graded.unwrap_or_else(|_| {
            let message = "this is a bug in warpbook, not in the submission: please report it with the submission";
            ExerciseResult::nothing(exercise, Status::Error, message)
        });
        serde_json::to_writer(&mut out, &result)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

/// Grades one exercise of a submission.
fn one(course: &Course, exercise: &Exercise, request: &Request, program: &Path) -> ExerciseResult {
    let (file, text) = match look(&request.submission, &exercise.file_name()) {
        Handed::Text(file, text) => (file, text),
        Handed::Unreadable(file, why) => {
            let message = format!("{file}: {why}");
            return ExerciseResult { file: Some(file), ..ExerciseResult::nothing(exercise, Status::Fail, &message) };
        }
        Handed::Nothing => {
            let message = format!("there is no file {}", exercise.file_name());
            return ExerciseResult::nothing(exercise, Status::Missing, &message);
        }
    };
    let bench = Bench::new(course, exercise, Some(&request.secret), &Cached::new(Local::default()));
    let sandbox = Sandboxed::new(program.to_owned());
    let graded = bench.and_then(|bench| {
        let grade = bench.grade(&file, &text, &sandbox, Depth::All)?;
        Ok((bench, grade))
    });
    let first = first_answers(exercise, &request.submission);
    let graded = graded.and_then(|(bench, mut grade)| {
        first.as_ref().map_or(Ok(()), |first| bench.count_first(first, &mut grade))?;
        Ok(grade)
    });
    match graded {
        Ok(mut grade) => {
            grade.misconception = misconception::recognise(course, exercise, &grade).unwrap_or_default();
            result(exercise, &file, &grade, first.is_some())
        }
        // What a kernel uses and the simulator does not have is no right answer either; the instructor sees why.
        Err(why @ GradeError::Unsupported(_)) => {
            let message = format!("{file} uses something that is not simulated: {why}");
            ExerciseResult { file: Some(file), ..ExerciseResult::nothing(exercise, Status::Fail, &message) }
        }
        Err(why) => {
            ExerciseResult { file: Some(file), ..ExerciseResult::nothing(exercise, Status::Error, &why.to_string()) }
        }
    }
}

/// What a submission says of the first answers to a prediction: the state of the course that was handed in with it, under
/// its own name or as `warpbook exercise export` is asked to call it.
fn first_answers(exercise: &Exercise, submission: &Path) -> Option<Progress> {
    if exercise.kind != Kind::Predict {
        return None;
    }
    let mut states = [EXPORT, FILE].into_iter().filter_map(|name| match look(submission, name) {
        Handed::Text(_, text) => Some(State::parse(&text).of(&exercise.name)),
        Handed::Unreadable(..) | Handed::Nothing => None,
    });
    states.find(|progress| progress.first_score.is_some())
}

/// A grade as points and words. What is hidden only shows in its own fields. `first` says whether it is known what was
/// answered first.
fn result(exercise: &Exercise, file: &str, grade: &Grade, first: bool) -> ExerciseResult {
    let nothing = ExerciseResult::nothing(exercise, Status::Fail, "");
    let public = share(exercise, grade, false) * nothing.public_points[1];
    let hidden =
        if nothing.hidden_points[1] > 0.0 { share(exercise, grade, true) * nothing.hidden_points[1] } else { 0.0 };
    let failed: Vec<String> = {
        let mut kinds: Vec<_> =
            grade.checks.iter().filter(|one| !one.passed && !one.hidden).map(|one| one.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.into_iter().map(|kind| kind.name().to_owned()).collect()
    };
    let hidden_names: Vec<&str> =
        exercise.cases.iter().filter(|case| case.hidden).map(|case| case.name.as_str()).collect();
    let compiled = grade.cases.len() + grade.answers.len() > 0;
    let fails = |name: &str| {
        grade.checks.iter().any(|one| one.hidden && !one.passed && one.name.ends_with(&format!(": {name}")))
    };
    let passed = hidden_names.iter().filter(|name| compiled && !fails(name)).count() as u32;
    let message = match failed.as_slice() {
        [] if exercise.kind == Kind::Predict && first => {
            format!("{:.0} % of the points for the first answers", 100.0 * grade.score)
        }
        [] if exercise.kind == Kind::Predict => {
            format!(
                "{:.0} % of the points for the answers; whether they are the first is not known",
                100.0 * grade.score
            )
        }
        [] if exercise.kind.asks() => format!("{:.0} % of the points for the answers", 100.0 * grade.score),
        [] => format!("all public checks passed (hidden: {})", grade.hidden),
        kinds => format!("fails: {}", kinds.join(", ")),
    };
    let public_grade = Grade { passed: failed.is_empty(), ..grade.clone() };
    ExerciseResult {
        status: if grade.passed { Status::Pass } else { Status::Fail },
        points: public + hidden,
        public_points: [public, nothing.public_points[1]],
        hidden_points: [hidden, nothing.hidden_points[1]],
        hidden_cases: [passed, grade.hidden],
        file: Some(file.to_owned()),
        failed,
        message,
        output: feedback::text(exercise, &public_grade),
        places: places(grade),
        ..nothing
    }
}
