//! Parses a text to a [`Scenario`], with all errors in one pass.

use super::decode;
use super::file::Scenario;
use config::yaml;
use config::{Fault, Faults};

/// The maximum size of a scenario, in bytes: workloads of millions of requests.
pub const LARGEST: usize = 1 << 30;

/// The result of parsing a text.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The scenario; `None` if there are errors.
    pub scenario: Option<Scenario>,
    /// All errors and warnings by location.
    pub faults: Vec<Fault>,
}

/// Parses a scenario.
pub fn read(text: &str) -> Reading {
    read_with(text, &mut |_| {})
}

fn read_with(text: &str, progress: &mut dyn FnMut(usize)) -> Reading {
    let mut faults = Faults::default();
    let document = yaml::parse_with(text, &mut faults, progress);
    let scenario = document.and_then(|document| decode::scenario(&document, text, &mut faults));
    let scenario = scenario.filter(|_| !faults.has_errors());
    Reading { scenario, faults: own_codes(faults) }
}

/// Parses a scenario from bytes, at most [`LARGEST`]; they may be invalid UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Reading {
    read_bytes_with(bytes, &mut |_| {})
}

/// As [`read_bytes`]; `progress` regularly gets the number of bytes that were read.
pub fn read_bytes_with(bytes: &[u8], progress: &mut dyn FnMut(usize)) -> Reading {
    let mut faults = Faults::default();
    match yaml::decode_up_to(bytes, LARGEST, &mut faults) {
        Some(text) => read_with(text, progress),
        None => Reading { scenario: None, faults: own_codes(faults) },
    }
}

/// The errors by location, with a scenario's own codes for YAML errors.
pub fn own_codes(faults: Faults) -> Vec<Fault> {
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
