//! Who wrote a wrong element? The case is run once more with an additional thread block that reads this one element: the
//! race detector then names the thread that wrote it, with its line.
//!
//! The block is added along z, where exercises have no blocks, and leaves before the kernel's own code, so that the
//! other blocks do what they did. Its code is put in front of the kernel's in the PTX.

use launch::names;
use sim::report::FindingKind;
use sim::{Arg, Module};

use crate::instance::{Code, Instance};
use crate::model::Writer;

/// Finds a thread that wrote byte `offset` of the buffer with number `buffer`. None if that cannot be told: there are
/// several launches, the buffer is no argument, or nobody wrote there.
pub(super) fn find(case: &Instance, code: &Code, buffer: usize, offset: usize) -> Option<Writer> {
    let [made] = case.launches.as_slice() else { return None };
    let ptx = code.checked_ptx.as_ref().unwrap_or(&code.counted_ptx);
    let module = code.checked.as_ref().unwrap_or(&code.counted);
    let kernel = names::resolve(&code.file, &module.kernels(), Some(&made.kernel)).ok()?;
    let count = made.args.len();
    let mut launch = case.launch(code, made, &kernel).ok()?;
    let is_it = |arg: &Arg| matches!(arg, Arg::Address { argument, offset: 0 } if *argument == count + buffer);
    let argument = launch.args.iter().position(is_it)?;
    let parameter = module.entry(&kernel)?.params.get(argument)?.name.clone();
    let last = launch.grid.z;
    let probed = with_probe(ptx, &kernel, &parameter, offset, last)?;
    launch.grid.z = last.checked_add(1)?;
    let options = sim::Options { budget: 1 << 24, ..sim::Options::default() };
    let outcome = sim::simulate(&Module::parse(&code.file, &probed).ok()?, &kernel, &launch, &options).ok()?;
    let races = outcome.report.findings.iter();
    races.filter(|finding| finding.kind == FindingKind::Race).find_map(|finding| {
        let [one, other] = finding.parties.as_slice() else { return None };
        let writer = match (one.block[2] == last, other.block[2] == last) {
            (true, false) => other,
            (false, true) => one,
            _ => return None,
        };
        Some(Writer {
            line: writer.line,
            text: code.source.lines().nth((writer.line as usize).wrapping_sub(1)).unwrap_or_default().trim().to_owned(),
            block: writer.block,
            thread: writer.thread,
            warp: writer.warp,
            lane: writer.lane,
        })
    })
}

/// The PTX with a probe at the kernel's beginning: blocks with z `last` read a byte and leave.
fn with_probe(ptx: &str, kernel: &str, parameter: &str, offset: usize, last: u32) -> Option<String> {
    let entry = ptx.match_indices(".entry").find_map(|(at, _)| {
        let rest = ptx[at + ".entry".len()..].trim_start();
        let name = rest.split(|c: char| c == '(' || c.is_whitespace()).next()?;
        (name == kernel).then_some(at)
    })?;
    let body = entry + ptx[entry..].find("\n{")? + 2;
    let probe = format!(
        "\n.reg .pred %wbprobe_p;\n.reg .b32 %wbprobe_r<2>;\n.reg .b64 %wbprobe_d<2>;\n\
         mov.u32 %wbprobe_r0, %ctaid.z;\nsetp.ne.u32 %wbprobe_p, %wbprobe_r0, {last};\n@%wbprobe_p bra $wbprobe_go;\n\
         ld.param.u64 %wbprobe_d0, [{parameter}];\ncvta.to.global.u64 %wbprobe_d1, %wbprobe_d0;\n\
         ld.global.u8 %wbprobe_r1, [%wbprobe_d1+{offset}];\nret;\n$wbprobe_go:\n"
    );
    Some(format!("{}{probe}{}", &ptx[..body], &ptx[body..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_stands_at_the_beginning_of_the_right_kernel() {
        let ptx = ".visible .entry a(\n.param .u64 a_param_0\n)\n{\nret;\n}\n.visible .entry ab(\n.param .u64 ab_param_0\n)\n{\nret;\n}\n";
        let probed = with_probe(ptx, "ab", "ab_param_0", 8, 1).unwrap();
        assert!(probed.find("ld.param.u64 %wbprobe_d0, [ab_param_0]").unwrap() > probed.find(".entry ab").unwrap());
        assert_eq!(with_probe(ptx, "b", "b_param_0", 0, 1), None);
    }
}
