//! Which virtual architecture a source is compiled for.

pub use front::Arch;

use super::{CompileError, Options, Source};

/// The architecture to compile for where a GPU is simulated: its own, or the oldest that there is.
#[must_use]
pub fn arch_of_target(target: &str) -> Arch {
    let own = sim::target::find(target).map(|target| target.summary().compute_capability);
    let number = own.and_then(|text| text.replace('.', "").parse().ok());
    Arch::new(number.unwrap_or(0).max(Arch::LOWEST.number))
}

/// An architecture, and the line of the comment that asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) arch: Arch,
    pub(super) line: Option<usize>,
}

/// The architecture to compile for: the options' choice, else the source's, else the default.
pub(super) fn arch_of(source: &Source<'_>, options: &Options) -> Result<Asked, CompileError> {
    if let Some(arch) = options.arch {
        return Ok(Asked { arch, line: None });
    }
    if let Some((line, arch)) = front::arch::wish(source.text) {
        let line = Some(line);
        let error = |why| CompileError::Arch { name: source.name.to_owned(), line, why };
        return arch.parse().map(|arch| Asked { arch, line }).map_err(error);
    }
    Ok(Asked { arch: options.default_arch, line: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'_> {
        Source { name: "kernel.cu", text }
    }

    #[test]
    fn the_architecture_is_the_options_then_the_sources_then_the_lowest() {
        let plain = source("// a kernel\n__global__ void k() {}\n");
        assert_eq!(arch_of(&plain, &Options::default()).unwrap(), Asked { arch: Arch::LOWEST, line: None });

        let newer = source("// a kernel\n  //   warpbook: arch=compute_90a\n");
        let asked = arch_of(&newer, &Options::default()).unwrap();
        assert_eq!(asked, Asked { arch: Arch { number: 90, suffix: Some('a') }, line: Some(2) });

        let options = Options { arch: Some("compute_80".parse().unwrap()), ..Options::default() };
        assert_eq!(arch_of(&newer, &options).unwrap().arch.to_string(), "compute_80");
    }

    #[test]
    fn a_wrong_architecture_is_located() {
        for wrong in ["90", "sm_", "compute_", "compute_9", "compute_90b", "compute_90aa", "compute_+9", "compute_9000"]
        {
            let text = format!("\n\n// warpbook: arch={wrong}\n");
            let error = arch_of(&source(&text), &Options::default()).unwrap_err().to_string();
            assert!(error.starts_with("kernel.cu:3: ") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn prose_about_the_comment_asks_for_nothing() {
        let prose = source("/* write // warpbook: arch=compute_90 */ int x; // warpbook: arch=compute_90\n");
        assert_eq!(arch_of(&prose, &Options::default()).unwrap().arch, Arch::LOWEST);
    }
}
