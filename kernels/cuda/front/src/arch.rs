//! Which virtual architecture a source is compiled for.

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

    /// The GPU of the same number, such as `sm_90a`.
    #[must_use]
    pub fn gpu(self) -> String {
        format!("sm_{}{}", self.number, self.suffix.map(String::from).unwrap_or_default())
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

/// What a source asks for in a comment on a line of its own (`// warpbook: arch=compute_90`): the line from 1, and the words. None
/// where it asks for nothing.
#[must_use]
pub fn wish(text: &str) -> Option<(usize, &str)> {
    let mut lines = text.lines().enumerate();
    lines.find_map(|(index, line)| {
        let comment = line.trim_start().strip_prefix("//").map(str::trim_start);
        let wish = comment.and_then(|comment| comment.strip_prefix("warpbook:"))?;
        wish.split_whitespace().find_map(|word| word.strip_prefix("arch=")).map(|arch| (index + 1, arch))
    })
}
