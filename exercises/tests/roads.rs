//! Both roads on everything that is committed: PTX with the passes of `sim::ptxas`, and machine code, executed. Every exact counter
//! that differs has its cause in a list; every part of an entry of `kernels/truth/roads.toml` is needed.

use std::path::Path;

use exercises::course::Course;
use kernels::cases;
use kernels::roads::{Roads, Suite, corpus, known};
use kernels::sass::Tools;
use kernels::testing::not_run;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository")
}

/// What has no known cause, one line each.
fn unexplained(roads: &Roads) -> Vec<String> {
    let rows = roads.rows.iter().flat_map(|row| {
        row.unexplained().map(move |difference| {
            let (ptx, machine_code) = (difference.ptx, difference.machine_code);
            let place = format!("{}: {}, {} ({})", row.suite, row.subject, row.case, row.kernel);
            format!("{place}: {}: PTX {ptx}, machine code {machine_code}", difference.counter)
        })
    });
    let troubled = roads.troubled.iter().filter(|troubled| troubled.known.is_none());
    let troubled = troubled.map(|own| format!("{}: {}, {}: {}", own.suite, own.subject, own.case, own.sentence));
    rows.chain(troubled).collect()
}

/// Machine code of the workbook's cases is committed: this needs none of NVIDIA's tools.
fn cases() -> Roads {
    let chosen = corpus::representatives(&cases::all());
    assert!(chosen.len() >= 130, "only {} versions", chosen.len());
    corpus::cases(&chosen).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn the_workbooks_cases_differ_only_where_a_list_says_why() {
    let mut roads = cases();
    let list = known::known().unwrap_or_else(|why| panic!("{why}"));
    let idle = known::explain(&mut roads, list, &[Suite::Cases]);
    println!("{}", roads.closing());
    let unexplained = unexplained(&roads);
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert!(idle.is_empty(), "nothing needs {idle:?}");
    let compared: usize = roads.rows.iter().map(|row| row.counters).sum();
    let differ: usize = roads.rows.iter().map(|row| row.differences.len()).sum();
    assert!(compared > 8000 && differ * 50 < compared, "{}", roads.closing());
}

#[test]
fn probes_catalogue_and_course_differ_only_where_a_list_says_why() {
    if let Err(why) = Tools::find() {
        return not_run("PTX beside machine code of the probes, the catalogue and the course", &why.to_string());
    }
    let failed = |why: kernels::roads::RoadsError| -> Roads { panic!("{why}") };
    let mut roads = corpus::probes(&root().join("sim/tests/counters")).unwrap_or_else(failed);
    roads.extend(corpus::probes(&root().join("sim/tests/lowering")).unwrap_or_else(failed));
    roads.extend(corpus::catalogue(&root().join("sim/tests/correct")).unwrap_or_else(failed));
    let course = Course::load(&root().join("exercises")).unwrap_or_else(|why| panic!("{why}"));
    roads.extend(exercises::roads::compare(&course, &[], true, None).unwrap_or_else(|why| panic!("{why}")));
    let list = known::known().unwrap_or_else(|why| panic!("{why}"));
    let idle = known::explain(&mut roads, list, &[Suite::Probes, Suite::Correct, Suite::Exercises]);
    println!("{}", roads.closing());
    let unexplained = unexplained(&roads);
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert!(idle.is_empty(), "nothing needs {idle:?}");
}
