//! Reading the files of `sim/targets`: sections of numbers, each with the key of its source.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use toml::{Table, Value};

use super::Target;

/// One number of a target and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Name of the number, as in [`Target`].
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// The document, driver query or measurement that it comes from.
    pub source: String,
}

/// A number as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sourced {
    value: Value,
    source: String,
}

#[derive(Deserialize)]
struct File {
    sources: BTreeMap<String, String>,
    #[serde(flatten)]
    rest: Table,
}

/// Reads one file. Numbers without a source, sources that do not exist or that nothing uses, and names that [`Target`]
/// does not have are errors.
pub(super) fn read(text: &str) -> Result<Target, String> {
    let File { sources, rest } = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut flat = Table::new();
    let mut facts: Vec<Fact> = Vec::new();
    let mut unused: Vec<&String> = sources.keys().collect();
    for (key, value) in rest {
        let Value::Table(section) = value else {
            flat.insert(key, value);
            continue;
        };
        for (name, value) in section {
            let Sourced { value, source } = value.try_into().map_err(|error| format!("{key}.{name}: {error}"))?;
            let full = sources.get(&source).ok_or_else(|| format!("{key}.{name}: there is no source `{source}`"))?;
            unused.retain(|known| **known != source);
            let shown = match &value {
                Value::String(text) => text.clone(),
                Value::Integer(number) => number.to_string(),
                _ => return Err(format!("{key}.{name} is neither a number nor a word")),
            };
            facts.push(Fact { name: name.clone(), value: shown, source: full.clone() });
            if flat.insert(name.clone(), value).is_some() {
                return Err(format!("{key}.{name} is there twice"));
            }
        }
    }
    if let Some(source) = unused.first() {
        return Err(format!("nothing comes from the source `{source}`"));
    }
    let mut target: Target = Value::Table(flat).try_into().map_err(|error| error.to_string())?;
    target.facts = facts;
    Ok(target)
}

/// `yes` or `no`.
pub(super) fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(serde::de::Error::custom(format!("`{other}` is neither yes nor no"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H200: &str = include_str!("../../targets/h200.toml");

    #[test]
    fn every_number_has_a_source() {
        let target = read(H200).expect("the file");
        assert!(target.facts.len() > 30);
        assert!(target.facts.iter().all(|fact| fact.source.len() > 20));
        let fact = target.facts.iter().find(|fact| fact.name == "multiprocessors").expect("a fact");
        assert_eq!((&*fact.value, target.multiprocessors), ("132", 132));
    }

    #[test]
    fn mistakes_are_found() {
        let change = |from: &str, to: &str| read(&H200.replacen(from, to, 1)).expect_err("a mistake");
        assert!(change("source = \"driver\"", "source = \"hearsay\"").contains("no source `hearsay`"));
        assert!(change("[device]", "[device]\nspeed = { value = 1, source = \"board\" }").contains("speed"));
        assert!(change("[sources]", "[sources]\nnovel = \"a novel\"").contains("novel"));
        assert!(
            change("multiprocessors = { value = 132, source = \"driver\" }", "multiprocessors = 132").contains("multi")
        );
        assert!(change("\"9.0\"", "\"nine\"").contains("nine"));
        assert!(change("banks = { value = 32", "bands = { value = 32").contains("bands"));
    }
}
