//! Parses configurations ahead of the scheduler thread.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use super::audit_log::AuditLog;
use super::config_cache::ConfigCache;
use super::request::Request;
use model::Profile;
use view::act::Act;

#[derive(Clone)]
pub(super) struct ConfigPrefetch {
    pub cache: Arc<ConfigCache>,
    pub policy_group: String,
    pub profile: Profile,
}

impl ConfigPrefetch {
    pub fn parse(&self, bytes: &[u8]) {
        self.cache.parse(bytes, &self.policy_group, self.profile);
    }

    /// Starts the thread. Returns the sender for orders with a configuration: their text is parsed, and they go to
    /// `requests` in order.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(self, requests: Sender<Request>, audit_log: Arc<AuditLog>) -> std::io::Result<Sender<Request>> {
        let (sender, orders) = channel();
        Builder::new().name("config-read".to_owned()).spawn(move || {
            for request in orders {
                if let Request::Perform(given, _) = &request {
                    match &given.1.act {
                        Act::Configure { text, .. } => self.parse(text.as_bytes()),
                        Act::Rollback { revision, .. } => {
                            let text = audit_log.revision(*revision).and_then(|revision| revision.text.clone());
                            text.iter().for_each(|text| self.parse(text.as_bytes()));
                        }
                        _ => {}
                    }
                }
                // A stopped engine closed the channel; the dropped reply reports it.
                let _ = requests.send(request);
            }
        })?;
        Ok(sender)
    }
}
