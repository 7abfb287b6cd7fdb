//! One thread does the work of many: the solution's body in a loop over the threads that it stands for. This keeps the
//! result where threads do not talk to each other.

use regex::Regex;

use super::source::{kernel, params};
use super::{Idea, Material};

/// Name, how it evades the lesson, and the loop around `WB_BODY`.
const LOOPS: [(&str, &str, &str); 4] = [
    (
        "one-lane-for-its-warp",
        "one lane of each warp does the work of all 32, one after the other",
        "    if (wb_t % 32 == 0)\n        for (unsigned wb_i = wb_t; wb_i < wb_t + 32 && wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "one-thread-for-its-block",
        "one thread of each block does the work of all threads of the block",
        "    if (wb_t == 0)\n        for (unsigned wb_i = 0; wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, blockIdx);\n        }\n",
    ),
    (
        "one-thread-for-the-grid",
        "one thread does the work of all threads of all blocks",
        "    if (wb_t == 0 && blockIdx.x == 0 && blockIdx.y == 0)\n        for (unsigned wb_y = 0; wb_y < gridDim.y; wb_y++)\n        for (unsigned wb_x = 0; wb_x < gridDim.x; wb_x++)\n        for (unsigned wb_i = 0; wb_i < wb_threads; wb_i++) {\n            WB_BODY(wb_i, make_uint3(wb_x, wb_y, 0));\n        }\n",
    ),
    (
        "threads-in-turn",
        "the threads of a warp work one after the other",
        "    for (unsigned wb_i = 0; wb_i < 32; wb_i++) {\n        if (wb_t % 32 == wb_i) { WB_BODY(wb_t, blockIdx); }\n        __syncwarp();\n    }\n",
    ),
];

pub(super) fn ideas(material: &Material<'_>) -> Vec<Idea> {
    LOOPS.iter().map(|&(name, evades, code)| Idea { name, evades, text: text(material, code) }).collect()
}

fn text(material: &Material<'_>, code: &str) -> Result<String, String> {
    let solution = material.solution;
    let talks = Regex::new(r"__sync|_sync\s*\(|__shared__|cooperative_groups").map_err(|why| why.to_string())?;
    if talks.is_match(solution) {
        return Err("the solution's threads talk to each other".to_owned());
    }
    let [launch] = material.exercise.run.launch.as_slice() else { return Err("there are several launches".to_owned()) };
    let found = kernel(solution, &launch.kernel).ok_or("the kernel's text is not found")?;
    let list = &solution[found.params.clone()];
    let given: Vec<String> = params(list).into_iter().map(|param| param.name).collect();
    let body = &solution[found.body.clone()];
    Ok(format!(
        "{before}static __device__ void wb_body(uint3 threadIdx, uint3 blockIdx, {list})\n{{{body}}}\n\n\
         #define WB_BODY(i, block) wb_body(make_uint3((i) % blockDim.x, (i) / blockDim.x, 0), block, {given})\n\n\
         extern \"C\" __global__ void {name}({list})\n{{\n    \
         unsigned wb_t = threadIdx.x + blockDim.x * threadIdx.y, wb_threads = blockDim.x * blockDim.y;\n{code}}}\n",
        before = &solution[..found.start],
        given = given.join(", "),
        name = launch.kernel,
    ))
}
