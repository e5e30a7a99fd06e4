//! Placement previews on a view, with the code of a real submission (`placement.md`).

use std::sync::Arc;

use super::{PartitionView, View, ViewBuilder};
use config::{Config, DEFAULT_POLICY_GROUP};
use model::{AppId, Profile, QueueState, Time};
use scheduler::placement;
use scheduler::placement::{Admission, Gate, QueueFacts, QueueTree, Request};
use scheduler::{Command, EventKind, Scheduler};

impl QueueTree for PartitionView {
    fn queue(&self, path: &str) -> Option<QueueFacts<'_>> {
        let row = self.queue_at_text(path)?;
        Some(QueueFacts {
            path: &row.path,
            state: placement::QueueState::of(row.leaf, row.managed, row.state),
            submit_acl: &row.settings.submit_acl,
            admin_acl: &row.settings.admin_acl,
            template: row.settings.template.as_ref(),
        })
    }
}

impl PartitionView {
    /// Returns the placement of a submission without a change. `id` is the id of an existing application.
    pub fn preview(&self, request: &Request<'_>, id: Option<&AppId>) -> Admission {
        let taken = id.filter(|id| self.apps.iter().flatten().any(|app| app.id == **id));
        let gate = Gate { partition: &self.name, active: self.state == QueueState::Active, taken };
        self.rules.admit(request, &gate, self)
    }
}

impl View {
    /// The entry of a manifest that contains the queue configuration.
    pub fn policy_group(&self) -> &str {
        self.configuration.as_ref().map_or(DEFAULT_POLICY_GROUP, |configuration| &configuration.policy_group)
    }

    /// Returns a view of a configuration without nodes and applications.
    ///
    /// # Errors
    /// Returns an error if the scheduler rejects the configuration.
    pub fn of_config(config: Arc<Config>, profile: Profile) -> Result<Arc<Self>, String> {
        let mut scheduler = Scheduler::new(profile);
        let events = scheduler.apply(Time::ZERO, &Command::Configure(config));
        let refused = events.into_iter().find_map(|event| match event.kind {
            EventKind::ConfigRejected { message } => Some(message),
            _ => None,
        });
        match refused {
            Some(message) => Err(message),
            None => Ok(ViewBuilder::default().update(Time::ZERO, &mut scheduler).unwrap_or_default()),
        }
    }
}
