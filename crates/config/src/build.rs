//! Raw configuration → configuration for the scheduler (`config.md` sections 5 to 12).
//!
//! What only kornsole's stricter rules reject is built as in the release: an invalid access list names no user, an
//! invalid quantity is omitted.

use std::collections::{BTreeMap, HashSet};

use super::node::FieldValue;
use super::raw::{RawLimit, RawPartition, RawProperty, RawQueue, RawResource, RawRule, RawTemplate};
use super::types::{
    FilterConfig, LimitConfig, NodeSortConfig, PartitionConfig, Placed, QueueConfig, RuleConfig, TemplateConfig,
};
use super::values::{FilterType, NodeSortPolicy, RuleKind};
use model::acl::AclNames;
use model::{Acl, Profile, QueuePath, Resource};

pub(super) fn partition(raw: RawPartition, profile: Profile) -> PartitionConfig {
    let root = raw.root.unwrap_or_default();
    let name = if raw.name.value.eq_ignore_ascii_case("default") { "default".into() } else { raw.name.value };
    let mut root = queue(root, None, profile);
    root.parent = true;
    PartitionConfig {
        name,
        at: raw.at,
        root,
        rules: raw.rules.into_iter().map(|raw| rule(raw, profile)).collect(),
        node_sort: node_sort(raw.sort_type, raw.weights),
        preemption: raw.preemption.good().is_none_or(|on| on.value),
        quota_preemption: raw.quota_preemption.good().is_some_and(|on| on.value),
    }
}

fn queue(raw: RawQueue, above: Option<&QueuePath>, profile: Profile) -> QueueConfig {
    let name = above.map_or_else(|| "root".to_owned(), |_| raw.name.value.to_lowercase());
    let path = above.map_or_else(QueuePath::root, |above| above.child(&name));
    let names = if profile == Profile::Kornsole { AclNames::Portable } else { AclNames::Core };
    let parent = raw.is_parent();
    QueueConfig {
        name,
        capitals: raw.name.value.chars().any(char::is_uppercase),
        at: raw.at,
        parent,
        children: raw.children.into_iter().map(|child| queue(child, Some(&path), profile)).collect(),
        max_applications: raw.max_applications.good(),
        properties: raw.properties.into_iter().map(|property| (property.key, property.value)).collect(),
        admin_acl: acl(raw.admin_acl, names),
        submit_acl: acl(raw.submit_acl, names),
        guaranteed: placed_resource(raw.guaranteed),
        max: placed_resource(raw.max),
        limits: raw.limits.map_or_else(Vec::new, |limits| limits.list.into_iter().map(limit).collect()),
        template: raw.template.and_then(template),
        path: Some(path),
    }
}

fn acl(text: Option<Placed<String>>, names: AclNames) -> Placed<Acl> {
    let Some(text) = text else { return Placed::default() };
    let value = Acl::parse(&text.value, names).map(|reading| reading.acl).unwrap_or_default();
    Placed { value, at: text.at }
}

fn resource(raw: Option<RawResource>) -> Option<Resource> {
    raw.map(|raw| raw.resource).filter(|resource| !resource.is_empty())
}

fn placed_resource(raw: Option<RawResource>) -> Option<Placed<Resource>> {
    let at = raw.as_ref()?.at;
    resource(raw).map(|value| Placed { value, at })
}

fn limit(raw: RawLimit) -> LimitConfig {
    LimitConfig {
        description: raw.description,
        at: raw.at,
        users: distinct(raw.users),
        groups: distinct(raw.groups),
        max_applications: raw.max_applications.good().map(|count| count.value),
        max_resources: resource(raw.max_resources),
    }
}

/// The names in their order, each once (CFG-063).
fn distinct(names: Vec<Placed<String>>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.into_iter().map(|name| name.value).filter(|name| seen.insert(name.clone())).collect()
}

/// An empty template is `None`. One with only zeros is a template: it hides the inherited one.
fn template(raw: RawTemplate) -> Option<TemplateConfig> {
    let properties = template_properties(raw.properties);
    let max_applications = match raw.max_applications {
        FieldValue::Value(count) => Some(count.value),
        _ => None,
    };
    let (guaranteed, max) = (resource(raw.guaranteed), resource(raw.max));
    let empty = properties.is_empty() && max_applications.is_none() && guaranteed.is_none() && max.is_none();
    let guaranteed = guaranteed.filter(|guaranteed| !guaranteed.is_zero());
    (!empty).then_some(TemplateConfig { at: raw.at, max_applications, properties, guaranteed, max })
}

fn template_properties(raw: Vec<RawProperty>) -> BTreeMap<String, String> {
    let full = raw.into_iter().filter(|property| !property.key.is_empty() && !property.value.value.is_empty());
    full.map(|property| (property.key, property.value.value)).collect()
}

fn node_sort(sort: Option<Placed<String>>, weights: Option<Vec<Placed<(String, f64)>>>) -> NodeSortConfig {
    // CFG-100 allows only known policies and the empty text.
    let policy = sort.and_then(|sort| NodeSortPolicy::parse(&sort.value)).unwrap_or_default();
    let weights = weights.unwrap_or_default();
    if weights.is_empty() {
        return NodeSortConfig { policy, ..NodeSortConfig::default() };
    }
    NodeSortConfig { policy, weights: weights.into_iter().map(|weight| weight.value).collect() }
}

fn rule(raw: RawRule, profile: Profile) -> RuleConfig {
    let value = raw.value.map(|value| value.value).unwrap_or_default();
    // A release accepts an unknown rule, and starts without rules (switch `rules_at_start`).
    let (kind, value) = match RuleKind::read(&raw.name.value, profile) {
        Some(kind) => (kind, value),
        None => (RuleKind::Tag, String::new()),
    };
    let names = |names: Vec<Placed<String>>| names.into_iter().map(|name| name.value).collect();
    let filter = raw.filter.map_or_else(FilterConfig::default, |filter| FilterConfig {
        // The releases accept any case but act only on lower case (switch `filter_type_case`).
        deny: filter.kind.is_some_and(|kind| FilterType::text_denies(&kind.value, profile != Profile::Kornsole)),
        users: names(filter.users),
        groups: names(filter.groups),
        written: true,
    });
    RuleConfig {
        kind,
        at: raw.at,
        create: raw.create.good().is_some_and(|create| create.value),
        filter,
        parent: raw.parent.map(|parent| Box::new(rule(*parent, profile))),
        value,
        text: raw.text,
    }
}
