//! What a learner has done: a readable text file beside the course, by the names of exercises.
//!
//! ```text
//! # What has been done in this course, by exercise. It can be edited, copied and merged.
//! path all
//! current block_sum
//! done stride_costs 85%
//! first stride_costs 85% skipped 0
//! answer stride_costs wavefronts-2: 4
//! skipped bank_rows
//! hints block_sum 2
//! ```
//!
//! Of a prediction, the `first` score and the first `answer` to each question are those that count: they were given before
//! the truth was shown. An older file has only the score, behind `done`. Lines that this program does not know, comments
//! among them, are kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::answers::SKIP;
use crate::course::{Course, CourseError, Exercise, Kind, read, write};
use crate::model::Grade;

/// The file's name in the course's folder.
pub const FILE: &str = ".warpbook-state.txt";

/// The name under which a grader also looks for it in a submission: what `warpbook exercise export` is asked to write.
pub const EXPORT: &str = "warpbook-progress.txt";

/// What has been done with one exercise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Whether it has been passed once.
    pub done: bool,
    /// Whether it was left out.
    pub skipped: bool,
    /// How many hints were opened.
    pub hints: usize,
    /// Of predictions: the share of points, in percent, when they were first complete.
    pub first_score: Option<u32>,
    /// Of predictions: how many were skipped then.
    pub first_skipped: u32,
    /// Of predictions: the answers that were given then, by the questions' ids; `skip` for those that were left out.
    /// Empty where an older program wrote the score.
    pub first_answers: BTreeMap<String, String>,
}

/// What has been done in a course.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// The exercise that the learner is at.
    pub current: Option<String>,
    /// Which exercises are in the learner's way.
    pub path: Way,
    /// By name; what nothing is known of is not in it. Names that the course no longer has are kept.
    pub progress: BTreeMap<String, Progress>,
    /// Lines of the file that say nothing known, as they stand there: comments, and what newer programs write.
    pub kept: Vec<String>,
}

/// The file's first line.
const HEAD: &str = "# What has been done in this course, by exercise. It can be edited, copied and merged.";

/// Which exercises are in a learner's way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Way {
    /// All of them, in order.
    #[default]
    All,
    /// Only the challenges.
    Challenges,
    /// Only one chapter.
    Chapter(String),
}

impl Way {
    /// Reads `all`, `challenges` or a chapter's folder.
    ///
    /// # Errors
    /// A sentence that lists what there is.
    pub fn read(course: &Course, text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "challenges" => Ok(Self::Challenges),
            dir if course.groups.iter().any(|group| group.dir == dir) => Ok(Self::Chapter(dir.to_owned())),
            other => {
                let dirs: Vec<&str> = course.groups.iter().map(|group| group.dir.as_str()).collect();
                Err(format!("there is no path `{other}`: write all, challenges, or a chapter ({})", dirs.join(", ")))
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::All => "all",
            Self::Challenges => "challenges",
            Self::Chapter(dir) => dir,
        }
    }

    /// Whether an exercise is in the way.
    pub fn holds(&self, exercise: &Exercise) -> bool {
        match self {
            Self::All => true,
            Self::Challenges => exercise.challenge,
            Self::Chapter(dir) => exercise.group == *dir,
        }
    }
}

impl State {
    /// The state's file of a course.
    pub fn file(course: &Course) -> PathBuf {
        course.dir.join(FILE)
    }

    /// Reads the state of a course; an empty one if there is none yet.
    ///
    /// # Errors
    /// When there is a file that cannot be read.
    pub fn load(course: &Course) -> Result<Self, CourseError> {
        let file = Self::file(course);
        if file.exists() { Ok(Self::parse(&read(&file)?)) } else { Ok(Self::default()) }
    }

    /// Writes the state.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, course: &Course) -> Result<(), CourseError> {
        write(&Self::file(course), &self.text())
    }

    /// Reads a state. Lines that say nothing known are kept as they are: an older program may read a newer file.
    pub fn parse(text: &str) -> Self {
        let mut state = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != HEAD) {
            let mut words = line.split_whitespace();
            let (Some(what), Some(name), false) = (words.next(), words.next(), line.starts_with('#')) else {
                state.kept.push(line.to_owned());
                continue;
            };
            let number = |word: Option<&str>| word.and_then(|word| word.trim_end_matches('%').parse().ok());
            match what {
                "current" => state.current = Some(name.to_owned()),
                "path" => {
                    state.path = match name {
                        "all" => Way::All,
                        "challenges" => Way::Challenges,
                        dir => Way::Chapter(dir.to_owned()),
                    };
                }
                "done" => {
                    let progress = state.progress.entry(name.to_owned()).or_default();
                    progress.done = true;
                    // The line `first` says the same, if it is there.
                    if progress.first_score.is_none() {
                        progress.first_score = number(words.next());
                        progress.first_skipped = number(words.nth(1)).unwrap_or(0);
                    }
                }
                "first" => {
                    let progress = state.progress.entry(name.to_owned()).or_default();
                    progress.first_score = number(words.next());
                    progress.first_skipped = number(words.nth(1)).unwrap_or(0);
                }
                "answer" => {
                    // Behind the name, the line is one of a file of answers.
                    let behind = |text: &'_ str, word: &str| text.trim_start().strip_prefix(word).map(str::to_owned);
                    let rest = behind(line, "answer").and_then(|rest| behind(&rest, name)).unwrap_or_default();
                    match rest.split_once(':') {
                        Some((id, answer)) => {
                            let progress = state.progress.entry(name.to_owned()).or_default();
                            progress.first_answers.insert(id.trim().to_owned(), answer.trim().to_owned());
                        }
                        None => state.kept.push(line.to_owned()),
                    }
                }
                "skipped" => state.progress.entry(name.to_owned()).or_default().skipped = true,
                "hints" => {
                    state.progress.entry(name.to_owned()).or_default().hints =
                        number(words.next()).unwrap_or(0) as usize;
                }
                _ => state.kept.push(line.to_owned()),
            }
        }
        state
    }

    /// The state as text.
    pub fn text(&self) -> String {
        let mut out = format!("{HEAD}\n");
        let _ = writeln!(out, "path {}", self.path.name());
        if let Some(current) = &self.current {
            let _ = writeln!(out, "current {current}");
        }
        out += &self.lines();
        for line in &self.kept {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    /// What is known of exercises, a line each.
    pub fn lines(&self) -> String {
        let mut out = String::new();
        for (name, progress) in &self.progress {
            if progress.done {
                // Older programs read the score here.
                let _ = match (progress.first_score, progress.first_skipped) {
                    (None, _) => writeln!(out, "done {name}"),
                    (Some(score), 0) => writeln!(out, "done {name} {score}%"),
                    (Some(score), skipped) => writeln!(out, "done {name} {score}% skipped {skipped}"),
                };
            }
            if let Some(score) = progress.first_score {
                let _ = writeln!(out, "first {name} {score}% skipped {}", progress.first_skipped);
            }
            for (id, answer) in &progress.first_answers {
                let _ = writeln!(out, "answer {name} {id}: {answer}");
            }
            if progress.skipped {
                let _ = writeln!(out, "skipped {name}");
            }
            if progress.hints > 0 {
                let _ = writeln!(out, "hints {name} {}", progress.hints);
            }
        }
        out
    }

    /// What is known of one exercise alone.
    pub fn only(&self, name: &str) -> Self {
        let own = self.progress.get(name).map(|progress| (name.to_owned(), progress.clone()));
        Self { progress: own.into_iter().collect(), ..Self::default() }
    }

    /// What is known of an exercise.
    pub fn of(&self, name: &str) -> Progress {
        self.progress.get(name).cloned().unwrap_or_default()
    }

    /// Writes down what a grade shows. The first answers of a prediction and their score stay: they were given before the
    /// truth was shown. `grade` has been through `Bench::count_first`.
    pub fn note(&mut self, exercise: &Exercise, grade: &Grade) {
        if !grade.passed {
            return;
        }
        let progress = self.progress.entry(exercise.name.clone()).or_default();
        progress.done = true;
        progress.skipped = false;
        if !exercise.kind.asks() {
            return;
        }
        // A score without its answers is an older program's: which answers gave it is not known any more.
        if exercise.kind == Kind::Predict && (progress.first_score.is_none() || !progress.first_answers.is_empty()) {
            for row in &grade.answers {
                let given = row.given.clone().unwrap_or_else(|| SKIP.to_owned());
                progress.first_answers.entry(row.id.clone()).or_insert(given);
            }
        }
        if progress.first_score.is_none() {
            progress.first_score = Some((100.0 * grade.score).round() as u32);
            progress.first_skipped = grade.answers.iter().filter(|row| row.skipped).count() as u32;
        }
    }

    /// Adds what another state knows: whatever is done in one of them is done.
    pub fn merge(&mut self, other: &Self) {
        for (name, theirs) in &other.progress {
            let own = self.progress.entry(name.clone()).or_default();
            // Score and answers belong together.
            if own.first_score.is_none() {
                own.first_score = theirs.first_score;
                own.first_skipped = theirs.first_skipped;
                own.first_answers.clone_from(&theirs.first_answers);
            }
            own.hints = own.hints.max(theirs.hints);
            own.done |= theirs.done;
            own.skipped = (own.skipped || theirs.skipped) && !own.done;
        }
        if self.current.is_none() {
            self.current.clone_from(&other.current);
        }
        let new: Vec<String> = other.kept.iter().filter(|line| !self.kept.contains(line)).cloned().collect();
        self.kept.extend(new);
    }

    /// The exercise to go on with: the current one, else the first in the way that is neither done nor skipped.
    pub fn current<'a>(&self, course: &'a Course) -> Option<&'a Exercise> {
        let named = self.current.as_ref().and_then(|name| course.exercises.iter().find(|one| one.name == *name));
        named.or_else(|| self.next(course, None))
    }

    /// The next open exercise in the way, after one or from the beginning; around the end if need be.
    pub fn next<'a>(&self, course: &'a Course, after: Option<&str>) -> Option<&'a Exercise> {
        let at = after.and_then(|name| course.exercises.iter().position(|one| one.name == name));
        let start = at.map_or(0, |at| at + 1);
        let around = course.exercises[start..].iter().chain(&course.exercises[..start]);
        let open = |one: &&Exercise| {
            let progress = self.of(&one.name);
            self.path.holds(one) && !progress.done && !progress.skipped && Some(one.name.as_str()) != after
        };
        around.into_iter().find(open)
    }

    /// How many exercises of the way are done, and how many there are.
    pub fn count(&self, course: &Course) -> (usize, usize) {
        let way = course.exercises.iter().filter(|one| self.path.holds(one));
        let all: Vec<&Exercise> = way.collect();
        (all.iter().filter(|one| self.of(&one.name).done).count(), all.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_back_and_merged() {
        let text =
            "# comment\npath challenges\ncurrent b\ndone a 85% skipped 1\ndone b\nskipped c\nhints b 2\nfuture x\n";
        let state = State::parse(text);
        assert_eq!(
            state.of("a"),
            Progress { done: true, first_score: Some(85), first_skipped: 1, ..Progress::default() }
        );
        assert_eq!((state.of("b").hints, state.of("c").skipped, &state.path), (2, true, &Way::Challenges));
        assert_eq!(State::parse(&state.text()), state);
        assert_eq!(state.kept, ["# comment", "future x"], "nothing that a user or another program wrote is lost");

        let mut other = State::parse("done c\ndone a 20%\nhints b 3\n");
        other.merge(&state);
        assert_eq!(other.of("a").first_score, Some(20), "one's own first score stays");
        assert!(other.of("c").done && !other.of("c").skipped);
        assert_eq!((other.of("b").hints, other.current.as_deref()), (3, Some("b")));
        assert_eq!(other.kept, state.kept);
    }

    #[test]
    fn first_answers_are_read_back_and_stay() {
        let text = "done a 40% skipped 1\nfirst a 40% skipped 1\nanswer a lanes: 0-3, 7\nanswer a kind: skip\n\
                    first b 20% skipped 0\nanswer c\n";
        let state = State::parse(text);
        assert_eq!(state.of("a").first_answers["lanes"], "0-3, 7");
        assert_eq!(state.of("a").first_answers["kind"], "skip");
        assert_eq!((state.of("a").first_score, state.of("a").first_skipped), (Some(40), 1));
        // What was reset is not done any more, and its first score is known all the same.
        assert_eq!((state.of("b").done, state.of("b").first_score), (false, Some(20)));
        assert_eq!(state.kept, ["answer c"]);
        assert_eq!(State::parse(&state.text()), state);
        // Score and answers come from one state: an older score does not get the answers of another.
        let mut older = State::parse("done a 90%\n");
        older.merge(&state);
        assert_eq!((older.of("a").first_score, older.of("a").first_answers.len()), (Some(90), 0));
    }
}
