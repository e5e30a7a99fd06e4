//! Parts that many objects have in common, in memory once: the pods of a workload differ in few fields.

use std::collections::BTreeSet;

use super::pod::{Pod, PodSpec};
use super::{Owner, Texts};
use model::Shared;

#[derive(Debug)]
struct Pool<T> {
    known: BTreeSet<Shared<T>>,
    /// Number of parts from which unused ones are dropped.
    most: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { known: BTreeSet::new(), most: 0 }
    }
}

impl<T: Ord + Clone> Pool<T> {
    fn share(&mut self, part: &mut Shared<T>) {
        const FEW: usize = 1000;
        if let Some(known) = self.known.get(part) {
            *part = known.clone();
            return;
        }
        if self.known.len() >= self.most {
            self.known.retain(Shared::has_others);
            self.most = FEW.max(2 * self.known.len());
        }
        self.known.insert(part.clone());
    }
}

/// The parts of the pods of a cluster. A copy of the cluster starts without.
#[derive(Debug, Default)]
pub(crate) struct PodParts {
    texts: Pool<Texts>,
    owners: Pool<Vec<Owner>>,
    specs: Pool<PodSpec>,
}

impl Clone for PodParts {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PodParts {
    /// Replaces parts by equal known ones.
    pub fn share(&mut self, pod: &mut Pod) {
        self.texts.share(&mut pod.metadata.labels);
        self.texts.share(&mut pod.metadata.annotations);
        self.owners.share(&mut pod.metadata.owner_references);
        self.specs.share(&mut pod.spec);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str, image: &str) -> Pod {
        let spec = serde_json::json!({"nodeName": name, "containers": [{"name": image}]});
        let metadata = serde_json::json!({"name": name, "labels": {"app": "a"}});
        serde_json::from_value(serde_json::json!({"metadata": metadata, "spec": spec})).unwrap()
    }

    #[test]
    fn equal_parts_are_in_memory_once_until_one_changes() {
        let (mut parts, mut one, mut other, mut third) =
            (PodParts::default(), pod("1", "x"), pod("2", "x"), pod("3", "y"));
        [&mut one, &mut other, &mut third].into_iter().for_each(|pod| parts.share(pod));
        assert!(one.spec.is_same(&other.spec), "the node is not a part of it");
        assert!(one.metadata.labels.is_same(&third.metadata.labels));
        assert!(!one.spec.is_same(&third.spec));
        assert_eq!((one.node(), other.node()), (Some("1"), Some("2")));
        other.spec.priority = Some(1);
        assert_eq!(one.spec.priority, None);
    }

    #[test]
    fn parts_that_no_pod_has_are_dropped() {
        let mut parts = PodParts::default();
        for number in 0..10_000 {
            parts.share(&mut pod("p", &number.to_string()));
        }
        assert!(parts.specs.known.len() <= 1000, "{}", parts.specs.known.len());
    }
}
