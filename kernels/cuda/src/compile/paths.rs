//! The paths that compilers write into PTX, made the same on every machine.

use std::path::{Component, Path, PathBuf};

/// Replaces the paths that a compiler wrote into the PTX.
///
/// NVRTC puts the working directory before the name that it was given and writes the result in `.file` lines; nvcc
/// writes full names too. Here
/// a file in the source's folder, or below it, gets its path relative to that folder (`scan.cu`); a file elsewhere
/// gets its bare name. Names that are no absolute paths stay as they are.
///
/// With debug information the working directory also stands in DWARF, as a line of character codes. Its length must
/// stay, because the sections hold offsets; it becomes a path of the same length that means "here" (`./././`).
pub(super) fn normalise(ptx: &str, working_directory: &Path, source: &Path) -> String {
    let folder = lexically(&working_directory.join(source)).parent().map(Path::to_owned).unwrap_or_default();
    let directory = working_directory.to_string_lossy();
    let codes = |text: &str| text.bytes().map(|b| b.to_string()).collect::<Vec<_>>().join(",");
    let here: String = "./".chars().cycle().take(directory.len()).collect();
    let (dwarf_directory, dwarf_here) = (format!(".b8 {}", codes(&directory)), format!(".b8 {}", codes(&here)));

    let mut normal = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        match file_path(line) {
            Some(path) if path.starts_with('/') => {
                let full = lexically(Path::new(path));
                let name = full.strip_prefix(&folder).ok().or_else(|| full.file_name().map(Path::new));
                normal.push_str(&line.replacen(path, &name.unwrap_or(&full).to_string_lossy(), 1));
            }
            // The final NUL stands in the same line or in the next one.
            _ if line.trim_end().trim_end_matches(",0") == dwarf_directory => {
                normal.push_str(&line.replacen(&dwarf_directory, &dwarf_here, 1));
            }
            _ => normal.push_str(line),
        }
    }
    normal
}

/// The path of a line such as `.file 1 "/home/ada/scan.cu"`.
fn file_path(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(".file")?;
    let (_, rest) = rest.split_once('"')?;
    rest.split_once('"').map(|(path, _)| path)
}

/// The path without `.` and `..`, as text: the files need not exist.
fn lexically(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_to_the_sources_folder() {
        let ptx = "\t.file\t1 \"/home/ada/cu/../cu/scan.cu\"\n.file 2 \"/home/ada/cu/parts/tree.cuh\"\n\
                   .file 3 \"/usr/include/odd.h\", 12, 34\n.file 4 \"built-in.h\"\n\tmov.u32 %r1, %tid.x;";
        let expected = "\t.file\t1 \"scan.cu\"\n.file 2 \"parts/tree.cuh\"\n\
                        .file 3 \"odd.h\", 12, 34\n.file 4 \"built-in.h\"\n\tmov.u32 %r1, %tid.x;";
        assert_eq!(normalise(ptx, Path::new("/home/ada"), Path::new("cu/scan.cu")), expected);
        // An absolute source, from any working directory.
        assert_eq!(normalise(ptx, Path::new("/"), Path::new("/home/ada/cu/scan.cu")), expected);
    }

    #[test]
    fn the_working_directory_in_dwarf_keeps_its_length() {
        let ptx = ".b8 47,104,111,109,101,0\n.b8 47,104,111,109,101\n.b8 0\n.b8 47,104,111,109,101,115,0\n";
        let normal = normalise(ptx, Path::new("/home"), Path::new("scan.cu"));
        assert_eq!(normal, ".b8 46,47,46,47,46,0\n.b8 46,47,46,47,46\n.b8 0\n.b8 47,104,111,109,101,115,0\n");
    }
}
