//! The options of directives that describe one access of one warp, and the kernel that makes it.
//!
//! Directives write the lanes' addresses as a formula of `lane`: `words="lane * 2"` for 32-bit words of shared memory,
//! `bytes="lane * 8"` for byte addresses of global memory. A lane whose formula is negative takes no part.

pub use draw::access::{Access, Space};
pub(crate) use draw::access::{BANKS, LANES, SECTOR, at, lanes, table};

use crate::directive::Directive;
use crate::fault::Reason;

/// The access that the options `words` or `bytes`, `width` and `lanes` describe, if there is one of the first two.
pub(crate) fn take(directive: &mut Directive) -> Result<Option<Access>, Reason> {
    let (space, formula, scale) = match (directive.maybe("words"), directive.maybe("bytes")) {
        (None, None) => return Ok(None),
        (Some(words), None) => (Space::Shared, words, 4),
        (None, Some(bytes)) => (Space::Global, bytes, 1),
        (Some(_), Some(_)) => {
            return Err(Reason::Wrong("write either `words=…` (shared) or `bytes=…` (global)".to_owned()));
        }
    };
    let width = width(directive)?;
    Access::of(space, &formula, scale, width).map(Some).map_err(Reason::Wrong)
}

/// The option `width=…`: bytes per lane, 4 where it is missing.
pub(crate) fn width(directive: &mut Directive) -> Result<u32, Reason> {
    match directive.maybe("width").as_deref() {
        None | Some("4") => Ok(4),
        Some("8") => Ok(8),
        Some("16") => Ok(16),
        Some(other) => Err(Reason::Wrong(format!("`width={other}` is none of 4, 8 and 16 bytes"))),
    }
}

/// A kernel that makes one load per lane: of the address in `addresses` that belongs to the lane, if it is not all ones.
/// The result goes to `out`, so that the load is needed. Returns the text, and the line of the load.
pub(crate) fn kernel(access: &Access) -> (String, u32) {
    let space = if access.space == Space::Shared { "shared" } else { "global" };
    let (vector, registers) = match access.width {
        16 => (".v4", "{%r4, %r5, %r6, %r7}"),
        8 => (".v2", "{%r4, %r5}"),
        _ => ("", "%r4"),
    };
    let text = format!(
        ".version 7.0
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 words[];
.visible .entry one_access(.param .u64 addresses, .param .u64 data, .param .u64 out)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [addresses];
    ld.param.u64 %rd2, [data];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 8;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.u64 %rd6, [%rd5];
    setp.eq.s64 %p1, %rd6, -1;
    @%p1 bra done;
    {base}
    ld.{space}{vector}.u32 {registers}, [%rd7];
    add.s64 %rd8, %rd3, %rd4;
    st.global.u32 [%rd8], %r4;
{rest}done:
    ret;
}}
",
        base = if access.space == Space::Shared {
            "mov.u64 %rd7, words; add.s64 %rd7, %rd7, %rd6;"
        } else {
            "add.s64 %rd7, %rd2, %rd6;"
        },
        rest = (5..4 + access.width / 4).map(|r| format!("    st.global.u32 [%rd8+4], %r{r};\n")).collect::<String>(),
    );
    let line =
        text.lines().position(|line| line.trim_start().starts_with(&format!("ld.{space}{vector}.u32 "))).unwrap_or(0);
    (text, line as u32 + 1)
}
