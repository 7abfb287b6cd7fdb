//! `figure KIND …`: pictures drawn from simulations, or by running the algorithm that they show.
//!
//! What a kernel does comes from the details of its report ([`sim::Report::details`]); what one access costs is asked of
//! the simulator. A picture of an algorithm runs it, holds its result against a plain computation, and draws what it did.

mod atomics;
mod ballot;
pub(crate) mod banks;
mod beside;
mod bitonic;
mod lanes;
mod layout;
mod merge_path;
mod radix;
mod roofline;
mod sat;
mod sectors;
mod sweep;
mod threads;
mod timeline;
mod tree;
mod waits;

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markup;

/// The section of AUTHORING.md that lists the figures.
pub(crate) const SECTION: &str = "Figures";

/// One kind of figure.
pub(crate) struct Figure {
    /// What stands behind `figure`.
    pub(crate) name: &'static str,
    /// Examples of what follows the name.
    pub(crate) usage: &'static [&'static str],
    /// What it shows.
    pub(crate) help: &'static str,
    draw: fn(&Context<'_>, &mut Directive) -> Result<Markup, Reason>,
}

/// All kinds of figures.
pub(crate) static KINDS: &[Figure] = &[
    Figure {
        name: "banks",
        usage: &[
            r#"words="lane * 2; lane * 2 + floor(lane / 16)" labels="Pairs; Padded pairs""#,
            r#"kernels="scan_blelloch scan_blelloch_padded" case="tile 512, 1 block" at="temp[right] +=""#,
        ],
        help: "bank by lane, of formulas (shared words) or of the worst access of a line.",
        draw: banks::figure,
    },
    Figure {
        name: "beside",
        usage: &[r#"kernel=scan_blelloch case="tile 512, 1 block" rows="shared load wavefronts; float additions""#],
        help: "the counters of one run, simulated and measured, and how many of all agree.",
        draw: beside::beside,
    },
    Figure {
        name: "sweep",
        usage: &[r#"tile=512 paddings="none 32""#],
        help: "the worst access in each round of the tree.",
        draw: sweep::sweep,
    },
    Figure {
        name: "tree",
        usage: &[r#"algorithm=blelloch data="3 1 7 0 4 1 6 3""#],
        help: "`reduction`, `sequential-reduction`, `hillis-steele`, `sklansky`, `brent-kung`, `blelloch` over 4, 8 or 16 numbers.",
        draw: |_, directive| tree::tree(directive),
    },
    Figure {
        name: "lanes",
        usage: &[r#"kernel=reduce_modulo case="…" at="sum""#],
        help: "which lanes are busy, line by line.",
        draw: lanes::lanes,
    },
    Figure {
        name: "ballot",
        usage: &[r#"bits="floor(lane / 3)""#],
        help: "a ballot, with the rank of each lane.",
        draw: |_, directive| ballot::ballot(directive),
    },
    Figure {
        name: "atomics",
        usage: &[r#"kernel=histogram_block case="…" at="atomicAdd""#],
        help: "how many lanes update one address.",
        draw: atomics::atomics,
    },
    Figure {
        name: "sectors",
        usage: &[
            r#"bytes="lane * 4; lane * 4 + 4; lane * 8" labels="aligned; shifted; every second""#,
            r#"kernel=scan_naive case="tile 512, 1 block" at="in[i - 1]""#,
        ],
        help: "as `banks`, for global memory.",
        draw: sectors::sectors,
    },
    Figure {
        name: "layout",
        usage: &[r#"bins=16 copies=4 words="bin * copies + copy""#],
        help: "where the bins of a histogram's copies lie; `words` is a formula of `bin`, `copy`, `bins`, `copies`.",
        draw: |_, directive| layout::layout(directive),
    },
    Figure {
        name: "sat",
        usage: &["n=6"],
        help: "a summed-area table, stepped through.",
        draw: |_, directive| sat::sat(directive),
    },
    Figure {
        name: "radix",
        usage: &[r#"bits=2 width=4 keys="9 3 14 7 0 12 5 3""#],
        help: "the passes of a radix sort, stepped through.",
        draw: |_, directive| radix::radix(directive),
    },
    Figure {
        name: "threads",
        usage: &["block=33,2"],
        help: "which warp and lane the threads of a block are.",
        draw: |_, directive| threads::threads(directive),
    },
    Figure {
        name: "waits",
        usage: &[r#"kernels="even_work uneven_work" case="128 threads""#],
        help: "who waits at barriers.",
        draw: waits::waits,
    },
    Figure {
        name: "bitonic",
        usage: &[r#"n=8 data="6 1 8 4 7 2 5 3""#],
        help: "a sorting network of 4, 8 or 16 keys, stepped through.",
        draw: |_, directive| bitonic::bitonic(directive),
    },
    Figure {
        name: "merge-path",
        usage: &[r#"left="1 3 5 7" right="2 4 6 8" parts=4"#],
        help: "two sorted runs of up to 12 keys, cut into equal parts of the result.",
        draw: |_, directive| merge_path::merge_path(directive),
    },
    Figure {
        name: "roofline",
        usage: &[r#"problem=reduction size="2^24" data=ints versions="reduce_modulo reduce_vector4""#],
        help: "versions below the limits of the H200, all launches of a version as one point, from `kernels/truth/time.h200.json` (`warpbook dev time`).",
        draw: roofline::roofline,
    },
    Figure {
        name: "timeline",
        usage: &[r#"kernel=scan_naive case="tile 512, 1 block" launch=1 warps=16"#],
        help: "what the first warps of a multiprocessor do in one launch, predicted when the page is made.",
        draw: timeline::timeline,
    },
];

/// Draws a figure of the kind that stands first.
pub(crate) fn figure(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let name = directive.word("a kind of figure, such as `banks`")?;
    match KINDS.iter().find(|kind| kind.name == name) {
        Some(kind) => (kind.draw)(context, directive),
        None => {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            Err(Reason::Wrong(format!("there is no figure `{name}`; there are {}", names.join(", "))))
        }
    }
}

/// The whole numbers of an option such as `data="3 1 7"`, or those of a rule that looks random where it is missing.
pub(crate) fn numbers(directive: &mut Directive, key: &str, count: usize, below: u64) -> Result<Vec<u64>, Reason> {
    match directive.maybe(key) {
        Some(text) => {
            let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
            let numbers =
                numbers.map_err(|_| Reason::Wrong(format!("`{key}` holds whole numbers with blanks between")))?;
            match numbers.iter().find(|number| **number >= below) {
                Some(large) => Err(Reason::Wrong(format!("{large} in `{key}` is too large; the limit is {below}"))),
                None if numbers.is_empty() || numbers.len() > 64 => {
                    Err(Reason::Wrong(format!("`{key}` holds 1 to 64 numbers")))
                }
                None => Ok(numbers),
            }
        }
        // A linear congruence; the high bits, which look random.
        None => {
            let mut state = 12_345_u64;
            let next = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % below
            };
            Ok((0..count).map(next).collect())
        }
    }
}

/// The option `key` as a number from `least` to `most`, or `default` where it is missing.
pub(crate) fn size(directive: &mut Directive, key: &str, default: u32, least: u32, most: u32) -> Result<u32, Reason> {
    let Some(text) = directive.maybe(key) else { return Ok(default) };
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| Reason::Wrong(format!("`{key}={text}` is no number from {least} to {most}")))
}

/// The option `caption`, as a sentence before the figure's own.
pub(crate) fn caption(directive: &mut Directive) -> String {
    directive.maybe("caption").map(|caption| caption + " ").unwrap_or_default()
}
