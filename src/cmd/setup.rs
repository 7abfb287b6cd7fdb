//! `warpbook setup`.

use kernels::setup;

use super::{Ended, Failure, UNSUPPORTED};
use crate::out;

pub(crate) fn run(json: bool) -> Ended {
    let bar = if json { setup::hidden_bar() } else { setup::progress_bar() };
    let failed = |error: setup::SetupError| Failure::new(UNSUPPORTED, error);
    if !json {
        println!("{}", setup::notice().map_err(failed)?);
    }
    let installed = setup::install(&bar).map_err(failed)?;
    bar.finish_and_clear();
    if json {
        out::json(&serde_json::json!({
            "folder": installed.folder,
            "licence": installed.licence,
            "fresh": installed.fresh,
            "version": setup::VERSION,
        }))?;
    } else if installed.fresh {
        println!("NVRTC {} is ready in {}", setup::VERSION, installed.folder.display());
        println!("its licence: {}", installed.licence.display());
    } else {
        println!("NVRTC {} was there already, in {}", setup::VERSION, installed.folder.display());
    }
    Ok(0)
}
