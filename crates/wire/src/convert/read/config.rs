//! The remote configuration: source of limits, access lists, templates, and placement rules.

use std::sync::Arc;

use super::RemoteState;
use ::config::{self, Config, Reading, Source};
use model::Profile;
use view::act::Configuration;
use view::{PartitionView, QueueSettings, View, placement};

/// Keys of an answer that are not in configurations (`rest.md` 5.8).
const NOT_CONFIG: [&str; 3] = ["extra", "deadlockdetectionenabled", "deadlocktimeoutseconds"];

impl RemoteState {
    /// Applies the active configuration. Unless `written`, the remote scheduler generated the text, and locations refer
    /// to [`plain`].
    ///
    /// # Errors
    /// Every error if no profile accepts it; the previous configuration remains.
    pub fn config(&mut self, text: &str, written: bool) -> Result<(), String> {
        let plain = if written { text.to_owned() } else { plain(text) };
        let (config, profile) = read(&plain, self.profile)?;
        let known = self.configured_checksum.as_deref() == Some(config.checksum.as_str());
        if known && self.configured.is_some() {
            return Ok(());
        }
        self.configured_checksum = Some(config.checksum.clone());
        self.configured_text = Some(Arc::from(plain));
        self.configured = Some(View::of_config(Arc::new(config), profile)?);
        self.bring_rules();
        self.bring_access();
        Ok(())
    }

    /// Permissions depend on access lists, so they are applied immediately.
    fn bring_access(&mut self) {
        let Some(configured) = &self.configured else { return };
        for view in &mut self.view.partitions {
            let Some(part) = configured.partitions.iter().find(|part| part.name == view.name) else { continue };
            for row in view.queues.iter_mut().flatten() {
                let Some(new) = part.queue_at(&row.path).map(|row| &row.settings) else { continue };
                let lists = |of: &QueueSettings| (of.admin_acl.clone(), of.submit_acl.clone());
                if lists(new) != lists(&row.settings) {
                    let (admin_acl, submit_acl) = lists(new);
                    let settings = QueueSettings { admin_acl, submit_acl, ..(*row.settings).clone() };
                    Arc::make_mut(row).settings = Arc::new(settings);
                    self.changed = true;
                }
            }
        }
    }

    pub(super) fn bring_rules(&mut self) {
        let Some(configured) = &self.configured else { return };
        for view in &mut self.view.partitions {
            let Some(part) = configured.partitions.iter().find(|part| part.name == view.name) else { continue };
            if !view.rules.same_as(&part.rules) || view.rules.is_empty() {
                view.rules = Arc::clone(&part.rules);
                view.hits = Arc::new(placement::Hits::of(&part.rules));
                self.changed = true;
            }
            let of = |part: &PartitionView| (part.preemption, part.quota_preemption, Arc::clone(&part.node_sort));
            if of(view) != of(part) {
                (view.preemption, view.quota_preemption, view.node_sort) = of(part);
                self.changed = true;
            }
        }
    }

    /// Sets the stored configuration of a kornsole server.
    pub fn configuration(&mut self, configuration: Configuration) {
        if self.view.configuration.as_deref() != Some(&configuration) {
            self.view.configuration = Some(Arc::new(configuration));
            self.changed = true;
        }
    }

    /// The parsed text without keys that only answers have.
    pub fn configured_text(&self) -> Option<Arc<str>> {
        self.configured_text.clone()
    }

    /// Whether the configuration is known.
    pub fn has_config(&self) -> bool {
        self.configured.is_some()
    }
}

/// Releases differ in what they reject.
fn read(text: &str, first_guess: Profile) -> Result<(Config, Profile), String> {
    let mut first: Option<String> = None;
    for profile in
        std::iter::once(first_guess).chain(Profile::ALL.into_iter().filter(|profile| *profile != first_guess))
    {
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

/// Removes the keys that only answers have, with their contents.
pub fn plain(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_answer_has_is_taken_out() {
        let answer = "partitions:\n    - name: default\n      queues:\n        - name: root\nchecksum: AB\nextra:\n    log.level: INFO\n    \
                      \"a\": |\n        deep\ndeadlockdetectionenabled: false\ndeadlocktimeoutseconds: 60\n";
        let text = plain(answer);
        assert_eq!(text, "partitions:\n    - name: default\n      queues:\n        - name: root\nchecksum: AB\n");
        assert!(read(&text, Profile::V1_8_0).is_ok());
        let flush = "partitions:\n- name: default\n  queues:\n  - name: root\nextra: {}\n";
        assert_eq!(plain(flush), "partitions:\n- name: default\n  queues:\n  - name: root\n");
    }

    #[test]
    fn a_text_that_no_release_accepts_is_reported_with_its_errors() {
        let message = read("partitions:\n  - name: default\n    nonsense: 1\n", Profile::V1_8_0).unwrap_err();
        assert!(message.contains("nonsense") && message.contains(":3:"), "{message}");
    }
}
