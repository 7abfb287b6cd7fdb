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

use markup::{committed, html};

use crate::guard::{Guard, SERVICE, Service};
use crate::http::{self, Answer, Request};
use crate::real::RealRuns;
use crate::site::{BuildError, Built, build_with};

/// Where a page asks whether there is a newer book.
const VERSION: &str = "/.warpbook-version";
/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// The script that a served page gets at its end: it loads itself again when the number of builds changes.
const RELOAD: &str = "(() => {
    let first = null;
    setInterval(async () => {
        try {
            const now = await (await fetch('/.warpbook-version', { cache: 'no-store' })).text();
            first ??= now;
            if (now !== first) location.reload();
        } catch { /* the server has ended */ }
    }, 1000);
})();";

/// What happens while a book is served.
#[derive(Debug)]
pub enum Event<'a> {
    /// The book was built, and is at this address.
    Built(&'a Built, &'a str),
    /// The book could not be built; the last one is still served.
    Failed(&'a BuildError),
}

/// Serves the book in the folder `root` on this machine's `port` (0: any free one) until the program ends. Pages have done by
/// `service` what they cannot do. `told` is called after every build.
///
/// # Errors
/// [`BuildError`] when the port is taken, or the first build fails.
pub fn serve(
    root: &Path,
    port: u16,
    service: Option<Arc<dyn Service>>,
    told: &mut dyn FnMut(Event<'_>),
) -> Result<(), BuildError> {
    let runs = Rc::new(RealRuns::new());
    let mut seen = newest(root);
    let built = build_with(root, None, Rc::clone(&runs))?;
    let folder = built.index.parent().unwrap_or(root).to_owned();
    let builds = Arc::new(AtomicU64::new(1));
    let (address, _) = start(folder, port, service, &builds)?;
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

/// Serves the built book in the folder `site` as it is, until the program ends. `told` learns the address.
///
/// # Errors
/// [`BuildError`] when there is no built book, or the port is taken.
pub fn as_it_is(
    site: &Path,
    port: u16,
    service: Option<Arc<dyn Service>>,
    told: &mut dyn FnMut(&str),
) -> Result<(), BuildError> {
    if !site.join("index.html").is_file() {
        return Err(BuildError::NoSite(site.to_owned()));
    }
    let (address, server) = start(site.to_owned(), port, service, &Arc::new(AtomicU64::new(1)))?;
    told(&address);
    // It ends with the program.
    let _ = server.join();
    Ok(())
}

/// Starts to serve a folder, and gives the address.
fn start(
    folder: PathBuf,
    port: u16,
    service: Option<Arc<dyn Service>>,
    builds: &Arc<AtomicU64>,
) -> Result<(String, thread::JoinHandle<()>), BuildError> {
    let taken = |why: String| BuildError::Port { port, why };
    let listener = TcpListener::bind(("127.0.0.1", port)).map_err(|why| taken(why.to_string()))?;
    let own = listener.local_addr().map_err(|why| taken(why.to_string()))?;
    let guard = Guard::new(own.port(), service).map_err(taken)?;
    let site = Site { folder, builds: Arc::clone(builds), guard };
    Ok((format!("http://{own}/"), thread::spawn(move || http::run(&listener, move |request| site.answer(request)))))
}

/// What is served.
struct Site {
    /// The built book.
    folder: PathBuf,
    /// How often it was built.
    builds: Arc<AtomicU64>,
    guard: Guard,
}

impl Site {
    /// What is answered: a refusal, the service's answer, the number of builds, or a page.
    fn answer(&self, request: &Request) -> Answer {
        if let Some(refused) = self.guard.refuse(request) {
            return refused;
        }
        if request.path.starts_with(SERVICE) {
            return self.guard.serve(request);
        }
        if !matches!(&*request.method, "GET" | "HEAD") {
            return Answer::text(405, "Pages are there for GET and HEAD alone.");
        }
        if request.path == VERSION {
            return Answer::text(200, &self.builds.load(Ordering::Relaxed).to_string());
        }
        self.page(&request.path)
    }

    /// The file that a path of the site names.
    fn page(&self, path: &str) -> Answer {
        let found = file(&self.folder, path).and_then(|file| Some((fs::read(&file).ok()?, file)));
        let (mut body, file, status) = match found {
            Some((bytes, file)) => (bytes, file, 200),
            None => (fs::read(self.folder.join("404.html")).unwrap_or_default(), PathBuf::from("404.html"), 404),
        };
        let kind = kind(&file);
        if kind.starts_with("text/html") {
            let more = html! { script { (committed(RELOAD)) } "\n" (self.guard.introduction()) };
            body.extend_from_slice(more.0.as_bytes());
        }
        Answer { status, kind, body }
    }
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

    fn site(folder: &Path) -> Site {
        /// Has one answer.
        struct One;
        impl Service for One {
            fn answer(&self, _: &str, _: &[u8]) -> Option<String> {
                Some("{}".to_owned())
            }
        }
        fs::write(folder.join("index.html"), "<p>hello</p>").unwrap();
        fs::write(folder.join("some.js"), "1").unwrap();
        let guard = Guard::new(3000, Some(Arc::new(One))).unwrap();
        Site { folder: folder.to_owned(), builds: Arc::new(AtomicU64::new(3)), guard }
    }

    fn request(method: &str, path: &str, host: &str) -> Request {
        let heads = vec![("host".to_owned(), host.to_owned())];
        Request { method: method.to_owned(), path: path.to_owned(), heads, ..Request::default() }
    }

    #[test]
    fn paths_stay_within_the_site() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        assert_eq!(file(folder.path(), "/"), Some(folder.path().join("index.html")));
        assert_eq!(file(folder.path(), "/../secret"), None);
        assert_eq!(site.page("/nothing.html").status, 404);
        let page = site.page("/index.html");
        assert_eq!((page.status, page.kind), (200, "text/html; charset=utf-8"));
        let text = String::from_utf8(page.body).unwrap();
        assert!(text.starts_with("<p>hello</p>") && text.contains(VERSION), "{text}");
        assert!(text.contains("window.wbService"), "a page can ask the service: {text}");
        assert_eq!(site.page("/some.js").body, b"1", "a script of ours can be read by any page: it has no token");
    }

    #[test]
    fn pages_and_the_service_are_there_under_the_servers_address_alone() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        let own = "127.0.0.1:3000";
        let version = site.answer(&request("GET", VERSION, own));
        assert_eq!((version.status, &*version.body), (200, &b"3\n"[..]));
        for path in ["/", VERSION, "/warpbook/compile"] {
            for method in ["GET", "POST"] {
                let refused = site.answer(&request(method, path, "rebound.example:3000"));
                assert_eq!(refused.status, 403, "{method} {path}");
                assert!(!String::from_utf8(refused.body).unwrap().contains("wbService"));
            }
        }
        assert_eq!(site.answer(&request("POST", "/", own)).status, 405);
        assert_eq!(site.answer(&request("GET", "/warpbook/compile", own)).status, 405);
        assert_eq!(site.answer(&request("POST", "/warpbook/compile", own)).status, 403, "it has no token");
    }
}
