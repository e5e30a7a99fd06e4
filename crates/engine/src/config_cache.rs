//! A cache of the last parsed configuration. Parsing 10,000 queues is slow, so the thread that receives a configuration
//! parses it, and the scheduler thread finds the result here.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::active_config::ConfigText;
use ::config::{self, Config, Fault, Reading};
use model::Profile;

pub(super) struct ParsedConfig {
    bytes: Vec<u8>,
    policy_group: String,
    profile: Profile,
    pub text: ConfigText,
    /// `None` if there is an error.
    pub config: Option<Arc<Config>>,
    /// Errors and warnings, by location.
    pub faults: Vec<Fault>,
}

#[derive(Default)]
pub(super) struct ConfigCache(Mutex<Option<Arc<ParsedConfig>>>);

impl ConfigCache {
    /// Parses and validates a text, unless it is the last one. The lock is not held meanwhile.
    pub fn parse(&self, bytes: &[u8], policy_group: &str, profile: Profile) -> Arc<ParsedConfig> {
        let last = self.last().clone();
        let same = |last: &Arc<ParsedConfig>| {
            last.bytes == bytes && last.policy_group == policy_group && last.profile == profile
        };
        if let Some(parsed) = last.filter(same) {
            return parsed;
        }
        let Reading { config, faults } = config::read_file(bytes, policy_group, profile);
        let parsed = Arc::new(ParsedConfig {
            bytes: bytes.to_vec(),
            policy_group: policy_group.to_owned(),
            profile,
            text: ConfigText::of_file(bytes, policy_group),
            config: config.map(Arc::new),
            faults,
        });
        *self.last() = Some(Arc::clone(&parsed));
        parsed
    }

    fn last(&self) -> MutexGuard<'_, Option<Arc<ParsedConfig>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::config::{DEFAULT_CONFIG, DEFAULT_POLICY_GROUP};

    #[test]
    fn a_text_is_parsed_once_and_again_when_anything_about_it_differs() {
        let cache = ConfigCache::default();
        let parse = |text: &str, group: &str, profile| cache.parse(text.as_bytes(), group, profile);
        let first = parse(DEFAULT_CONFIG, DEFAULT_POLICY_GROUP, Profile::Kornsole);
        assert!(first.config.is_some() && *first.text.text == *DEFAULT_CONFIG);
        assert!(Arc::ptr_eq(&first, &parse(DEFAULT_CONFIG, DEFAULT_POLICY_GROUP, Profile::Kornsole)));
        assert!(!Arc::ptr_eq(&first, &parse(DEFAULT_CONFIG, "other", Profile::Kornsole)));
        let released = parse(DEFAULT_CONFIG, "other", Profile::V1_8_0);
        assert_eq!((released.profile, released.policy_group.as_str()), (Profile::V1_8_0, "other"));
        let broken = parse("partitions: [", "other", Profile::V1_8_0);
        assert!(broken.config.is_none() && !broken.faults.is_empty());
    }
}
