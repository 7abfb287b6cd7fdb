//! Links into chapters that were cut, led to the page that has the place.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Where the places of cut chapters are: by the chapter's path, the page of each identifier.
#[derive(Debug, Default)]
pub(super) struct Places(pub(super) BTreeMap<PathBuf, BTreeMap<String, PathBuf>>);

impl Places {
    /// The text of the page `page` of the chapter `chapter` with its links led to the pages of cut chapters.
    pub(super) fn lead(&self, page: &Path, chapter: &Path, text: &str) -> String {
        let mut led = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, start, end)) = ["](", "href=\""]
            .into_iter()
            .zip([')', '"'])
            .filter_map(|(start, end)| rest.find(start).map(|at| (at, start, end)))
            .min_by_key(|(at, ..)| *at)
        {
            let from = at + start.len();
            let Some(length) = rest[from..].find(end) else { break };
            led.push_str(&rest[..from]);
            let link = &rest[from..from + length];
            led.push_str(&self.target(page, chapter, link).unwrap_or_else(|| link.to_owned()));
            rest = &rest[from + length..];
        }
        led + rest
    }

    /// Where a link goes now, if that is another page than it says.
    fn target(&self, page: &Path, chapter: &Path, link: &str) -> Option<String> {
        let (file, id) = link.split_once('#')?;
        if link.contains("://") || link.contains(char::is_whitespace) {
            return None;
        }
        let meant = if file.is_empty() { chapter.to_owned() } else { resolved(page, file).with_extension("md") };
        let own = self.0.get(&meant)?.get(id)?;
        if file.is_empty() && own == page || !file.is_empty() && *own == meant {
            return None;
        }
        let name = own.file_name()?.to_string_lossy();
        let (folder, extension) = match file.rsplit_once('/') {
            Some((folder, name)) => (format!("{folder}/"), name.rsplit('.').next().unwrap_or("md")),
            None => (String::new(), file.rsplit('.').next().filter(|e| !e.is_empty()).unwrap_or("html")),
        };
        Some(format!("{folder}{}#{id}", name.replacen(".md", &format!(".{extension}"), 1)))
    }
}

/// A relative path seen from a chapter, from the folder of the chapters.
fn resolved(from: &Path, file: &str) -> PathBuf {
    let mut path = from.parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}
