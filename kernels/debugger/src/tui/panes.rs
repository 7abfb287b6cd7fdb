//! What the panes show.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::draw::Styles;
use super::screen::Screen;
use crate::answers::{access, barrier, by_lane};
use crate::listing::Marks;
use crate::words;

/// The first of `count` rows that are shown of `all`, with the row `focus` in their midst.
fn first_row(focus: usize, count: usize, all: usize) -> usize {
    focus.saturating_sub(count / 2).min(all.saturating_sub(count))
}

/// Lines of code with their marks, as many as there is room for.
fn code<'a>(lines: &'a [String], marks: &Marks, height: u16, styles: Styles) -> Vec<Line<'a>> {
    let first = first_row(marks.focus() as usize, height.into(), lines.len() + 1).max(1);
    let row = |number: usize| {
        let line = number as u32;
        let mark = marks.of(line);
        let style = match mark {
            '▸' => styles.now,
            '▹' => styles.also,
            _ => Style::new(),
        };
        let stop = if marks.breakpoints.contains(&line) { "●" } else { " " };
        Line::from(vec![
            Span::styled(stop, styles.fault),
            Span::raw(mark.to_string()),
            Span::styled(format!("{line:4} "), styles.quiet),
            Span::styled(lines[number - 1].as_str(), style),
        ])
    };
    (first..=lines.len()).take(height.into()).map(row).collect()
}

/// The mask of a path: a letter a lane.
fn mask(lanes: u32, live: u32) -> String {
    let letter = |lane: u32| {
        if lanes >> lane & 1 != 0 {
            '█'
        } else if live >> lane & 1 != 0 {
            '░'
        } else {
            ' '
        }
    };
    (0..32).map(letter).collect()
}

impl Screen {
    pub(super) fn source(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let model = &mut self.commands.model;
        let Some((file, _)) = model.shown_file() else { return };
        let marks = model.marks(&file);
        match model.sources.text(&file) {
            Some(text) => frame.render_widget(Paragraph::new(code(&text.lines, &marks, area.height, styles)), area),
            None => {
                let text = format!("{file} was not found; --sources names the folder that it is in");
                frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
            }
        }
    }

    pub(super) fn ptx(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let marks = self.commands.model.ptx_marks();
        let lines = &self.commands.model.sources.ptx.lines;
        frame.render_widget(Paragraph::new(code(lines, &marks, area.height, styles)), area);
    }

    /// The paths of the warp, then the warps of its block and who waits for whom.
    pub(super) fn warps(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let own = self.commands.model.sources.own.clone();
        let (block, warp) = self.commands.model.look();
        let index = self.commands.model.block_index(block);
        let Ok(view) = self.commands.model.view() else { return };
        let title = format!("block {block} {index}, warp {warp}");
        let mut lines = vec![Line::styled(title, styles.title)];
        for (at, path) in view.warp.paths.iter().enumerate() {
            let shown = view.warp.path == Some(at);
            let style = if shown { styles.title } else { styles.also };
            let mark = if shown { "▸" } else { "▹" };
            let text = format!("{mark} {}: {}", words::place(&path.place, &own), words::state(&path.state));
            lines.push(Line::styled(text, style));
            lines.push(Line::from(vec![Span::raw("  "), Span::raw(mask(path.lanes, view.warp.live))]));
        }
        let room = usize::from(area.height).saturating_sub(lines.len() + view.block.barriers.len());
        let all = view.block.warps.len();
        let from = first_row(warp as usize, room, all);
        for (number, own) in view.block.warps.iter().enumerate().skip(from).take(room) {
            let next = view.next.as_ref().is_some_and(|next| (next.block, next.warp as usize) == (block, number));
            let mark = if next { '▸' } else { ' ' };
            let line = if own.line == 0 { String::new() } else { format!(", line {}", own.line) };
            let style = if number == warp as usize { styles.chosen } else { Style::new() };
            lines.push(Line::styled(format!("{mark}warp {number} {}{line}", words::state(&own.state)), style));
        }
        lines.extend(view.block.barriers.iter().map(|own| Line::styled(barrier(own), styles.also)));
        frame.render_widget(Paragraph::new(lines), area);
    }

    pub(super) fn registers(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let Ok(view) = self.commands.model.view() else { return };
        let name_width = view.warp.registers.iter().map(|own| own.name.len() + own.kind.len() + 1).max().unwrap_or(0);
        let row = |own: &sim::session::RegisterView| {
            let name = format!("{} {}", own.name, own.kind);
            let style = if own.written { styles.new } else { Style::new() };
            Line::from(vec![
                Span::styled(format!("{name:name_width$}  "), style),
                Span::styled(by_lane(&own.values), style),
            ])
        };
        // Those that the last step wrote come first: there may be more than have room.
        let (written, others): (Vec<_>, Vec<_>) = view.warp.registers.iter().partition(|own| own.written);
        let lines: Vec<Line<'_>> = written.into_iter().chain(others).map(row).collect();
        let empty = Line::raw("no register of this warp is still needed");
        let lines = if lines.is_empty() { vec![empty] } else { lines };
        frame.render_widget(Paragraph::new(lines), area);
    }

    /// Words of shared memory, a bank a column as far as there is room.
    pub(super) fn shared(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let selected = self.selected;
        let Ok(view) = self.commands.model.view() else { return };
        let Some(shared) = &view.block.shared else {
            frame.render_widget(Paragraph::new("the block has no shared memory now"), area);
            return;
        };
        let selected = selected.min(shared.values.len().saturating_sub(1) as u32);
        let value = shared.values.get(selected as usize).map_or("–", String::as_str);
        let lens = format!("word {selected}, bank {}: {value}  (w: who wrote it)", selected % 32);
        let width = shared.values.iter().map(String::len).max().unwrap_or(1).max(2) + 1;
        let room = usize::from(area.width).saturating_sub(6) / width;
        // Banks stay in their columns: a row has as many words as divide 32.
        let columns = [32, 16, 8, 4, 2, 1].into_iter().find(|columns| *columns <= room).unwrap_or(1);
        let head: String = (0..columns).map(|bank| format!("{bank:>width$}")).collect();
        let mut lines = vec![Line::raw(lens), Line::styled(format!("{:>5} {head}", shared.kind), styles.quiet)];
        let rows = shared.values.len().div_ceil(columns);
        let height = usize::from(area.height).saturating_sub(lines.len());
        let first = first_row(selected as usize / columns, height, rows);
        for row in (first..rows).take(height) {
            let mut spans = vec![Span::styled(format!("{:5} ", row * columns), styles.quiet)];
            for word in row * columns..((row + 1) * columns).min(shared.values.len()) {
                let style = if word == selected as usize {
                    styles.chosen
                } else if shared.touched.contains(&(word as u32)) {
                    styles.new
                } else {
                    Style::new()
                };
                spans.push(Span::styled(format!("{:>width$}", shared.values[word]), style));
            }
            lines.push(Line::from(spans));
        }
        frame.render_widget(Paragraph::new(lines), area);
    }

    pub(super) fn access(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let Ok(view) = self.commands.model.view() else { return };
        let mut text: String = view.last.iter().flat_map(|last| &last.accesses).map(access).collect();
        if text.is_empty() {
            text = "the last step accessed no memory".to_owned();
        }
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
    }

    pub(super) fn findings(&mut self, frame: &mut Frame<'_>, area: Rect, styles: Styles) {
        let model = &self.commands.model;
        let line = |found: &sim::session::Found| {
            let own = &found.finding;
            let style = if found.position <= model.position() { styles.fault } else { Style::new() };
            let text = format!("step {}: [{}], line {}: {}", found.position, own.kind.name(), own.line, own.message);
            Line::styled(text, style)
        };
        let mut lines: Vec<Line<'_>> = model.findings().iter().map(line).collect();
        if lines.is_empty() {
            lines.push(Line::raw("no findings"));
        }
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), area);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focus_is_in_sight() {
        assert_eq!(first_row(50, 10, 100), 45);
        assert_eq!(first_row(2, 10, 100), 0);
        assert_eq!(first_row(99, 10, 100), 90);
        assert_eq!(first_row(3, 10, 4), 0);
        assert_eq!(mask(0b101, 0b111), format!("█░█{}", " ".repeat(29)));
    }
}
