//! The README counts what is in the workbook: the counts are those of today.

use std::path::Path;

#[test]
fn the_readme_counts_what_is_here() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Lines may be broken anywhere.
    let readme = std::fs::read_to_string(root.join("README.md"))?.split_whitespace().collect::<Vec<_>>().join(" ");
    let versions: usize = kernels::problem::all().iter().map(|problem| problem.versions.len()).sum();
    let course = exercises::course::Course::load(&root.join("exercises"))?;
    let groups = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    for part in [
        format!("**{versions} versions**"),
        format!("{} recorded test inputs", thousands(kernels::cases::all().len())),
        format!("**{} exercises** in {} groups", course.exercises.len(), groups[course.groups.len()]),
        format!("**{} claims**", kernels::claims::select(None, None)?.len()),
    ] {
        assert!(readme.contains(&part), "README.md should say: {part}");
    }
    Ok(())
}

/// Below a million, with a comma.
fn thousands(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}
