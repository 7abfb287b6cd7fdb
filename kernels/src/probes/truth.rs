//! The record of a suite of probes: what one GPU counted.

use serde::{Deserialize, Serialize};
use sim::report::Metrics;

use crate::truth::Provenance;

/// What a GPU counted in every probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeRecord {
    /// Where the numbers come from. The hash of the code is that of all PTX files, one after the other by name.
    pub provenance: Provenance,
    /// The counters that were recorded, by Nsight Compute's names.
    pub counters: Vec<String>,
    /// The probes, in the order in which they were launched.
    pub probes: Vec<ProbeCounters>,
}

/// What a GPU counted in one probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeCounters {
    /// The kernel.
    pub kernel: String,
    /// Counters that are not 0.
    pub metrics: Metrics,
}

impl ProbeRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// The JSON reader's, with the place.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The record as it stands in its file: one probe per line, so that a changed probe is a changed line.
    pub fn to_json(&self) -> String {
        let own = "our own types have no maps with odd keys and no numbers that JSON lacks";
        let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).expect(own).replace('\n', "\n  ");
        let value = |result: Result<serde_json::Value, serde_json::Error>| result.expect(own);
        let provenance = pretty(&value(serde_json::to_value(&self.provenance)));
        let counters = pretty(&value(serde_json::to_value(&self.counters)));
        let probes: Vec<String> =
            self.probes.iter().map(|probe| format!("    {}", serde_json::to_string(probe).expect(own))).collect();
        format!(
            "{{\n  \"provenance\": {provenance},\n  \"counters\": {counters},\n  \"probes\": [\n{}\n  ]\n}}\n",
            probes.join(",\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let text = include_str!("../../../sim/tests/counters/h200.json");
        let record = ProbeRecord::from_json(text).unwrap();
        assert_eq!(record.to_json(), text);
    }
}
