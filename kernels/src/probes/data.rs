//! Pseudo-random buffers for probes: the same on every machine.

/// Reads `TYPE*COUNT` or `TYPE*COUNT<LIMIT` and makes the buffer's bytes. Integers fill their type, or are below the
/// limit; floats are multiples of a power of two in [0, 1).
pub(super) fn buffer(text: &str, seed: u64) -> Result<Vec<u8>, String> {
    let malformed = || format!("`{text}` is not a buffer such as u32*1024 or u32*1024<100");
    let (kind, rest) = text.split_once('*').ok_or_else(malformed)?;
    let (count, limit) = match rest.split_once('<') {
        Some((count, limit)) => (count, Some(limit.parse::<u32>().map_err(|_| malformed())?)),
        None => (rest, None),
    };
    let count: u64 = count.parse().map_err(|_| malformed())?;
    if limit == Some(0) {
        return Err(malformed());
    }
    let values = (0..count).map(|index| match limit {
        Some(limit) => number(index, seed) % limit,
        None => number(index, seed),
    });
    Ok(match kind {
        "u32" | "i32" => values.flat_map(u32::to_le_bytes).collect(),
        "u16" => values.flat_map(|value| (value as u16).to_le_bytes()).collect(),
        "u8" => values.map(|value| value as u8).collect(),
        "f32" => values.flat_map(|value| ((value >> 8) as f32 / 16_777_216.0).to_le_bytes()).collect(),
        "f64" => values.flat_map(|value| (f64::from(value) / 4_294_967_296.0).to_le_bytes()).collect(),
        "f16" => values.flat_map(|value| half::f16::from_f32((value >> 24) as f32 / 256.0).to_le_bytes()).collect(),
        "bf16" => values.flat_map(|value| half::bf16::from_f32((value >> 24) as f32 / 256.0).to_le_bytes()).collect(),
        _ => return Err(malformed()),
    })
}

/// The finaliser of MurmurHash3 over a counter: every bit of the result depends on every bit of the index.
fn number(index: u64, seed: u64) -> u32 {
    let mut value = (index + 1).wrapping_add(seed * 0x1_0001).wrapping_mul(0x9e37_79b1) as u32;
    value ^= value >> 15;
    value = value.wrapping_mul(0x85eb_ca77);
    value ^= value >> 13;
    value = value.wrapping_mul(0xc2b2_ae3d);
    value ^ value >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_always_the_same() {
        assert_eq!(buffer("u32*2", 0).unwrap(), buffer("u32*2", 0).unwrap());
        assert_ne!(buffer("u32*2", 0).unwrap(), buffer("u32*2", 1).unwrap());
        assert_eq!(buffer("u16*3", 0).unwrap().len(), 6);
        assert!(buffer("u8*100<7", 3).unwrap().iter().all(|&value| value < 7));
        let floats = buffer("f32*100", 3).unwrap();
        assert!(floats.chunks(4).all(|b| (0.0..1.0).contains(&f32::from_le_bytes([b[0], b[1], b[2], b[3]]))));
        for malformed in ["u32*", "u32*x", "q*3", "u32*3<0", "u32*3<x"] {
            assert!(buffer(malformed, 0).is_err(), "{malformed}");
        }
    }
}
