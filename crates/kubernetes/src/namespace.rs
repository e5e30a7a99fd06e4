//! Maps quota annotations of a namespace to tags of its applications (K8S-116).

use std::collections::BTreeMap;

use serde_json::json;

use super::names::own;
use super::objects::{Amounts, Meta};
use super::quantity;
use model::Resource;

pub(crate) fn tags(meta: &Meta) -> BTreeMap<String, String> {
    let mut tags = BTreeMap::new();
    let quota_key = own("namespace.quota");
    let quota = if meta.annotations.contains_key(&quota_key) { json_amounts(meta, &quota_key) } else { maxima(meta) };
    if let Some(quota) = quota.as_ref().and_then(tag) {
        tags.insert("namespace.resourcequota".to_owned(), quota);
    }
    if let Some(guaranteed) = json_amounts(meta, &own("namespace.guaranteed")).as_ref().and_then(tag) {
        tags.insert("namespace.resourceguaranteed".to_owned(), guaranteed);
    }
    let most = meta.annotation(&own("namespace.maxApps"));
    if most.parse::<u64>().is_ok() {
        tags.insert("namespace.resourcemaxapps".to_owned(), most.to_owned());
    }
    let parent = meta.annotation(&own("parentqueue"));
    if !parent.is_empty() {
        tags.insert("namespace.parentqueue".to_owned(), parent.to_owned());
    }
    tags
}

pub(crate) fn unreadable(meta: &Meta) -> Vec<String> {
    let reported =
        |key: &str| format!("its annotation {key} is not a quota, such as {{\"cpu\": \"5\", \"memory\": \"256M\"}}");
    let keys = ["namespace.quota", "namespace.guaranteed"].map(own);
    let bad = keys.iter().filter(|key| meta.annotations.contains_key(*key) && json_amounts(meta, key).is_none());
    let mut words: Vec<String> = bad.map(|key| reported(key)).collect();
    let old = ["namespace.max.cpu", "namespace.max.memory"].map(own);
    let written = old.iter().any(|key| !meta.annotation(key).is_empty());
    if written && !meta.annotations.contains_key(&keys[0]) && maxima(meta).is_none() {
        words.push(format!("one of its annotations {} and {} is not a quantity, so both are ignored", old[0], old[1]));
    }
    words
}

/// If one of the two old annotations is invalid, both are ignored.
fn maxima(meta: &Meta) -> Option<Resource> {
    let [cpu, memory] =
        ["cpu", "memory"].map(|name| meta.annotation(&own(&format!("namespace.max.{name}"))).to_owned());
    let mut resource = Resource::new();
    if !cpu.is_empty() {
        resource.set("vcore", quantity::thousandths(&cpu).ok()?);
    }
    if !memory.is_empty() {
        resource.set("memory", quantity::whole(&memory).ok()?);
    }
    Some(resource)
}

fn json_amounts(meta: &Meta, key: &str) -> Option<Resource> {
    let texts: BTreeMap<String, String> = serde_json::from_str(meta.annotation(key)).ok()?;
    let amounts: Amounts = texts.into_iter().map(|(name, text)| (name, super::objects::Amount(text))).collect();
    quantity::resource(&amounts).ok()
}

/// `None` if all quantities are zero.
fn tag(amounts: &Resource) -> Option<String> {
    let values = amounts.iter().map(|(name, amount)| (name.to_owned(), json!({ "value": amount })));
    let values: serde_json::Map<String, serde_json::Value> = values.collect();
    amounts.strictly_greater_than_zero().then(|| json!({ "resources": values }).to_string())
}
