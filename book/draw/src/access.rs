//! One access of one warp: the addresses of its lanes, and the banks that they need.
//!
//! Addresses are written as a formula of `lane`. A lane whose formula is negative takes no part.

use expression::{Expression, Names};
use serde::{Deserialize, Serialize};

/// Lanes of a warp.
pub const LANES: u32 = 32;
/// Banks of shared memory.
pub const BANKS: u32 = 32;
/// Bytes of a sector.
pub const SECTOR: u64 = 32;

/// The memory that an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Shared memory; its unit of cost is the wavefront.
    Shared,
    /// Global memory; its unit of cost is the sector.
    Global,
}

impl Space {
    /// What an access costs, in the plural.
    pub const fn unit(self) -> &'static str {
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
    /// The access whose addresses are `formula` of `lane`, in units of `scale` bytes.
    ///
    /// # Errors
    /// A sentence: no formula, no lane, a lane between two elements or too far away.
    pub fn of(space: Space, formula: &str, scale: u64, width: u32) -> Result<Self, String> {
        let addresses = lanes(formula)?;
        let addresses: Vec<Option<u64>> = addresses.into_iter().map(|a| a.map(|a| a.saturating_mul(scale))).collect();
        Self::checked(space, formula, addresses, width)
    }

    /// The access of these byte addresses, which `formula` stands for in messages.
    ///
    /// # Errors
    /// A sentence, as for [`Access::of`].
    pub fn checked(space: Space, formula: &str, addresses: Vec<Option<u64>>, width: u32) -> Result<Self, String> {
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

    /// The byte address of every lane, 0 where it takes no part, and the lanes that do as a mask.
    pub fn lanes(&self) -> ([u64; 32], u32) {
        let mut addresses = [0; 32];
        let mut active = 0;
        for (lane, address) in self.addresses.iter().enumerate().take(32) {
            if let Some(address) = address {
                addresses[lane] = *address;
                active |= 1 << lane;
            }
        }
        (addresses, active)
    }

    /// The words of every bank, each with the lanes that need it, from low to high.
    pub fn banks(&self) -> Vec<Vec<(u64, Vec<u32>)>> {
        let mut banks: Vec<Vec<(u64, Vec<u32>)>> = vec![Vec::new(); BANKS as usize];
        for (lane, address) in (0..).zip(&self.addresses) {
            let Some(address) = address else { continue };
            for part in 0..u64::from(self.width.div_ceil(4)) {
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

/// The values of a formula of `lane` for all lanes; `None` where it is negative.
///
/// # Errors
/// A sentence: what is wrong with the formula.
pub fn lanes(formula: &str) -> Result<Vec<Option<u64>>, String> {
    table(formula, "lane", u64::from(LANES))
}

/// The values of a formula of one name, for 0 up to `count`; `None` where it is negative.
///
/// # Errors
/// A sentence: what is wrong with the formula.
pub fn table(formula: &str, name: &str, count: u64) -> Result<Vec<Option<u64>>, String> {
    let expression = Expression::parse(formula)?;
    (0..count).map(|value| at(&expression, formula, &Names::from([(name.to_owned(), value.into())]))).collect()
}

/// One value of a formula; `None` where it is negative.
///
/// # Errors
/// A sentence: what is wrong with the formula.
pub fn at(expression: &Expression, formula: &str, names: &Names) -> Result<Option<u64>, String> {
    let value = expression.value(names)?;
    let whole =
        value.whole().ok_or_else(|| format!("`{formula}` is {value} somewhere, no whole number: use floor(…)"))?;
    if whole < 0 {
        return Ok(None);
    }
    u64::try_from(whole).map(Some).map_err(|_| format!("`{formula}` is {whole} somewhere, which is too large"))
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
