//! One case of an exercise with its data: buffers, launches, and what belongs into the outputs.

pub(crate) mod launches;

use std::path::Path;

use ::data::element::Element;
use ::data::expression::{self, Names, Number};
use launch::content::{Content, Context};
use launch::schema;
use sim::report::details::Details;
use sim::{Dim3, Module, Report, Watch};

use crate::course::Exercise;
use crate::data;
use crate::spec::{Case, Launch, Text};

/// What an output holds before the kernel writes it, over and over: as `f32` a NaN that no arithmetic gives.
const FILLER: [u8; 4] = 0x7fa5_5a7f_u32.to_le_bytes();

/// What a buffer is to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is only read.
    In,
    /// It is written, and judged.
    Out,
    /// It is read and changed, and judged.
    InOut,
    /// It is not judged.
    Scratch,
}

/// A buffer with its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// What it is to the kernel.
    pub role: Role,
    /// What it holds at the start.
    pub content: Content,
    /// What it must hold in the end, if it is judged.
    pub expected: Option<Vec<u8>>,
}

impl Buffer {
    /// The type of its elements.
    pub fn element(&self) -> Element {
        self.content.element.unwrap_or(Element::U8)
    }

    /// Whether an element's bytes are those that stood there before the kernel ran.
    pub fn is_filler(&self, index: usize, bytes: &[u8]) -> bool {
        let at = index * bytes.len();
        self.role == Role::Out && bytes.len() >= 4 && (0..bytes.len()).all(|k| bytes[k] == FILLER[(at + k) % 4])
    }
}

/// One launch with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The kernel.
    pub kernel: String,
    /// Thread blocks.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory, in bytes.
    pub shared: u32,
    /// The arguments as written.
    pub args: Vec<Text>,
}

/// A case with its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The case.
    pub case: Case,
    /// All numbers: those of the exercise and the case, `seed`, `secret`, `blocks`, `warps`, `threads`, `elements`.
    pub names: Names,
    /// The launches, in order.
    pub launches: Vec<Made>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// Who is told how far its launches have come.
    pub watch: Option<Watch>,
}

/// A number that depends on all of the words, the same on every machine.
pub(crate) fn mix(words: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(word.as_bytes());
        hasher.update(&[0]);
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

impl Instance {
    /// Makes the data of a case. `folder` is where files that the exercise names lie; `secret` goes into hidden data.
    ///
    /// # Errors
    /// A sentence for the course's author.
    pub fn new(exercise: &Exercise, case: &Case, folder: &Path, secret: Option<&str>) -> Result<Self, String> {
        let secret = if case.hidden { secret.unwrap_or_default() } else { "" };
        let mut texts = exercise.run.names.clone();
        texts.extend(case.names.clone());
        let mut texts: std::collections::BTreeMap<String, String> =
            texts.into_iter().map(|(name, text)| (name, text.0)).collect();
        texts.insert("seed".to_owned(), case.seed.to_string());
        let chosen = if case.hidden { mix(&["size", &exercise.name, &case.name, secret]) & 0xffff } else { 0 };
        texts.insert("secret".to_owned(), chosen.to_string());
        let mut names = expression::resolve(&texts)?;
        let mut launches = Vec::new();
        for launch in &exercise.run.launch {
            launches.push(made(launch, case, &names)?);
        }
        let sum = |count: fn(&Made) -> u64| launches.iter().map(count).fold(0, u64::saturating_add);
        for (name, value) in [
            ("blocks", sum(|made| made.grid.count())),
            ("threads", sum(|made| made.grid.count().saturating_mul(made.block.count()))),
            ("warps", sum(|made| made.grid.count().saturating_mul(made.block.count().div_ceil(32)))),
        ] {
            names.entry(name.to_owned()).or_insert_with(|| Number::from(value));
        }
        if let Some(elements) = &exercise.run.elements {
            let count = expression::count(&elements.0, &names)?;
            names.insert("elements".to_owned(), Number::from(count));
        }
        let mut instance = Self { case: case.clone(), names, launches, buffers: Vec::new(), watch: None };
        let run = &exercise.run;
        let roles = [
            (Role::In, &run.inputs),
            (Role::Out, &run.outputs),
            (Role::InOut, &run.inout),
            (Role::Scratch, &run.scratch),
        ];
        for (role, buffers) in roles {
            for (name, text) in buffers {
                let seed = mix(&["data", &exercise.name, &case.name, &case.seed.to_string(), name, secret]);
                let buffer = instance.buffer(name, role, text, folder, seed).map_err(|why| format!("{name}: {why}"))?;
                instance.buffers.push(buffer);
            }
        }
        for (name, text) in &run.expect {
            let seed = mix(&["expect", &exercise.name, &case.name, name]);
            let context = Context { folder, names: &instance.names };
            let expected =
                data::content(text, context, seed).map_err(|why| format!("expect.{name}: {why}"))?.to_bytes();
            let Some(buffer) = instance.buffers.iter_mut().find(|buffer| buffer.name == *name) else { continue };
            if expected.len() as u64 != buffer.content.bytes {
                let (given, size) = (expected.len(), buffer.content.bytes);
                return Err(format!("expect.{name} has {given} bytes, and the buffer {size}"));
            }
            buffer.expected = Some(expected);
        }
        Ok(instance)
    }

    /// One buffer at the start.
    fn buffer(&self, name: &str, role: Role, text: &str, folder: &Path, seed: u64) -> Result<Buffer, String> {
        let mut content = data::content(text, Context { folder, names: &self.names }, seed)?;
        if content.bytes > MOST_BYTES {
            return Err(format!(
                "{} bytes are more than the {MOST_BYTES} that an exercise's buffer has",
                content.bytes
            ));
        }
        if role == Role::Out {
            let data: Vec<u8> = FILLER.iter().copied().cycle().take(content.bytes as usize).collect();
            content.data = data.into();
            content.written = false;
        }
        Ok(Buffer { name: name.to_owned(), role, content, expected: None })
    }

    /// How many elements the input or the output has, whichever is longer, and how many threads are launched: where there
    /// are fewer elements, it is the input that leaves threads without work. (What is read and changed can be longer than
    /// the input, and does not count unless there is nothing else.)
    pub(crate) fn elements_and_threads(&self) -> (u64, u64) {
        let threads = self.launches.iter().map(|made| made.grid.count().saturating_mul(made.block.count())).max();
        let elements = |buffer: &Buffer| buffer.content.bytes / buffer.element().bytes().max(1) as u64;
        let longest = |roles: &[Role]| {
            let of_role = self.buffers.iter().filter(|buffer| roles.contains(&buffer.role));
            of_role.map(elements).max().unwrap_or(0)
        };
        let read = longest(&[Role::In]);
        let most = if read > 0 { read.max(longest(&[Role::Out])) } else { longest(&[Role::InOut]) };
        (most, threads.unwrap_or(0))
    }

    /// Whether the input leaves at least half of the threads without an element.
    pub(crate) fn is_sparse(&self) -> bool {
        let (elements, threads) = self.elements_and_threads();
        elements.saturating_mul(2) < threads
    }

    /// The buffers that are judged and whose content nobody has told yet.
    pub fn open_outputs(&self) -> bool {
        self.buffers.iter().any(|buffer| matches!(buffer.role, Role::Out | Role::InOut) && buffer.expected.is_none())
    }

    /// Computes what belongs into the outputs with the reference kernel, one thread that runs alone.
    ///
    /// # Errors
    /// A sentence for the course's author.
    pub fn expect(&mut self, reference: &Code, args: Option<&[Text]>) -> Result<(), String> {
        let args = args.map_or_else(|| self.launches[0].args.clone(), <[Text]>::to_vec);
        let mut alone = self.clone();
        alone.launches = vec![Made {
            kernel: "reference".to_owned(),
            grid: Dim3::linear(1),
            block: Dim3::linear(1),
            shared: 0,
            args,
        }];
        for buffer in &mut alone.buffers {
            buffer.content.written = true;
        }
        let options = sim::Options { checks: sim::Checks::NONE, budget: 1 << 32, ..sim::Options::default() };
        let ran = alone.run(reference, &options).map_err(|why| why.to_string())?;
        if let Some(finding) = ran.report.errors().next() {
            return Err(format!("the reference kernel: line {}: {}", finding.line, finding.message));
        }
        for (buffer, after) in self.buffers.iter_mut().zip(ran.buffers) {
            if matches!(buffer.role, Role::Out | Role::InOut) && buffer.expected.is_none() {
                buffer.expected = Some(after);
            }
        }
        Ok(())
    }
}

/// Most bytes of one buffer of an exercise.
const MOST_BYTES: u64 = 1 << 26;

/// One launch with its numbers.
fn made(launch: &Launch, case: &Case, names: &Names) -> Result<Made, String> {
    Ok(Made {
        kernel: case.kernel.clone().unwrap_or_else(|| launch.kernel.clone()),
        grid: launch.grid.resolve("grid", names)?,
        block: launch.block.resolve("block", names)?,
        shared: schema::number("shared", launch.shared.as_ref(), 0, names)?,
        args: launch.args.clone(),
    })
}

/// A compiled source.
#[derive(Debug, Clone)]
pub struct Code {
    /// The name that its author knows it by.
    pub file: String,
    /// CUDA C++.
    pub source: String,
    /// What is counted.
    pub counted: Module,
    /// What is checked, if it is other code.
    pub checked: Option<Module>,
    /// The PTX of what is counted.
    pub counted_ptx: String,
    /// The PTX of what is checked.
    pub checked_ptx: Option<String>,
}

/// What the launches of a case gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// Counters and findings of all launches.
    pub report: Report,
    /// The bytes of all buffers in the end.
    pub buffers: Vec<Vec<u8>>,
    /// How many launches ran.
    pub launches: usize,
    /// Details of the source lines, launch by launch, if they were asked for.
    pub details: Vec<Details>,
}

/// Why a case could not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// The kernel cannot be launched as the exercise does it.
    #[error("{0}")]
    Launch(String),
    /// Something is not simulated.
    #[error("{0}")]
    Unsupported(String),
    /// A bug of ours.
    #[error("{0}")]
    Internal(String),
}

impl RunFailure {
    #[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
    fn of(error: sim::Error) -> Self {
        match error.class() {
            sim::ErrorClass::Input => Self::Launch(error.to_string()),
            sim::ErrorClass::Unsupported => Self::Unsupported(error.to_string()),
            sim::ErrorClass::Internal => Self::Internal(error.to_string()),
        }
    }
}

/// Whether the line table's `seen` is the graded `file`. The compiler writes the path relative to the source's folder.
pub(crate) fn is_the_file(seen: &str, file: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    seen == file || name(seen) == name(file)
}
