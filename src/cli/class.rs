//! The arguments of the commands for learners and instructors.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{EXIT_CODES, Line};

#[derive(Debug, Args)]
pub(crate) struct Exercise {
    /// What to do (without it: `watch`)
    #[command(subcommand)]
    pub(crate) command: Option<ExerciseCommand>,
    /// Folder of the course (found from the current folder upwards, if not given)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) exercises: Option<PathBuf>,
}

#[derive(Debug, Args, Default)]
pub(crate) struct Watch {
    /// The exercise to begin with (the first that is open, if none is given)
    pub(crate) name: Option<String>,
    /// Do not watch files: r checks again
    #[arg(long)]
    pub(crate) manual: bool,
    /// Offer the key g: what passes is also run on this machine's GPU
    #[arg(long, value_name = "GPU", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) gpu: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExerciseCommand {
    /// Work through the exercises: each is checked whenever its file is saved
    Watch(Watch),
    /// What there is to solve, and what is done
    List {
        /// Only exercises with this word in their names, titles, kinds or chapters
        search: Option<String>,
        /// Only those that are done
        #[arg(long, conflicts_with = "open")]
        done: bool,
        /// Only those that are not
        #[arg(long)]
        open: bool,
        /// Only those of a path: all, challenges, or a chapter's folder
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
    },
    /// Grade exercises: correctness and cost
    #[command(after_help = EXIT_CODES)]
    Check {
        /// An exercise's name, or a file of yours (all exercises, a line each, if nothing is given)
        what: Option<String>,
        /// Run only this input: its number, from 1, or its name
        #[arg(long, value_name = "CASE")]
        case: Option<String>,
        /// Show the smallest input that fails, or the one of --case: what goes in, what belongs there, what is there
        #[arg(long)]
        show: bool,
        /// Draw the banks or sectors of your line on that input, as `warpbook sim` does (LINE, FILE:LINE, or all)
        #[arg(long, value_name = "LINE")]
        access: Option<Line>,
        /// Grade the model solutions instead of your files
        #[arg(long)]
        solution: bool,
        /// Also run what is right on this machine's GPU, and show its times and counters beside the simulated ones; the
        /// grade stays what the simulator says
        #[arg(long, value_name = "GPU", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
        gpu: Option<u32>,
    },
    /// The next hint of an exercise
    Hint {
        /// The exercise
        name: String,
        /// Which hint, from 1 to 3 [default: the one behind the last that was shown]
        step: Option<usize>,
    },
    /// Make an exercise's file the starter again; what is in it is kept beside the course
    Reset {
        /// The exercise
        name: String,
    },
    /// Leave an exercise out
    Skip {
        /// The exercise
        name: String,
    },
    /// Choose which exercises `watch` goes through: all, challenges, or a chapter's folder
    Path {
        /// The path
        path: String,
    },
    /// Write what is done to a file, to go on elsewhere, or to hand in beside predictions: their first answers are in it
    Export {
        /// The file
        #[arg(default_value = exercises::state::EXPORT)]
        file: PathBuf,
    },
    /// Add what a file says is done
    Import {
        /// The file
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Grade {
    /// Submissions: a folder or file each, with files named after exercises
    #[arg(value_name = "DIR", required_unless_present = "pack")]
    pub(crate) submissions: Vec<PathBuf>,
    /// Each folder or file in these folders is a submission
    #[arg(long)]
    pub(crate) each: bool,
    /// Folder of the course (found from the current folder upwards, if not given)
    #[arg(long, value_name = "DIR")]
    pub(crate) exercises: Option<PathBuf>,
    /// Only this exercise counts; can be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// A file with the secret that hidden cases are made from (else the environment variable WARPBOOK_SECRET)
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// Folder that the results are written to
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Formats that go to that folder: json, gradescope, prairielearn, junit, csv, markdown
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', default_value = "json,junit,csv,markdown")]
    pub(crate) format: Vec<String>,
    /// Write one format's only file to a path: gradescope=/autograder/results/results.json
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) results: Vec<String>,
    /// Submissions that are graded at a time (as many as there are processors, if not given)
    #[arg(long)]
    pub(crate) jobs: Option<usize>,
    /// Make an autograder instead: a zip for `gradescope`, written to --out
    #[arg(long, value_name = "SYSTEM", requires = "out", conflicts_with = "submissions")]
    pub(crate) pack: Option<String>,
}
