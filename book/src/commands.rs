//! Commands as a reader can type them.
//!
//! Chapters write `warpbook compare …`, the name of the installed program, which tests of the chapters run. Whoever has
//! just cloned the repository has no such program on the path, so the pages show `cargo run --release -- compare …`;
//! a switch on the page about the commands turns that back for those who have installed it (`theme/warpbook.js`).

/// What stands for the program until it is installed.
pub const UNTIL_INSTALLED: &str = "cargo run --release --";

/// A filled chapter with its commands as they can be typed in a clone of the repository: in code spans, and in fences of
/// `sh` and `console`. The program's name alone stays, and so does what a program has printed.
pub fn typed(text: &str) -> String {
    let mut typed = String::with_capacity(text.len());
    // The open fence, and what stands before a command in it, if it has commands.
    let mut fence: Option<(&str, Option<&str>)> = None;
    for line in text.split_inclusive('\n') {
        let plain = line.trim_start();
        let ticks = plain.len() - plain.trim_start_matches('`').len();
        match fence {
            Some((mark, _)) if ticks >= mark.len() && plain[ticks..].trim().is_empty() => fence = None,
            Some((_, Some(prompt))) => {
                let command = line.strip_prefix(prompt).and_then(|line| line.strip_prefix("warpbook "));
                if let Some(command) = command {
                    typed.push_str(&format!("{prompt}{UNTIL_INSTALLED} {command}"));
                    continue;
                }
            }
            Some(_) => {}
            None if ticks >= 3 => {
                let prompt = match plain[ticks..].trim() {
                    "sh" => Some(""),
                    "console" => Some("$ "),
                    _ => None,
                };
                fence = Some((&plain[..ticks], prompt));
            }
            None => {
                typed.push_str(&line.replace("`warpbook ", &format!("`{UNTIL_INSTALLED} ")));
                continue;
            }
        }
        typed.push_str(line);
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_sentences_and_fences_can_be_typed_in_a_clone() {
        let text = "Run `warpbook setup`; `warpbook` is its name.\n\n```sh\nwarpbook sim a.cu \\\n    --list\n```\n\n\
                    ```console\n$ warpbook doctor\nwarpbook sim is what it prints\n```\n";
        let wanted = "Run `cargo run --release -- setup`; `warpbook` is its name.\n\n```sh\n\
                      cargo run --release -- sim a.cu \\\n    --list\n```\n\n```console\n\
                      $ cargo run --release -- doctor\nwarpbook sim is what it prints\n```\n";
        assert_eq!(typed(text), wanted);
    }

    #[test]
    fn other_code_stays() {
        let text = "```text\nwarpbook sim\n```\n\n````cpp\n// `warpbook sim`\n```\nwarpbook x\n````\n\nEnd.";
        assert_eq!(typed(text), text);
    }
}
