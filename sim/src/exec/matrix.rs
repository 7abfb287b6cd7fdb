//! Matrix instructions: products of fragments, and moving them between registers and memory.

use super::access_events;
use super::memory::{Attempt, Outside, addresses, aligned, by_space, note_misses, read, write};
use crate::event::{MemoryEvent, MemoryKind, Observer};
use crate::ir::inst::{Access, Address, Fragment, Matrix, MatrixKind, Multiply, Pc, Reg, Rows, Space, Transfer};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::registers::{Constants, Registers, Row64};
use crate::machine::warp::Warp;
use crate::memory::rows::Layout;

/// Executes a matrix instruction for the lanes `active`, normally all.
pub(super) fn execute<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, matrix: &Matrix, active: u32) {
    match &matrix.kind {
        MatrixKind::Multiply(multiply) => product(&mut warp.registers, &block.machine.constants, multiply, active),
        MatrixKind::Transfer(transfer) => move_fragment(warp, block, pc, transfer, active),
        MatrixKind::Rows(rows) => move_rows(warp, block, pc, rows, active),
        &MatrixKind::Transpose { d, a } => {
            let a = *warp.registers.w(&block.machine.constants, a);
            warp.registers.set_w(d, &turned(&a), active);
        }
    }
}

/// The matrix in a fragment, row after row. Of elements that are there more than once, the first counts.
fn dense(
    registers: &Registers,
    constants: &Constants,
    fragment: &Fragment,
    (rows, columns): (usize, usize),
) -> Vec<u64> {
    let mut matrix = vec![None; rows * columns];
    let words: Vec<Row64> = fragment.registers.iter().map(|&reg| registers.wide(constants, reg)).collect();
    let per = fragment.per_register();
    let mask = if fragment.bits == 64 { u64::MAX } else { (1 << fragment.bits) - 1 };
    let each = words.len() * per;
    for (at, &(row, column)) in fragment.places.iter().enumerate() {
        let (lane, element) = (at / each, at % each);
        let value = words[element / per][lane] >> (fragment.bits as usize * (element % per)) & mask;
        matrix[usize::from(row) * columns + usize::from(column)].get_or_insert(value);
    }
    matrix.into_iter().map(Option::unwrap_or_default).collect()
}

/// Writes the elements that `value` gives for row and column into the registers of a fragment.
fn scatter(registers: &mut Registers, fragment: &Fragment, active: u32, value: impl Fn(usize, usize) -> u64) {
    let per = fragment.per_register();
    let each = fragment.registers.len() * per;
    for (at, &reg) in fragment.registers.iter().enumerate() {
        let word = |lane: usize| {
            (0..per).fold(0, |word, i| {
                let (row, column) = fragment.places[lane * each + at * per + i];
                word | value(row.into(), column.into()) << (fragment.bits as usize * i)
            })
        };
        registers.set_wide(reg, &std::array::from_fn(word), active);
    }
}

fn product(registers: &mut Registers, constants: &Constants, multiply: &Multiply, active: u32) {
    let (m, n, k) = multiply.shape;
    let a = dense(registers, constants, &multiply.a, (m, k));
    let b = dense(registers, constants, &multiply.b, (k, n));
    let c = dense(registers, constants, &multiply.c, (m, n));
    let columns: Vec<Vec<u64>> = (0..n).map(|column| (0..k).map(|row| b[row * n + column]).collect()).collect();
    let element = |at: usize| multiply.product.element(&a[at / n * k..][..k], &columns[at % n], c[at]);
    let d: Vec<u64> = (0..m * n).map(element).collect();
    scatter(registers, &multiply.d, active, |row, column| d[row * n + column]);
}

/// Every lane's two halves of an 8 × 8 matrix, transposed: lane `l` holds columns `l % 4 * 2` and the next of row `l / 4`.
fn turned(a: &[u32; 32]) -> [u32; 32] {
    let half = |row: usize, column: usize| a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        half(column, row) | half(column + 1, row) << 16
    })
}

/// `wmma.load` and `wmma.store`: neighbouring elements of a register that are neighbours in memory move together.
fn move_fragment<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, transfer: &Transfer, active: u32) {
    let bases = addresses(warp, block, transfer.address);
    let strides = warp.registers.wide(&block.machine.constants, transfer.stride);
    let fragment = &transfer.fragment;
    let bytes = u64::from(fragment.bits / 8);
    let per = fragment.per_register();
    let each = fragment.registers.len() * per;
    let address = |lane: usize, element: usize| {
        let (row, column) = fragment.places[lane * each + element];
        let (line, within) = if transfer.by_columns { (column, row) } else { (row, column) };
        let offset = u64::from(line).wrapping_mul(strides[lane]).wrapping_add(within.into());
        bases[lane].wrapping_add(offset.wrapping_mul(bytes))
    };
    for (at, &reg) in fragment.registers.iter().enumerate() {
        let whole = bytes * per as u64;
        let together = lanes_of(active).all(|lane| {
            let first = address(lane as usize, at * per);
            let next = |i: usize| address(lane as usize, at * per + i) == first.wrapping_add(i as u64 * bytes);
            first.is_multiple_of(whole) && (1..per).all(next)
        });
        let (pieces, width) = if together { (1, whole as u32) } else { (per, bytes as u32) };
        let mut words = if transfer.store { warp.registers.wide(&block.machine.constants, reg) } else { [0; 32] };
        for piece in 0..pieces {
            let to: Row64 = std::array::from_fn(|lane| address(lane, at * per + piece));
            let shift = width * 8 * piece as u32;
            let access = one(transfer.space, reg, width);
            if transfer.store {
                let values = words.map(|word| word >> shift);
                put(warp, block, pc, &access, &to, &values, active);
            } else {
                let values = get(warp, block, pc, &access, &to, active);
                words.iter_mut().zip(values).for_each(|(word, value)| *word |= value << shift);
            }
        }
        if !transfer.store {
            warp.registers.set_wide(reg, &words, active);
        }
    }
}

/// `ldmatrix` and `stmatrix`: lane `8 * i + r` has the address of row `r`, 16 bytes, of matrix `i`.
fn move_rows<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, rows: &Rows, active: u32) {
    let to = addresses(warp, block, rows.address);
    let given = rows.registers.len() * 8;
    let lanes = active & (u32::MAX >> (32 - given));
    let mut content = [[0u32; 4]; 32];
    if rows.store {
        for (matrix, &slot) in rows.registers.iter().enumerate() {
            let row = *warp.registers.w(&block.machine.constants, slot);
            let row = if rows.transposed { turned(&row) } else { row };
            for (lane, word) in row.into_iter().enumerate() {
                content[matrix * 8 + lane / 4][lane % 4] = word;
            }
        }
    }
    by_space(rows.space, &to, lanes, |space, to, lanes| {
        let kind = match (space, rows.store) {
            (Space::Shared, false) => MemoryKind::SharedLoad,
            (Space::Shared, true) => MemoryKind::SharedStore,
            (_, false) => MemoryKind::GlobalLoad,
            (_, true) => MemoryKind::GlobalStore,
        };
        block.observer.memory(&MemoryEvent { pc, active: lanes, addresses: to, width: 16, layout: Layout::Any, kind });
        if O::CHECKS {
            let access = one(space, Reg::W(rows.registers[0], 32), 16);
            if rows.store {
                access_events::store(warp, block, pc, &access, space, to, lanes);
            } else {
                access_events::load(warp, block, pc, &access, space, to, lanes);
            }
        }
        block.changes += u64::from(rows.store);
        let (good, misaligned) = aligned(to, lanes, 16);
        let mut outside = 0;
        for lane in lanes_of(good) {
            for (at, word) in content[lane as usize].iter_mut().enumerate() {
                let address = to[lane as usize].wrapping_add(4 * at as u64);
                let done = if rows.store {
                    write(warp, block, space, lane as usize, address, 4, (*word).into())
                } else {
                    read(warp, block, space, lane as usize, address, 4).map(|value| *word = value as u32)
                };
                if done.is_err() {
                    outside |= 1 << lane;
                }
            }
        }
        if misaligned | outside != 0 {
            let verb = if rows.store { "writes" } else { "reads" };
            note_misses(warp, block, pc, &Attempt { verb, space, addresses: to, width: 16 }, (misaligned, outside));
        }
    });
    if !rows.store {
        for (matrix, &slot) in rows.registers.iter().enumerate() {
            let row = std::array::from_fn(|lane| content[matrix * 8 + lane / 4][lane % 4]);
            warp.registers.set_w(slot, &if rows.transposed { turned(&row) } else { row }, active);
        }
    }
}

/// An access of one register, for those who watch.
fn one(space: Space, register: Reg, bytes: u32) -> Access {
    let address = Address::new(None, 0);
    Access { space, address, bytes: bytes as u8, signed: false, registers: vec![Some(register)], strong: false }
}

fn get<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    from: &Row64,
    active: u32,
) -> Row64 {
    let mut values = [0; 32];
    let width = u32::from(access.bytes);
    by_space(access.space, from, active, |space, from, active| {
        if let Some(kind) = kind(space, false) {
            block.observer.memory(&MemoryEvent { pc, active, addresses: from, width, layout: Layout::Any, kind });
        }
        if O::CHECKS {
            access_events::load(warp, block, pc, access, space, from, active);
        }
        let (good, misaligned) = aligned(from, active, width);
        let mut outside = 0;
        for lane in lanes_of(good) {
            match read(warp, block, space, lane as usize, from[lane as usize], width) {
                Ok(value) => values[lane as usize] = value,
                Err(Outside) => outside |= 1 << lane,
            }
        }
        if misaligned | outside != 0 {
            let attempt = Attempt { verb: "reads", space, addresses: from, width };
            note_misses(warp, block, pc, &attempt, (misaligned, outside));
        }
    });
    values
}

fn put<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    to: &Row64,
    values: &Row64,
    active: u32,
) {
    let width = u32::from(access.bytes);
    by_space(access.space, to, active, |space, to, active| {
        if let Some(kind) = kind(space, true) {
            block.observer.memory(&MemoryEvent { pc, active, addresses: to, width, layout: Layout::Any, kind });
        }
        if O::CHECKS {
            access_events::store(warp, block, pc, access, space, to, active);
        }
        block.changes += 1;
        let (good, misaligned) = aligned(to, active, width);
        let mut outside = 0;
        for lane in lanes_of(good) {
            let (address, value) = (to[lane as usize], values[lane as usize]);
            if write(warp, block, space, lane as usize, address, width, value).is_err() {
                outside |= 1 << lane;
            }
        }
        if misaligned | outside != 0 {
            let attempt = Attempt { verb: "writes", space, addresses: to, width };
            note_misses(warp, block, pc, &attempt, (misaligned, outside));
        }
    });
}

const fn kind(space: Space, store: bool) -> Option<MemoryKind> {
    Some(match (space, store) {
        (Space::Shared, false) => MemoryKind::SharedLoad,
        (Space::Shared, true) => MemoryKind::SharedStore,
        (Space::Global, false) => MemoryKind::GlobalLoad,
        (Space::Global, true) => MemoryKind::GlobalStore,
        (Space::Local, false) => MemoryKind::LocalLoad,
        (Space::Local, true) => MemoryKind::LocalStore,
        _ => return None,
    })
}
