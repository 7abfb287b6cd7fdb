//! How far an accepted kernel is from the fastest one that there can be.

use sim::predict::MEASURED;

use crate::model::Distance;
use crate::words::grouped;

/// What a kernel takes beside what any kernel needs.
pub(super) fn text(distance: &Distance) -> String {
    let Distance { case, gpu, predicted_us, bytes, launch_us, memory_us } = distance;
    let times = distance.times();
    // A percentage that is rounded down would promise too much.
    let far = match ((times - 1.0) * 100.0).ceil().max(1.0) {
        percent if percent < 100.0 => format!("within {percent:.0} % of any possible kernel on this GPU"),
        _ => format!("{times:.1} times the least of any kernel on this GPU"),
    };
    format!(
        "Time on the input \"{case}\": {predicted_us:.1} µs, predicted for {gpu}, {far}.\n\
         No kernel can take less than {:.1} µs: an empty launch takes {launch_us:.1} µs, and memory {memory_us:.1} µs for the {} \
         bytes\nof the inputs and outputs. Nine of ten predictions are within {:.0} % of what is measured.",
        distance.least_us(),
        grouped(*bytes),
        (MEASURED - 1.0) * 100.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that takes so many microseconds where 8 are the least.
    fn said(predicted_us: f64) -> String {
        let (case, gpu) = ("much".to_owned(), "an H200".to_owned());
        text(&Distance { case, gpu, predicted_us, bytes: 16_793_600, launch_us: 4.5, memory_us: 3.5 })
    }

    #[test]
    fn a_distance_is_told_in_percent_as_long_as_that_says_something() {
        let near = said(8.6);
        assert!(
            near.contains("8.6 µs, predicted for an H200, within 8 % of any possible kernel on this GPU"),
            "{near}"
        );
        assert!(near.contains("less than 8.0 µs: an empty launch takes 4.5 µs, and memory 3.5 µs"), "{near}");
        assert!(near.contains("16,793,600 bytes"), "{near}");
        // Never less than it is.
        assert!(said(8.65).contains("within 9 %") && said(8.0).contains("within 1 %"));
        assert!(said(20.0).contains("2.5 times the least of any kernel"));
    }
}
