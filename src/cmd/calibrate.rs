//! `warpbook calibrate`.

use kernels::timing::calibrate;

use super::{Ended, Failure};
use crate::cli::Calibrate;
use crate::out::{self, say};

pub(crate) fn run(args: &Calibrate, json: bool) -> Ended {
    let failed = |error: calibrate::CalibrateError| Failure::new(error.exit_code(), error);
    let calibrated = calibrate::calibrate(args.rounds).map_err(failed)?;
    let file = calibrated.write(&args.out).map_err(failed)?;
    if json {
        out::json(&calibrated)?;
    } else {
        let rows = calibrated.numbers.iter().map(|number| {
            let spread = number.spread_percent.map_or("–".to_owned(), |spread| format!("{spread} %"));
            vec![number.name.clone(), number.value.to_string(), spread, number.from.clone()]
        });
        say!("{}", out::table(&["number", "value", "spread", "from"], rows.collect(), 4));
        say!("{}, {}", calibrated.on, calibrated.date);
    }
    eprintln!("written: {}", file.display());
    Ok(0)
}
