//! A launch as it is written in TOML. Launch files and exercises have the same fields, which are read here alone.

use std::collections::BTreeMap;

use data::expression::{self, Names};
use serde::{Deserialize, Deserializer, Serialize};
use sim::Dim3;
use toml::Value;

use crate::shape;

/// A number or an expression, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text(pub String);

/// An extent of up to three dimensions: a [`Text`], or a list of them. As text it has commas between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Extent(pub String);

/// One launch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchTable {
    /// The kernel's name.
    pub kernel: Option<String>,
    /// Thread blocks.
    pub grid: Option<Extent>,
    /// Threads of a block.
    pub block: Option<Extent>,
    /// Dynamic shared memory, in bytes.
    pub shared: Option<Text>,
    /// Arguments.
    #[serde(default)]
    pub args: Vec<Text>,
    /// What variables of the module hold before this launch.
    #[serde(default)]
    pub symbols: BTreeMap<String, Text>,
    /// How often it is launched, one after the other.
    pub repeat: Option<Text>,
}

/// The text of one value.
fn text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(format!("{number:?}")),
        Value::Boolean(truth) => Ok(truth.to_string()),
        other => Err(format!("a number or an expression belongs here, not a value of type {}", other.type_str())),
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(Value::deserialize(from)?).map(Self).map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = match Value::deserialize(from)? {
            Value::Array(list) => list.into_iter().map(text).collect::<Result<Vec<_>, _>>().map(|list| list.join(", ")),
            other => text(other),
        };
        read.map(Self).map_err(serde::de::Error::custom)
    }
}

impl Extent {
    /// The extent; `what` it is stands in front of what is wrong.
    ///
    /// # Errors
    /// A sentence for whoever wrote it.
    pub fn resolve(&self, what: &str, names: &Names) -> Result<Dim3, String> {
        shape(&self.0, names).map_err(|why| format!("{what}: {why}"))
    }
}

/// A whole number of a launch, such as its shared memory, or `otherwise` where none is given.
///
/// # Errors
/// A sentence for whoever wrote it, which begins with `what` it is.
pub fn number(what: &str, text: Option<&Text>, otherwise: u32, names: &Names) -> Result<u32, String> {
    let Some(text) = text else { return Ok(otherwise) };
    let count = expression::count(&text.0, names);
    let count = count.and_then(|count| u32::try_from(count).map_err(|_| format!("{count} is more than {}", u32::MAX)));
    count.map_err(|why| format!("{what}: {why}"))
}

/// Texts by name, as they stand.
pub fn texts(table: &BTreeMap<String, Text>) -> BTreeMap<String, String> {
    table.iter().map(|(name, text)| (name.clone(), text.0.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::names;

    fn read(text: &str) -> Result<LaunchTable, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    #[test]
    fn numbers_expressions_and_lists_are_one_text() {
        let launch = read(
            "kernel = \"k\"\ngrid = [\"ceil(n/256)\", 2]\nblock = 256\nshared = \"4*n\"\nargs = [\"n\", 0.5, true]",
        );
        let launch = launch.unwrap();
        let names = names();
        assert_eq!(launch.grid.unwrap().resolve("grid", &names), Ok(Dim3::new(4, 2, 1)));
        assert_eq!(launch.block.unwrap().resolve("block", &names), Ok(Dim3::linear(256)));
        assert_eq!(number("shared", launch.shared.as_ref(), 0, &names), Ok(4000));
        assert_eq!(number("repeat", launch.repeat.as_ref(), 1, &names), Ok(1));
        assert_eq!(launch.args, ["n", "0.5", "true"].map(|text| Text(text.to_owned())));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(
            read("args = [[1]]")
                .unwrap_err()
                .contains("a number or an expression belongs here, not a value of type array")
        );
        assert!(read("grid = { x = 1 }").unwrap_err().contains("belongs here, not a value of type table"));
        assert!(read("grids = 1").unwrap_err().contains("unknown field `grids`"));
        let launch = read("grid = [1, 1, 1, 1]\nshared = \"n * 5000000\"").unwrap();
        let names = names();
        assert!(launch.grid.unwrap().resolve("grid", &names).unwrap_err().starts_with("grid: "));
        let why = number("shared", launch.shared.as_ref(), 0, &names).unwrap_err();
        assert_eq!(why, "shared: 5000000000 is more than 4294967295");
    }
}
