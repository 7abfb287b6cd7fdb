//! Lays the panes out: beside each other where the terminal is large, else the lower ones one at a time.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use super::screen::{KEYS, Pane, Screen};
use crate::answers::{column, sentences};
use crate::words;

/// From so many columns and rows on, all panes have room.
const LARGE: (u16, u16) = (120, 40);

/// The least that a screen needs.
const LEAST: (u16, u16) = (40, 12);

/// The styles: colours where they are wanted, else bold, dim and reversed letters only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Styles {
    pub(super) now: Style,
    pub(super) also: Style,
    pub(super) title: Style,
    pub(super) quiet: Style,
    pub(super) fault: Style,
    pub(super) new: Style,
    pub(super) chosen: Style,
}

impl Styles {
    fn new(colours: bool) -> Self {
        let plain = Style::new();
        let of = |colour: Color| if colours { plain.fg(colour) } else { plain };
        Self {
            now: if colours {
                plain.fg(Color::Black).bg(Color::Yellow)
            } else {
                plain.add_modifier(Modifier::REVERSED)
            },
            also: of(Color::Yellow),
            title: plain.add_modifier(Modifier::BOLD),
            quiet: plain.add_modifier(Modifier::DIM),
            fault: of(Color::Red).add_modifier(Modifier::BOLD),
            new: of(Color::Green).add_modifier(Modifier::BOLD),
            chosen: plain.add_modifier(Modifier::REVERSED),
        }
    }
}

impl Screen {
    /// Draws everything.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < LEAST.0 || area.height < LEAST.1 {
            let text = format!("the terminal has {}x{}; {}x{} are needed", area.width, area.height, LEAST.0, LEAST.1);
            frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
            return;
        }
        let styles = Styles::new(self.colours);
        let large = area.width >= LARGE.0 && area.height >= LARGE.1;
        let said = if large { 3 } else { 2 };
        let [head, strip, body, sentence, message, keys] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(said),
            Constraint::Length(if large { 4 } else { 1 }),
            Constraint::Length(1),
        ])
        .areas(area);
        self.head(frame, head, styles);
        self.strip(frame, strip, styles);
        if large {
            self.large(frame, body, styles);
        } else {
            self.small(frame, body, styles);
        }
        self.sentence(frame, sentence);
        self.message(frame, message, styles);
        let line = "? keys  . , step  > < barrier  n p event  [ ] warp  c run  : command  q quit";
        frame.render_widget(Paragraph::new(line).style(styles.quiet), keys);
        let line = |(keys, what): &(&'static str, &'static str)| {
            Line::from(vec![Span::styled(format!(" {keys:>9}  "), styles.title), Span::raw(*what)])
        };
        if self.help {
            over(frame, "Keys (any key closes this)", KEYS.iter().map(line).collect(), styles);
        } else if let Some(long) = &self.long {
            over(frame, "Answer (any key closes this)", long.lines().map(Line::raw).collect(), styles);
        }
    }

    fn head(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let model = &self.commands.model;
        let about = &model.about;
        let position = format!("step {} of {}", model.position(), model.length());
        let plays = if self.plays() { " ▶" } else { "" };
        let shape = format!("<<<({}), ({})>>>", about.grid, about.block);
        let unit = format!("step by: {}", words::unit(self.unit()));
        let event = format!("jump to: {}", words::event(self.event));
        let text = [
            Span::styled(format!("{} ", about.kernel), styles.title),
            Span::raw(format!("{shape}  ")),
            Span::styled(format!("{position}{plays}"), styles.title),
            Span::styled(format!("  {unit}  {event}"), styles.quiet),
        ];
        frame.render_widget(Paragraph::new(Line::from(text.to_vec())), area);
    }

    /// The launch as a strip, with the position in it.
    fn strip(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let model = &self.commands.model;
        let columns = model.timeline(area.width.into());
        let at = (model.position() * columns.len() as u64).checked_div(model.length()).unwrap_or(0) as usize;
        let at = at.min(columns.len().saturating_sub(1));
        let span = |(index, own): (usize, &(Vec<sim::session::Event>, u8))| {
            let letter = column(own);
            let style = match letter {
                _ if index == at => styles.chosen,
                '!' => styles.fault,
                _ => Style::new(),
            };
            Span::styled(letter.to_string(), style)
        };
        let spans: Vec<Span<'_>> = columns.iter().enumerate().map(span).collect();
        frame.render_widget(Paragraph::new(Line::from(spans)), area);
    }

    fn large(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let [upper, lower] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(area);
        let [source, ptx, side] =
            Layout::horizontal([Constraint::Fill(5), Constraint::Fill(4), Constraint::Fill(3)]).areas(upper);
        let [warps, access] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(side);
        let [registers, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(lower);
        let [shared, findings] = Layout::vertical([Constraint::Fill(3), Constraint::Length(4)]).areas(right);
        let inner = titled(frame, source, "Source", styles);
        self.source(frame, inner, styles);
        let inner = titled(frame, ptx, "PTX", styles);
        self.ptx(frame, inner, styles);
        let inner = titled(frame, warps, "Warps", styles);
        self.warps(frame, inner, styles);
        for (pane, area) in
            [(Pane::Access, access), (Pane::Registers, registers), (Pane::Shared, shared), (Pane::Findings, findings)]
        {
            let inner = titled(frame, area, pane.title(), styles);
            self.pane(frame, pane, inner, styles);
        }
    }

    fn small(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let [upper, lower] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(area);
        let [code, warps] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(upper);
        let has_source = matches!(self.commands.model.shown_file(), Some((_, Some(_))));
        if has_source {
            let inner = titled(frame, code, "Source", styles);
            self.source(frame, inner, styles);
        } else {
            let inner = titled(frame, code, "PTX", styles);
            self.ptx(frame, inner, styles);
        }
        let inner = titled(frame, warps, "Warps", styles);
        self.warps(frame, inner, styles);
        let title = format!("{} (Tab: more)", self.pane.title());
        let inner = titled(frame, lower, &title, styles);
        self.pane(frame, self.pane, inner, styles);
    }

    fn pane(&mut self, frame: &mut Frame<'_>, pane: Pane, area: Rect, styles: Styles) {
        match pane {
            Pane::Registers => self.registers(frame, area, styles),
            Pane::Shared => self.shared(frame, area, styles),
            Pane::Access => self.access(frame, area),
            Pane::Findings => self.findings(frame, area, styles),
        }
    }

    fn sentence(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let own = self.commands.model.sources.own.clone();
        let text = match self.commands.model.view() {
            Ok(view) => sentences(view, &own),
            Err(why) => why.to_string(),
        };
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
    }

    fn message(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let text = match &self.typed {
            Some(typed) => format!(":{typed}▏"),
            None => {
                // The last lines are those that were asked for last.
                let lines: Vec<&str> = self.message.lines().collect();
                lines[lines.len().saturating_sub(area.height.into())..].join("\n")
            }
        };
        frame.render_widget(Paragraph::new(text).style(styles.title), area);
    }
}

/// Draws a border with a title, and tells what is inside.
fn titled(frame: &mut Frame<'_>, area: Rect, title: &str, styles: Styles) -> Rect {
    let block = Block::bordered().title(Span::styled(format!(" {title} "), styles.title));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// Draws a text over the midst of the screen.
fn over(frame: &mut Frame<'_>, title: &str, lines: Vec<Line<'_>>, styles: Styles) {
    let area = frame.area();
    let widest = lines.iter().map(Line::width).max().unwrap_or(0).max(title.len() + 2) as u16;
    let (height, width) = ((lines.len() as u16).saturating_add(2).min(area.height), (widest + 3).min(area.width));
    let inside = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    frame.render_widget(Clear, inside);
    let inner = titled(frame, inside, title, styles);
    frame.render_widget(Paragraph::new(lines), inner);
}
