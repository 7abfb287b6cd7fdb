//! Keys of a terminal and saved files, for the runner. Without a terminal, keys are read as lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event as Pressed, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::{Event, Inputs};

/// How often keys are looked for.
const STEP: Duration = Duration::from_millis(50);

/// How long a file must be left alone after it was saved: editors write it in several steps.
const SETTLED: Duration = Duration::from_millis(150);

/// The terminal and the file system.
pub struct Terminal {
    /// The watcher, and the paths that it saw change; none with `--manual` or where watching fails.
    watcher: Option<(RecommendedWatcher, Receiver<PathBuf>)>,
    /// Why files are not watched though that was asked for.
    pub note: Option<String>,
    interactive: bool,
    /// Keys of a line that were typed without a terminal.
    keys: VecDeque<char>,
}

impl Terminal {
    /// The terminal; files below `folder` are watched unless `manual`.
    pub fn new(folder: &Path, manual: bool) -> Self {
        let interactive = io::stdin().is_terminal();
        let mut terminal = Self { watcher: None, note: None, interactive, keys: VecDeque::new() };
        // Without a terminal, somebody's script types: it says when to check.
        if manual || !interactive {
            return terminal;
        }
        match watch(folder) {
            Ok(watcher) => terminal.watcher = Some(watcher),
            Err(why) => {
                terminal.note = Some(format!("files cannot be watched here ({why}): r checks again, as with --manual"));
            }
        }
        terminal
    }

    /// Whether the watched file was saved since the last look, and is left alone now.
    fn saved(&self, watched: &Path) -> bool {
        let Some((_, changes)) = &self.watcher else { return false };
        // Solutions and wrong solutions have the same names in other folders.
        let folder = |path: &Path| path.parent().and_then(|folder| folder.canonicalize().ok());
        let own = folder(watched);
        let is_it = |path: &PathBuf| path.file_name() == watched.file_name() && folder(path) == own;
        if !changes.try_iter().any(|path| is_it(&path)) {
            return false;
        }
        let mut last = Instant::now();
        while last.elapsed() < SETTLED {
            std::thread::sleep(STEP / 2);
            if changes.try_iter().any(|path| is_it(&path)) {
                last = Instant::now();
            }
        }
        true
    }

    fn key(&self, watched: &Path) -> io::Result<Event> {
        loop {
            if self.saved(watched) {
                return Ok(Event::Saved);
            }
            if !event::poll(STEP)? {
                continue;
            }
            let Pressed::Key(key) = event::read()? else { continue };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match key.code {
                KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(Event::End),
                KeyCode::Char(c) => return Ok(Event::Key(c.to_ascii_lowercase())),
                KeyCode::Enter => return Ok(Event::Key('\n')),
                _ => {}
            }
        }
    }
}

/// Starts to watch a folder.
fn watch(folder: &Path) -> notify::Result<(RecommendedWatcher, Receiver<PathBuf>)> {
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if event.kind.is_modify() || event.kind.is_create() {
            for path in event.paths {
                // Nobody listens any more when the program ends.
                let _ = sender.send(path);
            }
        }
    })?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    Ok((watcher, changes))
}

impl Inputs for Terminal {
    fn next(&mut self, watched: &Path) -> io::Result<Event> {
        if self.interactive {
            // What changed while a check ran belongs to that check, unless it is newer; it is checked once more then.
            enable_raw_mode()?;
            let event = self.key(watched);
            disable_raw_mode()?;
            return event;
        }
        if let Some(key) = self.keys.pop_front() {
            return Ok(Event::Key(key));
        }
        match self.line()? {
            None => Ok(Event::End),
            Some(line) => {
                self.keys.extend(line.trim().chars());
                Ok(Event::Key(self.keys.pop_front().unwrap_or('\n')))
            }
        }
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        Ok((read > 0).then_some(line))
    }

    fn watches(&self) -> bool {
        self.watcher.is_some()
    }
}
