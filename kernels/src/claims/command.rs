//! The commands that show a figure's parts, as a reader types them in the repository's root.

use super::file::{Run, Time};

/// A word as a shell takes it.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+%^".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("'{text}'") }
}

/// The words of `warpbook sim …` for a run, without the program's name.
pub(super) fn sim_words(run: &Run, names: &[(String, String)], target: &str, details: bool) -> Vec<String> {
    let mut words = vec!["sim".to_owned(), run.file.clone()];
    let mut option = |name: &str, value: &str| words.extend([format!("--{name}"), value.to_owned()]);
    for (name, value) in names {
        option("let", &format!("{name}={value}"));
    }
    let shape = [("kernel", &run.kernel), ("grid", &run.grid), ("block", &run.block), ("shared", &run.shared)];
    for (name, value) in shape {
        if let Some(value) = value {
            option(name, value);
        }
    }
    run.args.iter().for_each(|arg| option("arg", arg));
    run.expect.iter().for_each(|expect| option("expect", expect));
    if let Some(budget) = run.budget {
        option("budget", &budget.to_string());
    }
    if details {
        option("access", "all");
    }
    option("target", target);
    words
}

/// A command line of these words.
pub(super) fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|text| word(text)).collect();
    format!("warpbook {}", words.join(" "))
}

/// The command that shows what a GPU counted for a recorded case.
pub(super) fn compare(case: &str) -> String {
    line(&["compare".to_owned(), case.to_owned(), "--counters".to_owned(), "--no-gpu".to_owned()])
}

/// The command that shows a time of the recorded bench.
pub(super) fn bench(time: &Time) -> String {
    let Time { problem, size, data, version } = time;
    let words = ["bench", "--show", problem, "--size", size, "--data", data, "--version", version];
    line(&words.map(str::to_owned))
}

/// The command that shows the numbers of a target.
pub(super) fn targets(target: &str) -> String {
    line(&["targets".to_owned(), target.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_can_type_what_is_printed() {
        let run = Run {
            file: "kernels/ptx/scan.ptx".to_owned(),
            kernel: Some("scan_naive".to_owned()),
            block: Some("n/2".to_owned()),
            args: vec!["f32[n]=0".to_owned(), "n".to_owned()],
            ..Run::default()
        };
        let names = [("n".to_owned(), "512".to_owned())];
        assert_eq!(
            line(&sim_words(&run, &names, "g80", true)),
            "warpbook sim kernels/ptx/scan.ptx --let n=512 --kernel scan_naive --block n/2 --arg 'f32[n]=0' --arg n \
             --access all --target g80"
        );
        assert_eq!(compare("scan_naive, 1"), "warpbook compare 'scan_naive, 1' --counters --no-gpu");
    }
}
