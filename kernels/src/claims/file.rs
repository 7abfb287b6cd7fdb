//! The list of claims, `claims/claims.toml`, and the launch files and PTX that only claims use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{ClaimsError, Verdict};

/// The list.
const LIST: &str = include_str!("../../claims/claims.toml");

/// The files that runs name, from the repository's root, besides the committed PTX of the problems.
pub(super) const FILES: &[(&str, &str)] = &[
    ("kernels/claims/ptx/listings.ptx", include_str!("../../claims/ptx/listings.ptx")),
    ("kernels/claims/ballot.toml", include_str!("../../claims/ballot.toml")),
    ("kernels/claims/ballot6.toml", include_str!("../../claims/ballot6.toml")),
    ("kernels/claims/printed.toml", include_str!("../../claims/printed.toml")),
    ("kernels/claims/sat_tiles.toml", include_str!("../../claims/sat_tiles.toml")),
    ("kernels/claims/sat_transpose.toml", include_str!("../../claims/sat_transpose.toml")),
];

/// A publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seed {
    /// Harris, Sengupta and Owens on scans.
    Gems,
    /// Wilt on histograms.
    Wilt,
    /// Westphal on reductions by key.
    Westphal,
    /// Ha and others on summed-area tables.
    Ha,
    /// Spataro on stream compaction.
    Spataro,
}

impl Seed {
    /// All of them, in the order of the list.
    pub const ALL: [Self; 5] = [Self::Gems, Self::Wilt, Self::Westphal, Self::Ha, Self::Spataro];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gems => "gems",
            Self::Wilt => "wilt",
            Self::Westphal => "westphal",
            Self::Ha => "ha",
            Self::Spataro => "spataro",
        }
    }

    /// Authors, title and year.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Gems => {
                "Harris, Sengupta and Owens, “Parallel Prefix Sum (Scan) with CUDA”, GPU Gems 3, chapter 39 (2007)"
            }
            Self::Wilt => "Wilt, “Histogram computation in CUDA”, part 3, privatized histograms (2014)",
            Self::Westphal => "Westphal, “Voting and Shuffling to Optimize Atomic Operations” (2015)",
            Self::Ha => "Ha and others, “Bandwidth Efficient Summed Area Table Generation for CUDA” (2012)",
            Self::Spataro => "Spataro, “Stream Compaction on GPU – Efficient implementation – CUDA” (2014)",
        }
    }

    /// The names with commas between them.
    pub(super) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seed = Self::ALL.into_iter().find(|seed| seed.name() == text);
        seed.ok_or_else(|| format!("there is no publication `{text}`; there are {}", Self::names()))
    }
}

/// How a figure is held against the claim's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Test {
    /// Equal.
    #[default]
    #[serde(rename = "=")]
    Equal,
    /// As large as the number, but for [`Claim::tolerance`].
    #[serde(rename = "about")]
    About,
    /// More.
    #[serde(rename = ">")]
    More,
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// As much or more.
    #[serde(rename = ">=")]
    AtLeast,
    /// As much or less.
    #[serde(rename = "<=")]
    AtMost,
}

impl Test {
    /// The sign that stands before the number.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::About => "≈",
            Self::More => ">",
            Self::Less => "<",
            Self::AtLeast => "≥",
            Self::AtMost => "≤",
        }
    }
}

/// A claim as the list has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// Who claims it.
    pub seed: Seed,
    /// Where.
    pub place: String,
    /// What, in our words.
    pub says: String,
    /// The number that is claimed: an expression.
    pub value: String,
    /// What it counts.
    pub unit: String,
    /// How figures are held against it.
    #[serde(default)]
    pub test: Test,
    /// For [`Test::About`]: how far off a figure may be, relative to the number.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// The verdict that reviewers expect.
    pub verdict: Verdict,
    /// Why. Expressions in braces are computed, those that begin with `then:` on the GPU of the time.
    pub why: String,
    /// The GPU of its time.
    pub target: String,
    /// How the figure is computed from runs, times and numbers of the target. Nothing where nothing can be checked.
    #[serde(default)]
    pub figure: Option<String>,
    /// The same on the H200, where it is another.
    #[serde(default)]
    pub now: Option<String>,
    /// What the authors measured on their GPU, where nobody can repeat that: a number, or `yes` where they give none but
    /// the claim's own.
    #[serde(default)]
    pub reported: Option<String>,
    /// Numbers with names, for all expressions and all runs.
    #[serde(default, rename = "let")]
    pub names: BTreeMap<String, String>,
    /// What is simulated.
    #[serde(default)]
    pub runs: BTreeMap<String, Run>,
    /// What is looked up in the recorded bench.
    #[serde(default)]
    pub times: BTreeMap<String, Time>,
}

/// A run on the simulator: the options of `warpbook sim`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// PTX or a launch file, from the repository's root.
    pub file: String,
    /// The kernel.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Thread blocks.
    #[serde(default)]
    pub grid: Option<String>,
    /// Threads of a block.
    #[serde(default)]
    pub block: Option<String>,
    /// Dynamic shared memory in bytes.
    #[serde(default)]
    pub shared: Option<String>,
    /// Arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// What buffers must hold in the end.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Numbers with names, besides those of the claim.
    #[serde(default, rename = "let")]
    pub names: BTreeMap<String, String>,
    /// Warp-instructions after which a block is taken for endless.
    #[serde(default)]
    pub budget: Option<u64>,
    /// Only the launches of this kernel count.
    #[serde(default)]
    pub only: Option<String>,
    /// The recorded case that is the same launches: `scan_naive, tile 512, 1 block`.
    #[serde(default)]
    pub record: Option<String>,
    /// Whether wrong results and findings are what the claim is about. Otherwise a run must have neither.
    #[serde(default)]
    pub faulty: bool,
}

/// A time of the recorded bench.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// The problem.
    pub problem: String,
    /// The size, as the bench names it.
    pub size: String,
    /// The kind of data, as the bench names it.
    pub data: String,
    /// The version.
    pub version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    claim: Vec<Claim>,
}

/// The list that this program was built with.
///
/// # Errors
/// [`ClaimsError::List`] when it is none.
pub fn list() -> Result<&'static [Claim], ClaimsError> {
    static CLAIMS: OnceLock<Result<Vec<Claim>, String>> = OnceLock::new();
    let claims = CLAIMS.get_or_init(|| parse(LIST));
    claims.as_deref().map_err(|why| ClaimsError::List(why.clone()))
}

/// Reads a list, and looks for what its form cannot say.
pub(super) fn parse(text: &str) -> Result<Vec<Claim>, String> {
    let List { claim: claims } = toml::from_str(text).map_err(|why| why.to_string())?;
    let mut ids = BTreeSet::new();
    for claim in &claims {
        let Claim { id, .. } = claim;
        if !ids.insert(id) {
            return Err(format!("two claims are called `{id}`"));
        }
        if !id.starts_with(claim.seed.name()) {
            return Err(format!("{id}: a name begins with that of its publication, {}", claim.seed));
        }
        if (claim.test == Test::About) != claim.tolerance.is_some() {
            return Err(format!("{id}: a tolerance belongs to the test `about`, and to no other"));
        }
        if claim.figure.is_none() != (claim.verdict == Verdict::CannotBeChecked) {
            return Err(format!("{id}: what cannot be checked has no figure, and everything else has one"));
        }
        if sim::target::find(&claim.target).is_none() {
            return Err(format!("{id}: {}", sim::target::unknown(&claim.target)));
        }
    }
    Ok(claims)
}
