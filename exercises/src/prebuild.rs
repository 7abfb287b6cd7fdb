//! Compiles what the authors of a course wrote ahead of its use ([`crate::built`]), with each compiler.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use kernels::compile;
use rayon::prelude::*;

use crate::built::{Build, Built, Maker, portable, slim};
use crate::compiler::{Cached, Compiled, Compiler, Local, Pages};
use crate::course::{Course, CourseError, Exercise, read};
use crate::grade::authors::{self, needs_reference, own_files};
use crate::grade::{GradeError, compiled};

/// The compilers, in the order in which their code stands in the files.
pub const MAKERS: [Maker; 3] = [Maker::Nvrtc, Maker::Clang, Maker::Pages];

/// The compiler that makes what is committed.
pub fn compiler(maker: Maker) -> Box<dyn Compiler> {
    match maker {
        Maker::Nvrtc => Box::new(Cached::new(Local { compiler: Some(compile::Compiler::Nvrtc) })),
        Maker::Clang => Box::new(Cached::new(Local { compiler: Some(compile::Compiler::Clang) })),
        Maker::Pages => Box::new(Pages::default()),
    }
}

/// Compiles the authors' sources of an exercise, each with `compile` by each compiler.
///
/// # Errors
/// [`GradeError`], when a source cannot be read or compiled.
pub fn make(
    course: &Course,
    exercise: &Exercise,
    compile: &(dyn Fn(Maker, &str, &str) -> Result<Compiled, GradeError> + Sync),
) -> Result<Built, GradeError> {
    let wrong = |why: CourseError| GradeError::Course(why.to_string());
    let one = |file: &Path, maker: Maker, whole: bool| -> Result<Build, GradeError> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let made = compile(maker, &name, &read(file).map_err(wrong)?)?;
        let (ptx, debug_ptx) = if whole {
            (portable(&made.ptx), made.debug_ptx.as_deref().map(portable))
        } else {
            (slim(&made.ptx), None)
        };
        Ok(Build { file: name, compiler: maker, ptx, debug_ptx })
    };
    let sources = authors::digest(course, exercise).map_err(wrong)?;
    if exercise.kind.asks() {
        let kernel = Some(one(&course.solution_file(exercise), Maker::Nvrtc, true)?);
        return Ok(Built { sources, kernel, ..Built::default() });
    }
    let by_each = |files: Vec<PathBuf>| -> Result<Vec<Build>, GradeError> {
        let each = MAKERS.iter().flat_map(|maker| files.iter().map(|file| (file.clone(), *maker)));
        each.collect::<Vec<_>>().par_iter().map(|(file, maker)| one(file, *maker, false)).collect()
    };
    let own = by_each(own_files(course, exercise).map_err(wrong)?)?;
    let reference = needs_reference(exercise).then(|| course.reference_file(exercise));
    Ok(Built { sources, own, reference: by_each(reference.into_iter().collect())?, kernel: None })
}

/// Compiles the authors' sources of a course and writes down what is new: the files, and whether each has changed.
///
/// # Errors
/// [`GradeError`], when a source cannot be read or compiled, or a file cannot be written.
pub fn write(course: &Course) -> Result<Vec<(PathBuf, bool)>, GradeError> {
    let compile = |maker: Maker, name: &str, text: &str| compiled(&*compiler(maker), name, text);
    let each = |exercise: &Exercise| {
        let built = make(course, exercise, &compile)?;
        let file = course.built_file(exercise);
        let changed = authors::unpacked(&file).as_ref() != Some(&built);
        if changed {
            let failed = |why: std::io::Error| GradeError::Course(format!("cannot write {}: {why}", file.display()));
            std::fs::create_dir_all(file.parent().unwrap_or(&course.dir)).map_err(failed)?;
            std::fs::write(&file, packed(&built).map_err(failed)?).map_err(failed)?;
        }
        Ok((file, changed))
    };
    course.exercises.iter().map(each).collect()
}

/// The bytes of a file: the same on every machine and at any time.
fn packed(built: &Built) -> std::io::Result<Vec<u8>> {
    let mut packer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    packer.write_all(&serde_json::to_vec(built)?)?;
    packer.finish()
}
