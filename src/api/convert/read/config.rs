//! The remote's configuration, read by our own reader: limits, access lists, templates and placement rules are taken from it.

use std::sync::Arc;

use super::RemoteState;
use crate::config::{self, Config, Place, QueueConfig, Reading, RuleConfig, Source};
use crate::model::Profile;
use crate::view::act::Configuration;
use crate::view::{View, placement};

/// The keys that an answer has beside the configuration itself, and that no configuration has (`rest.md` 5.8).
const NOT_CONFIG: [&str; 3] = ["extra", "deadlockdetectionenabled", "deadlocktimeoutseconds"];

impl RemoteState {
    /// Takes the configuration in force. `written` says that the text is the file as somebody wrote it, so that lines can be named.
    ///
    /// # Errors
    /// Every fault, when no profile reads it; what was known before holds on.
    pub fn config(&mut self, text: &str, written: bool) -> Result<(), String> {
        let plain = if written { text.to_owned() } else { without_extras(text) };
        let (config, profile) = read(&plain, self.profile)?;
        let known = self.configured_checksum.as_deref() == Some(config.checksum.as_str());
        if known && self.configured.is_some() {
            return Ok(());
        }
        self.configured_checksum = Some(config.checksum.clone());
        let mut config = config;
        if !written {
            forget_places(&mut config);
        }
        self.configured = Some(View::of_config(Arc::new(config), profile)?);
        self.bring_rules();
        // Settings come into the rows with the next tree, which is asked for often.
        Ok(())
    }

    /// The rules of each partition, as the configuration has them.
    pub(super) fn bring_rules(&mut self) {
        let Some(configured) = &self.configured else { return };
        for view in &mut self.view.partitions {
            let Some(part) = configured.partitions.iter().find(|part| part.name == view.name) else { continue };
            if !view.rules.same_as(&part.rules) || view.rules.is_empty() {
                view.rules = Arc::clone(&part.rules);
                view.hits = Arc::new(placement::Hits::of(&part.rules));
                self.changed = true;
            }
        }
    }

    /// Takes the configuration as a kornsole keeps it, for those who want to change it.
    pub fn configuration(&mut self, configuration: Configuration) {
        if self.view.configuration.as_deref() != Some(&configuration) {
            self.view.configuration = Some(Arc::new(configuration));
            self.changed = true;
        }
    }

    /// Whether the configuration is known.
    pub fn has_config(&self) -> bool {
        self.configured.is_some()
    }
}

/// Reads a text by the profile that is the likeliest, else by one that takes it: releases differ in what they refuse.
fn read(text: &str, likeliest: Profile) -> Result<(Config, Profile), String> {
    let mut first: Option<String> = None;
    for profile in std::iter::once(likeliest).chain(Profile::ALL.into_iter().filter(|profile| *profile != likeliest)) {
        let Reading { config, faults } = config::read(text, profile);
        match config {
            Some(config) => return Ok((config, profile)),
            None => {
                first.get_or_insert_with(|| Source::new("the remote's configuration", text).render_all(&faults));
            }
        }
    }
    Err(first.unwrap_or_default())
}

/// The text without the keys that only the answer has, each with everything below it.
fn without_extras(text: &str) -> String {
    let mut skipping = false;
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let top = line.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != '-' && c != '}' && c != ']');
        if top {
            let key = line.split(':').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
            skipping = NOT_CONFIG.contains(&key.to_ascii_lowercase().as_str());
        }
        if !skipping {
            plain.push_str(line);
        }
    }
    plain
}

/// What was put together by the other side has no places that somebody could look at.
fn forget_places(config: &mut Config) {
    for partition in &mut config.partitions {
        partition.at = Place::default();
        forget_queue(&mut partition.root);
        partition.rules.iter_mut().for_each(forget_rule);
    }
}

fn forget_queue(queue: &mut QueueConfig) {
    queue.at = Place::default();
    (queue.admin_acl.at, queue.submit_acl.at) = (Place::default(), Place::default());
    queue.properties.values_mut().for_each(|property| property.at = Place::default());
    queue.limits.iter_mut().for_each(|limit| limit.at = Place::default());
    if let Some(template) = &mut queue.template {
        template.at = Place::default();
    }
    for placed in [&mut queue.guaranteed, &mut queue.max].into_iter().flatten() {
        placed.at = Place::default();
    }
    queue.children.iter_mut().for_each(forget_queue);
}

fn forget_rule(rule: &mut RuleConfig) {
    rule.at = Place::default();
    rule.parent.as_deref_mut().into_iter().for_each(forget_rule);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_answer_has_is_taken_out() {
        let answer = "partitions:\n    - name: default\n      queues:\n        - name: root\nchecksum: AB\nextra:\n    log.level: INFO\n    \
                      \"a\": |\n        deep\ndeadlockdetectionenabled: false\ndeadlocktimeoutseconds: 60\n";
        let plain = without_extras(answer);
        assert_eq!(plain, "partitions:\n    - name: default\n      queues:\n        - name: root\nchecksum: AB\n");
        assert!(read(&plain, Profile::V1_8_0).is_ok());
        let flush = "partitions:\n- name: default\n  queues:\n  - name: root\nextra: {}\n";
        assert_eq!(without_extras(flush), "partitions:\n- name: default\n  queues:\n  - name: root\n");
    }

    #[test]
    fn a_text_that_nobody_takes_is_told_by_its_faults() {
        let message = read("partitions:\n  - name: default\n    nonsense: 1\n", Profile::V1_8_0).unwrap_err();
        assert!(message.contains("nonsense") && message.contains(":3:"), "{message}");
    }
}
