//! Products of matrices whose elements the lanes of a warp hold together.
//!
//! How the elements lie is the PTX manual's (9.7.15.5): the registers of a fragment are those of `mma`, one behind the
//! other.

use crate::machine_code::op::{MatrixProduct, Row};
use crate::machine_code::warp::Warp;

/// Every lane's two halves of an 8 × 8 matrix, transposed: lane `l` holds columns `l % 4 * 2` and the next of row `l / 4`.
pub(super) fn turned(a: &Row) -> Row {
    let half = |row: usize, column: usize| a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        half(column, row) | half(column + 1, row) << 16
    })
}

/// Row and column of an element of A, or of B with rows and columns exchanged: `lane` holds it as number `element` of its
/// fragment, of `rows` rows, elements of `bits` bits.
fn place(lane: usize, element: usize, rows: usize, bits: u32) -> (usize, usize) {
    let per = (32 / bits).max(1) as usize;
    let (register, within) = (element / per, element % per);
    let column = lane % 4 * per + within;
    if rows == 8 {
        (lane / 4, column + register * 4 * per)
    } else {
        (lane / 4 + 8 * (register % 2), column + register / 2 * 4 * per)
    }
}

/// Executes a product; all lanes take part.
#[inline(never)]
pub(super) fn product(warp: &mut Warp, product: &MatrixProduct, active: u32) {
    let MatrixProduct { shape: (m, n, k), product: what, d, a, b, c } = product;
    let (m, n, k) = (*m, *n, *k);
    let matrix = |register: u8, rows: usize, columns: usize, bits: u32| {
        let mut values = vec![0u64; rows * columns];
        if register == 255 {
            return values;
        }
        for lane in 0..32 {
            for element in 0..rows * columns / 32 {
                let (row, column) = place(lane, element, rows, bits);
                let at = usize::from(register) + element * bits as usize / 32;
                let value = if bits == 64 {
                    u64::from(warp.r[at][lane]) | u64::from(warp.r[at + 1][lane]) << 32
                } else {
                    let shift = element as u32 * bits % 32;
                    u64::from(warp.r[at][lane]) >> shift & ((1 << bits) - 1)
                };
                values[row * columns + column] = value;
            }
        }
        values
    };
    let rows = matrix(*a, m, k, what.a.bits());
    // The columns of B lie as the rows of an A with 8 rows do.
    let columns = matrix(*b, n, k, what.b.bits());
    let bits = what.c.bits();
    let mut values = vec![0u64; m * n];
    let addend = accumulator(warp, *c, (m, n), bits);
    for row in 0..m {
        for column in 0..n {
            let (x, y) = (&rows[row * k..][..k], &columns[column * k..][..k]);
            values[row * n + column] = what.element(x, y, addend[row * n + column]);
        }
    }
    if *d == 255 {
        return;
    }
    let count = m * n / 32;
    let words = count * bits as usize / 32;
    for part in 0..words {
        let row: Row = std::array::from_fn(|lane| {
            let value = |element: usize| {
                let (row, column) = accumulator_place(lane, element);
                values[row * n + column]
            };
            match bits {
                64 => (value(part / 2) >> (32 * (part % 2))) as u32,
                16 => value(2 * part) as u32 & 0xffff | (value(2 * part + 1) as u32) << 16,
                _ => value(part) as u32,
            }
        });
        warp.set_lane(d + part as u8, &row, active);
    }
}

/// Row and column of an element of C or D: two columns of one row, then those eight rows below.
const fn accumulator_place(lane: usize, element: usize) -> (usize, usize) {
    (lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2)
}

fn accumulator(warp: &Warp, register: u8, (m, n): (usize, usize), bits: u32) -> Vec<u64> {
    let mut values = vec![0u64; m * n];
    if register == 255 {
        return values;
    }
    for lane in 0..32 {
        for element in 0..m * n / 32 {
            let (row, column) = accumulator_place(lane, element);
            let at = usize::from(register) + element * bits as usize / 32;
            values[row * n + column] = match bits {
                64 => u64::from(warp.r[at][lane]) | u64::from(warp.r[at + 1][lane]) << 32,
                16 => u64::from(warp.r[at][lane]) >> (16 * (element % 2)) & 0xffff,
                _ => u64::from(warp.r[at][lane]),
            };
        }
    }
    values
}
