//! What a place in memory is called in the kernel's source.

use crate::event::LaunchInfo;
use crate::ir::inst::Space;

/// The variable, and the element of `bytes` bytes, that lies at `address`.
pub(crate) fn name(launch: &LaunchInfo<'_>, space: Space, address: u64, bytes: u32) -> String {
    let bytes = u64::from(bytes);
    if space == Space::Shared {
        let variables = launch.program.shared_variables.iter();
        let end = |size: u64, at: u64| if size == 0 { launch.shared_bytes } else { at + size };
        let mut holders = variables.filter(|&&(_, at, size)| (at..end(size, at)).contains(&address));
        return match holders.next() {
            // Two dynamic arrays begin at the same place, and any of their names may be the right one.
            Some((name, at, 0)) if holders.next().is_none() => element(source_name(name), address - at, bytes, false),
            Some((name, at, size)) if *size > 0 => element(source_name(name), address - at, bytes, *size == bytes),
            _ => format!("byte {address} of shared memory"),
        };
    }
    match launch.global.find(address, 1) {
        Some(allocation) => {
            let offset = address - allocation.base;
            if allocation.name.starts_with("argument ") {
                format!("element {} of {}", offset / bytes, allocation.name)
            } else {
                element(source_name(&allocation.name), offset, bytes, allocation.bytes == bytes)
            }
        }
        None => format!("address {address:#x}"),
    }
}

fn element(name: &str, offset: u64, bytes: u64, scalar: bool) -> String {
    if scalar { format!("`{name}`") } else { format!("`{name}[{}]`", offset / bytes) }
}

/// The last identifier of a name that the C++ compiler mangled (`_ZZ4scanPfE4temp` is `temp`), or the name itself.
pub(crate) fn source_name(name: &str) -> &str {
    if !name.starts_with("_Z") {
        return name;
    }
    // <length><identifier>, at the end but for a discriminator such as `_0` and the `E` that closes a nested name.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('_').unwrap_or(name);
    for stem in [name, stem, name.strip_suffix('E').unwrap_or(name)] {
        let lengths = stem.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
        for at in lengths {
            let identifier = stem[at..].trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = &stem[at..stem.len() - identifier.len()];
            if !identifier.is_empty() && digits.parse() == Ok(identifier.len()) {
                return identifier;
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn mangled_names_are_read() {
        assert_eq!(source_name("tile"), "tile");
        assert_eq!(source_name("_ZZ4scanPfE4temp"), "temp");
        assert_eq!(source_name("_ZZ6kernelvE5cache_0"), "cache");
        assert_eq!(source_name("_ZN4cuda5countE"), "count");
        assert_eq!(source_name("_ZZ9transposePfPKfiE12tile_of_ints"), "tile_of_ints");
        assert_eq!(source_name("_Z"), "_Z");
    }
}
