//! What the pages of the reference need of the course: names, titles, and which counters a solution's cost is held
//! against. Read from the descriptions of the exercises.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// An exercise, in the course's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exercise {
    /// Its name.
    pub(crate) name: String,
    /// Its title.
    pub(crate) title: String,
    /// Whether what the learner gets has findings.
    pub(crate) has_findings: bool,
    /// Everything that its cost contract counts, as it stands there.
    pub(crate) counters: String,
}

#[derive(Deserialize)]
struct Course {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    dir: String,
    exercises: Vec<String>,
}

#[derive(Deserialize)]
struct Described {
    title: String,
    #[serde(default)]
    starter_fails: Option<String>,
    #[serde(default)]
    contract: Vec<Clause>,
}

#[derive(Deserialize)]
struct Clause {
    counter: String,
}

impl Exercise {
    /// How a page names it.
    pub(crate) fn shown(&self) -> String {
        format!("`{}` ({})", self.name, self.title)
    }
}

/// The exercises of the course in a folder; none where there is no course.
///
/// # Errors
/// The file that cannot be read, and why.
pub(crate) fn read(course: Option<&Path>) -> Result<Vec<Exercise>, (PathBuf, String)> {
    let Some(course) = course.filter(|folder| folder.join("info.toml").is_file()) else { return Ok(Vec::new()) };
    let Course { group } = parsed(&course.join("info.toml"))?;
    let mut exercises = Vec::new();
    for Group { dir, exercises: names } in group {
        for name in names {
            let file = course.join("solutions").join(&dir).join(format!("{name}.toml"));
            let Described { title, starter_fails, contract } = parsed(&file)?;
            let counters: Vec<String> = contract.into_iter().map(|clause| clause.counter).collect();
            let has_findings = starter_fails.as_deref() == Some("findings");
            exercises.push(Exercise { name, title, has_findings, counters: counters.join(" ") });
        }
    }
    Ok(exercises)
}

fn parsed<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<T, (PathBuf, String)> {
    let wrong = |why: String| (file.to_owned(), format!("the course cannot be read: {why}"));
    let text = fs::read_to_string(file).map_err(|why| wrong(why.to_string()))?;
    toml::from_str(&text).map_err(|why| wrong(why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_course_is_read_and_one_that_is_missing_is_none() {
        let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises");
        let exercises = read(Some(&course)).unwrap();
        assert!(exercises.len() > 40);
        assert!(exercises.iter().any(|exercise| exercise.has_findings));
        assert!(exercises.iter().any(|exercise| exercise.counters.contains("shared_wavefronts")));
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(read(Some(empty.path())), Ok(Vec::new()));
        fs::write(empty.path().join("info.toml"), "group = 3").unwrap();
        let (file, why) = read(Some(empty.path())).unwrap_err();
        assert!(file.ends_with("info.toml") && why.starts_with("the course cannot be read"), "{why}");
    }
}
