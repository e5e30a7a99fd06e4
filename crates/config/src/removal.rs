//! The queues that a new configuration removes, and when a confirmation is necessary.
//!
//! A failed `yq > file` leaves an empty file, which would drain everything. So a configuration from a command or a file
//! is rejected if it is empty, or removes more than half of the queues or every queue of a partition (CFG-120).

use std::collections::BTreeSet;
use std::fmt;

use super::types::{Config, PartitionConfig, QueueConfig};
use model::QueuePath;

/// The queues that a configuration removes from the previous one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// The number of removed queues. A root counts only when its partition is removed.
    pub queues: usize,
    /// The number of queues before.
    pub of: usize,
    /// The partitions that lose every queue.
    pub partitions: Vec<String>,
    /// Whether the new text is empty or has only comments.
    pub empty: bool,
}

/// The removals that a user allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AllowedRemoval {
    /// An empty text, whatever it removes.
    #[serde(default)]
    pub empty: bool,
    /// At most this number of queues.
    #[serde(default)]
    pub queues: Option<usize>,
}

impl Removal {
    /// `empty`: the new text has only comments.
    pub fn between(old: &Config, new: &Config, empty: bool) -> Self {
        let mut removal = Self { empty, ..Self::default() };
        for partition in &old.partitions {
            let (before, after) = (paths(partition), new.partition(&partition.name).map(paths));
            let gone = after.as_ref().map_or(before.len(), |after| before.difference(after).count());
            let root = usize::from(after.is_none());
            removal.queues += gone + root;
            removal.of += before.len() + root;
            if gone + root > 0 && gone == before.len() {
                removal.partitions.push(partition.name.clone());
            }
        }
        removal
    }

    /// Whether it must be allowed (CFG-120).
    pub fn is_large(&self) -> bool {
        self.empty || 2 * self.queues > self.of || !self.partitions.is_empty()
    }

    /// Whether it is small or allowed.
    pub fn passes(&self, allowed: AllowedRemoval) -> bool {
        !self.is_large()
            || if self.empty { allowed.empty } else { allowed.queues.is_some_and(|most| self.queues <= most) }
    }

    /// The text of the command-line flag and the REST header that allow it.
    pub fn how_to_allow(&self) -> String {
        if self.empty {
            return "if this is intended, use --allow-empty (REST: Kornsole-Allow-Empty: true)".to_owned();
        }
        let count = self.queues;
        format!("if this is intended, use --allow-removal {count} (REST: Kornsole-Allow-Removal: {count})")
    }
}

impl fmt::Display for Removal {
    /// `it removes 12 of 15 queues, every queue of partition gpu among them`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.empty {
            f.write_str("it is empty and ")?;
        } else {
            f.write_str("it ")?;
        }
        let noun = if self.of == 1 { "queue" } else { "queues" };
        write!(f, "removes {} of {} {noun}", self.queues, self.of)?;
        match self.partitions.as_slice() {
            [] => Ok(()),
            [one] => write!(f, ", including every queue of partition {one}"),
            several => write!(f, ", including every queue of the partitions {}", several.join(", ")),
        }
    }
}

fn paths(partition: &PartitionConfig) -> BTreeSet<&QueuePath> {
    let mut found = BTreeSet::new();
    let mut below: Vec<&QueueConfig> = partition.root.children.iter().collect();
    while let Some(queue) = below.pop() {
        found.extend(&queue.path);
        below.extend(&queue.children);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use model::Profile;

    fn config(text: &str) -> Config {
        read(text, Profile::Kornsole).config.unwrap()
    }

    fn of(queues: &str) -> String {
        format!("partitions: [{{name: default, queues: [{{name: root, submitacl: '*', queues: [{queues}]}}]}}]")
    }

    fn removal(queues: &str) -> Removal {
        let old = of("{name: a, queues: [{name: x}, {name: y}]}, {name: b}");
        Removal::between(&config(&old), &config(&of(queues)), false)
    }

    #[test]
    fn at_most_half_of_the_queues_may_be_removed() {
        let half = removal("{name: a, queues: [{name: new}]}, {name: b}");
        assert_eq!((half.queues, half.of, half.is_large()), (2, 4, false));
        let more = removal("{name: b}, {name: c}, {name: d}");
        assert_eq!((more.queues, more.of, more.is_large()), (3, 4, true));
        let allowed = |queues| more.passes(AllowedRemoval { queues, empty: true });
        assert_eq!([None, Some(2), Some(3), Some(9)].map(allowed), [false, false, true, true]);
        assert_eq!(more.to_string(), "it removes 3 of 4 queues");
    }

    #[test]
    fn every_queue_of_a_partition_is_much_however_many_others_there_are() {
        let two = |rest: &str| {
            let queues = of("{name: a}, {name: b}, {name: c}, {name: d}");
            config(&format!("{}{rest}]", queues.strip_suffix(']').unwrap()))
        };
        let gpu = ", {name: gpu, queues: [{name: root, submitacl: '*', queues: [{name: only}]}]}";
        let renamed = gpu.replace("only", "other");
        let removal = Removal::between(&two(gpu), &two(&renamed), false);
        assert_eq!((removal.queues, removal.of, removal.partitions.clone()), (1, 5, vec!["gpu".to_owned()]));
        assert!(removal.is_large() && !removal.passes(AllowedRemoval::default()));
        let gone = Removal::between(&two(gpu), &two(""), false);
        assert_eq!((gone.queues, gone.of), (2, 6), "the root goes with its partition");
        assert_eq!(gone.to_string(), "it removes 2 of 6 queues, including every queue of partition gpu");
    }

    #[test]
    fn an_empty_text_needs_an_explicit_word() {
        let empty = Removal { empty: true, ..removal("") };
        assert!(!empty.passes(AllowedRemoval { empty: false, queues: Some(100) }));
        assert!(empty.passes(AllowedRemoval { empty: true, queues: None }));
        assert!(empty.how_to_allow().contains("--allow-empty"), "{}", empty.how_to_allow());
        let nothing = Removal::between(&config(&of("")), &config(""), true);
        assert_eq!((nothing.queues, nothing.is_large()), (0, true));
    }
}
