//! What an exercise's authors wrote, compiled: what the results, the limits and the right answers come from.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{author_code, code};
use crate::built::{Build, Built, Maker, slim};
use crate::compiler::{Compiled, Compiler};
use crate::course::{Course, CourseError, Exercise, Files, read, sources};
use crate::instance::Code;
use crate::model::GradeError;

/// What an exercise's authors wrote, compiled.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    /// The solution and its honest alternatives by the compiler at hand; none of questions, and none in a page.
    pub(crate) own: Vec<Code>,
    /// The same by other compilers: what they cost is allowed, too.
    others: Vec<Code>,
    /// What computes the results, if the exercise needs it.
    pub(super) reference: Option<Code>,
    /// Of questions: the kernel that they are about.
    pub(super) kernel: Option<Code>,
}

impl Authors {
    /// Compiles what is in the course's folder, or takes what was compiled ahead.
    pub(super) fn new(course: &Course, exercise: &Exercise, compiler: &dyn Compiler) -> Result<Self, GradeError> {
        match &course.files {
            Files::Memory(kept) => Self::of_built(course, exercise, &kept.built),
            Files::Folder => Self::compiled(course, exercise, compiler),
        }
    }

    fn compiled(course: &Course, exercise: &Exercise, compiler: &dyn Compiler) -> Result<Self, GradeError> {
        // What the answers and limits were made with needs no other.
        let ahead = if compiler.is_nvrtc() { None } else { committed(course, exercise) };
        if exercise.kind.asks() {
            if let Some(built) = ahead {
                return Self::of_built(course, exercise, &built);
            }
            let kernel = author_code(compiler, &course.solution_file(exercise))?.0;
            return Ok(Self { kernel: Some(kernel), ..Self::default() });
        }
        let own: Vec<Code> = own_files(course, exercise)
            .map_err(|why| GradeError::Course(why.to_string()))?
            .par_iter()
            .map(|file| Ok(author_code(compiler, file)?.0))
            .collect::<Result<_, GradeError>>()?;
        // What is the same code costs the same.
        let same: Vec<String> = own.iter().map(|code| slim(&code.counted_ptx)).collect();
        let others = ahead.map_or(Vec::new(), |built| built.own);
        let others = others.iter().filter(|build| !same.contains(&build.ptx)).map(|build| build.code(""));
        let reference =
            needs_reference(exercise).then(|| author_code(compiler, &course.reference_file(exercise))).transpose()?;
        let reference = reference.map(|(code, _)| code);
        Ok(Self { own, others: others.collect::<Result<_, _>>()?, reference, kernel: None })
    }

    fn of_built(course: &Course, exercise: &Exercise, built: &Built) -> Result<Self, GradeError> {
        let others: Result<Vec<Code>, GradeError> = built.own.iter().map(|build| build.code("")).collect();
        // The results are those of the code that the page's compiler makes.
        let reference = built.reference.iter().find(|build| build.compiler == Maker::Pages);
        let kernel = built.kernel.as_ref().map(|build| {
            let text = course.read(&course.solution_file(exercise));
            build.code(&text.map_err(|why| GradeError::Course(why.to_string()))?)
        });
        Ok(Self {
            own: Vec::new(),
            others: others?,
            reference: reference.or(built.reference.first()).map(|build| build.code("")).transpose()?,
            kernel: kernel.transpose()?,
        })
    }

    /// All that the limits come from.
    pub(super) fn all(&self) -> Vec<&Code> {
        self.own.iter().chain(&self.others).collect()
    }
}

impl Build {
    /// The code, with the source that its line table is about.
    pub(crate) fn code(&self, source: &str) -> Result<Code, GradeError> {
        let compiled = Compiled { ptx: self.ptx.clone(), debug_ptx: self.debug_ptx.clone(), warnings: String::new() };
        code(&self.file, source, &compiled)
    }
}

/// Whether a kernel of the authors computes some of the results.
pub(crate) fn needs_reference(exercise: &Exercise) -> bool {
    let run = &exercise.run;
    !exercise.kind.asks() && run.outputs.keys().chain(run.inout.keys()).any(|name| !run.expect.contains_key(name))
}

/// The solution and its honest alternatives; of questions, the kernel that they are about.
pub(crate) fn own_files(course: &Course, exercise: &Exercise) -> Result<Vec<PathBuf>, CourseError> {
    let mut files = vec![course.solution_file(exercise)];
    files.extend(sources(&course.right_folder(exercise))?);
    Ok(files)
}

/// A digest of the sources that [`Built`] is made of.
///
/// # Errors
/// When one of them cannot be read.
pub(crate) fn digest(course: &Course, exercise: &Exercise) -> Result<String, CourseError> {
    let mut files = own_files(course, exercise)?;
    files.extend(needs_reference(exercise).then(|| course.reference_file(exercise)));
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for part in [name, read(&file)?] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}

/// What was compiled ahead of the sources that lie there now; nothing if it was made of others.
pub(crate) fn committed(course: &Course, exercise: &Exercise) -> Option<Built> {
    let built = unpacked(&course.built_file(exercise))?;
    (digest(course, exercise).ok()? == built.sources).then_some(built)
}

#[cfg(feature = "host")]
pub(crate) fn unpacked(path: &Path) -> Option<Built> {
    let packed = std::fs::File::open(path).ok()?;
    serde_json::from_reader(std::io::BufReader::new(flate2::read::GzDecoder::new(packed))).ok()
}

/// Without files there is none.
#[cfg(not(feature = "host"))]
pub(crate) fn unpacked(_path: &Path) -> Option<Built> {
    None
}
