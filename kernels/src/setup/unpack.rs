//! Verifying and unpacking the downloaded package. A wheel is a ZIP archive.

use super::{LICENCE_FILE, SetupError, Wheel, io_error};
use indicatif::ProgressBar;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The compiler library's file name.
pub(super) const LIBRARY: &str = "libnvrtc.so.13";
/// Its built-ins library's file name.
pub(super) const BUILTINS: &str = "libnvrtc-builtins.so.13.0";
/// The package's own list of its files, with their sizes.
const RECORD: &str = "RECORD";

/// What is taken out of the package, by file name. It also holds a header and a second build of each library (`.alt`).
const WANTED: &[&str] = &[LIBRARY, BUILTINS, LICENCE_FILE, RECORD];

/// Checks the package's hash.
pub(super) fn verify(package: &Path, wheel: &'static Wheel, bar: &ProgressBar) -> Result<(), SetupError> {
    bar.set_message("checking the package's SHA-256");
    let doing = "reading the downloaded package";
    let mut file = File::open(package).map_err(io_error(doing, package))?;
    bar.set_length(wheel.bytes);
    bar.set_position(0);
    let mut hash = Sha256::new();
    copy(&mut file, bar, |bytes| {
        hash.update(bytes);
        Ok(())
    })
    .map_err(io_error(doing, package))?;
    let got = crate::ptx::hex(&hash.finalize());
    if got == wheel.sha256 { Ok(()) } else { Err(SetupError::Hash { expected: wheel.sha256, got }) }
}

/// Unpacks the wanted files into `folder`, which is created.
pub(super) fn unpack(package: &Path, folder: &Path, bar: &ProgressBar) -> Result<(), SetupError> {
    bar.set_message("unpacking");
    let content = |why: String| SetupError::Content { why };
    let file = File::open(package).map_err(io_error("reading the downloaded package", package))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| content(e.to_string()))?;
    std::fs::create_dir(folder).map_err(io_error("creating a temporary folder in the cache", folder))?;
    for wanted in WANTED {
        let ending = format!("/{wanted}");
        let names: Vec<String> =
            archive.file_names().flatten().filter(|n| n.ends_with(&ending)).map(Into::into).collect();
        let [name] = names.as_slice() else {
            return Err(content(format!("{} files named {wanted}", names.len())));
        };
        let mut member = archive.by_name(name).map_err(|e| content(format!("{name}: {e}")))?;
        let path = folder.join(wanted);
        bar.set_length(member.size());
        bar.set_position(0);
        let mut out = File::create(&path).map_err(io_error("unpacking", &path))?;
        copy(&mut member, bar, |bytes| out.write_all(bytes)).map_err(io_error("unpacking", &path))?;
        // The rename that follows must not reach the disk before the content does.
        out.sync_all().map_err(io_error("unpacking", &path))?;
    }
    Ok(())
}

/// The sizes that the installed files must have, from the package's own list. None if the list is not there or does
/// not name both libraries.
pub(super) fn sizes(folder: &Path) -> Option<Vec<(&'static str, u64)>> {
    let record = std::fs::read_to_string(folder.join(RECORD)).ok()?;
    let size_of = |file: &'static str| {
        let line =
            record.lines().find(|line| line.split(',').next().is_some_and(|p| p.ends_with(&format!("/{file}"))))?;
        Some((file, line.rsplit(',').next()?.parse().ok()?))
    };
    [LIBRARY, BUILTINS].into_iter().map(size_of).collect()
}

/// Hands the bytes of `from` to `sink` piece by piece, and their number to the bar.
fn copy(from: &mut impl Read, bar: &ProgressBar, mut sink: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            n => {
                sink(&buffer[..n])?;
                bar.inc(n as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: Wheel =
        Wheel { arch: "x86_64", sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", bytes: 5 };

    #[test]
    fn another_file_is_refused_with_both_hashes() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("x.whl");
        std::fs::write(&package, "hello").unwrap();
        assert!(verify(&package, &HELLO, &ProgressBar::hidden()).is_ok());
        std::fs::write(&package, "hellO").unwrap();
        let text = verify(&package, &HELLO, &ProgressBar::hidden()).unwrap_err().to_string();
        assert!(text.contains(HELLO.sha256) && text.contains("got SHA-256 ") && text.contains("nothing was installed"));
    }

    #[test]
    fn a_package_without_the_library_is_our_bug() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("x.whl");
        let mut archive = zip::ZipWriter::new(File::create(&package).unwrap());
        archive.start_file("nvidia/cu13/include/nvrtc.h", zip::write::SimpleFileOptions::default()).unwrap();
        archive.finish().unwrap();
        let error = unpack(&package, &folder.path().join("out"), &ProgressBar::hidden()).unwrap_err().to_string();
        assert!(error.contains("0 files named libnvrtc.so.13") && error.contains("bug in warpbook"), "{error}");
    }
}
