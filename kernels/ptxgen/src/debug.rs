//! Places in the source: `.loc` and `.file`.

use std::collections::HashMap;

use crate::ir::{Module, Node};

/// A place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// The files of a module, by the numbers that `.loc` uses.
#[derive(Debug, Default)]
pub(crate) struct Files {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

fn reference(text: &str) -> Option<u32> {
    text.strip_prefix('!')?.parse().ok()
}

fn field<'a>(module: &'a Module, node: &'a Node, name: &str) -> Option<&'a Node> {
    module.nodes.get(&reference(node.fields.get(name)?)?)
}

fn number(node: &Node, name: &str) -> u32 {
    node.fields.get(name).and_then(|text| text.parse().ok()).unwrap_or(0)
}

impl Files {
    fn number(&mut self, module: &Module, scope: &Node) -> Option<u32> {
        // A block names its file, or is in that of what it is in.
        let mut scope = scope;
        for _ in 0..64 {
            if let Some(file) = field(module, scope, "file") {
                return Some(self.of_file(file));
            }
            scope = field(module, scope, "scope")?;
            if scope.kind == "DIFile" {
                return Some(self.of_file(scope));
            }
        }
        None
    }

    fn of_file(&mut self, file: &Node) -> u32 {
        let empty = String::new();
        let name = file.fields.get("filename").unwrap_or(&empty);
        let folder = file.fields.get("directory").unwrap_or(&empty);
        let path = if name.starts_with('/') || folder.is_empty() || name.starts_with('<') {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        let next = self.names.len() as u32 + 1;
        *self.numbers.entry(path.clone()).or_insert_with(|| {
            self.names.push(path);
            next
        })
    }

    /// The place that a `DILocation` names.
    pub(crate) fn place(&mut self, module: &Module, location: u32) -> Option<Place> {
        let node = module.nodes.get(&location)?;
        if node.kind != "DILocation" {
            return None;
        }
        let scope = field(module, node, "scope")?;
        let file = self.number(module, scope)?;
        Some(Place { file, line: number(node, "line"), column: number(node, "column") })
    }

    /// Where a function begins.
    pub(crate) fn beginning(&mut self, module: &Module, subprogram: u32) -> Option<Place> {
        let node = module.nodes.get(&subprogram)?;
        let file = self.number(module, node)?;
        let line = number(node, "scopeLine");
        Some(Place { file, line: if line == 0 { number(node, "line") } else { line }, column: 0 })
    }

    /// The table of files.
    pub(crate) fn table(&self) -> String {
        let line = |(index, name): (usize, &String)| {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\t.file\t{} \"{name}\"\n", index + 1)
        };
        self.names.iter().enumerate().map(line).collect()
    }
}
