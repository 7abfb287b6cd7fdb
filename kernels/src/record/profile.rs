//! Launches that are planned, and the profile of each.

use sim::report::Metrics;

use crate::case::{Case, Shape};
use crate::counters::{CONTEXT, EXACT};
use crate::gpu::Work;
use crate::ncu::{Profiled, number};

/// The metrics of a launch: those that are compared exactly, and those that are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) exact: Metrics,
    pub(super) context: Metrics,
}

/// Launches that are profiled together, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// What messages call them.
    pub(super) name: String,
    /// Kernels and shapes.
    pub(super) launches: Vec<(String, Shape)>,
}

impl Plan {
    /// The launches of a case.
    pub(super) fn of_case(case: &Case) -> Self {
        let launches = case.launches.iter().map(|planned| (planned.kernel.to_owned(), planned.shape));
        Self { name: case.to_string(), launches: launches.collect() }
    }

    /// The launches of work.
    pub(super) fn of_work(work: &Work) -> Self {
        let launches = work.launches.iter().map(|launch| (launch.kernel.clone(), launch.shape));
        Self { name: work.name.clone(), launches: launches.collect() }
    }
}

/// Gives every launch of every plan its profile: both are in the same order. Launches of other kernels (the driver's
/// own) are skipped. The error is a sentence.
pub(super) fn attach(plans: &[Plan], profiled: &[Profiled]) -> Result<Vec<Vec<Measured>>, String> {
    attach_with(plans, profiled, measured)
}

/// The same, with what `measured` makes of the name of a plan and the profile of a launch.
pub(super) fn attach_with<T>(
    plans: &[Plan],
    profiled: &[Profiled],
    measured: impl Fn(&str, &Profiled) -> Result<T, String>,
) -> Result<Vec<Vec<T>>, String> {
    let planned: usize = plans.iter().map(|plan| plan.launches.len()).sum();
    let is_ours = |kernel: &str| plans.iter().flat_map(|plan| &plan.launches).any(|(own, _)| own == kernel);
    let ours: Vec<&Profiled> = profiled.iter().filter(|launch| is_ours(&launch.kernel)).collect();
    if ours.len() != planned {
        let names: Vec<&str> = profiled.iter().map(|launch| &*launch.kernel).take(10).collect();
        return Err(format!(
            "{} launches were profiled and {planned} were expected; the first profiled kernels are: {}",
            ours.len(),
            names.join(", "),
        ));
    }
    let mut ours = ours.into_iter();
    let of_plan = |plan: &Plan| {
        let launches = plan.launches.iter().zip(&mut ours);
        launches
            .map(|((kernel, shape), profiled)| {
                in_step(&plan.name, kernel, shape, profiled)?;
                measured(&plan.name, profiled)
            })
            .collect()
    };
    plans.iter().map(of_plan).collect()
}

/// Refuses a profile that is not that of the launch that was planned.
fn in_step(plan: &str, planned: &str, shape: &Shape, profiled: &Profiled) -> Result<(), String> {
    let Profiled { kernel, grid, block, .. } = profiled;
    if kernel != planned || *grid != shape.grid || *block != shape.block {
        return Err(format!(
            "the profiled launches are out of step with the cases: where `{planned}` of `{plan}` ({shape}) was \
             expected stands `{kernel}` with grid {grid}, block {block}"
        ));
    }
    Ok(())
}

fn measured(plan: &str, profiled: &Profiled) -> Result<Measured, String> {
    let metrics = &profiled.metrics;
    // A counter that this GPU or this ncu does not have is not recorded.
    let exact = EXACT.iter().filter_map(|counter| metrics.get(counter.metric).map(|cell| (counter.metric, cell)));
    let exact = exact.map(|(metric, (value, unit))| {
        let number = number(value, unit).ok_or_else(|| format!("{metric} of `{plan}` is `{value}` {unit}"))?;
        Ok((metric.to_owned(), number))
    });
    let exact = exact.collect::<Result<Metrics, String>>()?;
    if exact.is_empty() {
        return Err("the table has no column for any of the exact counters".to_owned());
    }
    let context = CONTEXT.iter().filter_map(|&metric| {
        let (value, unit) = metrics.get(metric)?;
        Some((metric.to_owned(), number(value, unit)?))
    });
    Ok(Measured { exact, context: context.collect() })
}

#[cfg(test)]
pub(super) mod tests {
    use sim::Dim3;

    use super::*;
    use crate::cases;
    use crate::ncu::parse;

    /// Output in the shape of ncu 2025.3.1 with `--csv --page raw --print-units base`, for `cases`. The i-th launch has
    /// 1000 i + c for the c-th counter.
    pub(in crate::record) fn output(cases: &[Case]) -> String {
        let quoted = |cells: Vec<String>| cells.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",");
        let head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream"];
        let head =
            head.into_iter().chain(["Block Size", "Grid Size", "Device", "CC", "device__attribute_display_name"]);
        let names = head.chain(["gpu__time_duration.sum", "launch__registers_per_thread"]);
        let names: Vec<String> = names.chain(EXACT.iter().map(|c| c.metric)).map(str::to_owned).collect();
        let mut units = vec![String::new(); 12];
        units.extend(["ns".to_owned(), "register/thread".to_owned()]);
        units.extend(vec![String::new(); EXACT.len()]);
        let mut lines = vec![
            "==WARNING== Note: Running with unmodified GPU clocks.".to_owned(),
            "==PROF== Connected to process 483 (/opt/warpbook)".to_owned(),
            quoted(names),
            quoted(units),
        ];
        let thousands = |n: usize| if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) };
        for (i, launch) in cases.iter().flat_map(|case| &case.launches).enumerate() {
            let Dim3 { x: gx, y: gy, z: gz } = launch.shape.grid;
            let Dim3 { x: bx, y: by, z: bz } = launch.shape.block;
            let mut cells = vec![i.to_string(), "483".into(), "warpbook".into(), "127.0.0.1".into()];
            cells.extend([launch.kernel.into(), "1".into(), "7".into(), format!("({bx}, {by}, {bz})")]);
            cells.extend([format!("({gx}, {gy}, {gz})"), "0".into(), "9.0".into(), "NVIDIA H200".into()]);
            cells.extend(["2,464".to_owned(), "22".to_owned()]);
            cells.extend((0..EXACT.len()).map(|c| thousands(1000 * i + c)));
            lines.push(quoted(cells));
        }
        lines.push("==PROF== Disconnected from process 483".to_owned());
        lines.join("\n") + "\n"
    }

    pub(in crate::record) fn plans(cases: &[Case]) -> Vec<Plan> {
        cases.iter().map(Plan::of_case).collect()
    }

    fn cases() -> Vec<Case> {
        cases::select(&["tile 64,"]).unwrap()
    }

    #[test]
    fn launches_find_their_cases() {
        let cases = cases();
        let measured = attach(&plans(&cases), &parse(&output(&cases)).unwrap()).unwrap();
        assert_eq!(measured.len(), cases.len());
        assert_eq!(measured[3][0].exact[EXACT[7].metric], 3007);
        assert_eq!(measured[0][0].exact.len(), EXACT.len());
        assert_eq!(measured[1][0].context["gpu__time_duration.sum"], 2464);
        assert_eq!(measured[1][0].context["launch__registers_per_thread"], 22);
    }

    #[test]
    fn launches_of_other_kernels_are_skipped() {
        let cases = cases();
        let text = output(&cases);
        let mut lines: Vec<&str> = text.lines().collect();
        let foreign = lines[5].replace(cases[1].launches[0].kernel, "memset_kernel(void*, int)");
        lines.insert(5, &foreign);
        assert!(attach(&plans(&cases), &parse(&lines.join("\n")).unwrap()).is_ok());
    }

    #[test]
    fn launches_out_of_step_are_refused() {
        let cases = cases();
        let mut launches = parse(&output(&cases)).unwrap();
        launches.swap(0, 1);
        assert!(attach(&plans(&cases), &launches).unwrap_err().contains("out of step"));
        launches.pop();
        let error = attach(&plans(&cases), &launches).unwrap_err();
        assert!(
            error.starts_with(&format!("{} launches were profiled and {}", cases.len() - 1, cases.len())),
            "{error}"
        );
    }

    #[test]
    fn fractions_are_refused_and_missing_metrics_left_out() {
        let cases = cases();
        let missing = output(&cases).replace(EXACT[4].metric, "smsp__something_else.sum");
        let measured = attach(&plans(&cases), &parse(&missing).unwrap()).unwrap();
        assert_eq!(measured[0][0].exact.len(), EXACT.len() - 1);
        assert!(!measured[0][0].exact.contains_key(EXACT[4].metric));
        let none = EXACT.iter().fold(output(&cases), |text, counter| text.replace(counter.metric, "smsp__other.sum"));
        assert!(attach(&plans(&cases), &parse(&none).unwrap()).unwrap_err().contains("exact counters"));
        let cell = output(&cases).replacen(&format!("\"{}\"", 4), "\"1.5\"", 1);
        assert!(attach(&plans(&cases), &parse(&cell).unwrap()).is_err());
    }
}
