//! Verifying and unpacking a downloaded package. A wheel is a ZIP archive.

use super::component::{Component, Package, Wheel};
use super::{LICENCE_FILE, SetupError, io_error};
use indicatif::ProgressBar;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// The packages' own lists of their files, with their sizes, one behind the other.
const RECORD: &str = "RECORD";

/// From this size on, a file's content is brought to the disk before the folder gets its name.
const WORTH_SYNCING: u64 = 1 << 20;

/// Checks the package's hash.
pub(super) fn verify(
    path: &Path,
    package: &'static Package,
    wheel: &'static Wheel,
    bar: &ProgressBar,
) -> Result<(), SetupError> {
    bar.set_message(format!("checking the SHA-256 of {}", package.name));
    let doing = "reading the downloaded package";
    let mut file = File::open(path).map_err(io_error(doing, path))?;
    bar.set_length(wheel.bytes);
    bar.set_position(0);
    let mut hash = Sha256::new();
    copy(&mut file, bar, |bytes| {
        hash.update(bytes);
        Ok(())
    })
    .map_err(io_error(doing, path))?;
    let got = crate::digest::hex(&hash.finalize());
    if got == wheel.sha256 {
        Ok(())
    } else {
        Err(SetupError::Hash { package: package.name, expected: wheel.sha256, got })
    }
}

/// Unpacks what is taken of a package into `folder`, where other packages of the component may lie already.
pub(super) fn unpack(path: &Path, package: &Package, folder: &Path, bar: &ProgressBar) -> Result<(), SetupError> {
    bar.set_message(format!("unpacking {}", package.name));
    let content = |why: String| SetupError::Content { package: package.name, why };
    let file = File::open(path).map_err(io_error("reading the downloaded package", path))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| content(e.to_string()))?;
    let mut wanted: Vec<(String, String)> = Vec::new();
    for name in archive.file_names().flatten() {
        if let Some(destination) = package.take.destination(&name)
            && !name.ends_with('/')
        {
            wanted.push((name.to_string(), destination.to_owned()));
        }
    }
    if wanted.len() < package.take.fewest() {
        return Err(content(format!("{} of its files are what warpbook takes", wanted.len())));
    }
    let named =
        |name: &str| archive.file_names().flatten().find(|file| file.ends_with(name)).map(|file| file.to_string());
    let licence = named(&format!("/licenses/{LICENCE_FILE}")).or_else(|| named("/licenses/ziglang/LICENSE"));
    let licence = licence.ok_or_else(|| content("there is no licence".to_owned()))?;
    let record = named(&format!(".dist-info/{RECORD}")).ok_or_else(|| content("there is no RECORD".to_owned()))?;
    wanted.push((licence, LICENCE_FILE.to_owned()));

    bar.set_length(wanted.len() as u64);
    bar.set_position(0);
    for (name, destination) in wanted {
        let mut member = archive.by_name(&name).map_err(|e| content(format!("{name}: {e}")))?;
        let to = folder.join(&destination);
        let parent = to.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(io_error("unpacking", parent))?;
        let mut out = File::create(&to).map_err(io_error("unpacking", &to))?;
        io::copy(&mut member, &mut out).map_err(io_error("unpacking", &to))?;
        if package.take.is_program(&destination) {
            make_executable(&out).map_err(io_error("unpacking", &to))?;
        }
        if member.size() >= WORTH_SYNCING {
            // The rename that follows must not reach the disk before the content does.
            out.sync_all().map_err(io_error("unpacking", &to))?;
        }
        bar.inc(1);
    }
    let mut list = String::new();
    let mut member = archive.by_name(&record).map_err(|e| content(format!("{record}: {e}")))?;
    member.read_to_string(&mut list).map_err(|e| content(format!("{record}: {e}")))?;
    let to = folder.join(RECORD);
    let mut out = OpenOptions::new().create(true).append(true).open(&to).map_err(io_error("unpacking", &to))?;
    out.write_all(list.as_bytes()).and_then(|()| out.sync_all()).map_err(io_error("unpacking", &to))
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether a component's folder holds every file, in the size that the packages' own lists tell.
pub(super) fn is_whole(folder: &Path, component: Component) -> bool {
    let Ok(record) = std::fs::read_to_string(folder.join(RECORD)) else { return false };
    component.packages().iter().all(|package| {
        let mut found = 0;
        let whole = record.lines().all(|line| {
            let mut fields = line.rsplitn(3, ',');
            let (size, _hash, name) = (fields.next(), fields.next(), fields.next());
            let Some(destination) = name.and_then(|name| package.take.destination(name)) else { return true };
            found += 1;
            let size: Option<u64> = size.and_then(|size| size.parse().ok());
            std::fs::metadata(folder.join(destination)).is_ok_and(|data| Some(data.len()) == size)
        });
        whole && found >= package.take.fewest()
    })
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
    use super::super::component::{BUILTINS, LIBRARY, Take};
    use super::*;

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    static PACKAGE: Package = Package {
        name: "hello",
        version: "1",
        wheels: &[Wheel { os: "linux", arch: "x86_64", sha256: HELLO, bytes: 5 }],
        take: Take::Below(&["bin/tool", "include/"]),
    };

    fn archive(path: &Path, files: &[(&str, &str)]) {
        let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
        for (name, content) in files {
            archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
    }

    #[test]
    fn another_file_is_refused_with_both_hashes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.whl");
        std::fs::write(&path, "hello").unwrap();
        let verify = || verify(&path, &PACKAGE, &PACKAGE.wheels[0], &ProgressBar::hidden());
        assert!(verify().is_ok());
        std::fs::write(&path, "hellO").unwrap();
        let text = verify().unwrap_err().to_string();
        assert!(text.contains(HELLO) && text.contains("got SHA-256 ") && text.contains("nothing was installed"));
    }

    #[test]
    fn a_package_without_what_we_take_is_our_bug() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.whl");
        archive(&path, &[("nvidia/cu13/lib/x.so", "")]);
        let error = unpack(&path, &PACKAGE, folder.path(), &ProgressBar::hidden()).unwrap_err().to_string();
        assert!(error.contains("hello") && error.contains("0 of its files"), "{error}");
        assert!(error.contains("bug in warpbook"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn files_are_unpacked_to_their_places_and_programs_can_run() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.whl");
        let files = [
            ("nvidia/cu13/bin/tool", "#!"),
            ("nvidia/cu13/include/a/b.h", "// b"),
            ("nvidia/cu13/bin/other", "no"),
            ("hello-1.dist-info/licenses/License.txt", "the licence"),
            ("hello-1.dist-info/RECORD", "list"),
        ];
        archive(&path, &files);
        let out = folder.path().join("out");
        unpack(&path, &PACKAGE, &out, &ProgressBar::hidden()).unwrap();
        let mode = std::fs::metadata(out.join("bin/tool")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111);
        assert_eq!(std::fs::read_to_string(out.join("include/a/b.h")).unwrap(), "// b");
        assert!(out.join(LICENCE_FILE).exists() && out.join(RECORD).exists() && !out.join("bin/other").exists());
    }

    #[test]
    fn an_empty_or_truncated_folder_is_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let whole = || is_whole(folder.path(), Component::Nvrtc);
        assert!(!whole());
        let record = format!("nvidia/cu13/lib/{LIBRARY},sha256=x,5\nnvidia/cu13/lib/{BUILTINS},sha256=x,3\n");
        std::fs::write(folder.path().join(RECORD), record).unwrap();
        std::fs::write(folder.path().join(LIBRARY), "12345").unwrap();
        assert!(!whole(), "the built-ins are absent");
        std::fs::write(folder.path().join(BUILTINS), "123").unwrap();
        assert!(whole());
        std::fs::write(folder.path().join(LIBRARY), "1234").unwrap();
        assert!(!whole(), "the library is truncated");
        std::fs::write(folder.path().join(RECORD), format!("nvidia/cu13/lib/{LIBRARY},sha256=x,4\n")).unwrap();
        assert!(!whole(), "the list does not name the built-ins");
    }
}
