//! Parses configurations before their turn, on a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use super::audit_log::AuditLog;
use super::config_cache::ConfigCache;
use super::request::Request;
use model::Profile;
use view::act::Act;

/// Parses texts ahead of the scheduler's thread.
#[derive(Clone)]
pub(super) struct ConfigPrefetch {
    pub cache: Arc<ConfigCache>,
    pub policy_group: String,
    pub profile: Profile,
}

impl ConfigPrefetch {
    /// Has the result of this text in the cache when its turn comes.
    pub fn parse(&self, bytes: &[u8]) {
        self.cache.parse(bytes, &self.policy_group, self.profile);
    }

    /// Starts the thread. Returns the way in for orders that bring a configuration: their text is parsed, and they are passed on to
    /// `requests` in their order.
    ///
    /// # Errors
    /// The operating system gives no thread.
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
                // A stopped engine has dropped its end; with the request goes the reply, which says so.
                let _ = requests.send(request);
            }
        })?;
        Ok(sender)
    }
}
