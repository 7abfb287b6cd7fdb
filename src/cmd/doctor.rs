//! `warpbook doctor`.

use kernels::doctor::{self, Status};

use super::Ended;
use crate::out::{self, say};

pub(crate) fn run(json: bool) -> Ended {
    let checks = doctor::examine();
    if json {
        out::json(&checks)?;
        return Ok(0);
    }
    say!("warpbook {}\n", env!("CARGO_PKG_VERSION"));
    for check in &checks {
        let mark = match check.status {
            Status::Ok => "ok     ",
            Status::Missing => "missing",
            Status::Problem => "problem",
        };
        say!("{mark}  {}: {}", check.name, check.detail);
        if check.status != Status::Ok {
            say!("         needed for: {}", check.needed_for);
        }
        if let Some(fix) = &check.fix {
            say!("         what to do: {}", fix.replace('\n', "\n                     "));
        }
    }
    say!("\nThe simulator, the comparison with the recorded GPU and the book need none of these.");
    Ok(0)
}
