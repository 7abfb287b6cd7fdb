//! What the screen shows at two sizes, and what its keys do.

use debugger::answers::Commands;
use debugger::tui::Screen;
use launches::scan;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::KeyCode;
use ratatui::style::Color;

#[path = "shared/launches.rs"]
#[allow(dead_code, reason = "each test uses what it needs")]
mod launches;

struct Shown {
    screen: Screen,
    terminal: Terminal<TestBackend>,
}

impl Shown {
    fn new(width: u16, height: u16) -> Self {
        Self::of(Screen::new(Commands::new(scan().open().unwrap()), false), width, height)
    }

    fn of(screen: Screen, width: u16, height: u16) -> Self {
        Self { screen, terminal: Terminal::new(TestBackend::new(width, height)).unwrap() }
    }

    fn press(&mut self, keys: &str) {
        keys.chars().for_each(|key| self.screen.press(KeyCode::Char(key)));
    }

    fn text(&mut self) -> String {
        self.terminal.draw(|frame| self.screen.draw(frame)).unwrap();
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(width).map(|row| row.iter().map(Cell::symbol).collect::<String>());
        rows.collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    fn shows(&mut self, parts: &[&str]) {
        let text = self.text();
        for part in parts {
            assert!(text.contains(part), "`{part}` is not shown:\n{text}");
        }
    }
}

#[test]
fn a_large_terminal_has_room_for_everything() {
    let mut shown = Shown::new(160, 50);
    shown.shows(&[
        "scan_naive <<<(1), (64)>>>",
        " Source ",
        " PTX ",
        " Warps ",
        " Registers ",
        " Shared memory ",
        " Last access ",
        " Findings ",
    ]);
    shown.shows(&[
        "At the beginning: nothing has been executed.",
        "no findings",
        "__global__",
        "block 0 (0,0,0), warp 0",
        "█████",
    ]);
    shown.press(">");
    shown.shows(&["waits at barrier 0", "Barrier 0: warp 0 waits; missing: 1.", "word 0, bank 0"]);
}

#[test]
fn a_small_terminal_shows_one_pane_after_the_other() {
    let mut shown = Shown::new(80, 24);
    shown.shows(&["scan_naive", " Source ", " Warps ", " Registers (Tab: more) ", "? keys"]);
    assert!(!shown.text().contains(" PTX "));
    for title in ["Shared memory", "Last access", "Findings", "Registers"] {
        shown.screen.press(KeyCode::Tab);
        shown.shows(&[&format!(" {title} (Tab: more) ")]);
    }
    shown.press("?");
    shown.shows(&["Keys (any key closes this)", "who wrote the selected word of shared memory", "quit"]);
    shown.press("?");
    assert!(!shown.text().contains("any key closes this"));
    let tiny = Shown::new(30, 8).text();
    assert!(tiny.contains("the terminal has 30x8"), "{tiny}");
}

#[test]
fn keys_are_those_of_the_stepper() {
    let mut shown = Shown::new(160, 50);
    shown.shows(&["step 0 of "]);
    shown.press("...");
    shown.shows(&["step 3 of "]);
    let there = shown.text();
    shown.press(".,");
    assert_eq!(shown.text(), there, "a step on and a step back");
    shown.press("u");
    shown.shows(&["step by: source line of this warp"]);
    shown.press("e");
    shown.shows(&["jump to: bank conflict"]);
    shown.press("]");
    shown.shows(&["block 0 (0,0,0), warp 1"]);
    shown.press("]");
    shown.shows(&["block 0 (0,0,0), warp 1"]);
    shown.press("[b");
    shown.shows(&["breakpoint 1 at line ", "●"]);
    shown.press("b");
    shown.shows(&["no breakpoint at line "]);
    shown.screen.press(KeyCode::End);
    shown.shows(&["Nothing more is executed.", "the block has no shared memory now"]);
    shown.screen.press(KeyCode::Home);
    shown.press(">>w");
    shown.shows(&["Written by warp 0 of block 0, lane 0."]);
    shown.screen.press(KeyCode::Right);
    shown.shows(&["word 1, bank 1"]);
    shown.screen.press(KeyCode::Backspace);
    shown.press(" ");
    assert!(shown.screen.plays());
    shown.screen.beat();
    shown.press("r");
    assert!(!shown.screen.plays());
    shown.shows(&["step 0 of "]);
    shown.press(":print ones[0..2]");
    shown.shows(&[":print ones[0..2]"]);
    shown.screen.press(KeyCode::Enter);
    shown.shows(&["ones[0] to [1] as f32", "Answer (any key closes this)"]);
    shown.press(".");
    assert!(!shown.text().contains("any key closes this"));
    shown.press(":nonsense");
    shown.screen.press(KeyCode::Enter);
    shown.shows(&["`nonsense` is no command"]);
    shown.press("c");
    shown.shows(&["The end of the launch."]);
    shown.press("q");
    assert!(shown.screen.has_ended());
}

#[test]
fn no_color_means_none() {
    let coloured = |shown: &mut Shown| {
        shown.press("..>");
        shown.text();
        let cells = &shown.terminal.backend().buffer().content;
        cells.iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
    };
    assert!(!coloured(&mut Shown::new(120, 40)));
    let screen = Screen::new(Commands::new(scan().open().unwrap()), true);
    assert!(coloured(&mut Shown::of(screen, 120, 40)));
}
