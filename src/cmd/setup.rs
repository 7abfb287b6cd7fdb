//! `warpbook setup`.

use kernels::setup::{self, Component};

use super::{Ended, Failure, UNSUPPORTED};
use crate::cli::Setup;
use crate::out::{self, say};

pub(crate) fn run(args: &Setup, json: bool) -> Ended {
    let mut components = Component::usual(std::env::consts::OS, std::env::consts::ARCH).to_vec();
    components.extend(args.nvcc.then_some(Component::Nvcc));
    components.extend(args.sass.then_some(Component::Sass));
    if args.clang && !components.contains(&Component::Clang) {
        components.push(Component::Clang);
    }
    let failed = |error: setup::SetupError| Failure::new(UNSUPPORTED, error);
    let missing: Vec<Component> = components.iter().copied().filter(|&c| setup::installed(c).is_none()).collect();
    if !json && !missing.is_empty() {
        say!("{}", setup::notice(&missing).map_err(failed)?);
    }
    let mut list = Vec::new();
    for component in components {
        let bar = if json { setup::hidden_bar() } else { setup::progress_bar() };
        let installed = setup::install(component, &bar).map_err(failed)?;
        let (title, version) = (component.title(), component.version());
        if json {
            list.push(serde_json::json!({
                "component": title,
                "version": version,
                "folder": installed.folder,
                "licence": installed.licence,
                "fresh": installed.fresh,
            }));
        } else if installed.fresh {
            say!("{title} {version}: ready in {}", installed.folder.display());
        } else {
            say!("{title} {version}: there already, in {}", installed.folder.display());
        }
    }
    if json {
        out::json(&list)?;
    }
    Ok(0)
}
