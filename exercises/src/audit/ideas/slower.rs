//! Threads that talk the slow way: through global memory in place of shared memory, through memory in place of
//! registers, or one lane after the other in place of a vote or a few rounds.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::source::kernel;
use super::{Idea, Material};

static STATIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(\s*)__shared__\s+([A-Za-z_][\w ]*?)\s+([A-Za-z_]\w*(?:\[[^\]]*\])*(?:\s*,\s*[A-Za-z_]\w*(?:\[[^\]]*\])*)*)\s*;")
        .expect("a valid pattern")
});
static DYNAMIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"extern\s+__shared__\s+([A-Za-z_][\w ]*?)\s+([A-Za-z_]\w*)\s*\[\s*\]\s*;").expect("a valid pattern")
});
static EXCHANGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(__shfl(?:_up|_down|_xor)?_sync|__ballot_sync|__any_sync|__all_sync|__match_any_sync|__reduce_(?:add|min|max)_sync)\s*\(")
        .expect("a valid pattern")
});

pub(super) fn ideas(material: &Material<'_>) -> Vec<Idea> {
    vec![
        Idea {
            name: "global-for-shared",
            evades: "threads of a block share global memory, and count there, where shared memory would do",
            text: global_for_shared(material),
        },
        Idea {
            name: "lane-by-lane",
            evades: "a loop over 32 lanes stands for each vote and each exchange",
            text: exchanges(material, LANE_BY_LANE),
        },
        Idea {
            name: "lanes-through-shared",
            evades: "lanes of a warp exchange values through shared memory, where registers would do",
            text: exchanges(material, &through("__shared__ unsigned wb_all[32][32];", "wb_all[wb_thread() / 32]")),
        },
        Idea {
            name: "lanes-through-global",
            evades: "lanes of a warp exchange values through global memory",
            text: exchanges(
                material,
                &format!(
                    "__device__ unsigned wb_all[{}][32][32];\n{}",
                    material.blocks,
                    through("", "wb_all[blockIdx.x + gridDim.x * blockIdx.y][wb_thread() / 32]")
                ),
            ),
        },
    ]
}

/// The solution with its shared arrays in global memory, a part for each block.
fn global_for_shared(material: &Material<'_>) -> Result<String, String> {
    let solution = material.solution;
    if !solution.contains("__shared__") {
        return Err("the solution has no shared memory".to_owned());
    }
    let [launch] = material.exercise.run.launch.as_slice() else { return Err("there are several launches".to_owned()) };
    let found = kernel(solution, &launch.kernel).ok_or("the kernel's text is not found")?;
    let (before, body) = (&solution[..found.start], &solution[found.start..]);
    let block = "(blockIdx.x + gridDim.x * blockIdx.y)";
    let mut globals = String::new();
    let body = DYNAMIC.replace_all(body, |found: &Captures<'_>| {
        let (of_type, name) = (&found[1], &found[2]);
        let count = format!("{} / sizeof({of_type})", material.shared.next_multiple_of(8));
        globals += &format!("__device__ {of_type} wb_{name}[{}][{count}];\n", material.blocks);
        format!("{of_type} *{name} = wb_{name}[{block}];")
    });
    let body = STATIC.replace_all(&body, |found: &Captures<'_>| {
        let one = |variable: &str| {
            let variable = variable.trim();
            let (name, extents) = variable.split_at(variable.find('[').unwrap_or(variable.len()));
            globals += &format!("__device__ {} wb_{name}[{}]{extents};\n", &found[2], material.blocks);
            format!("{}auto &{name} = wb_{name}[{block}];", &found[1])
        };
        found[3].split(',').map(one).collect::<String>()
    });
    if body.contains("__shared__") {
        return Err("its shared memory is declared in a form that is not taken apart".to_owned());
    }
    Ok(format!("{before}{globals}\n{body}"))
}

/// The solution with other functions for its exchanges between lanes.
fn exchanges(material: &Material<'_>, functions: &str) -> Result<String, String> {
    if !EXCHANGE.is_match(material.solution) {
        return Err("the solution's lanes exchange nothing".to_owned());
    }
    let renamed = EXCHANGE.replace_all(material.solution, |found: &Captures<'_>| format!("wb{}(", &found[1]));
    let (arch, rest) =
        renamed.split_once('\n').filter(|(line, _)| line.starts_with("// warpbook:")).unwrap_or(("", &renamed));
    Ok(format!("{arch}\n{HEAD}{functions}{DERIVED}\n{rest}"))
}

const HEAD: &str = "\
static __device__ unsigned wb_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
static __device__ unsigned wb_bits(int v) { return v; }
static __device__ unsigned wb_bits(unsigned v) { return v; }
static __device__ unsigned wb_bits(float v) { return __float_as_uint(v); }
static __device__ void wb_back(int &v, unsigned bits) { v = bits; }
static __device__ void wb_back(unsigned &v, unsigned bits) { v = bits; }
static __device__ void wb_back(float &v, unsigned bits) { v = __uint_as_float(bits); }
";

/// The value of a lane, asked of every lane in turn.
const LANE_BY_LANE: &str = "\
static __device__ unsigned wb_of(unsigned mask, unsigned bits, unsigned source)
{
    unsigned found = bits;
    #pragma unroll 1
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1)) continue;
        unsigned its = __shfl_sync(mask, bits, lane);
        if (lane == source) found = its;
    }
    return found;
}
#define WB_EACH(mask, bits, what) \\
    _Pragma(\"unroll 1\") for (unsigned lane = 0; lane < 32; lane++) { \\
        if (!((mask) >> lane & 1)) continue; \\
        unsigned its = __shfl_sync(mask, bits, lane); \\
        what; \\
    }
";

/// The value of a lane, put down in memory by every lane.
fn through(declaration: &str, words: &str) -> String {
    format!(
        "\
static __device__ volatile unsigned *wb_words()
{{
    {declaration}
    return {words};
}}
static __device__ unsigned wb_of(unsigned mask, unsigned bits, unsigned source)
{{
    volatile unsigned *words = wb_words();
    words[wb_thread() % 32] = bits;
    __syncwarp(mask);
    unsigned found = mask >> source & 1 ? words[source] : bits;
    __syncwarp(mask);
    return found;
}}
#define WB_EACH(mask, bits, what) \\
    {{ \\
        volatile unsigned *words = wb_words(); \\
        words[wb_thread() % 32] = (bits); \\
        __syncwarp(mask); \\
        _Pragma(\"unroll 1\") for (unsigned lane = 0; lane < 32; lane++) {{ \\
            if (!((mask) >> lane & 1)) continue; \\
            unsigned its = words[lane]; \\
            what; \\
        }} \\
        __syncwarp(mask); \\
    }}
"
    )
}

/// CUDA's functions by the two above.
const DERIVED: &str = "\
template <class T> static __device__ T wb__shfl_sync(unsigned mask, T v, unsigned source)
{
    T found;
    wb_back(found, wb_of(mask, wb_bits(v), source % 32));
    return found;
}
template <class T> static __device__ T wb__shfl_up_sync(unsigned mask, T v, unsigned by)
{
    unsigned lane = wb_thread() % 32;
    return wb__shfl_sync(mask, v, lane >= by ? lane - by : lane);
}
template <class T> static __device__ T wb__shfl_down_sync(unsigned mask, T v, unsigned by)
{
    unsigned lane = wb_thread() % 32;
    return wb__shfl_sync(mask, v, lane + by < 32 ? lane + by : lane);
}
template <class T> static __device__ T wb__shfl_xor_sync(unsigned mask, T v, unsigned by)
{
    return wb__shfl_sync(mask, v, wb_thread() % 32 ^ by);
}
static __device__ unsigned wb__ballot_sync(unsigned mask, int vote)
{
    unsigned votes = 0;
    WB_EACH(mask, vote != 0 ? 1u : 0u, votes |= its << lane)
    return votes;
}
static __device__ int wb__any_sync(unsigned mask, int vote) { return wb__ballot_sync(mask, vote) != 0; }
static __device__ int wb__all_sync(unsigned mask, int vote) { return wb__ballot_sync(mask, vote) == mask; }
template <class T> static __device__ unsigned wb__match_any_sync(unsigned mask, T v)
{
    unsigned own = wb_bits(v), peers = 0;
    WB_EACH(mask, own, peers |= (its == own ? 1u : 0u) << lane)
    return peers;
}
template <class T> static __device__ T wb__reduce_add_sync(unsigned mask, T v)
{
    unsigned own = wb_bits(v), sum = 0;
    WB_EACH(mask, own, sum += its)
    return (T)sum;
}
template <class T> static __device__ T wb__reduce_min_sync(unsigned mask, T v)
{
    T least = v;
    WB_EACH(mask, wb_bits(v), least = (T)its < least ? (T)its : least)
    return least;
}
template <class T> static __device__ T wb__reduce_max_sync(unsigned mask, T v)
{
    T most = v;
    WB_EACH(mask, wb_bits(v), most = (T)its > most ? (T)its : most)
    return most;
}
";
