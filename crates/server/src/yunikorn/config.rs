//! The active configuration, and validation of another one (`rest.md` 5.8, 5.9).

use axum::http::header;

use super::{Answer, Call, Reply};
use crate::reply;
use config::{Reading, Severity, read_bytes};
use wire::convert;
use wire::dto;

/// The configuration as YAML, or as JSON if exactly that is accepted.
pub(super) fn show(call: &Call) -> Answer {
    let config = in_force(call);
    if call.headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json") {
        return Ok(Reply::json(&config));
    }
    Ok(Reply::of(reply::YAML, convert::config_yaml(&config).into_bytes()))
}

pub(super) fn in_force(call: &Call) -> dto::Config {
    let loaded = call.view.configuration.as_deref();
    let extra = call.shared.options.extra.clone();
    let config = convert::config(loaded.map(|loaded| (&*loaded.queues, loaded.checksum.as_str())));
    // Only the deadlock detection keys exist before.
    if loaded.is_some() { dto::Config { extra, ..config } } else { config }
}

/// Validates a configuration, independent of the running state.
pub(super) fn validate(call: &Call) -> Answer {
    let Reading { config, faults } = read_bytes(&call.body.bytes, call.shared.options.profile);
    let first = faults.iter().find(|fault| fault.severity == Severity::Error);
    Ok(Reply::json(&dto::Validation {
        allowed: config.is_some(),
        reason: first.map(ToString::to_string).unwrap_or_default(),
        faults: convert::faults(&faults),
        ..dto::Validation::default()
    }))
}
