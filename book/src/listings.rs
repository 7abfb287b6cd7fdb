//! The book's own small kernels, `listings/cu/*.cu`, for what no kernel of a problem shows alone.
//!
//! The head of a file says how its kernels are launched, one line per case:
//! `// run: KERNEL "CASE" GRID BLOCK SHARED ARGUMENTS…`. Arguments are scalars as `warpbook sim` takes them, `zeros:BYTES`,
//! `iota:COUNT` (whole numbers from 0), or `ints:COUNT:FORMULA` with a formula of `i` that has no spaces. The PTX is
//! committed, as that of the problems; `warpbook dev ptx --kernels book/listings` makes it.

use std::collections::BTreeMap;

use kernels::ptx;
use kernels::requests::of_launch;
use sim::predict::How;
use sim::{Arg, Launch, Module, Options, Report, Scalar, simulate};

use crate::access::table;
use crate::runs::{Foretold, Playable, Run};

/// A file: its name, source and PTX.
type Entry = (&'static str, &'static str, &'static str);

macro_rules! entries {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../listings/cu/", $name, ".cu")),
            include_str!(concat!("../listings/ptx/", $name, ".ptx")),
        )),*]
    };
}

/// All files.
const ENTRIES: &[Entry] = entries!["banks", "barriers", "divergence", "sectors", "threads", "votes"];

/// A case of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listing {
    file: &'static str,
    ptx: &'static str,
    kernel: &'static str,
    case: &'static str,
    /// What follows the case's name: grid, block, shared memory and arguments.
    rest: &'static str,
}

/// All cases of all listings, in the order of the files.
fn all() -> impl Iterator<Item = Listing> {
    let of = |&(file, source, ptx): &Entry| source.lines().filter_map(move |line| case(file, ptx, line));
    ENTRIES.iter().flat_map(of)
}

/// The case that a line of a file's head describes.
fn case(file: &'static str, ptx: &'static str, line: &'static str) -> Option<Listing> {
    let (kernel, rest) = line.strip_prefix("// run: ")?.split_once(" \"")?;
    let (case, rest) = rest.split_once('"')?;
    Some(Listing { file, ptx, kernel, case, rest })
}

/// The kernels that have cases.
pub(crate) fn kernels() -> impl Iterator<Item = &'static str> {
    let mut seen = std::collections::BTreeSet::new();
    all().map(|listing| listing.kernel).filter(move |kernel| seen.insert(*kernel))
}

/// The cases of a kernel.
pub(crate) fn cases(kernel: &str) -> impl Iterator<Item = &'static str> {
    all().filter(move |listing| listing.kernel == kernel).map(|listing| listing.case)
}

/// A case.
pub(crate) fn find(kernel: &str, case: &str) -> Option<Listing> {
    all().find(|listing| listing.kernel == kernel && listing.case == case)
}

/// The names of the files.
pub(crate) fn files() -> impl Iterator<Item = String> {
    ENTRIES.iter().map(|(name, ..)| format!("{name}.cu"))
}

/// A file's source, if it is a listing; an error when its PTX was made of another.
pub(crate) fn source(file: &str) -> Option<Result<String, String>> {
    let (name, source, text) = ENTRIES.iter().find(|(name, ..)| file.strip_suffix(".cu") == Some(name))?;
    Some(match ptx::Header::parse(text) {
        Some(header) if header.source_sha256 == ptx::sha256(source) => Ok((*source).to_owned()),
        _ => {
            Err(format!("{name}.cu has changed since its PTX was made: run `warpbook dev ptx --kernels book/listings`"))
        }
    })
}

impl Listing {
    /// Simulates the case.
    ///
    /// # Errors
    /// A sentence when its launch cannot be read, the simulator refuses, or something is wrong with the kernel.
    pub(crate) fn simulate(self, options: &Options) -> Result<Report, String> {
        let Self { file, ptx, kernel, case, .. } = self;
        source(&format!("{file}.cu")).unwrap_or_else(|| Err(format!("there is no listing {file}")))?;
        let launch = self.launch().map_err(|why| format!("{file}.cu: the case \"{case}\" of {kernel}: {why}"))?;
        let module = Module::parse(&format!("{file}.ptx"), ptx).map_err(|error| error.to_string())?;
        let report = simulate(&module, kernel, &launch, options).map_err(|error| format!("{kernel}: {error}"))?.report;
        match report.findings.first() {
            Some(finding) => Err(format!("the simulator finds {kernel} (\"{case}\") faulty: {}", finding.message)),
            None => Ok(report),
        }
    }

    /// How long the case takes, and what its warps do meanwhile.
    ///
    /// # Errors
    /// A sentence when its launch cannot be read or the simulator refuses.
    pub(crate) fn predicted(self) -> Result<Foretold, String> {
        let Self { file, ptx, kernel, .. } = self;
        let module = Module::parse(&format!("{file}.ptx"), ptx).map_err(|error| error.to_string())?;
        let options = Options { checks: sim::Checks::NONE, ..Options::default() };
        let predicted = sim::predict::predict(&module, kernel, &self.launch()?, &options, &How::default())
            .map_err(|error| format!("{kernel}: {error}"))?;
        let (prediction, timeline) = (predicted.prediction, predicted.timeline);
        Ok(Foretold { kernel: kernel.to_owned(), prediction, timeline })
    }

    /// The case as a run of its own.
    ///
    /// # Errors
    /// As [`Listing::simulate`].
    pub(crate) fn run(self, options: &Options) -> Result<Run, String> {
        let report = self.simulate(options)?;
        let args = self.arguments().map(str::to_owned).collect();
        Ok(Run { data: String::new(), args, launches: 1, report, measured: None, listing: true })
    }

    /// What a page needs to run the case itself.
    ///
    /// # Errors
    /// A sentence when its launch cannot be read.
    pub(crate) fn playable(self) -> Result<Playable, String> {
        let Self { file, ptx, kernel, .. } = self;
        let launches = of_launch(kernel, &self.launch()?);
        Ok(Playable { file: format!("{file}.ptx"), ptx: ptx.to_owned(), launches, registers: BTreeMap::new() })
    }

    fn arguments(self) -> impl Iterator<Item = &'static str> {
        self.rest.split_whitespace().skip(3)
    }

    fn launch(self) -> Result<Launch, String> {
        let mut shape = self.rest.split_whitespace();
        let mut next = || shape.next().ok_or("a case has a grid, a block and bytes of shared memory");
        Ok(Launch {
            grid: next()?.parse()?,
            block: next()?.parse()?,
            shared_bytes: next()?.parse().map_err(|_| "the bytes of shared memory are no number")?,
            args: self.arguments().map(argument).collect::<Result<_, _>>()?,
        })
    }
}

fn argument(spec: &str) -> Result<Arg, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` in `{spec}` is no number"));
    match spec.split_once(':') {
        Some(("zeros", bytes)) => Ok(Arg::Zeros(number(bytes)?)),
        Some(("iota", count)) => Ok(Arg::buffer_of(&(0..number(count)? as u32).collect::<Vec<u32>>())),
        Some(("ints", rest)) => {
            let (count, formula) = rest.split_once(':').ok_or_else(|| format!("`{spec}` has no formula"))?;
            let values = table(formula, "i", number(count)?)?;
            // A formula is negative where no value is wanted: all bits are set there.
            Ok(Arg::buffer_of(
                &values.into_iter().map(|value| value.map_or(u32::MAX, |v| v as u32)).collect::<Vec<_>>(),
            ))
        }
        _ => Scalar::parse(spec).map(Arg::Scalar),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_of_every_listing_is_current_and_runs_without_a_finding() {
        let mut count = 0;
        for listing in all() {
            count += 1;
            let report = listing.simulate(&Options::default()).unwrap_or_else(|error| panic!("{error}"));
            assert!(!report.lines.is_empty(), "{} counts nothing", listing.kernel);
        }
        assert!(count > 0);
        for (name, source, _) in ENTRIES {
            let heads = source.lines().filter(|line| line.starts_with("// run:")).count();
            assert_eq!(
                heads,
                all().filter(|listing| listing.file == *name).count(),
                "a head of {name}.cu cannot be read"
            );
        }
    }

    /// The PTX without the comments at its top, which name the folder.
    fn body(text: &str) -> String {
        text.lines().skip_while(|line| line.starts_with("//")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_committed_ptx_is_what_the_compiler_makes() {
        let folder = tempfile::tempdir().unwrap();
        let listings = folder.path().join("listings");
        for part in ["cu", "ptx"] {
            std::fs::create_dir_all(listings.join(part)).unwrap();
        }
        for (name, source, _) in ENTRIES {
            std::fs::write(listings.join(format!("cu/{name}.cu")), source).unwrap();
        }
        if let Err(error) = kernels::regenerate::regenerate(&listings) {
            assert!(error.to_string().contains("warpbook setup"), "{error}");
            kernels::testing::not_run("compiling the book's listings", "there is no NVRTC of the right version");
            return;
        }
        for (name, _, text) in ENTRIES {
            let made = std::fs::read_to_string(listings.join(format!("ptx/{name}.ptx"))).unwrap();
            assert_eq!(body(&made), body(text), "{name}.ptx is stale: run `warpbook dev ptx --kernels book/listings`");
        }
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(argument("ints:3:i*2").unwrap(), Arg::buffer_of(&[0u32, 2, 4]));
        assert!(argument("ints:3").is_err() && argument("zeros:x").is_err() && argument("what").is_err());
    }
}
