//! Scenario steps of a what-if.

use super::pair::Step;

/// Parses YAML or JSON.
///
/// # Errors
/// The first fault with its location in the list.
pub fn read(list: &str) -> Result<Vec<Step>, String> {
    let reading = scenario::read(&format!("{{\"version\": 1, \"steps\": {list}}}"));
    match reading.scenario {
        Some(scenario) => Ok(scenario.steps.into_iter().map(|step| Step::Scenario(step.kind)).collect()),
        None => Err(reading.faults.first().map_or_else(
            || "the steps cannot be read".to_owned(),
            |fault| format!("{}: {} ({})", fault.path, fault.message, fault.hint),
        )),
    }
}
