//! A few threads do the work of many, or all do theirs again: the solution's body in a loop, over the threads, warps or
//! blocks that are left out. This keeps the result where those do not talk to each other: whole blocks can stand for each
//! other in every solution, whole warps where nothing but lanes talk, threads where nobody does.

use regex::Regex;

use super::source::{kernel, params};
use super::{Idea, Material};

/// Who stands for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Thread,
    Warp,
    Block,
    /// All of them, again: whether they talk to each other does not matter.
    Grid,
}

/// Name, how it evades the lesson, who stands for whom, and the loop around `WB_BODY`.
const LOOPS: [(&str, &str, Unit, &str); 11] = [
    (
        "one-lane-for-its-warp",
        "one lane of each warp does the work of all 32, one after the other",
        Unit::Thread,
        "    if (wb_t % 32 == 0)\n        for (unsigned wb_i = wb_t; wb_i < wb_t + 32 && wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "every-second-lane",
        "every second lane does the work of two, and the others leave",
        Unit::Thread,
        "    if (wb_t % 2 == 0)\n        for (unsigned wb_i = wb_t; wb_i < wb_t + 2 && wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "one-thread-for-its-block",
        "one thread of each block does the work of all threads of the block",
        Unit::Thread,
        "    if (wb_t == 0)\n        for (unsigned wb_i = 0; wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "one-thread-for-the-grid",
        "one thread does the work of all threads of all blocks",
        Unit::Thread,
        "    if (wb_t == 0 && blockIdx.x == 0 && blockIdx.y == 0)\n        for (unsigned wb_y = 0; wb_y < gridDim.y; wb_y++)\n        for (unsigned wb_x = 0; wb_x < gridDim.x; wb_x++)\n        for (unsigned wb_i = 0; wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, make_uint3(wb_x, wb_y, 0));\n        }\n",
    ),
    (
        "threads-in-turn",
        "the threads of a warp work one after the other",
        Unit::Thread,
        "    for (unsigned wb_i = 0; wb_i < 32; wb_i++) {\n        if (wb_t % 32 == wb_i) { WB_BODY(wb_t, blockIdx); }\n        __syncwarp();\n    }\n",
    ),
    (
        "every-second-warp",
        "every second warp does the work of two, and the others leave",
        Unit::Warp,
        "    if (wb_t / 32 % 2 == 0)\n        for (unsigned wb_i = wb_t; wb_i < wb_t + 64 && wb_i < wb_threads; wb_i += 32) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "three-of-four-warps",
        "of every four warps the last one leaves, and the one before does its work, too",
        Unit::Warp,
        "    if (wb_t / 32 % 4 < 3)\n        for (unsigned wb_i = wb_t; wb_i < wb_t + (wb_t / 32 % 4 == 2 ? 64 : 32) && wb_i < wb_threads; wb_i += 32) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "one-block",
        "the first block does the work of all blocks, and the others leave",
        Unit::Block,
        "    if (blockIdx.x == 0 && blockIdx.y == 0)\n        for (unsigned wb_y = 0; wb_y < gridDim.y; wb_y++)\n        for (unsigned wb_x = 0; wb_x < gridDim.x; wb_x++) {\n            if (wb_x + wb_y > 0) { WB_WAIT; }\n            WB_BODY(wb_t, make_uint3(wb_x, wb_y, 0));\n        }\n",
    ),
    (
        "every-second-block",
        "every second block does the work of two, and the others leave",
        Unit::Block,
        "    if (blockIdx.x % 2 == 0)\n        for (unsigned wb_x = blockIdx.x; wb_x < blockIdx.x + 2 && wb_x < gridDim.x; wb_x++) {\n            if (wb_x > blockIdx.x) { WB_WAIT; }\n            WB_BODY(wb_t, make_uint3(wb_x, blockIdx.y, 0));\n        }\n",
    ),
    (
        "three-of-four-blocks",
        "of every four blocks the last one leaves, and the one before does its work, too",
        Unit::Block,
        "    if (blockIdx.x % 4 < 3)\n        for (unsigned wb_x = blockIdx.x; wb_x < blockIdx.x + (blockIdx.x % 4 == 2 ? 2 : 1) && wb_x < gridDim.x; wb_x++) {\n            if (wb_x > blockIdx.x) { WB_WAIT; }\n            WB_BODY(wb_t, make_uint3(wb_x, blockIdx.y, 0));\n        }\n",
    ),
    (
        "everything-twice",
        "all threads do their work a second time, and write the same again",
        Unit::Grid,
        "    #pragma unroll 1\n    for (int wb_again = 0; wb_again < 2; wb_again++) {\n        if (wb_again) { WB_WAIT; }\n        WB_BODY(wb_t, blockIdx);\n        asm volatile(\"\" ::: \"memory\");\n    }\n",
    ),
];

pub(super) fn ideas(material: &Material<'_>) -> Vec<Idea> {
    LOOPS.iter().map(|&(name, evades, unit, code)| Idea { name, evades, text: text(material, unit, code) }).collect()
}

fn text(material: &Material<'_>, unit: Unit, code: &str) -> Result<String, String> {
    let solution = material.solution;
    let talks = match unit {
        Unit::Thread => {
            Some((r"__sync|_sync\s*\(|__shared__|cooperative_groups", "the solution's threads talk to each other"))
        }
        Unit::Warp => {
            Some((r"__syncthreads|__shared__|cooperative_groups|\bbar", "the solution's warps talk to each other"))
        }
        // Blocks that wait for each other would do it by what the solutions of a course do not use.
        Unit::Block => Some((r"__threadfence\s*\(|__nanosleep", "the solution's blocks talk to each other")),
        Unit::Grid => None,
    };
    if let Some((talks, why)) = talks
        && Regex::new(talks).map_err(|why| why.to_string())?.is_match(solution)
    {
        return Err(why.to_owned());
    }
    if unit == Unit::Warp && material.threads <= 32 {
        return Err("a block is one warp".to_owned());
    }
    if code.contains("% 4") {
        let few = |units: u64, what: &str| (units < 4).then(|| format!("there are fewer than four {what}"));
        let why = match unit {
            Unit::Warp => few(material.threads.div_ceil(32), "warps in a block"),
            Unit::Block => few(material.blocks, "blocks"),
            Unit::Thread | Unit::Grid => None,
        };
        if let Some(why) = why {
            return Err(why);
        }
    }
    if unit == Unit::Block && material.blocks <= 1 {
        return Err("there is one block".to_owned());
    }
    let [launch] = material.exercise.run.launch.as_slice() else { return Err("there are several launches".to_owned()) };
    let found = kernel(solution, &launch.kernel).ok_or("the kernel's text is not found")?;
    let list = &solution[found.params.clone()];
    let given: Vec<String> = params(list).into_iter().map(|param| param.name).collect();
    let body = &solution[found.body.clone()];
    // Shared memory is used again by the next block's work.
    let wait = if solution.contains("__shared__") { "__syncthreads()" } else { "" };
    Ok(format!(
        "{before}static __device__ void wb_body(uint3 threadIdx, uint3 blockIdx, {list})\n{{{body}}}\n\n\
         #define WB_WAIT {wait}\n\
         #define WB_BODY(i, block) wb_body(make_uint3((i) % blockDim.x, (i) / blockDim.x, 0), block, {given})\n\n\
         extern \"C\" __global__ void {name}({list})\n{{\n    \
         unsigned wb_t = threadIdx.x + blockDim.x * threadIdx.y, wb_threads = blockDim.x * blockDim.y;\n{code}}}\n",
        before = &solution[..found.start],
        given = given.join(", "),
        name = launch.kernel,
    ))
}
