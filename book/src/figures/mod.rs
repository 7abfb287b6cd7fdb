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

/// Draws a figure of the kind that stands first.
pub(crate) fn figure(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let kind = directive.word("a kind of figure, such as `banks`")?;
    match &*kind {
        "banks" => banks::figure(context, directive),
        "beside" => beside::beside(context, directive),
        "sweep" => sweep::sweep(context, directive),
        "tree" => tree::tree(directive),
        "lanes" => lanes::lanes(context, directive),
        "ballot" => ballot::ballot(directive),
        "atomics" => atomics::atomics(context, directive),
        "sectors" => sectors::sectors(context, directive),
        "layout" => layout::layout(directive),
        "sat" => sat::sat(directive),
        "waves" => sat::waves(directive),
        "radix" => radix::radix(directive),
        "threads" => threads::threads(directive),
        "waits" => waits::waits(context, directive),
        "bitonic" => bitonic::bitonic(directive),
        "merge-path" => merge_path::merge_path(directive),
        "roofline" => roofline::roofline(context, directive),
        "timeline" => timeline::timeline(context, directive),
        other => Err(Reason::Wrong(format!(
            "there is no figure `{other}`; there are banks, beside, sweep, tree, lanes, ballot, atomics, sectors, layout, sat, \
             waves, radix, threads, waits, bitonic, merge-path, roofline, timeline"
        ))),
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

/// The option `caption`, as a sentence in HTML before the figure's own.
pub(crate) fn caption(directive: &mut Directive) -> String {
    directive.maybe("caption").map(|caption| crate::html::escape(&caption) + " ").unwrap_or_default()
}
