//! The project that a source lies in: headers that stand in another of its folders, and sources that include this one.
//!
//! A build says with options where headers are; somebody who brings one file has no build. A project is what lies below the
//! nearest folder under version control. Where there is none, only folders with usual names beside the source and above it
//! are looked into: nobody's whole disk is searched.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::host;

/// Names that mark the folder of a project.
const MARKS: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Most folders between a source and that of its project.
const MOST_ABOVE: usize = 12;

/// Folders in which headers usually are, where nothing marks a project.
const USUAL: [&str; 8] = ["", "include", "inc", "common", "Common", "utils", "util", "src"];

/// How far above the source usual folders are looked for.
const USUAL_ABOVE: usize = 4;

/// Most entries of folders that are looked at in a search.
const MOST_ENTRIES: usize = 50_000;

/// Folders that hold no sources of people's own.
const PASSED_BY: [&str; 4] = ["target", "node_modules", "build", "__pycache__"];

/// The folder of the source's project that holds a header, to be named with `-I`: the one nearest to the source. None if there
/// is no such header, or if two are equally near.
pub(super) fn folder_of(header: &str, source: &str) -> Option<PathBuf> {
    let header = Path::new(header);
    let normal = |part: Component<'_>| matches!(part, Component::Normal(_));
    let plain = header.file_name().is_some() && header.components().all(normal);
    let own = std::path::absolute(source).ok()?;
    let folder = own.parent().filter(|_| plain)?;
    let Some(root) = root(folder) else {
        let above = folder.ancestors().take(USUAL_ABOVE);
        let places = above.flat_map(|folder| USUAL.iter().map(|name| folder.join(name)));
        return places.into_iter().find(|place| place.join(header).is_file());
    };
    let mut folders = Vec::new();
    walk(&root, &mut |path| {
        if path.ends_with(header) && path.is_file() {
            folders.extend(path.ancestors().nth(header.components().count()).map(Path::to_owned));
        }
    });
    // Steps up from the source and down again.
    let distance = |place: &PathBuf| {
        let shared = folder.components().zip(place.components()).take_while(|(a, b)| a == b).count();
        (folder.components().count() - shared, place.components().count() - shared)
    };
    let nearest = folders.iter().map(distance).min()?;
    let mut found = folders.iter().filter(|place| distance(place) == nearest);
    found.next().filter(|_| found.next().is_none()).cloned()
}

/// Sources beside this one, or up to two folders above it, that include it: parts of a program are compiled as parts of those.
#[must_use]
pub fn including(source: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (source.parent(), source.file_name()) else { return Vec::new() };
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let limit = root(&absolute);
    let mut found = Vec::new();
    for (steps, above) in absolute.ancestors().take(3).enumerate() {
        if steps > 0 && limit.is_none() || limit.as_ref().is_some_and(|root| !above.starts_with(root)) {
            break;
        }
        // The user's way of writing the path, where it reaches that far.
        let shown = if steps == 0 { folder.to_owned() } else { above.to_owned() };
        for path in listing(above) {
            let is_source = path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh");
            if !is_source || path.file_name() == Some(name) && steps == 0 {
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let code = host::blanked(&text);
            let mut headers =
                code.lines().zip(text.lines()).filter_map(|(line, original)| host::included(line, original));
            let is_this = |header: &str| {
                Path::new(header).file_name() == Some(name)
                    && fs::canonicalize(above.join(header)).ok() == fs::canonicalize(source).ok()
            };
            if headers.any(is_this) {
                found.extend(path.file_name().map(|name| shown.join(name)));
            }
        }
    }
    found
}

/// The nearest folder under version control that holds this one.
fn root(folder: &Path) -> Option<PathBuf> {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().take(MOST_ABOVE).find(marked).map(Path::to_owned)
}

/// What lies in a folder, in the order of the names.
fn listing(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Looks at all files below a folder. Links to folders are not followed.
fn walk(root: &Path, look: &mut impl FnMut(&Path)) {
    let mut open = vec![root.to_owned()];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        for path in listing(&folder) {
            seen += 1;
            if seen > MOST_ENTRIES {
                return;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir());
            if !is_folder {
                look(&path);
            } else if !name.starts_with('.') && !PASSED_BY.contains(&&*name) {
                open.push(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[&str], marked: bool) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        if marked {
            fs::create_dir(folder.path().join(".git")).unwrap();
        }
        folder
    }

    #[test]
    fn the_nearest_header_is_taken_and_none_of_two() {
        let files = ["a/b/k.cu", "a/util/own.h", "c/own.h", "x/deep/cfg.h", "y/deep/cfg.h", "z/in/sub/part.h"];
        let own = project(&files, true);
        let source = own.path().join("a/b/k.cu");
        let find = |header: &str| folder_of(header, &source.to_string_lossy());
        assert_eq!(find("own.h"), Some(own.path().join("a/util")));
        assert_eq!(find("sub/part.h"), Some(own.path().join("z/in")));
        for none in ["cfg.h", "missing.h", "../own.h", "/own.h", ""] {
            assert_eq!(find(none), None, "{none}");
        }
    }

    #[test]
    fn without_a_project_only_usual_folders_are_looked_into() {
        let own = project(&["a/b/k.cu", "a/common/own.h", "a/other/hidden.h"], false);
        let source = own.path().join("a/b/k.cu");
        assert_eq!(folder_of("own.h", &source.to_string_lossy()), Some(own.path().join("a/common")));
        assert_eq!(folder_of("hidden.h", &source.to_string_lossy()), None);
    }

    #[test]
    fn sources_that_include_a_source_are_found() {
        let own = project(&["k/part.cu", "k/other.cu"], true);
        let write = |name: &str, text: &str| fs::write(own.path().join(name), text).unwrap();
        write("k/main.cu", "// #include \"no.cu\"\n#include \"part.cu\"\n");
        write("top.cu", "#include \"k/part.cu\"\n");
        let found = including(&own.path().join("k/part.cu"));
        assert_eq!(found, [own.path().join("k/main.cu"), own.path().join("top.cu")]);
        assert!(including(&own.path().join("k/other.cu")).is_empty());
    }
}
