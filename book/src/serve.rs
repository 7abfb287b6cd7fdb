//! `warpbook book serve`: builds the book, serves it on this machine, and builds it again whenever a file of it changes.
//! Pages that are open in a browser then load themselves again.

use std::fs;
use std::net::TcpListener;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::http::{self, Answer};
use crate::real::RealRuns;
use crate::site::{BuildError, Built, build_with};

/// Where a page asks whether there is a newer book.
const VERSION: &str = "/.warpbook-version";
/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// What a served page gets at its end: it loads itself again when the number of builds changes.
const RELOAD: &str = "<script>(() => {
    let first = null;
    setInterval(async () => {
        try {
            const now = await (await fetch('/.warpbook-version', { cache: 'no-store' })).text();
            first ??= now;
            if (now !== first) location.reload();
        } catch { /* the server has ended */ }
    }, 1000);
})();</script>
";

/// What happens while a book is served.
#[derive(Debug)]
pub enum Event<'a> {
    /// The book was built, and is at this address.
    Built(&'a Built, &'a str),
    /// The book could not be built; the last one is still served.
    Failed(&'a BuildError),
}

/// Serves the book in the folder `root` on this machine's `port` (0: any free one) until the program ends. `told` is called
/// after every build.
///
/// # Errors
/// [`BuildError`] when the port is taken, or the first build fails.
pub fn serve(root: &Path, port: u16, told: &mut dyn FnMut(Event<'_>)) -> Result<(), BuildError> {
    let runs = Rc::new(RealRuns::new());
    let mut seen = newest(root);
    let built = build_with(root, None, Rc::clone(&runs))?;
    let folder = built.index.parent().unwrap_or(root).to_owned();
    let listener =
        TcpListener::bind(("127.0.0.1", port)).map_err(|why| BuildError::Port { port, why: why.to_string() })?;
    let address = listener.local_addr().map_or_else(|_| String::new(), |address| format!("http://{address}/"));
    let builds = Arc::new(AtomicU64::new(1));
    let served = Arc::clone(&builds);
    thread::spawn(move || http::run(&listener, move |path| answer(&folder, &served, path)));
    told(Event::Built(&built, &address));
    loop {
        thread::sleep(LOOK);
        let now = newest(root);
        if now == seen {
            continue;
        }
        seen = now;
        match build_with(root, None, Rc::clone(&runs)) {
            Ok(built) => {
                builds.fetch_add(1, Ordering::Relaxed);
                told(Event::Built(&built, &address));
            }
            Err(error) => told(Event::Failed(&error)),
        }
    }
}

/// What is answered to a request for a path: the number of builds, or a page.
fn answer(folder: &Path, builds: &AtomicU64, path: &str) -> Answer {
    if path == VERSION {
        let body = builds.load(Ordering::Relaxed).to_string().into_bytes();
        return Answer { status: 200, kind: "text/plain; charset=utf-8", body };
    }
    page(folder, path)
}

/// The file that a path of the site names.
fn page(folder: &Path, path: &str) -> Answer {
    let found = file(folder, path).and_then(|file| Some((fs::read(&file).ok()?, file)));
    let (mut body, file, status) = match found {
        Some((bytes, file)) => (bytes, file, 200),
        None => (fs::read(folder.join("404.html")).unwrap_or_default(), PathBuf::from("404.html"), 404),
    };
    let kind = kind(&file);
    if kind.starts_with("text/html") {
        body.extend_from_slice(RELOAD.as_bytes());
    }
    Answer { status, kind, body }
}

/// The file below `folder` that a path names; none for a path that leads out of it.
fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    let decoded = path.trim_start_matches('/').replace("%20", " ");
    let relative = Path::new(&decoded);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = folder.join(relative);
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

/// The kind of content that a file's name says it has.
fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// When a file of the book was last changed, and how many files there are. The built site does not count.
fn newest(root: &Path) -> (Option<SystemTime>, usize) {
    fn look(folder: &Path, newest: &mut Option<SystemTime>, count: &mut usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                look(&path, newest, count);
            } else {
                *count += 1;
                *newest = (*newest).max(entry.metadata().and_then(|meta| meta.modified()).ok());
            }
        }
    }
    let (mut newest, mut count) = (None, 0);
    look(&root.join("chapters"), &mut newest, &mut count);
    look(&root.join("theme"), &mut newest, &mut count);
    (newest.max(fs::metadata(root.join("book.toml")).and_then(|meta| meta.modified()).ok()), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_within_the_site() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), "<p>hello</p>").unwrap();
        assert_eq!(file(folder.path(), "/"), Some(folder.path().join("index.html")));
        assert_eq!(file(folder.path(), "/../secret"), None);
        assert_eq!(page(folder.path(), "/nothing.html").status, 404);
        let page = page(folder.path(), "/index.html");
        assert_eq!((page.status, page.kind), (200, "text/html; charset=utf-8"));
        let text = String::from_utf8(page.body).unwrap();
        assert!(text.starts_with("<p>hello</p>") && text.contains(VERSION), "{text}");
        let version = answer(folder.path(), &AtomicU64::new(3), VERSION);
        assert_eq!((version.status, &*version.body), (200, &b"3"[..]));
    }
}
