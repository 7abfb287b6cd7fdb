//! The content of buffers and of variables, as a launch writes it: `f32[n]=random(seed=1)`, `i32[]=[1, 2, 3]`,
//! `u8[256]`, `zeros:4096`, `in:data.bin`.

use std::fs;
use std::path::Path;

use data::element::Element;
use data::expression::{self, Names};
use data::generate;

use crate::SpecError;

/// Largest buffer, in bytes: more fits on no GPU of the targets.
const LARGEST: u64 = 1 << 38;

/// What texts of a launch are read with.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Folder that files are relative to.
    pub folder: &'a Path,
    /// Names of numbers.
    pub names: &'a Names,
}

/// What a buffer holds at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Size in bytes.
    pub bytes: u64,
    /// The first bytes; the rest is zero.
    pub data: sim::Content,
    /// False for memory that nobody has written, as `cudaMalloc` gives it.
    pub written: bool,
    /// The type of the elements, if it was told.
    pub element: Option<Element>,
}

impl Content {
    fn of(data: Vec<u8>, element: Option<Element>) -> Self {
        Self { bytes: data.len() as u64, data: data.into(), written: true, element }
    }

    /// All its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.data.to_vec();
        bytes.resize(self.bytes as usize, 0);
        bytes
    }
}

fn usage(message: String) -> SpecError {
    SpecError::Usage(message)
}

/// Reads the content of a buffer. None if the text is no buffer at all, but perhaps a value.
///
/// # Errors
/// [`SpecError`], for what begins as a buffer and is none.
pub fn parse(text: &str, context: Context<'_>) -> Result<Option<Content>, SpecError> {
    let text = text.trim();
    if let Some((kind, rest)) = text.split_once(':') {
        match kind.trim() {
            "in" => return Ok(Some(Content::of(read(rest, context)?, None))),
            "zeros" | "uninit" => {
                let bytes = expression::count(rest, context.names).map_err(|why| usage(format!("{kind}: {why}")))?;
                return sized(Some(bytes), kind == "zeros", None).map(Some);
            }
            _ => {}
        }
    }
    let Some((kind, rest)) = text.split_once('[') else { return Ok(None) };
    let kind = kind.trim();
    if kind.is_empty() || kind.contains(['{', '&', ':', '(']) {
        return Ok(None);
    }
    let element = Element::find(kind)
        .ok_or_else(|| usage(format!("`{kind}` is not a type of elements; there are {}", Element::names())))?;
    let (count, rest) =
        rest.split_once(']').ok_or_else(|| usage(format!("`{text}` opens a [ and does not close it")))?;
    let rest = rest.trim();
    let count = match count.trim() {
        "" => None,
        count => Some(expression::count(count, context.names).map_err(|why| usage(format!("`{text}`: {why}")))?),
    };
    let bytes = count.map(|count| count.saturating_mul(element.bytes() as u64));
    if rest.is_empty() {
        return sized(bytes, false, Some(element)).map(Some);
    }
    let generator = rest.strip_prefix('=').map(str::trim);
    let generator =
        generator.ok_or_else(|| usage(format!("`{text}` is not {}[COUNT]=CONTENT: `{rest}`", element.name())))?;
    filled(element, count, generator, context).map(Some)
}

/// The content that stands behind `TYPE[COUNT]=`.
fn filled(element: Element, count: Option<u64>, generator: &str, context: Context<'_>) -> Result<Content, SpecError> {
    let data = if let Some(list) = generator.strip_prefix('[') {
        let list = list.strip_suffix(']');
        let list = list.ok_or_else(|| usage(format!("`{generator}` begins a list and does not end it")))?;
        Some(values(element, list.split(','), context)?)
    } else if let Some(path) = call(generator, "file") {
        let data = read(path, context)?;
        let (bytes, size) = (data.len(), element.bytes());
        if bytes % size != 0 {
            let message = format!("{path} has {bytes} bytes, no whole number of {} ({size} bytes)", element.name());
            return Err(usage(message));
        }
        Some(data)
    } else if let Some(path) = call(generator, "text") {
        let text = String::from_utf8(read(path, context)?);
        let text = text.map_err(|_| usage(format!("{path} is not text; file({path}) reads its bytes")))?;
        let numbers = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        Some(values(element, numbers, context)?)
    } else {
        None
    };
    if let Some(data) = data {
        // As in C, a list that is shorter than its array is followed by zeros.
        let elements = (data.len() / element.bytes()) as u64;
        let content = Content::of(data, Some(element));
        return match count {
            Some(count) if elements > count => {
                Err(usage(format!("`{generator}` has {elements} elements, and the buffer only {count}")))
            }
            Some(count) => {
                let bytes = sized(Some(count.saturating_mul(element.bytes() as u64)), true, None)?.bytes;
                Ok(Content { bytes, ..content })
            }
            None => Ok(content),
        };
    }
    let bytes = count.map(|count| count.saturating_mul(element.bytes() as u64));
    let mut content = sized(bytes, true, Some(element))?;
    content.data = generate::generate(element, count.unwrap_or(0), generator, context.names).map_err(usage)?.into();
    Ok(content)
}

/// What stands in the brackets of `name(…)`.
fn call<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')').map(str::trim)
}

fn sized(bytes: Option<u64>, written: bool, element: Option<Element>) -> Result<Content, SpecError> {
    let bytes = bytes.ok_or_else(|| usage("the number of elements is missing, such as f32[1024]".to_owned()))?;
    if bytes > LARGEST {
        return Err(usage(format!("a buffer of {bytes} bytes fits on no GPU")));
    }
    Ok(Content { bytes, data: sim::Content::default(), written, element })
}

fn read(path: &str, context: Context<'_>) -> Result<Vec<u8>, SpecError> {
    let path = context.folder.join(path.trim());
    let file = fs::metadata(&path).map_err(|why| SpecError::Read { path: path.clone(), why })?;
    if file.len() > LARGEST {
        return Err(usage(format!("{} has {} bytes, which fit on no GPU", path.display(), file.len())));
    }
    fs::read(&path).map_err(|why| SpecError::Read { path, why })
}

fn values<'a>(
    element: Element,
    texts: impl Iterator<Item = &'a str>,
    context: Context<'_>,
) -> Result<Vec<u8>, SpecError> {
    let mut bytes = Vec::new();
    for text in texts.map(str::trim).filter(|text| !text.is_empty()) {
        bytes.extend(element.evaluate(text, context.names).map_err(SpecError::Usage)?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{context, names};

    fn content(text: &str) -> Content {
        parse(text, context(&names())).unwrap().unwrap()
    }

    fn shown(text: &str) -> Vec<String> {
        let content = content(text);
        let element = content.element.unwrap();
        content.to_bytes().chunks(element.bytes()).map(|bytes| element.show(bytes)).collect()
    }

    #[test]
    fn every_form() {
        assert_eq!(shown("i32[]=[1, -2,n]"), ["1", "-2", "1000"]);
        assert_eq!(shown("u8[4]=[7]"), ["7", "0", "0", "0"]);
        assert_eq!(shown("u8[n/500]=0"), ["0", "0"]);
        assert_eq!(shown("float[2]=1.5"), ["1.5", "1.5"]);
        assert!(!content("i32[4]").written && !content("uninit:4").written && content("zeros:4").written);
        assert_eq!(content("zeros:4*n").bytes, 4000);
        assert_eq!(content(" f64 [ 8 ] = zeros").bytes, 64);
    }

    #[test]
    fn files_of_bytes_and_of_numbers() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.bin"), [1, 0, 2, 0]).unwrap();
        fs::write(folder.path().join("x.txt"), "1, 2\n3").unwrap();
        let names = names();
        let context = Context { folder: folder.path(), names: &names };
        let read = |text: &str| parse(text, context).map(|content| content.unwrap().to_bytes());
        assert_eq!(read("in:x.bin").unwrap(), [1, 0, 2, 0]);
        assert_eq!(read("u16[]=file(x.bin)").unwrap(), [1, 0, 2, 0]);
        assert_eq!(read("u16[3]=file(x.bin)").unwrap(), [1, 0, 2, 0, 0, 0]);
        assert_eq!(read("u8[]=text(x.txt)").unwrap(), [1, 2, 3]);
        for (wrong, part) in [
            ("i64[]=file(x.bin)", "no whole number of i64"),
            ("u16[1]=file(x.bin)", "has 2 elements, and the buffer only 1"),
            ("in:absent", "cannot read"),
            ("in:.", "cannot read"),
            ("u8[]=text(x.bin)", "not a"),
        ] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains(part), "{wrong}: {error}");
        }
    }

    #[test]
    fn values_are_no_buffers_and_slips_are_named() {
        let names = names();
        for value in ["i32:5", "f32:-1e3", "5", "q:1", "{i32:5}", "&x"] {
            assert_eq!(parse(value, context(&names)).unwrap(), None, "{value}");
        }
        for (wrong, part) in [
            ("q32[4]", "`q32` is not a type"),
            ("f32[4", "does not close"),
            ("f32[4]random", "not f32[COUNT]=CONTENT"),
            ("f32[]", "number of elements is missing"),
            ("f32[]=random", "number of elements is missing"),
            ("f32[m]", "no number is called `m`"),
            ("f32[n/3]", "ceil(n/3) rounds up"),
            ("f32[-1]", "from 0"),
            ("i32[]=[1,x]", "no number is called `x`"),
            ("i32[]=[1", "does not end"),
            ("i32[1]=[1,2]", "the buffer only 1"),
            ("zeros:-1", "from 0"),
            ("zeros:99999999999999", "fits on no GPU"),
            ("f64[99999999999999]=random", "fits on no GPU"),
            ("u8[99999999999999]=[1]", "fits on no GPU"),
        ] {
            let error = parse(wrong, context(&names)).unwrap_err().to_string();
            assert!(error.contains(part), "{wrong}: {error}");
        }
    }
}
