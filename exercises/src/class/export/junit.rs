//! JUnit XML: a suite for every submission, a test case for every exercise. The format knows no points: they are
//! properties.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::class::{ClassReport, ExerciseResult, Status, points};

/// The report as XML.
///
/// # Errors
/// When the XML cannot be written: that is a bug of ours.
pub fn junit(report: &ClassReport) -> Result<String, String> {
    let mut out = Report::new(&report.course);
    for one in &report.submissions {
        let mut suite = TestSuite::new(&one.name);
        suite.add_property(("points", points(one.points).as_str()));
        suite.add_property(("max_points", points(one.max_points).as_str()));
        suite.add_test_cases(one.exercises.iter().map(|result| case(&one.name, result)));
        out.add_test_suite(suite);
    }
    out.to_string().map_err(|why| why.to_string())
}

fn case(submission: &str, result: &ExerciseResult) -> TestCase {
    let failed = |kind: NonSuccessKind, name: &str| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(result.message.as_str()).set_type(name).set_description(result.output.as_str());
        status
    };
    let status = match result.status {
        Status::Pass => TestCaseStatus::success(),
        Status::Fail => failed(NonSuccessKind::Failure, "failure"),
        Status::Error => failed(NonSuccessKind::Error, "error"),
        Status::Missing => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(result.message.as_str());
            status
        }
    };
    let mut case = TestCase::new(result.name.as_str(), status);
    case.set_classname(submission);
    case.add_property(("points", points(result.points).as_str()));
    case.add_property(("max_points", points(result.max_points).as_str()));
    let [passed, all] = result.hidden_cases;
    case.add_property(("hidden_cases", format!("{passed}/{all}").as_str()));
    case
}
