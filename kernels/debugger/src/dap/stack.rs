//! Threads, their stacks, and what can be looked at in a frame.

use serde_json::{Value, json};
use sim::session::Place;

use super::adapter::{Adapter, Answer, PTX};
use super::protocol::{Scopes, StackTrace};
use super::variables::Handle;
use crate::model::Warp;
use crate::words;

/// Most threads that are listed: of larger launches those near the one that is looked at.
const MOST_THREADS: usize = 256;

/// A frame that was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) warp: Warp,
}

impl Adapter {
    pub(super) fn frame(&self, number: usize) -> Result<&Frame, String> {
        let frame = number.checked_sub(1).and_then(|at| self.frames.get(at));
        frame.ok_or_else(|| format!("there is no frame {number} any more"))
    }

    /// The warps as threads, each with what it does.
    pub(super) fn threads(&mut self) -> Answer {
        let model = self.model()?;
        let (warps, blocks) = (model.warps(), model.about.grid.count());
        let near = (MOST_THREADS as u64 / u64::from(warps.max(1))).max(1);
        // The block that is looked at is among them, and the others stay the same while one steps in their midst.
        let first = (model.look().0 / near) * near;
        let (look, mut threads) = (model.look(), Vec::new());
        for block in first..blocks.min(first + near) {
            let view = model.view_of((block, if block == look.0 { look.1 } else { 0 }));
            let view = view.map_err(|error| error.to_string())?;
            let index = model.block_index(block);
            for (warp, own) in (0u64..).zip(&view.block.warps) {
                let name = format!("block {index} warp {warp}: {}", words::state(&own.state));
                let id = block.saturating_mul(u64::from(warps)).saturating_add(warp + 1);
                threads.push(json!({"id": id, "name": name}));
            }
        }
        Ok(json!({"threads": threads}))
    }

    /// A source as the client can open it.
    fn source_of(&mut self, file: &str) -> Result<Value, String> {
        let sources = &self.model()?.sources;
        let name = words::base(file);
        Ok(match sources.texts().enumerate().find(|(_, text)| text.name == file) {
            Some((_, text)) if text.path.is_some() => {
                let path = text.path.as_ref().map(|path| path.display().to_string());
                json!({"name": name, "path": path})
            }
            Some((at, _)) => json!({"name": name, "sourceReference": PTX + 1 + at as i64}),
            None => json!({"name": name, "presentationHint": "deemphasize"}),
        })
    }

    fn ptx_source(&mut self) -> Result<Value, String> {
        let ptx = &self.model()?.sources.ptx;
        let name = words::base(&ptx.name);
        Ok(match &ptx.path {
            Some(path) => json!({"name": name, "path": path.display().to_string()}),
            None => json!({"name": name, "sourceReference": PTX}),
        })
    }

    /// The lines of a place: the innermost function first, then those that it is inlined in.
    fn frames_of(&mut self, warp: Warp, place: &Place, title: &str) -> Result<Vec<Value>, String> {
        let callers = place.inlined_in.iter().map(|caller| (caller.file.clone(), caller.line));
        let lines: Vec<(String, u32)> = std::iter::once((place.file.clone(), place.line)).chain(callers).collect();
        let mut frames = Vec::new();
        for (at, (file, line)) in lines.iter().enumerate() {
            let is_known = self.model()?.sources.text(file).is_some();
            let in_ptx = !is_known && at == 0 && lines.len() == 1;
            let (source, line) = match in_ptx {
                true => (self.ptx_source()?, place.ptx_line),
                false => (self.source_of(file)?, *line),
            };
            self.frames.push(Frame { warp });
            let kernel = &self.model()?.about.kernel;
            let function = match lines.get(at + 1) {
                Some((_, caller)) => format!("inlined in line {caller}"),
                None => kernel.clone(),
            };
            frames.push(json!({
                "id": self.frames.len(),
                "name": format!("{function}{title}"),
                "line": self.line_out(line),
                "column": 1,
                "source": source,
                "instructionPointerReference": format!("{:#x}", place.ptx_line),
            }));
        }
        Ok(frames)
    }

    /// The stack of a warp: its shown path, then a label and the frames of each other path.
    pub(super) fn stack_trace(&mut self, wanted: StackTrace) -> Answer {
        let warp = self.warp(wanted.thread_id)?;
        let model = self.model()?;
        let before = model.look();
        model.look_at(warp)?;
        let view = model.view().cloned().map_err(|error| error.to_string());
        let here = model.here();
        model.look_at(before)?;
        let view = view?;
        let mut frames = Vec::new();
        let shown = view.warp.path.and_then(|path| view.warp.paths.get(path));
        match (shown, here) {
            (Some(path), _) => {
                let title = format!(": {}", words::lanes(path.lanes));
                frames.extend(self.frames_of(warp, &path.place, &title)?);
            }
            (None, Some(place)) => {
                let state =
                    view.block.warps.get(warp.1 as usize).map_or_else(String::new, |own| words::state(&own.state));
                frames.extend(self.frames_of(warp, &place, &format!(": {state}"))?);
            }
            (None, None) => {}
        }
        for (_, path) in view.warp.paths.iter().enumerate().filter(|(at, _)| Some(*at) != view.warp.path) {
            let title = format!(": {}, {}", words::lanes(path.lanes), words::state(&path.state));
            let mut others = self.frames_of(warp, &path.place, &title)?;
            others.iter_mut().for_each(|frame| frame["presentationHint"] = "subtle".into());
            frames.extend(others);
        }
        let total = frames.len();
        let levels = wanted.levels.filter(|levels| *levels > 0).unwrap_or(total);
        let frames: Vec<Value> = frames.into_iter().skip(wanted.start_frame).take(levels).collect();
        Ok(json!({"stackFrames": frames, "totalFrames": total}))
    }

    pub(super) fn scopes(&mut self, wanted: Scopes) -> Answer {
        let warp = self.frame(wanted.frame_id)?.warp;
        let all = [
            ("Registers", "registers", Handle::Registers(warp)),
            ("Warp", "locals", Handle::Warp(warp)),
            ("Thread ids", "locals", Handle::Ids(warp)),
            ("Shared memory", "locals", Handle::Shared(warp)),
            ("Buffers", "locals", Handle::Buffers),
        ];
        let mut scopes = Vec::new();
        for (name, hint, handle) in all {
            let reference = self.handle(handle);
            scopes.push(json!({
                "name": name, "presentationHint": hint, "variablesReference": reference, "expensive": false,
            }));
        }
        Ok(json!({"scopes": scopes}))
    }
}
