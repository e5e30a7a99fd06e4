//! Configurations that are read before their turn comes: to read ten thousand queues takes longer than an order should wait for the
//! scheduler, so that is done on the thread of whoever brings the text.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use super::configure::Text;
use super::ledger::Ledger;
use super::thread::Request;
use crate::config::{self, Config, Fault, Reading};
use crate::model::Profile;
use crate::view::act::Act;

/// What a text comes to.
pub(super) struct Read {
    bytes: Vec<u8>,
    policy_group: String,
    profile: Profile,
    /// How it is written.
    pub text: Text,
    /// Only there when no fault is an error.
    pub config: Option<Arc<Config>>,
    /// Every fault and warning, by place.
    pub faults: Vec<Fault>,
}

/// Reads configurations, and knows what it read last.
#[derive(Default)]
pub(super) struct Readings(Mutex<Option<Arc<Read>>>);

impl Readings {
    /// What a text comes to. Takes its time, unless it is the one that was read last.
    pub fn read(&self, bytes: &[u8], policy_group: &str, profile: Profile) -> Arc<Read> {
        let last = self.last().clone();
        let same =
            |read: &Arc<Read>| read.bytes == bytes && read.policy_group == policy_group && read.profile == profile;
        if let Some(read) = last.filter(same) {
            return read;
        }
        let Reading { config, faults } = config::read_file(bytes, policy_group, profile);
        let read = Arc::new(Read {
            bytes: bytes.to_vec(),
            policy_group: policy_group.to_owned(),
            profile,
            text: Text::of(&String::from_utf8_lossy(bytes), policy_group),
            config: config.map(Arc::new),
            faults,
        });
        *self.last() = Some(Arc::clone(&read));
        read
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Arc<Read>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads texts ahead for the scheduler's thread.
#[derive(Clone)]
pub(super) struct Ahead {
    pub readings: Arc<Readings>,
    pub policy_group: String,
    pub profile: Profile,
}

impl Ahead {
    /// Has this text at hand when its turn comes.
    pub fn read(&self, bytes: &[u8]) {
        self.readings.read(bytes, &self.policy_group, self.profile);
    }

    /// Where orders go that bring a configuration: its text is read, and they are handed on to `requests`, in their order.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(self, requests: Sender<Request>, ledger: Arc<Ledger>) -> std::io::Result<Sender<Request>> {
        let (sender, orders) = channel();
        Builder::new().name("config-read".to_owned()).spawn(move || {
            for request in orders {
                if let Request::Perform(given, _) = &request {
                    match &given.1.act {
                        Act::Configure { text, .. } => self.read(text.as_bytes()),
                        Act::Rollback { revision, .. } => {
                            let text = ledger.revision(*revision).and_then(|revision| revision.text.clone());
                            text.iter().for_each(|text| self.read(text.as_bytes()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DEFAULT_CONFIG, DEFAULT_POLICY_GROUP};

    #[test]
    fn a_text_is_read_once_and_again_when_anything_about_it_is_another() {
        let readings = Readings::default();
        let read = |text: &str, group: &str, profile| readings.read(text.as_bytes(), group, profile);
        let first = read(DEFAULT_CONFIG, DEFAULT_POLICY_GROUP, Profile::Kornsole);
        assert!(first.config.is_some() && *first.text.text == *DEFAULT_CONFIG);
        assert!(Arc::ptr_eq(&first, &read(DEFAULT_CONFIG, DEFAULT_POLICY_GROUP, Profile::Kornsole)));
        assert!(!Arc::ptr_eq(&first, &read(DEFAULT_CONFIG, "other", Profile::Kornsole)));
        let released = read(DEFAULT_CONFIG, "other", Profile::V1_8_0);
        assert_eq!((released.profile, released.policy_group.as_str()), (Profile::V1_8_0, "other"));
        let broken = read("partitions: [", "other", Profile::V1_8_0);
        assert!(broken.config.is_none() && !broken.faults.is_empty());
    }
}
