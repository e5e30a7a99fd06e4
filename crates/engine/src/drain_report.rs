//! The report about a draining queue: JSON with the names of the REST API.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use model::{Resource, Time};
use scheduler::{Draining, DrainingApp};

/// A draining queue, for its administrators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainReport {
    /// The name of the partition that the queue is in.
    pub partition: Arc<str>,
    /// Whether it drains for long; otherwise it has just started (SCH-211).
    pub stuck: bool,
    /// The scheduler time.
    pub at: Time,
    /// The queue and its blocking applications.
    pub draining: Draining,
}

impl DrainReport {
    /// The JSON document, named as in the REST API; `since` is the wall clock at the start.
    pub fn document(&self, since: SystemTime) -> String {
        let Draining { queue, applications, allocated, admins, .. } = &self.draining;
        let nanos = since.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let users = if admins.all_users { json!(["*"]) } else { json!(admins.users) };
        json!({
            "event": if self.stuck { "stuck" } else { "draining" },
            "partition": &*self.partition,
            "queue": queue.as_str(),
            "since": u64::try_from(nanos).unwrap_or(u64::MAX),
            "seconds": self.at.since(self.draining.since).as_secs(),
            "long": self.stuck,
            "applications": applications.iter().map(application).collect::<Vec<_>>(),
            "allocated": amounts(allocated),
            "admins": {"users": users, "groups": admins.groups},
        })
        .to_string()
    }
}

fn application(app: &DrainingApp) -> Value {
    json!({
        "applicationID": app.id.as_str(),
        "queueName": app.queue.as_str(),
        "user": app.who.user,
        "groups": app.who.groups,
        "applicationState": app.state.name(),
        "allocated": amounts(&app.allocated),
        "pending": amounts(&app.pending),
    })
}

fn amounts(resource: &Resource) -> Value {
    resource.iter().map(|(name, amount)| (name.to_owned(), Value::from(amount))).collect()
}
