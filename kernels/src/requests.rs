//! Cases as requests of the engine that runs in pages of the book (`sim/wasm`): the same launches on the same data.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data::workbook;
use serde_json::{Value, json};
use sim::{Arg, Dim3, Launch, Scalar};

use crate::case::{Case, Pass, Shape};
use crate::check::{self, Expected};
use crate::launch::element::Element;
use crate::simulate::SimulateError;
use crate::{cases, ptx, truth};

/// What a request has of a case: everything but the module and how it is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Launches {
    /// The kernels, in the order of their first launch.
    pub kernels: Vec<String>,
    /// The launches, as JSON.
    pub launches: Vec<Value>,
    /// The buffers, as JSON.
    pub buffers: Vec<Value>,
    /// The buffer that holds an input of the workbook's own, and which.
    pub input: Option<Input>,
}

/// An input of the workbook's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The buffer.
    pub buffer: String,
    /// The problem.
    pub problem: String,
    /// The kind of input.
    pub kind: String,
}

/// The launches of a case.
pub fn of_case(case: &Case) -> Launches {
    let prepared = case.prepare();
    let mut input = None;
    let mut buffers = Vec::new();
    for buffer in &prepared.buffers {
        let expected = prepared.expected.iter().find(|expected| expected.buffer == buffer.name);
        let made = made(case, &buffer.content);
        let (element, count, content) = match &made {
            Some((element, kind)) => {
                let content = json!({"workbook": {"problem": case.problem, "kind": kind}});
                (*element, buffer.bytes() / element.bytes() as u64, content)
            }
            None => described(&buffer.content, expected),
        };
        if let Some((_, kind)) = made {
            let (buffer, problem) = (buffer.name.to_owned(), case.problem.to_owned());
            input.get_or_insert(Input { buffer, problem, kind: kind.to_owned() });
        }
        buffers.push(json!({"name": buffer.name, "element": element.name(), "count": count, "content": content}));
    }
    let mut kernels: Vec<String> = Vec::new();
    let mut launches = Vec::new();
    for step in &prepared.steps {
        let args: Vec<Value> = step
            .args
            .iter()
            .map(|arg| match arg {
                Pass::Buffer(name) => json!({"buffer": name}),
                Pass::Scalar(value) => json!({"scalar": scalar(*value)}),
            })
            .collect();
        launches.push(launch(step.kernel, step.shape, &args));
        if !kernels.iter().any(|own| own == step.kernel) {
            kernels.push(step.kernel.to_owned());
        }
    }
    Launches { kernels, launches, buffers, input }
}

/// Threads of a case whose time is predicted, too.
const TIMED: u64 = 4096;

/// All cases of at most so many threads, one request a line; before the first of each problem stands one that loads its PTX.
/// `warpbook dev requests` prints them, and `.ci/wasm` holds the module's answers against those of this machine.
///
/// # Errors
/// [`SimulateError`] when there is no PTX of a problem.
pub fn all(threads: u64) -> Result<Vec<String>, SimulateError> {
    let mut requests: Vec<Value> = Vec::new();
    let mut module = (String::new(), String::new());
    let registers: BTreeMap<String, u32> = truth::registers().into_iter().collect();
    for case in cases::all().iter().filter(|case| case.threads() <= threads) {
        if module.0 != case.problem {
            let committed = ptx::committed(case.problem);
            let text = committed.ok_or_else(|| SimulateError::NoPtx(case.problem.to_owned()))?.text;
            let name = format!("{}.ptx", case.problem);
            // As the engine does it.
            module = (case.problem.to_owned(), sim::report::digest(format!("{name}\n{text}").as_bytes()));
            requests.push(json!({"op": "load", "name": name, "ptx": text}));
        }
        let Launches { launches, buffers, kernels, .. } = of_case(case);
        let want: Vec<Value> = buffers.iter().map(|buffer| json!({"buffer": buffer["name"], "count": 64})).collect();
        let registers: BTreeMap<_, _> = registers.iter().filter(|(name, _)| kernels.contains(name)).collect();
        requests.push(json!({
            "op": "run", "module": module.1, "launches": launches, "buffers": buffers, "want": want,
            "predict": case.threads() <= TIMED, "registers": registers,
        }));
    }
    let line = |(id, mut request): (usize, Value)| {
        request["v"] = 1.into();
        request["id"] = (id + 1).into();
        request.to_string()
    };
    Ok(requests.into_iter().enumerate().map(line).collect())
}

/// One launch of a kernel. Buffers are called `a0`, `a1` and so on, by the place of their argument.
pub fn of_launch(kernel: &str, launched: &Launch) -> Launches {
    let (mut buffers, mut args) = (Vec::new(), Vec::new());
    for (index, arg) in launched.args.iter().enumerate() {
        args.push(match arg {
            Arg::Scalar(value) => json!({"scalar": scalar(*value)}),
            Arg::Bytes(bytes) => json!({"bytes": STANDARD.encode(bytes)}),
            _ => {
                let (element, count, content) = described(arg, None);
                let name = format!("a{index}");
                buffers.push(json!({"name": name, "element": element.name(), "count": count, "content": content}));
                json!({"buffer": name})
            }
        });
    }
    let shape = Shape { grid: launched.grid, block: launched.block, shared_bytes: launched.shared_bytes };
    let launches = vec![launch(kernel, shape, &args)];
    Launches { kernels: vec![kernel.to_owned()], launches, buffers, input: None }
}

fn launch(kernel: &str, shape: Shape, args: &[Value]) -> Value {
    let extent = |extent: Dim3| Value::from(<[u32; 3]>::from(extent).to_vec());
    let (grid, block) = (extent(shape.grid), extent(shape.block));
    json!({"kernel": kernel, "grid": grid, "block": block, "shared": shape.shared_bytes, "args": args})
}

/// The type and the kind of the workbook's own input that a buffer holds, if it holds one.
fn made(case: &Case, content: &Arg) -> Option<(Element, &'static str)> {
    let Arg::Buffer(bytes) = content else { return None };
    // The case says what its data are called; a buffer of something else is none of it.
    let kind = workbook::kinds(case.problem).into_iter().find(|kind| *kind == case.data)?;
    let element = match case.problem {
        "histogram" => Element::U8,
        "scan" => Element::F32,
        _ => Element::I32,
    };
    let count = (bytes.len() / element.bytes()) as u64;
    (!bytes.is_empty() && workbook::make(case.problem, kind, element, count, 0).ok()?[..] == bytes[..])
        .then_some((element, kind))
}

/// The type, the number and the content of a buffer's elements.
fn described(content: &Arg, expected: Option<&Expected>) -> (Element, u64, Value) {
    let (bytes, content) = match content {
        Arg::Zeros(bytes) => (*bytes, json!("zeros")),
        Arg::Uninit(bytes) => (*bytes, json!("uninit")),
        Arg::Buffer(content) | Arg::Memory { content, .. } => {
            let same = content.first().filter(|first| content.iter().all(|byte| byte == *first));
            let told = match same {
                Some(byte) => json!({"fill": byte}),
                None => json!({"base64": STANDARD.encode(&content[..])}),
            };
            (content.len() as u64, told)
        }
        Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => (0, json!("zeros")),
    };
    let told = expected.map(|expected| match expected.element {
        check::Element::U8 => Element::U8,
        check::Element::I32 => Element::I32,
        check::Element::U32 => Element::U32,
        check::Element::U64 => Element::U64,
        check::Element::F32 => Element::F32,
        check::Element::F64 => Element::F64,
    });
    let fits = |element: &Element| bytes.is_multiple_of(element.bytes() as u64);
    let words = || if bytes.is_multiple_of(4) { Element::U32 } else { Element::U8 };
    let element = told.filter(fits).unwrap_or_else(words);
    (element, bytes / element.bytes() as u64, content)
}

/// A number as a launch takes it, and `warpbook sim --arg`: `i32:-5`.
#[must_use]
pub fn scalar(value: Scalar) -> String {
    match value {
        Scalar::I8(v) => format!("i8:{v}"),
        Scalar::U8(v) => format!("u8:{v}"),
        Scalar::I16(v) => format!("i16:{v}"),
        Scalar::U16(v) => format!("u16:{v}"),
        Scalar::I32(v) => format!("i32:{v}"),
        Scalar::U32(v) => format!("u32:{v}"),
        Scalar::I64(v) => format!("i64:{v}"),
        Scalar::U64(v) => format!("u64:{v}"),
        Scalar::F32(v) => format!("f32:{v}"),
        Scalar::F64(v) => format!("f64:{v}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(version: &str, name: &str) -> Launches {
        let case = cases::all().into_iter().find(|case| case.version == version && case.name == name);
        of_case(&case.unwrap_or_else(|| panic!("{version} has no case {name}")))
    }

    #[test]
    fn inputs_of_the_workbook_are_named_and_not_carried() {
        let launches = of("histogram_block", "20003 bytes, a bell");
        let input = launches.input.unwrap();
        assert_eq!((&*input.buffer, &*input.kind), ("in", "a bell"));
        assert_eq!(launches.buffers[1]["content"], "zeros");
        let reduction = of("reduce_modulo", "513 elements");
        assert_eq!(reduction.launches.len(), 2);
        assert_eq!(reduction.launches[0]["args"][2]["scalar"], "u32:513");
        assert_eq!(reduction.buffers[0]["content"]["workbook"]["kind"], "any ints");
    }

    #[test]
    fn other_content_is_carried_as_it_is() {
        let args = vec![Arg::buffer_of(&[1u32, 2]), Arg::Scalar(Scalar::I32(-5)), Arg::Zeros(3), Arg::Bytes(vec![7])];
        let launch = Launch { grid: Dim3::linear(2), block: Dim3::new(8, 4, 1), shared_bytes: 16, args };
        let launches = of_launch("k", &launch);
        assert_eq!(launches.buffers[0]["content"]["base64"], "AQAAAAIAAAA=");
        assert_eq!(launches.buffers[1]["element"], "u8");
        assert_eq!(launches.launches[0]["args"][1]["scalar"], "i32:-5");
        assert_eq!(launches.launches[0]["block"], json!([8, 4, 1]));
    }
}
