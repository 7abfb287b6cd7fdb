//! A zip that Gradescope takes as an autograder: this program, the course, the secret, and the two scripts that Gradescope
//! calls.

use std::fs;
use std::io::{self, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::course::Course;

/// Runs once, when Gradescope builds the image; the machine has a network then.
const SETUP: &str = "\
#!/usr/bin/env bash
# Gradescope runs this once while it builds the autograder's image.
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends python3 python3-pip
chmod +x /autograder/source/warpbook
export WARPBOOK_CACHE=/autograder/cache
/autograder/source/warpbook setup
chmod -R a+rX /autograder/cache
";

/// Runs for every submission. There is a result whatever happens.
const RUN: &str = "\
#!/usr/bin/env bash
# Gradescope runs this for every submission.
set -u
export WARPBOOK_CACHE=/autograder/cache
mkdir -p /autograder/results
results=/autograder/results/results.json
/autograder/source/warpbook grade /autograder/submission --exercises /autograder/source/exercises \\
    --secret-file /autograder/source/secret.txt ONLY--results gradescope=\"$results\"
if [ ! -s \"$results\" ]; then
    printf '%s\\n' '{\"score\": 0, \"output\": \"The autograder failed. Your instructor has been given the log.\"}' > \"$results\"
fi
";

/// Writes the zip. `program` is the warpbook that will grade: one for Gradescope's Linux machines.
///
/// # Errors
/// When a file cannot be read or the zip cannot be written.
pub fn gradescope(
    course: &Course,
    program: &Path,
    secret: &str,
    only: &[String],
    out: impl Write + Seek,
) -> io::Result<()> {
    let mut zip = ZipWriter::new(out);
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).unix_permissions(0o644);
    let script = options.unix_permissions(0o755);
    let only: String = only.iter().map(|name| format!("--only {name} ")).collect();
    let mut add = |name: &str, bytes: &[u8], options: SimpleFileOptions| -> io::Result<()> {
        zip.start_file(name, options)?;
        zip.write_all(bytes)
    };
    add("setup.sh", SETUP.as_bytes(), script)?;
    add("run_autograder", RUN.replace("ONLY", &only).as_bytes(), script)?;
    add("secret.txt", secret.as_bytes(), options)?;
    add("warpbook", &fs::read(program)?, script)?;
    add("exercises/info.toml", &fs::read(course.dir.join("info.toml"))?, options)?;
    for group in &course.groups {
        // Of the course, graders need no starters. What a kernel may cost depends on the honest alternatives, too.
        for part in ["solutions", "right", "wrong", "ptx"] {
            let folder = course.dir.join(part).join(&group.dir);
            if folder.is_dir() {
                add_folder(&folder, &format!("exercises/{part}/{}", group.dir), &mut |name, bytes| {
                    add(name, bytes, options)
                })?;
            }
        }
    }
    zip.finish()?;
    Ok(())
}

/// Adds the files of a folder, in order of their names.
fn add_folder(folder: &Path, name: &str, add: &mut dyn FnMut(&str, &[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            add_folder(&entry.path(), &name, add)?;
        } else {
            add(&name, &fs::read(entry.path())?)?;
        }
    }
    Ok(())
}
