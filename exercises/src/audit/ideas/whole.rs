//! The reference kernel in the place of a parallel one. It does the work in a single thread; here a thread, a lane of
//! each warp, or everybody runs it, for the whole input or for the share of a block or a warp. Where several run it for
//! the same share, each stores other elements of the outputs.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::source::{Param, kernel, params};
use super::{Idea, Material};

/// How much of the input a run of the reference is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Grid,
    Block,
    Warp,
    Thread,
}

/// Who runs it.
struct Worker {
    name: &'static str,
    evades: &'static str,
    share: Share,
    /// Who works, in CUDA C++.
    works: &'static str,
    /// How many work for the same share, and which of them this thread is; 1 if nobody shares.
    of: &'static str,
    who: &'static str,
}

const WORKERS: [Worker; 7] = [
    Worker {
        name: "one-thread",
        evades: "one thread does the whole work",
        share: Share::Grid,
        works: "wb_thread == 0 && wb_block == 0",
        of: "1",
        who: "0",
    },
    Worker {
        name: "everybody-everything",
        evades: "every thread computes everything, and stores a part of it",
        share: Share::Grid,
        works: "true",
        of: "wb_blocks * wb_threads",
        who: "wb_block * wb_threads + wb_thread",
    },
    Worker {
        name: "thread-per-block",
        evades: "one thread of each block does the block's work",
        share: Share::Block,
        works: "wb_thread == 0",
        of: "1",
        who: "0",
    },
    Worker {
        name: "warp-per-block",
        evades: "one warp of each block does the block's work, the same in every lane",
        share: Share::Block,
        works: "wb_thread < 32",
        of: "32",
        who: "wb_thread",
    },
    Worker {
        name: "recomputed-in-block",
        evades: "every thread computes what the whole block needs, in place of passing it on",
        share: Share::Block,
        works: "true",
        of: "wb_threads",
        who: "wb_thread",
    },
    Worker {
        name: "lane-per-warp",
        evades: "one lane of each warp does the warp's work",
        share: Share::Warp,
        works: "wb_thread % 32 == 0",
        of: "1",
        who: "0",
    },
    Worker {
        name: "recomputed-in-warp",
        evades: "every lane computes what the whole warp needs, in place of passing it on",
        share: Share::Warp,
        works: "true",
        of: "32",
        who: "wb_thread % 32",
    },
];

/// Every thread adds its own elements by global atomics: only where several shares have an output in common.
const ATOMIC: Worker = Worker {
    name: "atomic-per-element",
    evades: "every element goes to global memory by an atomic of its own",
    share: Share::Thread,
    works: "true",
    of: "1",
    who: "0",
};

pub(super) fn ideas(material: &Material<'_>) -> Vec<Idea> {
    let workers = WORKERS.iter().chain([&ATOMIC]);
    workers.map(|worker| Idea { name: worker.name, evades: worker.evades, text: text(material, worker) }).collect()
}

static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z_]\w*").expect("a valid pattern"));
static SHARES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ceil\(\s*([A-Za-z_]\w*)\s*/\s*(.+?)\s*\)$").expect("a valid pattern"));
static ROUNDED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"ceil\(([^()]+?) / ([^()]+?)\)").expect("a valid pattern"));

/// An expression of the exercise as one of CUDA C++, in which its names stand for what the kernel knows.
fn in_cuda(text: &str, names: &BTreeMap<String, String>) -> Result<String, String> {
    let rounded = ROUNDED.replace_all(text, "((($1) + ($2) - 1) / ($2))");
    if rounded.contains("ceil") || rounded.contains("floor") || rounded.contains('.') {
        return Err(format!("`{text}` is no whole-number expression of the kernel"));
    }
    let mut unknown = None;
    let cuda = NAME.replace_all(&rounded, |found: &Captures<'_>| match names.get(&found[0]) {
        Some(known) => format!("({known})"),
        None => {
            unknown = Some(found[0].to_owned());
            String::new()
        }
    });
    match unknown {
        Some(name) => Err(format!("the kernel does not know `{name}`")),
        None => Ok(cuda.into_owned()),
    }
}

/// The source, with the reference run by these workers.
fn text(material: &Material<'_>, worker: &Worker) -> Result<String, String> {
    let Material { exercise, solution, reference, .. } = *material;
    let run = &exercise.run;
    let [launch] = run.launch.as_slice() else { return Err("there are several launches".to_owned()) };
    let own = kernel(solution, &launch.kernel).ok_or("the kernel's text is not found")?;
    let list = &solution[own.params.clone()];
    let own_params = params(list);
    let plain = kernel(reference, "reference").ok_or("the reference kernel's text is not found")?;
    let wanted = params(&reference[plain.params.clone()]);
    let given = run.reference_args.as_ref().unwrap_or(&launch.args);
    if own_params.len() != launch.args.len() || wanted.len() != given.len() {
        return Err("parameters and arguments do not fit".to_owned());
    }
    // What the exercise's names are called in the kernel.
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (arg, param) in launch.args.iter().zip(&own_params) {
        names.insert(arg.0.trim().to_owned(), param.name.clone());
    }
    for (name, value) in &run.names {
        names.entry(name.clone()).or_insert_with(|| value.0.clone());
    }
    let grid = launch.grid.0.trim();
    // The only block has everything: what the inputs are counted by.
    let alone = || {
        let lengths = run.inputs.values().filter_map(|content| content.split(['[', ']']).nth(1)).map(str::trim);
        lengths.filter(|length| names.contains_key(*length) && NAME.is_match(length)).min().map(str::to_owned)
    };
    let divided = match SHARES.captures(grid) {
        Some(found) => Some((found[1].to_owned(), found[2].to_owned())),
        None if grid == "1" => alone().map(|name| (name.clone(), name)),
        None if NAME.is_match(grid) && !grid.contains(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) => {
            names.entry(grid.to_owned()).or_insert_with(|| "(int)gridDim.x".to_owned());
            Some((grid.to_owned(), "1".to_owned()))
        }
        None => None,
    };
    let mut head = String::new();
    let mut inner = names.clone();
    if worker.share != Share::Grid {
        let (name, size) = divided.ok_or("there is no share of a block: the grid is not cut from one number")?;
        let units = match worker.share {
            Share::Warp => "((wb_threads + 31) / 32)",
            Share::Thread => "wb_threads",
            _ => "1",
        };
        let size = in_cuda(&size, &names)?;
        let rest = if grid == "1" { "0".to_owned() } else { format!("({size}) % {units}") };
        let all = names.get(&name).ok_or(format!("the kernel does not know `{name}`"))?;
        let at = match worker.share {
            Share::Warp => format!("(wb_block * {units} + wb_thread / 32)"),
            Share::Thread => format!("(wb_block * {units} + wb_thread)"),
            _ => "wb_block".to_owned(),
        };
        head += &format!(
            "    const int wb_size = (({size}) + {units} - 1) / {units}, wb_at = {at}, wb_all = {all};\n    \
             if ({rest} != 0 || wb_at * wb_size >= wb_all) return;\n    \
             const int wb_some = min(wb_size, wb_all - wb_at * wb_size);\n"
        );
        inner.insert(name, "wb_some".to_owned());
    }
    let (mut args, mut declared, mut atomic) = (Vec::new(), Vec::new(), false);
    for (param, arg) in wanted.iter().zip(given) {
        let arg = arg.0.trim();
        let one = argument(material, worker, param, arg, (&names, &inner))?;
        atomic |= one.atomic;
        args.push(one.value);
        declared.push(one.declared);
    }
    if worker.share == Share::Thread && !atomic {
        return Err("no two blocks add to the same output".to_owned());
    }
    let arch = solution.lines().next().filter(|line| line.starts_with("// warpbook:")).unwrap_or_default();
    Ok(format!(
        "{arch}\n{OWNED}\n{helpers}static __device__ void wb_reference({declared})\n{{{body}}}\n\n\
         extern \"C\" __global__ void {name}({list})\n{{\n    \
         const int wb_threads = blockDim.x * blockDim.y, wb_thread = threadIdx.x + blockDim.x * threadIdx.y;\n    \
         const int wb_blocks = gridDim.x * gridDim.y, wb_block = blockIdx.x + gridDim.x * blockIdx.y;\n{head}    \
         if ({works}) wb_reference({args});\n}}\n",
        helpers = &reference[..plain.start],
        declared = declared.join(", "),
        body = &reference[plain.body],
        name = launch.kernel,
        works = worker.works,
        args = args.join(", "),
    ))
}

/// An argument of the reference, as it is given and as it is declared.
struct Argument {
    value: String,
    declared: String,
    /// Several shares add to it.
    atomic: bool,
}

fn argument(
    material: &Material<'_>,
    worker: &Worker,
    param: &Param,
    arg: &str,
    (names, inner): (&BTreeMap<String, String>, &BTreeMap<String, String>),
) -> Result<Argument, String> {
    let run = &material.exercise.run;
    let declared = format!("{} {}", param.of_type, param.name);
    let buffers = [&run.inputs, &run.outputs, &run.inout, &run.scratch];
    let Some(content) = buffers.iter().find_map(|buffers| buffers.get(arg)) else {
        return Ok(Argument { value: in_cuda(arg, inner)?, declared, atomic: false });
    };
    let own = names.get(arg).ok_or(format!("the kernel does not know `{arg}`"))?;
    let pointer = format!("({}){own}", param.of_type);
    // The share's part of the buffer: as many elements behind its beginning as all shares before have.
    let length = content.split(['[', ']']).nth(1).unwrap_or_default().trim();
    let (offset, common) = if worker.share == Share::Grid {
        ("0".to_owned(), false)
    } else {
        let mut of_share = inner.clone();
        for known in of_share.values_mut().filter(|known| *known == "wb_some") {
            "wb_size".clone_into(known);
        }
        let size = in_cuda(length, &of_share)?;
        let common = size == in_cuda(length, names)?;
        (if common { "0".to_owned() } else { format!("wb_at * ({size})") }, common)
    };
    let place = format!("{pointer} + {offset}");
    if run.inputs.contains_key(arg) {
        return Ok(Argument { value: place, declared, atomic: false });
    }
    let element = param.of_type.trim_end_matches('*').trim();
    Ok(Argument {
        value: format!("WbOwned<{element}>{{ {place}, {}, {}, {common} }}", worker.of, worker.who),
        declared: format!("WbOwned<{element}> {}", param.name),
        atomic: common,
    })
}

/// An output of which a thread owns some elements; several shares may add to it.
const OWNED: &str = "\
template <class T> struct WbCell {
    T *at;
    bool own, common;
    __device__ operator T() const { return own ? *at : T(0); }
    __device__ T operator=(T v) const { if (own) *at = v; return v; }
    __device__ T operator=(const WbCell &other) const { return *this = (T)other; }
    __device__ T operator+=(T v) const
    {
        if (!own) return v;
        if (common) return atomicAdd(at, v) + v;
        return *at += v;
    }
    __device__ T operator++(int) const { return *this += T(1); }
};
template <class T> struct WbOwned {
    T *first;
    int of, who;
    bool common;
    __device__ WbCell<T> operator[](int i) const { return { first + i, of == 1 || (unsigned)i % of == who, common }; }
};
";
