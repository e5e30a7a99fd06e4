//! Events, health, and history (`rest.md` 5.12 to 5.14).

use std::collections::BTreeMap;

use super::Context;
use crate::dto;
use view::record::Record;
use view::{Sample, View, health as checks};

/// Converts an event; its time becomes ns since 1970.
pub fn event(context: &Context, record: &Record) -> dto::EventRecord {
    let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    dto::EventRecord {
        kind: number(record.kind.0),
        object_id: record.object.to_string(),
        message: record.message.to_string(),
        timestamp_nano: context.wall.nanos(record.at),
        event_change_type: number(record.change.0),
        event_change_detail: number(record.detail.0),
        reference_id: record.reference.to_string(),
        resource: dto::EventResource((&record.resource).into()),
        grounds: None,
        other: BTreeMap::new(),
    }
}

/// Converts the health checks of a view.
pub fn health(view: &View) -> dto::Health {
    let found = checks::health(view);
    let check = |check: checks::HealthCheck| dto::HealthCheck {
        name: check.name,
        succeeded: check.succeeded,
        description: check.description,
        diagnosis_message: check.diagnosis,
    };
    dto::Health { healthy: found.healthy, health_checks: found.checks.into_iter().map(check).collect() }
}

/// Converts the health report of a remote scheduler.
pub fn read_health(report: dto::Health) -> checks::Health {
    let check = |check: dto::HealthCheck| checks::HealthCheck {
        name: check.name,
        description: check.description,
        succeeded: check.succeeded,
        diagnosis: check.diagnosis_message,
    };
    checks::Health { healthy: report.healthy, checks: report.health_checks.into_iter().map(check).collect() }
}

/// Running applications by minute.
pub fn app_history(context: &Context, view: &View) -> Vec<dto::AppSample> {
    let sample = |sample: &Sample| dto::AppSample {
        timestamp: context.wall.nanos(sample.at),
        total_applications: i64::try_from(sample.running).unwrap_or(i64::MAX),
    };
    view.history.iter().filter(|taken| taken.on_the_minute()).map(|taken| sample(taken)).collect()
}

/// Existing allocations by minute.
pub fn container_history(context: &Context, view: &View) -> Vec<dto::ContainerSample> {
    let sample = |sample: &Sample| dto::ContainerSample {
        timestamp: context.wall.nanos(sample.at),
        total_containers: i64::try_from(sample.allocations).unwrap_or(i64::MAX),
    };
    view.history.iter().filter(|taken| taken.on_the_minute()).map(|taken| sample(taken)).collect()
}
