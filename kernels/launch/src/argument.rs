//! A kernel's arguments as a launch writes them: `1024`, `f32:0.5`, `f32[n]=random`, `&x+128`, `{i32:3, &x}`, `null`.

use data::element::Element;
use data::{expression, split};

use crate::SpecError;
use crate::content::{self, Content, Context};

/// What an argument is.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A buffer of its own; the kernel gets its address.
    Buffer(Buffer),
    /// A value: a scalar, a struct, a pointer.
    Value(Value),
}

/// A buffer: its content, and the addresses in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// What it holds at the start.
    pub content: Content,
    /// Addresses of other buffers that it holds.
    pub pointers: Vec<Pointer>,
}

/// A value as it lies in memory, with the addresses in it still open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// The bytes; zero where an address belongs.
    pub bytes: Vec<u8>,
    /// The addresses.
    pub pointers: Vec<Pointer>,
}

/// An address to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// Where it lies in its value.
    pub at: usize,
    /// What it points to: the name of a buffer, or the number of an argument.
    pub to: String,
    /// Bytes behind the beginning.
    pub offset: u64,
}

/// How to write an argument, for messages.
const FORMS: &str = "write a number, as 5 or i32:5; a buffer, as f32[1024]=random or zeros:4096; the address of a \
                     buffer, as &x; a struct, as {i32:3, &x}; bytes:HEX; or null";

/// Largest struct by value that a kernel takes, in bytes.
const LARGEST_STRUCT: u64 = 1 << 15;

fn usage(message: String) -> SpecError {
    SpecError::Usage(message)
}

/// Reads an argument. `element` is the type of the parameter, if it is a scalar: a number needs no type then.
///
/// # Errors
/// [`SpecError`].
pub fn parse(text: &str, element: Option<Element>, context: Context<'_>) -> Result<Argument, SpecError> {
    match buffer(text, context)? {
        Some(buffer) => Ok(Argument::Buffer(buffer)),
        None => value(text, element, context).map(Argument::Value),
    }
}

/// Reads a buffer: content, or a list of addresses `ptr[]=[&x, &y+64, null]`.
///
/// # Errors
/// [`SpecError`].
pub fn buffer(text: &str, context: Context<'_>) -> Result<Option<Buffer>, SpecError> {
    let list = text.trim().strip_prefix("ptr").map(str::trim_start).filter(|rest| rest.starts_with('['));
    let Some(list) = list else {
        return Ok(content::parse(text, context)?.map(|content| Buffer { content, pointers: Vec::new() }));
    };
    let list = list.split_once('=').map_or("", |(_, list)| list.trim());
    let list = list.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let list = list.ok_or_else(|| usage(format!("`{text}` is not ptr[]=[&NAME, …]")))?;
    let mut whole = Value::default();
    for field in split(list).into_iter().filter(|field| !field.is_empty()) {
        let value = if field == "null" || field.starts_with('&') {
            value(field, None, context)?
        } else {
            return Err(usage(format!("`{field}` is no address: ptr[]=[&x, &y+64, null]")));
        };
        append(&mut whole, value, 8);
    }
    let bytes = whole.bytes.len() as u64;
    let content = Content { bytes, data: whole.bytes.into(), written: true, element: Some(Element::U64) };
    Ok(Some(Buffer { content, pointers: whole.pointers }))
}

/// Reads a value.
fn value(text: &str, element: Option<Element>, context: Context<'_>) -> Result<Value, SpecError> {
    let text = text.trim();
    if text == "null" {
        return Ok(Value { bytes: vec![0; 8], ..Value::default() });
    }
    if let Some(place) = text.strip_prefix('&') {
        return address(place, context);
    }
    if let Some(inner) = text.strip_prefix('{') {
        let inner = inner.strip_suffix('}');
        let inner = inner.ok_or_else(|| usage(format!("`{text}` begins a struct and does not end it")))?;
        return Ok(fields(inner, context, 0)?.0);
    }
    if let Some(hex) = text.strip_prefix("bytes:") {
        let digits: Vec<u8> = hex.bytes().filter(|byte| !matches!(byte, b' ' | b'_')).collect();
        let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
        let byte = |pair: &[u8]| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?);
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        let bytes = bytes.ok_or_else(|| usage(format!("`{hex}` is not pairs of hexadecimal digits")))?;
        return Ok(Value { bytes, ..Value::default() });
    }
    if let Some((kind, rest)) = text.split_once(':') {
        let element = Element::find(kind.trim());
        let element =
            element.ok_or_else(|| usage(format!("`{kind}` is not a type; there are {}; {FORMS}", Element::names())))?;
        let bytes = element.evaluate(rest, context.names).map_err(SpecError::Usage)?;
        return Ok(Value { bytes, pointers: Vec::new() });
    }
    let name = expression::is_name(text) && !context.names.contains_key(text) && Element::find(text).is_none();
    let address_fits = element.is_none_or(|element| matches!(element, Element::I64 | Element::U64));
    if name && address_fits && !matches!(text, "true" | "false") {
        // This can only be a buffer.
        return address(text, context);
    }
    if let Some(element) = element {
        let bytes = element.convert(text, context.names).map_err(SpecError::Usage)?;
        return Ok(Value { bytes, pointers: Vec::new() });
    }
    Err(usage(format!("`{text}` is no buffer, struct or number with a type (i32:{text}); {FORMS}")))
}

fn address(place: &str, context: Context<'_>) -> Result<Value, SpecError> {
    let (to, offset) = match place.split_once('+') {
        Some((to, offset)) => (to, expression::count(offset, context.names).map_err(SpecError::Usage)?),
        None => (place, 0),
    };
    let to = to.trim();
    if to.is_empty() {
        return Err(usage(format!("`&{place}` names no buffer: write &NAME, or &0 for the buffer of argument 0")));
    }
    Ok(Value { bytes: vec![0; 8], pointers: vec![Pointer { at: 0, to: to.to_owned(), offset }] })
}

/// Puts a value behind what is there, at a multiple of `align`.
fn append(whole: &mut Value, value: Value, align: usize) {
    let at = whole.bytes.len().next_multiple_of(align);
    whole.bytes.resize(at, 0);
    whole.bytes.extend(value.bytes);
    whole.pointers.extend(value.pointers.into_iter().map(|pointer| Pointer { at: at + pointer.at, ..pointer }));
}

/// Reads the fields of a struct and lays them out as C does: each at a multiple of its alignment, the whole padded to a
/// multiple of the largest, which is the second result.
fn fields(text: &str, context: Context<'_>, depth: u32) -> Result<(Value, usize), SpecError> {
    if depth > 16 {
        return Err(usage("more than 16 structs are nested".to_owned()));
    }
    let mut whole = Value::default();
    let mut largest = 1;
    for field in split(text).into_iter().filter(|field| !field.is_empty()) {
        let (value, align) = match field.strip_prefix('{') {
            Some(inner) => {
                let inner = inner.strip_suffix('}');
                let inner = inner.ok_or_else(|| usage(format!("`{field}` begins a struct and does not end it")))?;
                fields(inner, context, depth + 1)?
            }
            None => field_of(field, context)?,
        };
        largest = largest.max(align);
        append(&mut whole, value, align);
        if whole.bytes.len() as u64 > LARGEST_STRUCT {
            return Err(usage(format!("a struct by value has at most {LARGEST_STRUCT} bytes")));
        }
    }
    append(&mut whole, Value::default(), largest);
    Ok((whole, largest))
}

/// A field that is no struct, and the multiple that it lies at.
fn field_of(text: &str, context: Context<'_>) -> Result<(Value, usize), SpecError> {
    if let Some(bytes) = text.strip_prefix("pad:") {
        let bytes = expression::count(bytes, context.names).ok().filter(|&bytes| bytes <= LARGEST_STRUCT);
        let bytes = bytes.ok_or_else(|| usage(format!("`{text}` is not pad:BYTES, with at most {LARGEST_STRUCT}")))?;
        return Ok((Value { bytes: vec![0; bytes as usize], ..Value::default() }, 1));
    }
    // An array lies like its elements.
    if let Some(array) = content::parse(text, context)? {
        if array.bytes > LARGEST_STRUCT {
            return Err(usage(format!("a struct by value has at most {LARGEST_STRUCT} bytes")));
        }
        let align = array.element.map_or(1, Element::bytes);
        return Ok((Value { bytes: array.to_bytes(), ..Value::default() }, align));
    }
    let align = match text.split_once(':') {
        Some((kind, _)) => Element::find(kind.trim()).map_or(1, Element::bytes),
        None => 8,
    };
    Ok((value(text, None, context)?, align))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{context, names};

    fn value_of(text: &str) -> Value {
        match parse(text, None, context(&names())).unwrap() {
            Argument::Value(value) => value,
            Argument::Buffer(_) => panic!("{text} is a buffer"),
        }
    }

    fn pointer(at: usize, to: &str, offset: u64) -> Pointer {
        Pointer { at, to: to.to_owned(), offset }
    }

    #[test]
    fn scalars_and_addresses() {
        assert_eq!(value_of("i32:-5").bytes, (-5i32).to_le_bytes());
        assert_eq!(value_of("i32:n/2").bytes, 500i32.to_le_bytes());
        assert_eq!(value_of("f16:1").bytes, [0, 0x3c]);
        assert_eq!(value_of("null").bytes, [0; 8]);
        assert_eq!(value_of("bytes:00ff_10").bytes, [0, 255, 16]);
        assert_eq!(value_of("&x+4*n").pointers, [pointer(0, "x", 4000)]);
        assert_eq!(value_of("& 0").pointers, [pointer(0, "0", 0)]);
        assert_eq!(value_of("x").pointers, [pointer(0, "x", 0)]);
    }

    #[test]
    fn a_parameter_of_known_type_needs_only_the_number() {
        let parsed = |text, element| parse(text, Some(element), context(&names()));
        let bytes = |bytes: &[u8]| Argument::Value(Value { bytes: bytes.to_vec(), pointers: Vec::new() });
        assert_eq!(parsed("n", Element::I32).unwrap(), bytes(&1000i32.to_le_bytes()));
        assert_eq!(parsed("0.1", Element::F32).unwrap(), bytes(&0.1f32.to_le_bytes()));
        assert_eq!(parsed("-1", Element::U32).unwrap(), bytes(&u32::MAX.to_le_bytes()), "as C converts it");
        assert!(parsed("x", Element::I32).unwrap_err().to_string().contains("no number is called `x`"));
        assert!(parsed("0.5", Element::I32).unwrap_err().to_string().contains("not a whole number"));
    }

    #[test]
    fn structs_are_laid_out_as_in_c() {
        let laid_out = value_of("{u8:1, i32:2, f64:0, &x, u16:3}");
        assert_eq!(laid_out.bytes.len(), 32);
        assert_eq!((laid_out.bytes[0], laid_out.bytes[4], laid_out.bytes[24]), (1, 2, 3));
        assert_eq!(laid_out.pointers, [pointer(16, "x", 0)]);
        assert_eq!(value_of("{f32[]=[1,2,3], i32:4}").bytes.len(), 16);
        assert_eq!(value_of("{u8:1, {i32:2, u8:3}}").bytes.len(), 12);
        assert_eq!(value_of("{u8:1, {u8[4]=1}, u8:1}").bytes.len(), 6);
        assert_eq!(value_of("{u8:1, pad:3, bytes:aabb}").bytes.len(), 6);
        assert_eq!(value_of("{}").bytes.len(), 0);
    }

    #[test]
    fn lists_of_addresses_are_buffers() {
        let Argument::Buffer(list) = parse("ptr[]=[&a, null, &b+8]", None, context(&names())).unwrap() else {
            panic!("a buffer")
        };
        assert_eq!((list.content.bytes, list.pointers), (24, vec![pointer(0, "a", 0), pointer(16, "b", 8)]));
    }

    #[test]
    fn slips_are_named() {
        for (wrong, part) in [
            ("5", "number with a type (i32:5)"),
            ("q32:1", "`q32` is not a type"),
            ("i8:128", "does not fit"),
            ("&", "names no buffer"),
            ("&x+y", "no number is called `y`"),
            ("{i32:1", "does not end"),
            ("{i32:1, q:2}", "`q` is not a type"),
            ("{{i32:1}", "does not end"),
            ("bytes:abc", "pairs of hexadecimal"),
            ("ptr[]=[1]", "`1` is no address"),
            ("ptr[]", "is not ptr[]="),
            ("{u8[99999]=1}", "at most 32768"),
        ] {
            let error = parse(wrong, None, context(&names())).unwrap_err().to_string();
            assert!(error.contains(part), "{wrong}: {error}");
        }
        let nested = ["{".repeat(1 << 16), "}".repeat(1 << 16)].concat();
        assert!(parse(&nested, None, context(&names())).is_err());
    }
}
