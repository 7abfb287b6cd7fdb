//! Launches that follow each other: what they take together, and what each finds in the cache.

use super::Prediction;
use super::rates::Rates;

/// Launches that follow each other on one stream, predicted one by one.
///
/// Behind the first, none waits for the host; each finds in L2 what those before it touched, as far as it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Microseconds that a launch saves by following another.
    saved_us: f64,
    us: Option<f64>,
    touched: Option<u64>,
}

impl Series {
    /// No launches yet, on the target with this name.
    pub fn on(target: &str) -> Self {
        let (first_us, next_us) = launch_us(target);
        Self { saved_us: first_us - next_us, us: None, touched: None }
    }

    /// One launch more.
    pub fn push(&mut self, prediction: &Prediction) {
        self.again(prediction.us);
        let bytes = prediction.dram_read_bytes + prediction.dram_written_bytes;
        self.touched = Some(self.touched.unwrap_or(0) + bytes);
    }

    /// One launch more, which takes `us` microseconds by itself and touches nothing that those before it did not.
    pub fn again(&mut self, us: f64) {
        self.us = Some(self.us.map_or(us, |sum| sum + us - self.saved_us));
    }

    /// What the launches so far touched, in bytes, for [`How::touched`](super::How); `None` before the first.
    pub const fn touched(&self) -> Option<u64> {
        self.touched
    }

    /// How long the launches so far take together, in microseconds.
    pub fn us(&self) -> f64 {
        self.us.unwrap_or(0.0)
    }
}

/// Microseconds of a launch that does nothing on a target, and of one more behind it; 0 where nobody measured it.
fn launch_us(target: &str) -> (f64, f64) {
    crate::target::find(target).map_or((0.0, 0.0), |target| {
        let (rates, _) = Rates::of(target);
        (rates.launch_us, rates.next_launch_us)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_launch_waits_for_the_host() {
        let (first_us, next_us) = launch_us("h200");
        let mut series = Series::on("h200");
        assert_eq!((series.us(), series.touched()), (0.0, None));
        let launch =
            Prediction { us: first_us + 10.0, dram_read_bytes: 64, dram_written_bytes: 32, ..Prediction::default() };
        series.push(&launch);
        assert_eq!((series.us(), series.touched()), (first_us + 10.0, Some(96)));
        series.push(&launch);
        series.again(first_us + 1.0);
        assert!((series.us() - (first_us + 21.0 + 2.0 * next_us)).abs() < 1e-9, "{series:?}");
        assert_eq!(series.touched(), Some(192));
    }
}
