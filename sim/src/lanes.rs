//! Masks of lanes: bit `i` stands for lane `i` of a warp.

/// The mask of those of a mask's lanes for which something holds.
pub(crate) fn lanes_where(mask: u32, holds: impl Fn(u32) -> bool) -> u32 {
    lanes_of(mask).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane)
}

/// The lanes of a mask, lowest first.
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = u32> + Clone {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// Lanes in words: `lane 3`, `lanes 0 to 15`, `lanes 1, 5 and 9`.
pub(crate) fn lanes_text(lanes: u32) -> String {
    let list: Vec<u32> = (0..32).filter(|lane| lanes >> lane & 1 != 0).collect();
    match list[..] {
        [] => "no lane".to_owned(),
        [only] => format!("lane {only}"),
        [first, .., last] if last - first + 1 == list.len() as u32 => format!("lanes {first} to {last}"),
        [.., last] => {
            let head: Vec<String> = list[..list.len() - 1].iter().map(u32::to_string).collect();
            format!("lanes {} and {last}", head.join(", "))
        }
    }
}
