//! The course in the book: what the pages of the reference need of it, and a page for each group of exercises, on which
//! readers solve them. Read from the descriptions of the exercises. Judging, and what a learner gets at first, is the work of
//! the program that serves the page (`theme/lab/exercise.js`): here is what can be read without it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::Page;
use super::findings::spans;
use crate::html::{capital, escape};

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
    /// The folder and the title of its group.
    group: (String, String),
    /// What the learner does, and for how long.
    kind: String,
    minutes: u32,
    /// What the learner can do afterwards.
    objectives: Vec<String>,
    /// Of questions: what to do, and the kernel that is asked about.
    task: String,
    kernel: Option<String>,
    /// The questions: their names, and what is asked.
    questions: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Course {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    dir: String,
    title: String,
    exercises: Vec<String>,
}

#[derive(Deserialize)]
struct Described {
    title: String,
    kind: String,
    minutes: u32,
    #[serde(default)]
    objectives: Vec<String>,
    #[serde(default)]
    task: String,
    #[serde(default)]
    question: Vec<Question>,
    #[serde(default)]
    starter_fails: Option<String>,
    #[serde(default)]
    contract: Vec<Clause>,
}

#[derive(Deserialize)]
struct Question {
    id: String,
    ask: String,
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

    /// The last part of the path of its group's page.
    fn slug(&self) -> &str {
        self.group.0.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
    }

    /// Its part of the page: what is to be done, and a section in which the page's script lets readers do it.
    fn section(&self) -> String {
        let Self { name, title, kind, minutes, .. } = self;
        let mut out = format!("\n## {title}\n\n");
        let objectives: Vec<String> = self.objectives.iter().map(|text| format!("<li>{}</li>", spans(text))).collect();
        let _ = write!(
            out,
            "<p class=\"wb-caption\">{}, {minutes} minutes</p>\n<ul>{}</ul>\n",
            escape(&capital(kind)),
            objectives.join("")
        );
        if !self.task.trim().is_empty() {
            let _ = write!(out, "\n<pre class=\"wb-exercise-task\">{}</pre>\n", escape(self.task.trim_matches('\n')));
        }
        if let Some(kernel) = &self.kernel {
            let _ = write!(out, "\n````cuda\n{}\n````\n", kernel.trim_end());
        }
        let asks: Vec<String> =
            self.questions.iter().map(|(_, ask)| format!("<li><span>{}</span></li>", spans(ask))).collect();
        let list = match asks.is_empty() {
            true => String::new(),
            false => format!("<ol class=\"wb-exercise-questions\">{}</ol>\n", asks.join("")),
        };
        let ids: Vec<&str> = self.questions.iter().map(|(id, _)| &**id).collect();
        let config = json!({"name": name, "kind": kind, "questions": ids}).to_string().replace('<', "\\u003c");
        let id = format!("exercise-{}", name.replace('_', "-"));
        let _ = write!(
            out,
            "\n<section class=\"wb-widget wb-exercise\" data-widget=\"exercise\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
             <p class=\"wb-lab-title\" id=\"{id}-title\">{}</p>\n{list}\
             <p>In a terminal: <code>warpbook exercise check {name}</code>, and <code>warpbook exercise hint {name}</code></p>\n\
             <script type=\"application/json\">{config}</script>\n</section>\n",
            escape(title)
        );
        out
    }
}

/// A page for each group.
pub(crate) fn pages(exercises: &[Exercise]) -> Vec<Page> {
    let groups = exercises.chunk_by(|one, other| one.group == other.group);
    let page = |of: &[Exercise]| {
        let first = &of[0];
        let mut text = format!(
            "The exercises of this group, in their order. `warpbook watch` leads through them in a terminal; where the program \
             serves this page (`warpbook book serve --open`), they are solved and judged here.\n\n{}",
            progress("above")
        );
        of.iter().for_each(|exercise| text += &exercise.section());
        let minutes = of.iter().map(|exercise| exercise.minutes).sum();
        Page { slug: first.slug().to_owned(), title: format!("Exercises: {}", first.group.1), text, minutes }
    };
    groups.map(page).collect()
}

/// The section that says what is done, and writes it down for the command line.
fn progress(id: &str) -> String {
    format!(
        "<section class=\"wb-widget wb-exercise-progress\" data-widget=\"progress\" id=\"progress-{id}\" \
         aria-labelledby=\"progress-{id}-title\">\n<p class=\"wb-lab-title\" id=\"progress-{id}-title\">What you have done in \
         the book</p>\n<p>What is answered here stays in this browser until it is written to a file, which \
         <code>warpbook exercise import FILE</code> adds to what the command line knows.</p>\n</section>\n"
    )
}

/// `exercise-index`: the groups, in one line of HTML. `to` leads to their pages.
pub(crate) fn index(exercises: &[Exercise], to: &str) -> String {
    let groups = exercises.chunk_by(|one, other| one.group == other.group);
    let group = |of: &[Exercise]| {
        let minutes: u32 = of.iter().map(|exercise| exercise.minutes).sum();
        let names: Vec<String> = of.iter().map(|exercise| escape(&exercise.title)).collect();
        format!(
            "<li><a href=\"{to}{}.html\">{}</a> ({} exercises, {minutes} minutes): {}</li>",
            of[0].slug(),
            escape(&of[0].group.1),
            of.len(),
            names.join("; ")
        )
    };
    let list: String = groups.map(group).collect();
    format!("<ul>{list}</ul>")
}

/// The exercises of the course in a folder; none where there is no course.
///
/// # Errors
/// The file that cannot be read, and why.
pub(crate) fn read(course: Option<&Path>) -> Result<Vec<Exercise>, (PathBuf, String)> {
    let Some(course) = course.filter(|folder| folder.join("info.toml").is_file()) else { return Ok(Vec::new()) };
    let Course { group } = parsed(&course.join("info.toml"))?;
    let mut exercises = Vec::new();
    for Group { dir, title: group, exercises: names } in group {
        for name in names {
            let file = course.join("solutions").join(&dir).join(format!("{name}.toml"));
            let described: Described = parsed(&file)?;
            let counters: Vec<String> = described.contract.into_iter().map(|clause| clause.counter).collect();
            let asks = !described.question.is_empty();
            exercises.push(Exercise {
                name,
                title: described.title,
                has_findings: described.starter_fails.as_deref() == Some("findings"),
                counters: counters.join(" "),
                group: (dir.clone(), group.clone()),
                kind: described.kind,
                minutes: described.minutes,
                objectives: described.objectives,
                task: described.task,
                kernel: if asks { Some(text(&file.with_extension("cu"))?) } else { None },
                questions: described.question.into_iter().map(|question| (question.id, question.ask)).collect(),
            });
        }
    }
    Ok(exercises)
}

fn parsed<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<T, (PathBuf, String)> {
    toml::from_str(&text(file)?).map_err(|why| unreadable(file, &why))
}

fn text(file: &Path) -> Result<String, (PathBuf, String)> {
    fs::read_to_string(file).map_err(|why| unreadable(file, &why))
}

fn unreadable(file: &Path, why: &dyn std::fmt::Display) -> (PathBuf, String) {
    (file.to_owned(), format!("the course cannot be read: {why}"))
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
        let pages = pages(&exercises);
        let all: String = pages.iter().map(|page| page.text.as_str()).collect();
        assert!(exercises.iter().all(|exercise| all.contains(&format!("\"name\":\"{}\"", exercise.name))));
        assert!(
            pages.len() > 5 && index(&exercises, "exercises/").contains(&format!("exercises/{}.html", pages[0].slug))
        );
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(read(Some(empty.path())), Ok(Vec::new()));
        fs::write(empty.path().join("info.toml"), "group = 3").unwrap();
        let (file, why) = read(Some(empty.path())).unwrap_err();
        assert!(file.ends_with("info.toml") && why.starts_with("the course cannot be read"), "{why}");
    }
}
