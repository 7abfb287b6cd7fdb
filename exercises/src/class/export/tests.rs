//! What is exported is held against the formats' documented schemas.

use serde_json::Value;

use super::*;
use crate::class::{ExerciseResult, Status, Submission, SubmissionReport};
use crate::course::Files;

fn result(name: &str, status: Status, points: f64) -> ExerciseResult {
    ExerciseResult {
        name: name.to_owned(),
        title: "Add, & \"sum\" <up>".to_owned(),
        status,
        points,
        max_points: 10.0,
        public_points: [points / 2.0, 5.0],
        hidden_points: [points / 2.0, 5.0],
        hidden_cases: [u32::from(status == Status::Pass), 1],
        file: Some(format!("{name}.cu")),
        failed: Vec::new(),
        message: "50 % | done: a, b".to_owned(),
        output: "line 1\nline 2 ]]> \u{1}".to_owned(),
        places: vec![(7, "a race\nbetween lanes".to_owned())],
    }
}

fn report() -> ClassReport {
    let one = |name: &str, statuses: &[(Status, f64)]| {
        let exercises: Vec<ExerciseResult> = statuses
            .iter()
            .enumerate()
            .map(|(at, (status, points))| result(&format!("e{at}"), *status, *points))
            .collect();
        SubmissionReport {
            name: name.to_owned(),
            points: exercises.iter().map(|one| one.points).sum(),
            max_points: exercises.iter().map(|one| one.max_points).sum(),
            exercises,
        }
    };
    ClassReport {
        format: 1,
        course: "A course, with a comma".to_owned(),
        warpbook: "0.1.0".to_owned(),
        secret: "0".to_owned(),
        protection: String::new(),
        submissions: vec![
            one("ada", &[(Status::Pass, 10.0), (Status::Fail, 5.0)]),
            one("../bob", &[(Status::Error, 0.0), (Status::Missing, 0.0)]),
            one("ada", &[(Status::Missing, 0.0)]),
        ],
    }
}

fn course() -> Course {
    Course {
        dir: PathBuf::new(),
        files: Files::Folder,
        title: "A | course".to_owned(),
        groups: Vec::new(),
        exercises: Vec::new(),
    }
}

/// Validates every submission's file, and that the schema refuses a spoiled one.
fn validate(format: Format, schema: &str, spoil: fn(&mut Value)) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let files = files(&course(), &report(), format).unwrap();
    assert_eq!(files.len(), 3);
    for (path, text) in &files {
        let mut value: Value = serde_json::from_str(text).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}\n{text}", path.display());
        assert!(text.len() < 1 << 20, "PrairieLearn takes at most a megabyte");
        spoil(&mut value);
        assert!(!validator.is_valid(&value), "the schema accepts everything");
    }
}

#[test]
fn gradescope_results_fit_their_schema() {
    validate(Format::Gradescope, include_str!("../../../tests/schemas/gradescope.json"), |value| {
        value["visibility"] = "secret".into();
    });
    let value = gradescope(&report().submissions[0]);
    assert_eq!((&value["score"], &value["tests"][1]["visibility"]), (&15.0.into(), &"after_published".into()));
    let visible = value["tests"].as_array().unwrap().iter().filter(|test| test["visibility"] == "visible");
    assert!(visible.clone().count() == 2 && visible.clone().all(|test| test["max_score"] == 5.0));
}

#[test]
fn prairielearn_results_fit_their_schema() {
    validate(Format::PrairieLearn, include_str!("../../../tests/schemas/prairielearn.json"), |value| {
        value["gradable"] = true.into();
        value["score"] = 2.into();
    });
    assert_eq!(prairielearn(&report().submissions[0])["score"], 0.75);
    assert_eq!(prairielearn(&report().submissions[2])["gradable"], false, "nothing was handed in");
}

#[test]
fn junit_is_well_formed_and_counts() {
    let text = junit(&report()).unwrap();
    let mut reader = quick_xml::Reader::from_str(&text);
    let (mut depth, mut names) = (0i32, Vec::new());
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) => {
                depth += 1;
                names.push(String::from_utf8_lossy(tag.name().as_ref()).into_owned());
            }
            quick_xml::events::Event::Empty(tag) => {
                names.push(String::from_utf8_lossy(tag.name().as_ref()).into_owned());
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    let count = |name: &str| names.iter().filter(|known| *known == name).count();
    assert_eq!((depth, count("testsuites"), count("testsuite"), count("testcase")), (0, 1, 3, 5), "{text}");
    assert_eq!((count("failure"), count("error"), count("skipped")), (1, 1, 2));
    // The elements of the widest dialect, and no others.
    let known = ["testsuites", "testsuite", "testcase", "properties", "property", "failure", "error", "skipped"];
    assert!(names.iter().all(|name| known.contains(&name.as_str())), "{names:?}");
    assert!(text.contains("tests=\"5\"") && text.contains("failures=\"1\"") && text.contains("errors=\"1\""), "{text}");
    assert!(text.contains("<property name=\"points\" value=\"10\"/>"), "{text}");
}

#[test]
fn the_table_has_nbgraders_columns() {
    let text = csv(&report()).unwrap();
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), table::COLUMNS);
    let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0][0], &rows[0][3], &rows[0][9], &rows[0][10]), ("A course, with a comma", "ada", "15", "20"));
}

#[test]
fn github_gets_a_table_and_escaped_commands() {
    let report = report();
    let text = summary(&course(), &report);
    assert!(text.starts_with("# A \\| course\n"), "{text}");
    assert!(text.contains("| ada | 15 / 20 | e0 | ✅ pass | 50 % \\| done: a, b | 1 of 1 |"), "{text}");
    let text = annotations(&report, |name| format!("{name}/"));
    assert!(
        text.starts_with("::error file=ada/e1.cu,line=7,title=e1%3A Add%2C & \"sum\" <up>::a race%0Abetween lanes\n"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.starts_with("::error ")), "{text}");
}

#[test]
fn results_lie_in_folders_that_are_told_apart_and_lead_nowhere_else() {
    let files = files(&course(), &report(), Format::Gradescope).unwrap();
    let names: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    assert_eq!(
        names,
        ["gradescope/ada/results.json", "gradescope/.._bob/results.json", "gradescope/ada-2/results.json"]
    );
}

#[test]
fn an_action_gets_its_summary_and_paths_from_the_repositorys_root() {
    let (folder, report) = (tempfile::tempdir().unwrap(), report());
    let submissions = [
        Submission { name: "ada".to_owned(), path: folder.path().to_owned() },
        Submission { name: "../bob".to_owned(), path: PathBuf::from(".") },
    ];
    let nothing = Action::default().tell(&course(), &report, &submissions).unwrap();
    assert_eq!(nothing, "", "outside of an action nothing is said");

    let file = folder.path().join("summary.md");
    std::fs::write(&file, "before\n").unwrap();
    let action = Action { summary: Some(file.clone()), annotates: true };
    let text = action.tell(&course(), &report, &submissions).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("before\n{}", summary(&course(), &report)));
    let root = folder.path().display().to_string().replace(':', "%3A").replace(',', "%2C");
    assert!(text.contains(&format!("::error file={root}/e1.cu,line=7,")), "{text}");
    assert!(text.contains("::error file=e0.cu,"), "the current folder needs no prefix: {text}");

    let action = Action { summary: Some(folder.path().join("no/such/folder")), annotates: false };
    let error = action.tell(&course(), &report, &submissions).unwrap_err();
    assert!(error.to_string().starts_with("cannot write the step's summary"), "{error}");
}
