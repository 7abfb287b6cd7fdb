//! The parameters of a kernel, read from its PTX.
//!
//! The driver believes whatever pointers a launch hands it: with one argument too few it reads past the end of the
//! list. So a launch is held against the kernel's declaration first.

/// The parameters of kernel `name` in bytes each, `None` when the PTX has no such kernel.
pub(super) fn of(ptx: &str, name: &str) -> Option<Vec<usize>> {
    entries(ptx).find(|(entry, _)| *entry == name).and_then(|(_, params)| sizes(params))
}

/// The names of all kernels in the PTX.
pub(super) fn kernels(ptx: &str) -> Vec<&str> {
    entries(ptx).map(|(name, _)| name).collect()
}

/// Name and parameter list of every `.entry`. Compilers write the directive at the start of a line, so a comment
/// or a string cannot look like one.
fn entries(ptx: &str) -> impl Iterator<Item = (&str, &str)> {
    let starts = ptx.match_indices(".entry ").map(|(at, found)| (at, at + found.len()));
    starts.filter_map(|(at, end)| {
        let line = &ptx[ptx[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
        if !line.split_whitespace().all(|word| word.starts_with('.')) {
            return None;
        }
        let rest = ptx[end..].trim_start();
        let name_end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c)))?;
        let (name, rest) = rest.split_at(name_end);
        let rest = rest.trim_start();
        let params = rest.strip_prefix('(').map_or(Some(""), |list| list.split_once(')').map(|(params, _)| params))?;
        Some((name, params))
    })
}

fn sizes(params: &str) -> Option<Vec<usize>> {
    params.split(',').map(str::trim).filter(|param| !param.is_empty()).map(size).collect()
}

/// Size of one declaration, such as `.param .align 8 .b8 name[16]` or `.param .u64 .ptr .global .align 4 name`.
fn size(param: &str) -> Option<usize> {
    let element = param.split_whitespace().find_map(|word| match word {
        ".b8" | ".u8" | ".s8" => Some(1),
        ".b16" | ".u16" | ".s16" | ".f16" => Some(2),
        ".b32" | ".u32" | ".s32" | ".f32" => Some(4),
        ".b64" | ".u64" | ".s64" | ".f64" => Some(8),
        ".b128" => Some(16),
        _ => None,
    })?;
    let count = match param.split_once('[') {
        None => 1,
        Some((_, rest)) => rest.trim_end().strip_suffix(']')?.trim().parse().ok()?,
    };
    Some(element * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "
.version 9.0
// .entry commented(
.visible .entry first(
	.param .u64 .ptr .align 1 first_param_0,
	.param .u32 first_param_1,
	.param .align 8 .b8 first_param_2[24]
)
{
}
.weak .entry second()
.maxntid 128, 1, 1
{
}
.entry third
{
}
";

    #[test]
    fn parameters_are_read_in_order() {
        assert_eq!(kernels(PTX), ["first", "second", "third"]);
        assert_eq!(of(PTX, "first"), Some(vec![8, 4, 24]));
        assert_eq!(of(PTX, "second"), Some(vec![]));
        assert_eq!(of(PTX, "third"), Some(vec![]));
        assert_eq!(of(PTX, "fourth"), None);
        assert_eq!(of(".entry broken(.param .u32", "broken"), None);
    }
}
