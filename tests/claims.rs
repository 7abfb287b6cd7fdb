//! The commands that `warpbook claims` prints show the figures that it prints: each is typed as a reader would.

use std::process::{Command, Output};

use kernels::claims::{self, Lab, Row};
use kernels::launch::run::Ran;
use rayon::prelude::*;
use serde_json::Value;

/// The words of a command line: `'` keeps spaces together.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('\'').enumerate();
    let mut words = vec![String::new()];
    for (index, part) in quoted {
        let last = |words: &mut Vec<String>, text: &str| words.last_mut().unwrap().push_str(text);
        if index % 2 == 1 {
            last(&mut words, part);
            continue;
        }
        for (index, part) in part.split(' ').enumerate() {
            if index > 0 {
                words.push(String::new());
            }
            last(&mut words, part);
        }
    }
    assert_eq!(words.first().map(String::as_str), Some("warpbook"), "{command}");
    words.drain(1..).filter(|word| !word.is_empty()).collect()
}

fn typed(command: &str, more: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_warpbook"));
    program.current_dir(env!("CARGO_MANIFEST_DIR")).args(words(command)).args(more);
    program.output().unwrap_or_else(|why| panic!("{command}: {why}"))
}

/// What is wrong with what a command prints, held against the run that the row was computed from.
fn difference(command: &str, ran: &Ran) -> Option<String> {
    let output = typed(command, &["--json"]);
    let expected = if ran.is_clean() { 0 } else { 1 };
    if output.status.code() != Some(expected) {
        return Some(format!("ends with {:?}: {}", output.status.code(), String::from_utf8_lossy(&output.stderr)));
    }
    let printed: Value = serde_json::from_slice(&output.stdout).ok()?;
    let own = serde_json::to_value(ran).unwrap();
    let launches = printed.get("launches").cloned().unwrap_or_else(|| Value::Array(vec![printed.clone()]));
    let (launches, own_launches) = (launches.as_array()?, own["launches"].as_array()?);
    let alike = launches.len() == own_launches.len()
        && launches.iter().zip(own_launches).all(|(launch, own)| {
            let part = |key: &str| launch.get(key) == own.get(key);
            ["kernel", "target", "launch", "occupancy", "metrics", "estimates", "missing", "details"]
                .into_iter()
                .all(part)
                && launch["findings"].as_array().map(Vec::len) == own["findings"].as_array().map(Vec::len)
        });
    let compared = printed["comparisons"] == own["comparisons"];
    (!alike || !compared).then(|| "gives other numbers".to_owned())
}

#[test]
fn every_row_is_reproduced_by_its_commands() {
    let mut lab = Lab::default();
    let claims = claims::select(None, None).unwrap();
    let rows: Vec<Row> = claims.iter().map(|claim| claims::judge(claim, &mut lab).unwrap()).collect();
    let runs: Vec<(&str, &Ran)> = lab.runs().collect();
    assert!(runs.len() > 60);
    let mut wrong: Vec<String> = (runs.par_iter())
        .filter_map(|(command, ran)| difference(command, ran).map(|why| format!("{command} {why}")))
        .collect();

    let mut others: Vec<&str> = (rows.iter().flat_map(|row| row.then.iter().chain(&row.now)))
        .flat_map(|figure| figure.commands.iter().map(String::as_str))
        .filter(|command| !command.starts_with("warpbook sim"))
        .collect();
    others.sort_unstable();
    others.dedup();
    for kind in ["warpbook bench --show", "warpbook compare", "warpbook targets", "warpbook claims"] {
        assert!(others.iter().any(|command| command.starts_with(kind)), "{kind}");
    }
    wrong.par_extend(others.par_iter().filter_map(|command| {
        let output = typed(command, &[]);
        (!output.status.success()).then(|| format!("{command}: {}", String::from_utf8_lossy(&output.stderr)))
    }));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
