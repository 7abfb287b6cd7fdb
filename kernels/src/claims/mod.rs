//! `warpbook claims`: what the publications behind the workbook claim in numbers, beside what comes out when it is run.
//!
//! `claims/claims.toml` is the reviewed list: for every claim the place, the words (ours), the number, a criterion, and
//! how the number is found here (`file.rs`). Nothing else in it is a result: figures are computed from runs of the
//! simulator on the GPU of the claim's time and on the H200, from the H200's records, from numbers of the targets, or
//! from a closed form (`figure.rs`, `lab.rs`); the verdict follows from the criterion (`judge.rs`). The list says which
//! verdict its reviewers expect, and a row where another one comes out is a contradiction.

mod command;
mod figure;
pub mod file;
mod judge;
mod lab;
mod quantity;
mod table;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use file::{Claim, Seed};
pub use judge::judge;
pub use lab::Lab;
pub use table::{csv, show};

/// The GPU that stands for today.
pub const NOW: &str = sim::target::DEFAULT;

/// What becomes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// True when it was published, and true on the H200.
    Holds,
    /// True on the GPU of its time, and no longer.
    HeldThenNotNow,
    /// Not true when it was published.
    Erratum,
    /// Nothing here can tell; the row says why.
    CannotBeChecked,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Holds, Self::HeldThenNotNow, Self::Erratum, Self::CannotBeChecked];

    /// The verdict in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HeldThenNotNow => "held then, not now",
            Self::Erratum => "erratum",
            Self::CannotBeChecked => "cannot be checked here",
        }
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Runs on the simulator.
    Simulated,
    /// Runs on the simulator, and the record of a GPU that ran the same launches says the same.
    SimulatedAndMeasured,
    /// Times of a bench that was recorded on a GPU.
    Recorded,
    /// The same, and the code has changed since.
    Outdated,
    /// The numbers of a target.
    Target,
    /// Arithmetic alone.
    ClosedForm,
    /// A time that the authors measured on their GPU, which nobody can repeat here; taken at their word.
    Reported,
}

impl Origin {
    /// The origin in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::SimulatedAndMeasured => "simulated, and measured the same",
            Self::Recorded => "times of the recorded bench",
            Self::Outdated => "times of the recorded bench, of older code",
            Self::Target => "numbers of the target",
            Self::ClosedForm => "arithmetic",
            Self::Reported => "measured by the authors, taken at their word",
        }
    }
}

/// What came out on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The GPU.
    pub target: String,
    /// The number.
    pub value: f64,
    /// The number as a reader sees it.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The numbers that it is computed from, by name, as the list names them.
    pub parts: Vec<(String, String)>,
    /// Commands that show these numbers, to be typed in the repository's root.
    pub commands: Vec<String>,
    /// Whether it fits the claim.
    pub fits: bool,
}

/// A claim and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The name of the row.
    pub id: String,
    /// Who claims it.
    pub seed: Seed,
    /// Where: section, listing, figure.
    pub place: String,
    /// What is claimed, in our words.
    pub says: String,
    /// The number that is claimed.
    pub value: f64,
    /// It as a reader sees it, with the criterion: `= 16`, `> 2`.
    pub claimed: String,
    /// What the number counts.
    pub unit: String,
    /// How the figures are computed from their parts.
    pub figure: String,
    /// On the GPU of its time. Nothing, where nothing can be checked.
    pub then: Option<Figure>,
    /// On the H200.
    pub now: Option<Figure>,
    /// What follows.
    pub verdict: Verdict,
    /// Why, in a few sentences.
    pub why: String,
    /// What is wrong with the row: the list expects another verdict, or the record of a GPU says something else.
    pub contradiction: Option<String>,
}

/// Why there are no rows.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// Nothing answers to a name.
    #[error(
        "no claim has `{0}` in its name, its place or its words; `warpbook claims` lists all of them, and --seed takes \
         {seeds}",
        seeds = Seed::names()
    )]
    Unknown(String),
    /// A row of the list cannot be computed.
    #[error("claims.toml, {id}: {why}")]
    Row {
        /// Which row.
        id: String,
        /// What is wrong with it.
        why: String,
    },
    /// The list cannot be read.
    #[error("claims.toml: {0}")]
    List(String),
}

impl ClaimsError {
    /// The exit code that a program should end with: the list is our own.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Unknown(_) => sim::ErrorClass::Input.exit_code(),
            Self::Row { .. } | Self::List(_) => sim::ErrorClass::Internal.exit_code(),
        }
    }
}

/// The claims of one publication or of all, in the order of the list, that have `filter` in their name, place or words.
/// A filter that is the whole name of a claim stands for that claim alone.
///
/// # Errors
/// [`ClaimsError::Unknown`], [`ClaimsError::List`].
pub fn select(filter: Option<&str>, seed: Option<Seed>) -> Result<Vec<&'static Claim>, ClaimsError> {
    let all = file::list()?;
    let mut claims: Vec<&Claim> = all.iter().filter(|claim| seed.is_none_or(|seed| claim.seed == seed)).collect();
    if let Some(filter) = filter {
        let exact = claims.iter().any(|claim| claim.id == filter);
        let lower = filter.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&lower);
        claims.retain(|claim| match exact {
            true => claim.id == filter,
            false => has(&claim.id) || has(&claim.place) || has(&claim.says) || has(claim.verdict.text()),
        });
        if claims.is_empty() {
            return Err(ClaimsError::Unknown(filter.to_owned()));
        }
    }
    Ok(claims)
}

/// Computes the rows of these claims.
///
/// # Errors
/// [`ClaimsError::Row`] for the first that cannot be computed.
pub fn rows(claims: &[&Claim]) -> Result<Vec<Row>, ClaimsError> {
    let mut lab = Lab::default();
    claims.iter().map(|claim| judge(claim, &mut lab)).collect()
}

/// How many rows have each verdict, in one sentence.
pub fn summary(rows: &[Row]) -> String {
    let count = |verdict: Verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let counts: Vec<String> = (Verdict::ALL.iter())
        .map(|&verdict| (count(verdict), verdict.text()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, text)| format!("{count} {text}"))
        .collect();
    let noun = if rows.len() == 1 { "claim" } else { "claims" };
    format!("{} {noun}: {}", rows.len(), counts.join("; "))
}
