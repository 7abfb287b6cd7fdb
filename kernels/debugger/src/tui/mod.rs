//! The launch in a terminal: code, warps, registers and shared memory side by side, stepped by the keys of the book's
//! stepper.

mod draw;
mod panes;
mod screen;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::answers::Commands;
pub use screen::Screen;

/// How long play stays at a step.
const BEAT: Duration = Duration::from_millis(600);

/// Why there is no screen.
#[derive(Debug, thiserror::Error)]
pub enum NoScreen {
    /// Nobody sees it, or nobody types.
    #[error(
        "standard input and output are no terminal, in which `warpbook debug` steps a launch: use --commands \
         'step 10; registers' (or --commands - to read them from standard input) for plain text, or --dap for an editor"
    )]
    NoTerminal,
    /// The terminal does not take it.
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
}

/// Steps in the terminal until the reader quits. The terminal is restored in any case.
///
/// # Errors
/// [`NoScreen`].
pub fn run(commands: Commands) -> Result<(), NoScreen> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(NoScreen::NoTerminal);
    }
    let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut screen = Screen::new(commands, colours);
    let mut terminal = ratatui::try_init().inspect_err(|_| ratatui::restore())?;
    let ended = (|| -> io::Result<()> {
        let mut beat = Instant::now();
        while !screen.has_ended() {
            terminal.draw(|frame| screen.draw(frame))?;
            let wait = if screen.plays() { BEAT.saturating_sub(beat.elapsed()) } else { Duration::from_secs(3600) };
            if event::poll(wait)?
                && let Event::Key(key) = event::read()?
            {
                take(&mut screen, key);
            }
            if screen.plays() && beat.elapsed() >= BEAT {
                screen.beat();
                beat = Instant::now();
            }
        }
        Ok(())
    })();
    ratatui::try_restore()?;
    Ok(ended?)
}

/// Hands a key that was pressed to the screen.
fn take(screen: &mut Screen, key: KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
        screen.quit();
    } else {
        screen.press(key.code);
    }
}
