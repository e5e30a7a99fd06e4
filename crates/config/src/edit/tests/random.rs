//! Random edits in every style: the text is valid, the diff is exactly the edit, other lines are unchanged, and the
//! reverse edit restores the configuration.

use proptest::prelude::*;

use super::random_text::{AMOUNTS, PROPERTIES, RESOURCES, a_case};
use super::*;
use crate::Config;
use crate::diff::{Change, Key, What};

fn config(text: &str) -> Result<Config, TestCaseError> {
    let reading = read_file(text.as_bytes(), DEFAULT_POLICY_GROUP, Profile::Kornsole);
    reading.config.ok_or_else(|| TestCaseError::fail(format!("{:#?}\n{text}", reading.faults)))
}

fn counts(old: &str, new: &str) -> (usize, usize) {
    let plain = |text: &str| text.replace('\r', "").trim_end().to_owned();
    let lines = lines_changed(&plain(old), &plain(new));
    let gone = lines.iter().filter(|line| line.starts_with('-')).count();
    (gone, lines.len() - gone)
}

fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| Some(&line[line.find("# ")?..])).collect()
}

fn changes(old: &str, new: &str) -> Result<Vec<Change>, TestCaseError> {
    Ok(diff(&config(old)?, &config(new)?).changes)
}

fn edited(text: &str, new: Result<String, Fault>) -> Result<String, TestCaseError> {
    new.map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_setting((text, path, queue) in a_case(), resource in 0..3_usize, amount in 0..4_usize, which in 0..4) {
        let queue_path = QueuePath::new(&path);
        let target = target(&queue_path);
        let (resource, property, value) = (RESOURCES[resource], PROPERTIES[resource], ["7", "x: y", "", "null"][amount]);
        let (name, old, new) = match which {
            0 if queue.children.is_empty() => (Key::Max(resource.into()), lookup(&queue.max, resource), AMOUNTS[amount]),
            1 => (Key::Property(property.into()), lookup(&queue.properties, property), value),
            2 => (Key::SubmitAcl, queue.acl.as_deref(), ["sue dev", "*", " ops", "a,b"][amount]),
            _ => (Key::AdminAcl, None, ["sue dev", "*", " ops", "a,b"][amount]),
        };
        let set = |text: &str, value: Option<&str>| match &name {
            Key::Max(resource) => set_amount(text, &target, Bound::Max, resource, value),
            Key::Property(property) => set_property(text, &target, property, value),
            Key::SubmitAcl => set_acl(text, &target, Access::Submit, value),
            _ => set_acl(text, &target, Access::Admin, value),
        };
        let after = edited(&text, set(&text, Some(new)))?;
        let changed_keys = changes(&text, &after)?;
        if old == Some(new) {
            prop_assert_eq!(&after, &text);
        } else {
            prop_assert_eq!(changed_keys.len(), 1, "{:?}\n{}", changed_keys, after);
            prop_assert_eq!((&changed_keys[0].key, changed_keys[0].queue.as_ref()), (&name, Some(&queue_path)));
        }
        let (gone, arrived) = counts(&text, &after);
        prop_assert!(gone <= 1 && arrived <= if old.is_some() { 1 } else { 3 }, "-{} +{}\n{}\n{}", gone, arrived, text, after);
        prop_assert_eq!(comments(&text), comments(&after));
        let back = edited(&after, set(&after, old))?;
        prop_assert!(diff(&config(&text)?, &config(&back)?).is_empty());
        if old.is_none() {
            prop_assert_eq!(text.trim_end(), back.trim_end(), "{}", after);
        }
        let cleared = edited(&text, set(&text, None))?;
        let changed_keys = changes(&text, &cleared)?;
        prop_assert_eq!(changed_keys.len(), usize::from(old.is_some()), "{:?}\n{}", changed_keys, cleared);
        prop_assert!(counts(&text, &cleared).1 <= 1, "{}\n{}", text, cleared);
    }

    #[test]
    fn a_queue((text, path, queue) in a_case(), settings in any::<bool>()) {
        let path = QueuePath::new(&path);
        let mut new = NewQueue { name: "new".into(), ..NewQueue::default() };
        if settings {
            new.submit_acl = "sue dev".into();
            new.max = vec![("pods".into(), "3".into())];
            new.limits = vec![NewLimit { users: vec!["eve".into()], max_applications: Some(1), ..NewLimit::default() }];
        }
        let after = edited(&text, add_queue(&text, &target(&path), &new))?;
        let below = path.child("new");
        let changed_keys = changes(&text, &after)?;
        let others: Vec<_> = changed_keys.iter().filter(|change| change.queue.as_ref() != Some(&below)).collect();
        let flips = usize::from(queue.children.is_empty());
        prop_assert_eq!(others.len(), flips, "{:?}", others);
        prop_assert!(others.iter().all(|change| change.key == Key::Parent && change.queue.as_ref() == Some(&path)));
        let arrived = |change: &&Change| change.key == Key::Queue && change.what == What::Added;
        prop_assert_eq!(changed_keys.iter().filter(arrived).count(), 1);
        prop_assert!(counts(&text, &after).0 <= 1, "{}\n{}", text, after);
        prop_assert_eq!(comments(&text), comments(&after));
        let back = edited(&after, remove_queue(&after, &target(&below)))?;
        prop_assert_eq!(text.trim_end(), back.trim_end(), "{}", after);

        let without = edited(&text, remove_queue(&text, &target(&path)))?;
        let changed_keys = changes(&text, &without)?;
        let within = |change: &&Change| change.queue.as_ref().is_some_and(|queue| queue.is_within(&path));
        let gone = 1 + queue.children.len();
        prop_assert_eq!(changed_keys.iter().filter(within).count(), gone);
        let rest: Vec<_> = changed_keys.iter().filter(|change| !within(change)).map(|change| &change.key).collect();
        prop_assert!(rest.is_empty() || rest == [&Key::Parent], "{:?}", rest);
        prop_assert!(counts(&text, &without).1 <= 1, "{}\n{}", text, without);
    }

    #[test]
    fn a_limit((text, path, queue) in a_case(), first in any::<bool>()) {
        let path = QueuePath::new(&path);
        let target = target(&path);
        let eve = NewLimit { users: vec!["eve".into()], max_applications: Some(5), ..NewLimit::default() };
        let number = if first { 0 } else { queue.limits.len() };
        prop_assume!(first || !queue.limits.iter().any(|(users, _)| users[0] == "*"));
        let after = edited(&text, add_limit(&text, &target, Some(number), &eve))?;
        let changed_keys = changes(&text, &after)?;
        prop_assert_eq!(changed_keys.len(), 1, "{:?}\n{}", changed_keys, after);
        prop_assert_eq!(&changed_keys[0].key, &Key::Limit("users eve".into()));
        prop_assert!(counts(&text, &after).0 <= 1, "{}\n{}", text, after);
        let more = NewLimit {
            description: "the eves".into(),
            users: vec!["eve".into(), "eva".into()],
            groups: vec!["dev".into()],
            max_resources: vec![("pods".into(), "3".into())],
            ..NewLimit::default()
        };
        let changed = edited(&after, change_limit(&after, &target, number, &more))?;
        let changed_keys = changes(&after, &changed)?;
        prop_assert_eq!(changed_keys.len(), 5, "{:?}\n{}", changed_keys, changed);
        prop_assert!(changed_keys.iter().all(|change| matches!(change.key, Key::InLimit(..))));
        let changed_back = edited(&changed, change_limit(&changed, &target, number, &eve))?;
        prop_assert_eq!(changes(&after, &changed_back)?, vec![]);
        let back = edited(&after, remove_limit(&after, &target, number))?;
        prop_assert_eq!(text.trim_end(), back.trim_end(), "{}", after);
    }
}

fn lookup<'a>(pairs: &'a [(String, String)], key: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}
