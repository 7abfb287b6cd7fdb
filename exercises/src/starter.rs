//! Generates a learner's starter from the solution, so that the two cannot drift apart.
//!
//! A solution is a file that compiles as it stands. Comments mark what the starter has instead:
//!
//! ```text
//! // STARTER
//! //- #define PADDING(n) 0
//! // SOLUTION
//! #define PADDING(n) ((n) >> 5)
//! // END
//! ```
//!
//! The starter gets the lines after `// STARTER`, without their `//- `, and none of those between `// SOLUTION` and
//! `// END`; everything outside such a region is the same in both. Either part may be empty.

use sim::diagnostic::{Diagnostic, Place};

/// A solution's markers are wrong: which, and on which line.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct MarkerError(Box<Diagnostic>);

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Shared,
    Starter,
    Solution,
}

/// The starter that belongs to a solution. `file` is the solution's name for messages.
///
/// # Errors
/// When a marker is missing, misplaced or never closed, or when there is none: a starter that equals its solution
/// leaves nothing to do.
pub fn generate(file: &str, solution: &str) -> Result<String, MarkerError> {
    let mut starter = String::with_capacity(solution.len());
    let mut part = Part::Shared;
    let mut opened = None;
    let mut at = 0;
    let wrong = |at: usize, line: &str, message: &str| {
        MarkerError(Box::new(
            Diagnostic::new(message)
                .at(Place::new(file, solution, at..at + line.trim_end().len(), ""))
                .help("a region is `// STARTER`, lines that begin with `//-`, `// SOLUTION`, lines, `// END`"),
        ))
    };
    for line in solution.split_inclusive('\n') {
        match (line.trim(), part) {
            ("// STARTER", Part::Shared) => {
                part = Part::Starter;
                opened = Some((at, line));
            }
            ("// SOLUTION", Part::Starter) => part = Part::Solution,
            ("// END", Part::Solution) => part = Part::Shared,
            ("// STARTER" | "// SOLUTION" | "// END", _) => {
                return Err(wrong(at, line, "this marker does not belong here"));
            }
            (_, Part::Shared) => starter.push_str(line),
            (_, Part::Solution) => {}
            (text, Part::Starter) => {
                let Some(text) = text.strip_prefix("//-") else {
                    return Err(wrong(at, line, "a line of the starter begins with `//-`"));
                };
                let text = text.strip_prefix(' ').unwrap_or(text);
                if !text.is_empty() {
                    starter.push_str(&line[..line.len() - line.trim_start().len()]);
                }
                starter.push_str(text);
                starter.push('\n');
            }
        }
        at += line.len();
    }
    match opened {
        Some((at, line)) if part != Part::Shared => Err(wrong(at, line, "this region is not closed")),
        Some(_) => Ok(starter),
        None => Err(wrong(0, "", "no markers: the starter would equal the solution")),
    }
}

/// The lines of a solution that are in no starter, from 0: what stands between `// SOLUTION` and `// END`.
pub fn solution_lines(solution: &str) -> Vec<usize> {
    let mut inside = false;
    let mut lines = Vec::new();
    for (at, line) in solution.lines().enumerate() {
        match line.trim() {
            "// SOLUTION" => inside = true,
            "// END" => inside = false,
            _ if inside => lines.push(at),
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_starter_swaps_every_region_and_keeps_the_rest() {
        let solution = "\
int shared;
    // STARTER
    //- int todo;
    //-
    //- int more;
    // SOLUTION
    int done;
    // END
// STARTER
// SOLUTION
int only_in_the_solution;
// END
int end;
";
        let starter = generate("a.cu", solution).unwrap();
        assert_eq!(starter, "int shared;\n    int todo;\n\n    int more;\nint end;\n");
    }

    #[test]
    fn wrong_markers_are_located() {
        let message = |solution: &str| generate("a.cu", solution).unwrap_err().to_string();
        expect![[r#"
            a line of the starter begins with `//-`
             --> a.cu:2:1
              |
            2 | int x;
              | ^^^^^^
              |
              = help: a region is `// STARTER`, lines that begin with `//-`, `// SOLUTION`, lines, `// END`"#]]
        .assert_eq(&message("// STARTER\nint x;\n// SOLUTION\n// END\n"));
        assert!(message("int x;\n// SOLUTION\n// END\n").contains("this marker does not belong here"));
        assert!(message("// STARTER\n// END\n").contains("does not belong here"));
        assert!(message("// STARTER\n// SOLUTION\n").contains("this region is not closed"));
        assert!(message("int x;\n").contains("no markers"));
        assert!(message("").contains("no markers"));
    }
}
