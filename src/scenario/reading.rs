//! Text → [`Scenario`], with all faults in one pass.

use super::decode;
use super::file::Scenario;
use crate::config::yaml;
use crate::config::{Fault, Faults};

/// The result of reading a text.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The scenario; `None` when there is an error among the faults.
    pub scenario: Option<Scenario>,
    /// All faults by place, warnings too.
    pub faults: Vec<Fault>,
}

/// Reads a scenario.
pub fn read(text: &str) -> Reading {
    let mut faults = Faults::default();
    let document = yaml::parse(text, &mut faults);
    let scenario = document.and_then(|document| decode::scenario(&document, &mut faults));
    let scenario = scenario.filter(|_| !faults.has_errors());
    Reading { scenario, faults: own_codes(faults) }
}

/// Reads a scenario from bytes, which may be no text at all.
pub fn read_bytes(bytes: &[u8]) -> Reading {
    let mut faults = Faults::default();
    match yaml::decode(bytes, &mut faults) {
        Some(text) => read(text),
        None => Reading { scenario: None, faults: own_codes(faults) },
    }
}

/// The faults by place, those of the YAML reader under a scenario's own codes.
fn own_codes(faults: Faults) -> Vec<Fault> {
    let mut faults = faults.into_sorted();
    for fault in &mut faults {
        fault.code = match fault.code {
            "CFG-001" => "SCN-001",
            "CFG-002" => "SCN-002",
            "CFG-003" => "SCN-003",
            "CFG-004" => "SCN-004",
            "CFG-005" => "SCN-005",
            "CFG-006" => "SCN-006",
            "CFG-007" => "SCN-007",
            "CFG-008" => "SCN-008",
            "CFG-009" => "SCN-009",
            own => own,
        };
    }
    faults
}
