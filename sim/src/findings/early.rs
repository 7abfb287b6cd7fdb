//! How a race with an asynchronous copy is told: an access that comes before the copy is waited for.

use super::Places;
use super::race::{Accessor, does};
use crate::event::AccessKind;

/// Why an access comes too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Early {
    /// Nobody has waited for the groups of a thread's own copies.
    Group,
    /// The same for those of the copy engine, which writes global memory.
    BulkGroup,
    /// The phase of an mbarrier is not known to be over.
    Phase,
    /// No `fence.proxy.async` lies between an ordinary write and the copy engine that reads it.
    Proxy,
}

/// What happened: `later` (as a phrase) does something to `what` while the copy of `earlier` is under way.
pub(super) fn message(
    early: Early,
    (later, later_kind): (&str, AccessKind),
    what: &str,
    (earlier, earlier_kind, at): (&str, AccessKind, &str),
) -> String {
    let does_later = does(later_kind);
    if early == Early::Proxy {
        return format!(
            "{later} has the bulk copy read {what}, which {earlier} {} {at} with an ordinary store: without \
             `fence.proxy.async` between the two the copy may read what was there before",
            does(earlier_kind)
        );
    }
    let copies = if earlier_kind == AccessKind::Load { "copies from there" } else { "copies to there" };
    let until = match early {
        Early::Phase => "no thread has waited at the copy's mbarrier for the phase in which it ends",
        _ => "the thread that copies has not waited for it",
    };
    format!(
        "{later} {does_later} {what} while an asynchronous copy may be in flight, which {earlier} began {at} and which \
         {copies}: {until}"
    )
}

/// What to do about it.
pub(super) fn help(early: Early, reads: bool, places: Places<'_>, (copy, access): (Accessor, Accessor)) -> String {
    let between = places.between(copy.pc, access.pc);
    let others = if copy.thread == access.thread { "" } else { ", and behind it a barrier for the other threads" };
    match early {
        Early::Group => format!(
            "let the thread that copies wait {between}: `__pipeline_wait_prior(0)`, `cp.async.wait_group 0` or the \
             `consumer_wait()` of a `cuda::pipeline`{others}; a barrier alone does not wait for copies"
        ),
        Early::BulkGroup => format!(
            "let the thread that copies commit the group and wait {between}: `cp.async.bulk.wait_group{} 0`{others}; a \
             barrier alone does not wait for copies",
            if reads { ".read" } else { "" }
        ),
        Early::Phase => format!(
            "wait {between}: `mbarrier.try_wait` (`barrier.wait()` of a `cuda::barrier`) for the phase that the copy \
             completes; its parity changes with every use"
        ),
        Early::Proxy => format!(
            "put `fence.proxy.async` (`cuda::ptx::fence_proxy_async`) behind the stores {between}, before the barrier at \
             which the thread that copies learns of them"
        ),
    }
}
