//! One case of an exercise as a launch file of `warpbook sim`: the learner's file, the case's buffers, launches and expected
//! results. What fails in `warpbook exercise check` fails there in the same way, and every option of the simulator can be
//! tried on it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kernels::launch::element::Element;
use kernels::launch::expression::Number;

use crate::compiler::ARCH;
use crate::course::{Course, CourseError, Exercise};
use crate::instance::{Buffer, Instance, Role};

/// The folder of the course that holds the launch files.
pub const FOLDER: &str = ".warpbook-cases";

/// Most elements of a buffer that are written into the launch file itself, where they can be read and changed.
const MOST_LITERALS: usize = 64;

/// Writes a case, the `number`th of its exercise, and gives the path of its launch file. `source` is the file that was
/// graded; what an earlier case of this number left is overwritten.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    course: &Course,
    exercise: &Exercise,
    case: &Instance,
    number: usize,
    source: &Path,
) -> Result<PathBuf, CourseError> {
    let folder = course.dir.join(FOLDER).join(format!("{}-{number}", exercise.name));
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|source| CourseError::Write { path, source })
    };
    let mut out = format!(
        "# {}, the input \"{}\": written by `warpbook exercise check`, and written anew when it fails again.\n",
        exercise.name, case.case.name
    );
    let _ = writeln!(out, "file = {:?}", from(&folder, source, &course.dir).display().to_string());
    let _ = writeln!(out, "arch = \"{ARCH}\"\ncompiler = \"{}\"", compiler_name());
    let _ = writeln!(out, "budget = {}\nschedules = {}", exercise.run.budget, exercise.run.schedules);
    if exercise.run.tolerance > 0.0 {
        let _ = writeln!(out, "tolerance = {:?}", exercise.run.tolerance);
    }
    out.push_str("\n[let]\n");
    for (name, number) in &case.names {
        let _ = writeln!(out, "{name} = {}", shown(*number));
    }
    out.push_str("\n[buffers]\n");
    for buffer in &case.buffers {
        let content = match buffer.content.written {
            true => content(buffer, &buffer.content.to_bytes(), &buffer.name, &write)?,
            // As cudaMalloc leaves it: reading it before it is written is a finding there, too.
            false => String::new(),
        };
        let element = buffer.element();
        let count = buffer.content.bytes as usize / element.bytes();
        let _ = writeln!(out, "{} = \"{}[{count}]{content}\"", buffer.name, element.name());
    }
    out.push_str("\n[expect]\n");
    for buffer in &case.buffers {
        // An input stays as it was.
        let bytes = match (&buffer.expected, buffer.role) {
            (Some(expected), _) => expected.clone(),
            (None, Role::In) => buffer.content.to_bytes(),
            (None, _) => continue,
        };
        let file = if buffer.expected.is_some() { format!("{}.expected", buffer.name) } else { buffer.name.clone() };
        let content = content(buffer, &bytes, &file, &write)?;
        let element = buffer.element();
        let _ = writeln!(out, "{} = \"{}[{}]{content}\"", buffer.name, element.name(), bytes.len() / element.bytes());
    }
    for made in &case.launches {
        let _ = writeln!(out, "\n[[launches]]\nkernel = {:?}", made.kernel);
        let [gx, gy, gz] = made.grid.into();
        let [bx, by, bz] = made.block.into();
        let _ = writeln!(out, "grid = [{gx}, {gy}, {gz}]\nblock = [{bx}, {by}, {bz}]\nshared = {}", made.shared);
        let is_buffer = |text: &str| case.buffers.iter().any(|buffer| buffer.name == text);
        let args = made.args.iter().map(|text| {
            let text = text.0.trim();
            if is_buffer(text) { format!("\"&{text}\"") } else { format!("{text:?}") }
        });
        let _ = writeln!(out, "args = [{}]", args.collect::<Vec<_>>().join(", "));
    }
    write("case.toml", out.as_bytes())?;
    Ok(folder.join("case.toml"))
}

/// Writes a file beside the launch file.
type WriteFile<'a> = dyn Fn(&str, &[u8]) -> Result<(), CourseError> + 'a;

/// What a buffer holds, behind `TYPE[COUNT]`: few numbers as they are, many in a file beside the launch file.
fn content(buffer: &Buffer, bytes: &[u8], name: &str, write: &WriteFile<'_>) -> Result<String, CourseError> {
    if let Some(list) = literals(buffer.element(), bytes) {
        return Ok(format!("=[{list}]"));
    }
    let file = format!("{name}.bin");
    write(&file, bytes)?;
    Ok(format!("=file({file})"))
}

/// Elements as text, if they are few and the text gives the same bytes again.
fn literals(element: Element, bytes: &[u8]) -> Option<String> {
    let elements = bytes.chunks_exact(element.bytes());
    if elements.len() == 0 || elements.len() > MOST_LITERALS {
        return None;
    }
    let texts: Option<Vec<String>> = elements
        .map(|bytes| {
            let text = element.show(bytes);
            (element.parse(&text).ok()? == bytes).then_some(text)
        })
        .collect();
    Some(texts?.join(", "))
}

/// A number as TOML has it.
fn shown(number: Number) -> String {
    match number.whole() {
        Some(whole) => whole.to_string(),
        None => format!("{:?}", number.real()),
    }
}

/// The way from the launch file's folder to the source: relative within the course, so that the course can be moved.
fn from(folder: &Path, source: &Path, course: &Path) -> PathBuf {
    let full =
        |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or(path.to_owned());
    let (source, course_full) = (full(source), full(course));
    match source.strip_prefix(&course_full) {
        Ok(inside) => {
            let depth = folder.strip_prefix(course).map_or(2, |inner| inner.components().count());
            (0..depth).map(|_| Path::new("..")).collect::<PathBuf>().join(inside)
        }
        Err(_) => source,
    }
}
/// The compiler that grades on this machine, as a launch file names it.
fn compiler_name() -> &'static str {
    match kernels::compile::for_device_code() {
        Ok(kernels::compile::Compiler::Clang) => "clang",
        _ => "nvrtc",
    }
}
