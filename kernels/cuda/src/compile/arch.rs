//! Which virtual architecture a source is compiled for.

use super::{CompileError, Options, Source};

/// A virtual architecture of CUDA, such as `compute_75` or `compute_90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Arch {
    /// Ten times the compute capability, such as 75.
    pub number: u32,
    /// `a` for a GPU's own features, `f` for those of its family.
    pub suffix: Option<char>,
}

impl Arch {
    /// Turing, the oldest architecture that CUDA 13 compiles for.
    pub const LOWEST: Self = Self::new(75);

    /// The architecture of a compute capability, times ten.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self { number, suffix: None }
    }

    /// The architecture to compile for where a GPU is simulated: its own, or the oldest that there is.
    #[must_use]
    pub fn of_target(target: &str) -> Self {
        let own = sim::target::find(target).map(|target| target.summary().compute_capability);
        let number = own.and_then(|text| text.replace('.', "").parse().ok());
        Self::new(number.unwrap_or(0).max(Self::LOWEST.number))
    }
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "compute_{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

impl std::str::FromStr for Arch {
    type Err = String;

    /// Reads `compute_90`, or `sm_90` for the same.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not an architecture: write it as compute_75, compute_90 or compute_90a");
        let rest = text.strip_prefix("compute_").or_else(|| text.strip_prefix("sm_")).ok_or_else(wrong)?;
        let digits = rest.trim_end_matches(['a', 'f']);
        let suffix = match &rest[digits.len()..] {
            "" => None,
            "a" => Some('a'),
            "f" => Some('f'),
            _ => return Err(wrong()),
        };
        let plain = (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| plain).ok_or_else(wrong)?;
        Ok(Self { number, suffix })
    }
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
    for (index, line) in source.text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("//").map(str::trim_start);
        let Some(wish) = comment.and_then(|c| c.strip_prefix("warpbook:")) else { continue };
        if let Some(arch) = wish.split_whitespace().find_map(|word| word.strip_prefix("arch=")) {
            let line = Some(index + 1);
            let arch = arch.parse();
            let error = |why| CompileError::Arch { name: source.name.to_owned(), line, why };
            return arch.map(|arch| Asked { arch, line }).map_err(error);
        }
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
