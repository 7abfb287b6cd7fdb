//! Results of runs, kept between builds of the book, so that a change of a chapter does not simulate everything again.
//!
//! They lie in warpbook's cache in a folder that is named after all that they depend on (`build.rs`): another simulator,
//! kernel or record finds nothing there. Whatever cannot be read is computed again.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// How many folders of results are kept: those of the last few states of the code.
const FOLDERS: usize = 4;

/// Where results are kept; nowhere, if there is no folder for it.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The cache of this program, below warpbook's folder.
    pub(crate) fn open() -> Self {
        kernels::nvrtc::cache_folder().map_or_else(Self::default, |cache| Self::below(&cache.join("book")))
    }

    /// The cache of this program in a folder that holds those of others, too.
    fn below(folder: &Path) -> Self {
        let own = folder.join(env!("WARPBOOK_INPUTS"));
        if !own.exists() {
            forget(folder);
        }
        // Without a folder everything is computed every time.
        Self { folder: fs::create_dir_all(&own).is_ok().then_some(own) }
    }

    /// The result called `name`: as it is kept, or computed and kept from now on.
    ///
    /// # Errors
    /// Those of `compute`; they are not kept.
    pub(crate) fn get<T: Serialize + DeserializeOwned, E>(
        &self,
        name: &str,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(folder) = &self.folder else { return compute() };
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let file = folder.join(format!("{:016x}.json", hasher.finish()));
        // The name stands in the file, so that two names with one hash are told apart.
        if let Ok(text) = fs::read_to_string(&file)
            && let Ok((own, value)) = serde_json::from_str::<(String, T)>(&text)
            && own == name
        {
            return Ok(value);
        }
        let value = compute()?;
        if let Ok(text) = serde_json::to_string(&(name, &value)) {
            // Two builds may write at once: each has a file of its own until it is whole.
            let new = folder.join(format!("{:016x}.{}.new", hasher.finish(), std::process::id()));
            if fs::write(&new, text).and_then(|()| fs::rename(&new, &file)).is_err() {
                let _ = fs::remove_file(&new);
            }
        }
        Ok(value)
    }
}

/// Removes the oldest folders of results, so that there is room for a new one.
fn forget(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let changed = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort_by_key(|path| changed(path));
    let many = folders.len().saturating_sub(FOLDERS - 1);
    for old in &folders[..many] {
        // Another build may have removed it.
        let _ = fs::remove_dir_all(old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_computed_once_and_what_cannot_be_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::below(folder.path());
        let never = || -> Result<u32, String> { panic!("it is kept") };
        assert_eq!(cache.get("a", || Ok::<_, String>(7)), Ok(7));
        assert_eq!(cache.get("a", never), Ok(7));
        assert_eq!(Cache::below(folder.path()).get("a", never), Ok(7));
        assert_eq!(cache.get("b", || Err::<u32, _>("no".to_owned())), Err("no".to_owned()));
        assert_eq!(cache.get("b", || Ok::<_, String>(8)), Ok(8));
        for entry in fs::read_dir(cache.folder.as_ref().unwrap()).unwrap() {
            fs::write(entry.unwrap().path(), "{").unwrap();
        }
        assert_eq!(cache.get("a", || Ok::<_, String>(9)), Ok(9));
        let nowhere = Cache::default();
        assert_eq!(nowhere.get("a", || Ok::<_, String>(1)), Ok(1));
        assert_eq!(nowhere.get("a", || Ok::<_, String>(2)), Ok(2));
    }

    #[test]
    fn old_results_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["1", "2", "3", "4", "5"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Cache::below(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), FOLDERS);
    }
}
