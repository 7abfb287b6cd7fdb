//! The authors' sources on both roads, PTX and machine code: [`kernels::roads`] for the course.

use kernels::roads::corpus::{of_reports, options};
use kernels::roads::{Both, Roads, Suite, Trouble, Troubled};
use kernels::sass::Tools;
use rayon::prelude::*;
use sim::machine_code::{self, Program};

use crate::built::Maker;
use crate::compiler::Compiler;
use crate::course::{Course, Exercise};
use crate::grade::{author_code, authors};
use crate::instance::{Code, Instance};
use crate::model::GradeError;

/// Runs the solutions of the exercises whose names are given, all if none is, in all of their cases; with `alternatives` the
/// honest ones, too. With a compiler the sources are compiled, and lines are compared; without, what is committed of NVRTC
/// serves, which has no lines.
///
/// # Errors
/// [`GradeError`], when there is no ptxas, a source does not compile, or what is committed is of other sources.
pub fn compare(
    course: &Course,
    names: &[String],
    alternatives: bool,
    compiler: Option<&dyn Compiler>,
) -> Result<Roads, GradeError> {
    let tools = Tools::find().map_err(|why| GradeError::NoCompiler(why.to_string()))?;
    let chosen = course.exercises.iter().filter(|exercise| !exercise.kind.asks());
    let chosen: Vec<&Exercise> = chosen.filter(|exercise| names.is_empty() || names.contains(&exercise.name)).collect();
    let one = |exercise: &&Exercise| -> Result<Roads, GradeError> {
        let mut roads = Roads::default();
        for code in own_code(course, exercise, alternatives, compiler)? {
            roads.extend(of_code(course, exercise, &code, &tools)?);
        }
        Ok(roads)
    };
    let mut roads = Roads::default();
    for part in chosen.par_iter().map(one).collect::<Result<Vec<_>, _>>()? {
        roads.extend(part);
    }
    Ok(roads)
}

/// The solution of an exercise, and its honest alternatives.
fn own_code(
    course: &Course,
    exercise: &Exercise,
    alternatives: bool,
    compiler: Option<&dyn Compiler>,
) -> Result<Vec<Code>, GradeError> {
    if let Some(compiler) = compiler {
        let files = authors::own_files(course, exercise).map_err(|why| GradeError::Course(why.to_string()))?;
        let files = files.iter().take(if alternatives { usize::MAX } else { 1 });
        return files.map(|file| Ok(author_code(compiler, file)?.0)).collect();
    }
    let stale = || GradeError::Course(crate::bundle::BundleError::Stale(exercise.name.clone()).to_string());
    let built = authors::committed(course, exercise).ok_or_else(stale)?;
    let own = built.own.iter().filter(|build| build.compiler == Maker::Nvrtc);
    own.filter(|build| alternatives || build.file == exercise.file_name()).map(|build| build.code("")).collect()
}

fn of_code(course: &Course, exercise: &Exercise, code: &Code, tools: &Tools) -> Result<Roads, GradeError> {
    let subject = if code.file == exercise.file_name() {
        exercise.name.clone()
    } else {
        format!("{}/{}", exercise.name, code.file)
    };
    let troubled = |case: &str, sentence: String| Troubled {
        suite: Suite::Exercises,
        subject: subject.clone(),
        case: case.to_owned(),
        trouble: Trouble::Refused,
        sentence,
        known: None,
    };
    let mut roads = Roads::default();
    let cubin = match tools.assemble(&code.file, &code.counted_ptx, "sm_90") {
        Ok(cubin) => cubin,
        Err(why) => {
            roads.troubled.push(troubled("", why.to_string()));
            return Ok(roads);
        }
    };
    for case in &exercise.cases {
        let instance = Instance::new(exercise, case, &course.dir, None).map_err(GradeError::Course)?;
        let ptx = instance.run_by(code, |kernel, launch| sim::simulate(&code.counted, kernel, launch, &options()));
        let machine_code = instance
            .run_by(code, |kernel, launch| machine_code::simulate(&Program::load(&cubin, kernel)?, launch, &options()));
        let (ptx, machine_code) = match (ptx, machine_code) {
            (Ok(ptx), Ok(machine_code)) => (ptx, machine_code),
            (Err(why), _) => {
                roads.troubled.push(troubled(&case.name, format!("PTX: {why}")));
                continue;
            }
            (_, Err(why)) => {
                roads.troubled.push(troubled(&case.name, format!("machine code: {why}")));
                continue;
            }
        };
        roads.extend(of_reports(&Both {
            suite: Suite::Exercises,
            subject: &subject,
            case: &case.name,
            module: &code.counted,
            text: &code.counted_ptx,
            ptx: &ptx,
            machine_code: &machine_code,
            repeats: &|_, _| true,
        }));
    }
    Ok(roads)
}
