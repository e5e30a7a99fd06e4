//! Active placement rules (`rest.md` 5.6).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dto;
use config::{FilterType, RuleValue};
use view::PartitionView;
use view::placement::{FilterOutline, NamesOutline, RECOVERY_QUEUE, RuleOutline};

/// Converts the rules of a partition in evaluation order, the recovery rule last.
pub fn placement_rules(partition: &PartitionView) -> Vec<dto::PlacementRule> {
    let recovery = partition.rules.has_recovery().then(|| dto::PlacementRule {
        name: Cow::Borrowed("recovery"),
        parameters: [("queue".to_owned(), RECOVERY_QUEUE.to_owned())].into(),
        ..dto::PlacementRule::default()
    });
    partition.rules.outlines().iter().map(rule).chain(recovery).collect()
}

fn rule(outline: &RuleOutline) -> dto::PlacementRule {
    let mut parameters: BTreeMap<String, String> = [("create".to_owned(), outline.create.to_string())].into();
    match outline.kind.value() {
        RuleValue::QueuePath => {
            parameters.insert("queue".to_owned(), outline.value.to_string());
            parameters.insert("qualified".to_owned(), outline.qualified.to_string());
        }
        RuleValue::TagName => {
            parameters.insert("tagName".to_owned(), outline.value.to_lowercase());
        }
        RuleValue::Unused => {}
    }
    dto::PlacementRule {
        name: Cow::Borrowed(outline.name),
        parameters,
        filter: outline.filter.as_ref().map(filter),
        parent_rule: outline.parent.as_deref().map(|parent| Box::new(rule(parent))),
        other: BTreeMap::new(),
    }
}

fn filter(outline: &FilterOutline) -> dto::RuleFilter {
    let split = |names: &NamesOutline| match names {
        NamesOutline::Absent => (Vec::new(), String::new()),
        NamesOutline::List(names) => (names.iter().map(Arc::to_string).collect(), String::new()),
        NamesOutline::Expression(text) => (Vec::new(), text.to_string()),
    };
    let ((user_list, user_exp), (group_list, group_exp)) = (split(&outline.users), split(&outline.groups));
    dto::RuleFilter {
        kind: Cow::Borrowed(if outline.deny { FilterType::Deny } else { FilterType::Allow }.name()),
        user_list,
        group_list,
        user_exp,
        group_exp,
    }
}
