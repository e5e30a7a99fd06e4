//! Terms that select pods, found by labels (K8S-179, K8S-180).

use std::collections::BTreeMap;

use super::labels::{Labels, Selector};
use crate::objects::{LabelSelector, Meta, PodTerm, SpreadConstraint};

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    namespaces: Vec<String>,
    by_namespace_labels: Option<Selector>,
    pods: Selector,
    /// It matches every pod: an invalid term must not let a pod pass.
    everything: bool,
}

impl Term {
    /// Parses affinity or anti-affinity.
    ///
    /// # Errors
    /// The unsupported part.
    pub fn of(term: &PodTerm, owner: &Meta) -> Result<Self, String> {
        let by_namespace_labels = term.namespace_selector.as_ref().map(|own| Selector::of(Some(own))).transpose()?;
        let mut namespaces = term.namespaces.clone();
        if namespaces.is_empty() && by_namespace_labels.is_none() {
            namespaces.push(owner.namespace.clone());
        }
        namespaces.sort();
        let mut pods = with_keys(term.label_selector.as_ref(), &term.match_label_keys, owner)?;
        for key in &term.mismatch_label_keys {
            if let Some(value) = owner.labels.get(key) {
                pods = pods.with(key, value, false);
            }
        }
        Ok(Self { namespaces, by_namespace_labels, pods, everything: false })
    }

    /// Selects pods of the same namespace.
    ///
    /// # Errors
    /// The unsupported part.
    pub fn of_spread(constraint: &SpreadConstraint, owner: &Meta) -> Result<Self, String> {
        let pods = with_keys(constraint.label_selector.as_ref(), &constraint.match_label_keys, owner)?;
        Ok(Self { namespaces: vec![owner.namespace.clone()], pods, ..Self::default() })
    }

    /// Matches every pod.
    pub fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// Returns true if it matches this metadata and namespace.
    pub fn means(&self, meta: &Meta, namespace: &Labels) -> bool {
        let here = || {
            self.namespaces.contains(&meta.namespace)
                || self.by_namespace_labels.as_ref().is_some_and(|selector| selector.matches(namespace))
        };
        self.everything || self.pods.matches(&meta.labels) && here()
    }
}

/// Adds the pod's own values of some labels to a selector.
fn with_keys(selector: Option<&LabelSelector>, keys: &[String], owner: &Meta) -> Result<Selector, String> {
    let mut read = Selector::of(selector)?;
    for key in keys {
        if let Some(value) = owner.labels.get(key) {
            read = read.with(key, value, true);
        }
    }
    Ok(read)
}

/// Terms that a pod must all match.
pub(super) type Matcher = Vec<Term>;

#[derive(Clone, Debug, Default)]
pub(super) struct Matchers {
    known: BTreeMap<Matcher, usize>,
    by_pair: BTreeMap<(String, String), Vec<usize>>,
    others: Vec<usize>,
    list: Vec<Matcher>,
}

impl Matchers {
    /// Returns the index of a matcher.
    pub fn number(&mut self, matcher: Matcher) -> usize {
        if let Some(number) = self.known.get(&matcher) {
            return *number;
        }
        let number = self.list.len();
        match matcher.iter().find_map(|term| term.pods.pair().filter(|_| !term.everything)) {
            Some(pair) => self.by_pair.entry(pair.clone()).or_default().push(number),
            None => self.others.push(number),
        }
        self.known.insert(matcher.clone(), number);
        self.list.push(matcher);
        number
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if a matcher matches a pod.
    pub fn means(&self, number: usize, meta: &Meta, namespace: &Labels) -> bool {
        self.list[number].iter().all(|term| term.means(meta, namespace))
    }

    /// Returns indexes of matchers.
    pub fn meaning(&self, meta: &Meta, namespace: &Labels) -> Vec<usize> {
        let by_label = meta.labels.iter().filter_map(|(key, value)| self.by_pair.get(&(key.clone(), value.clone())));
        let asked = by_label.flatten().chain(&self.others).copied();
        let mut found: Vec<usize> = asked.filter(|number| self.means(*number, meta, namespace)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
