//! The course in the book: what the pages of the reference need of it, and a page for each group of exercises, on which
//! readers solve them. Read from the descriptions of the exercises. Judging, and what a learner gets at first, is the work of
//! the program that serves the page (`theme/lab/exercise.js`): here is what can be read without it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::Page;
use crate::html::{self, Markdown, Markup, capital, code, html, sentence};

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
    fn section(&self) -> Markdown {
        let Self { name, title, kind, minutes, .. } = self;
        let mut out = Markdown::from(format!("\n## {title}\n\n"));
        out.push(html! {
            p class="wb-caption" { (capital(kind)) ", " (minutes) " minutes" }
            "\n"
            ul { @for text in &self.objectives { li { (sentence(text)) } } }
            "\n"
        });
        if !self.task.trim().is_empty() {
            out.push("\n");
            out.push(html! { pre class="wb-exercise-task" { (self.task.trim_matches('\n')) } "\n" });
        }
        if let Some(kernel) = &self.kernel {
            out.push("\n");
            out.fenced("cuda", kernel.trim_end());
        }
        let ids: Vec<&str> = self.questions.iter().map(|(id, _)| &**id).collect();
        let config = json!({"name": name, "kind": kind, "questions": ids}).to_string();
        let content = html! {
            @if !self.questions.is_empty() {
                ol class="wb-exercise-questions" {
                    @for (_, ask) in &self.questions { li { span { (sentence(ask)) } } }
                }
                "\n"
            }
            p {
                "In a terminal: " (code(&format!("warpbook exercise check {name}"))) ", and "
                (code(&format!("warpbook exercise hint {name}")))
            }
            "\n"
        };
        out.push("\n");
        out.push(html::widget("exercise", &format!("exercise-{}", name.replace('_', "-")), title, content, &config));
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
            progress("above").into_string()
        );
        of.iter().for_each(|exercise| text += &exercise.section().0);
        let minutes = of.iter().map(|exercise| exercise.minutes).sum();
        Page { slug: first.slug().to_owned(), title: format!("Exercises: {}", first.group.1), text, minutes }
    };
    groups.map(page).collect()
}

/// The section that says what is done, and writes it down for the command line.
fn progress(id: &str) -> Markup {
    let (id, title) = (format!("progress-{id}"), format!("progress-{id}-title"));
    html! {
        section class="wb-widget wb-exercise-progress" data-widget="progress" id=(id) aria-labelledby=(title) {
            "\n"
            p class="wb-lab-title" id=(title) { "What you have done in the book" }
            "\n"
            p {
                "What is answered here stays in this browser until it is written to a file, which "
                (code("warpbook exercise import FILE")) " adds to what the command line knows."
            }
            "\n"
        }
        "\n"
    }
}

/// `exercise-index`: the groups, in one line of HTML. `to` leads to their pages.
pub(crate) fn index(exercises: &[Exercise], to: &str) -> Markup {
    let groups = exercises.chunk_by(|one, other| one.group == other.group);
    let group = |of: &[Exercise]| {
        let minutes: u32 = of.iter().map(|exercise| exercise.minutes).sum();
        let names: Vec<&str> = of.iter().map(|exercise| &*exercise.title).collect();
        html! {
            li {
                a href={ (to) (of[0].slug()) ".html" } { (of[0].group.1) }
                " (" (of.len()) " exercises, " (minutes) " minutes): " (names.join("; "))
            }
        }
    };
    html! { ul { @for of in groups { (group(of)) } } }
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
            pages.len() > 5 && index(&exercises, "exercises/").0.contains(&format!("exercises/{}.html", pages[0].slug))
        );
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(read(Some(empty.path())), Ok(Vec::new()));
        fs::write(empty.path().join("info.toml"), "group = 3").unwrap();
        let (file, why) = read(Some(empty.path())).unwrap_err();
        assert!(file.ends_with("info.toml") && why.starts_with("the course cannot be read"), "{why}");
    }
}
