//! The same again: the solution, which reads its input twice. The totals of a kernel tell it, not the shares of its warps
//! and threads.

use std::sync::LazyLock;

use regex::Regex;

use super::source::{kernel, params};
use super::{Idea, Material};

static INPUT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^const\s+([A-Za-z_][\w ]*?)\s*\*$").expect("a valid pattern"));

pub(super) fn ideas(material: &Material<'_>) -> Vec<Idea> {
    vec![Idea {
        name: "loads-twice",
        evades: "every element of the input is loaded twice, where a register would keep it",
        text: loads_twice(material),
    }]
}

/// The solution with other pointers to what it only reads: an element that is asked for is loaded twice.
fn loads_twice(material: &Material<'_>) -> Result<String, String> {
    let solution = material.solution;
    let [launch] = material.exercise.run.launch.as_slice() else { return Err("there are several launches".to_owned()) };
    let found = kernel(solution, &launch.kernel).ok_or("the kernel's text is not found")?;
    let (mut list, mut inputs) = (Vec::new(), String::new());
    for param in params(&solution[found.params.clone()]) {
        let (of_type, name) = (&param.of_type, &param.name);
        match INPUT.captures(of_type) {
            Some(input) => {
                list.push(format!("{of_type} wb_{name}"));
                inputs += &format!("    const WbTwice<{}> {name} = {{ wb_{name} }};\n", &input[1]);
            }
            None => list.push(format!("{of_type} {name}")),
        }
    }
    if inputs.is_empty() {
        return Err("the solution has no input that it only reads".to_owned());
    }
    let arch = solution.lines().next().filter(|line| line.starts_with("// warpbook:")).unwrap_or_default();
    Ok(format!(
        "{arch}\n{TWICE}\n{before}extern \"C\" __global__ void {name}({list})\n{{\n{inputs}{body}}}\n",
        before = &solution[..found.start],
        name = launch.kernel,
        list = list.join(", "),
        body = &solution[found.body.clone()],
    ))
}

/// Loads that no compiler merges; of a vector the first number is loaded again.
const TWICE: &str = "\
template <class T> static __device__ T wb_twice(const T *at)
{
    T one = *(const volatile T *)at, two = *(const volatile T *)at;
    return one == two ? one : two;
}
static __device__ float4 wb_twice(const float4 *at)
{
    float4 all = *at;
    all.x = *(const volatile float *)at;
    return all;
}
template <class T> struct WbTwice {
    const T *first;
    __device__ T operator[](long long i) const { return wb_twice(first + i); }
};
";
