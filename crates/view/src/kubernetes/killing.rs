//! Sentences about a kill for its dialog: the number of deleted pods, their namespaces, and the owners that recreate
//! them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Chain, Kubernetes, OwnerName, OwnerObject};
use crate::AppRow;

const NAMED: usize = 3;

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

impl Kubernetes {
    /// Returns the sentences for a kill of these applications. `chains` are the owners of their pods, if looked up.
    pub fn kill_lines<'a>(&self, apps: impl Iterator<Item = &'a AppRow>, chains: Option<&[Chain]>) -> Vec<String> {
        let (mut pods, mut waiting) = (0, 0);
        let mut namespaces: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        let mut owners: BTreeMap<(Arc<str>, Option<OwnerName>), usize> = BTreeMap::new();
        for app in apps {
            for pod in self.doomed(app) {
                pods += 1;
                waiting += usize::from(!app.asks.values().any(|ask| *ask.id.as_str() == *pod.uid));
                *namespaces.entry(Arc::clone(&pod.namespace)).or_default() += 1;
                *owners.entry((Arc::clone(&pod.namespace), pod.owner.clone())).or_default() += 1;
            }
        }
        if pods == 0 {
            return Vec::new();
        }
        let places: Vec<String> = namespaces.into_iter().map(|(name, count)| format!("{count} in {name}")).collect();
        let mut lines =
            vec![format!("Deletes {}: {}; each has its own grace period.", count(pods, "pod"), places.join(", "))];
        if waiting > 0 {
            lines.push(format!("{waiting} of them are not in the scheduler yet."));
        }
        let seen: Vec<Chain> = match chains {
            Some(chains) => chains.to_vec(),
            None => owners.into_iter().map(direct).collect(),
        };
        lines.extend(seen.iter().take(NAMED).map(Chain::after_deletion));
        if seen.len() > NAMED {
            lines.push(format!("And {} more of these pods.", count(seen.len() - NAMED, "owner")));
        }
        lines
    }
}

fn direct(((namespace, owner), pods): ((Arc<str>, Option<OwnerName>), usize)) -> Chain {
    let owners = owner.map(|name| OwnerObject { namespace, name, ..OwnerObject::default() });
    Chain { pods, owners: owners.into_iter().collect(), ..Chain::default() }
}
