//! One access of one warp: what a figure shows and a question asks about, and what the simulator says that it costs.
//!
//! Directives write the lanes' addresses as a formula of `lane`: `words="lane * 2"` for 32-bit words of shared memory,
//! `bytes="lane * 8"` for byte addresses of global memory. A lane whose formula is negative takes no part.

use kernels::launch::expression::{Expression, Names};

use crate::directive::Directive;
use crate::fault::Reason;

/// Lanes of a warp.
pub(crate) const LANES: u32 = 32;
/// Banks of shared memory.
pub(crate) const BANKS: u32 = 32;
/// Bytes of a sector.
pub(crate) const SECTOR: u64 = 32;

/// The memory that an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Shared memory; its unit of cost is the wavefront.
    Shared,
    /// Global memory; its unit of cost is the sector.
    Global,
}

impl Space {
    /// What an access costs, in the plural.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::Shared => "wavefronts",
            Self::Global => "sectors",
        }
    }
}

/// One load of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Where to.
    pub space: Space,
    /// Bytes per lane: 4, 8 or 16.
    pub width: u32,
    /// The byte address of each of the 32 lanes, from the start of the memory; `None` where a lane takes no part.
    pub addresses: Vec<Option<u64>>,
}

impl Access {
    /// The access that the options `words` or `bytes`, `width` and `lanes` describe, if there is one of the first two.
    pub(crate) fn take(directive: &mut Directive) -> Result<Option<Self>, Reason> {
        let (space, formula, scale) = match (directive.maybe("words"), directive.maybe("bytes")) {
            (None, None) => return Ok(None),
            (Some(words), None) => (Space::Shared, words, 4),
            (None, Some(bytes)) => (Space::Global, bytes, 1),
            (Some(_), Some(_)) => {
                return Err(Reason::Wrong("write either `words=…` (shared) or `bytes=…` (global)".to_owned()));
            }
        };
        let width = width(directive)?;
        Self::of(space, &formula, scale, width).map(Some).map_err(Reason::Wrong)
    }

    /// The access whose addresses are `formula` of `lane`, in units of `scale` bytes.
    pub(crate) fn of(space: Space, formula: &str, scale: u64, width: u32) -> Result<Self, String> {
        let addresses = lanes(formula)?;
        let addresses: Vec<Option<u64>> = addresses.into_iter().map(|a| a.map(|a| a * scale)).collect();
        if addresses.iter().all(Option::is_none) {
            return Err(format!("`{formula}` leaves no lane to make the access"));
        }
        if let Some(odd) = addresses.iter().flatten().find(|address| *address % u64::from(width) != 0) {
            return Err(format!("`{formula}` has a lane at byte {odd}, which is no multiple of {width} bytes"));
        }
        if let Some(far) = addresses.iter().flatten().find(|address| **address >= 1 << 17) {
            return Err(format!("`{formula}` has a lane at byte {far}; addresses up to 131071 can be shown"));
        }
        Ok(Self { space, width, addresses })
    }

    /// The words of every bank, each with the lanes that need it, from low to high.
    pub(crate) fn banks(&self) -> Vec<Vec<(u64, Vec<u32>)>> {
        let mut banks: Vec<Vec<(u64, Vec<u32>)>> = vec![Vec::new(); BANKS as usize];
        for (lane, address) in (0..).zip(&self.addresses) {
            let Some(address) = address else { continue };
            for part in 0..u64::from(self.width / 4) {
                let word = address / 4 + part;
                let bank = &mut banks[(word % u64::from(BANKS)) as usize];
                match bank.iter_mut().find(|(own, _)| *own == word) {
                    Some((_, lanes)) => lanes.push(lane),
                    None => bank.push((word, vec![lane])),
                }
            }
        }
        banks.iter_mut().for_each(|bank| bank.sort_by_key(|(word, _)| *word));
        banks
    }
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

/// The values of a formula of `lane` for all lanes; `None` where it is negative.
pub(crate) fn lanes(formula: &str) -> Result<Vec<Option<u64>>, String> {
    table(formula, "lane", u64::from(LANES))
}

/// The values of a formula of one name, for 0 up to `count`; `None` where it is negative.
pub(crate) fn table(formula: &str, name: &str, count: u64) -> Result<Vec<Option<u64>>, String> {
    let expression = Expression::parse(formula)?;
    (0..count).map(|value| at(&expression, formula, &Names::from([(name.to_owned(), value.into())]))).collect()
}

/// One value of a formula; `None` where it is negative.
pub(crate) fn at(expression: &Expression, formula: &str, names: &Names) -> Result<Option<u64>, String> {
    let value = expression.value(names)?;
    let whole =
        value.whole().ok_or_else(|| format!("`{formula}` is {value} somewhere, no whole number: use floor(…)"))?;
    if whole < 0 {
        return Ok(None);
    }
    u64::try_from(whole).map(Some).map_err(|_| format!("`{formula}` is {whole} somewhere, which is too large"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_give_addresses_and_may_leave_lanes_out() {
        let access = Access::of(Space::Shared, "lane * 2 - 8", 4, 4).unwrap();
        assert_eq!((access.addresses[3], access.addresses[5]), (None, Some(8)));
        assert!(Access::of(Space::Global, "lane * 2", 1, 4).unwrap_err().contains("no multiple of 4"));
        assert!(Access::of(Space::Global, "lane / 2", 1, 4).unwrap_err().contains("no whole number"));
        assert!(Access::of(Space::Global, "-1", 1, 4).unwrap_err().contains("no lane"));
    }

    #[test]
    fn banks_hold_words_and_words_hold_lanes() {
        let same = Access::of(Space::Shared, "floor(lane / 16) * 32", 4, 4).unwrap().banks();
        assert_eq!(same[0].iter().map(|(word, lanes)| (*word, lanes.len())).collect::<Vec<_>>(), [(0, 16), (32, 16)]);
        assert!(same[1..].iter().all(Vec::is_empty));
    }
}
