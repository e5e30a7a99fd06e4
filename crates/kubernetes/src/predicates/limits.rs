//! NodeVolumeLimits: the maximum number of attached volumes per CSI driver and node (K8S-182). A volume counts once on
//! a node.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;

use super::pods::PodFacts;
use super::refusal::Filter;
use super::volumes::attached_by;
use super::{Snapshot, Storage};
use crate::objects::CsiNode;

#[derive(Clone, Debug, Default)]
pub(super) struct VolumeTable {
    drivers: BTreeMap<String, usize>,
    volumes: BTreeMap<(usize, String), usize>,
    driver_of: Vec<usize>,
    /// By node name and driver; without an entry: unlimited.
    limits: BTreeMap<String, BTreeMap<usize, u32>>,
}

impl VolumeTable {
    fn driver(&mut self, name: &str) -> usize {
        let next = self.drivers.len();
        *self.drivers.entry(name.to_owned()).or_insert(next)
    }

    /// Returns the index of a volume.
    pub fn volume(&mut self, driver: &str, handle: String) -> usize {
        let driver = self.driver(driver);
        let next = self.driver_of.len();
        let number = *self.volumes.entry((driver, handle)).or_insert(next);
        if number == next {
            self.driver_of.push(driver);
        }
        number
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Attached {
    users: OrdMap<(usize, usize), u32>,
    counts: OrdMap<(usize, usize), u32>,
    attachments: OrdMap<String, (usize, usize)>,
}

impl Attached {
    /// Returns true if the node has one volume less.
    fn change(&mut self, node: usize, volume: usize, driver: usize, added: bool) -> bool {
        let users = self.users.get(&(node, volume)).copied().unwrap_or(0);
        let (now, count) = if added { (users + 1, 1) } else { (users.saturating_sub(1), -1) };
        if now == 0 {
            self.users.remove(&(node, volume));
        } else {
            self.users.insert((node, volume), now);
        }
        if users.min(now) > 0 || users == now {
            return false;
        }
        let volumes = self.counts.entry((node, driver)).or_default();
        *volumes = volumes.saturating_add_signed(count);
        !added
    }
}

impl Snapshot {
    pub(super) fn change_volumes(&mut self, pod: &PodFacts, node: usize, added: bool) {
        for volume in &pod.volumes {
            let driver = self.facts.known.volumes.driver_of[*volume];
            self.freed += u64::from(self.attached.change(node, *volume, driver, added));
        }
    }

    pub(super) fn too_many_volumes(&self, pod: &PodFacts, node: usize) -> Option<(Filter, &'static str)> {
        let table = &self.facts.known.volumes;
        if pod.volumes.is_empty() || table.limits.is_empty() {
            return None;
        }
        let limits = table.limits.get(self.facts.known.table.nodes[node].id.as_str())?;
        let mut new: BTreeMap<usize, u32> = BTreeMap::new();
        for volume in pod.volumes.iter().filter(|volume| !self.attached.users.contains_key(&(node, **volume))) {
            *new.entry(table.driver_of[*volume]).or_default() += 1;
        }
        let exceeds = |(driver, new): (&usize, &u32)| {
            let there = self.attached.counts.get(&(node, *driver)).copied().unwrap_or(0);
            limits.get(driver).is_some_and(|limit| there.saturating_add(*new) > *limit)
        };
        new.iter().any(exceeds).then_some((Filter::NodeVolumeLimits, "node(s) exceed max volume count"))
    }

    /// `None` removes the limits.
    pub(crate) fn put_limits(&mut self, node: &str, csi_node: Option<&CsiNode>) {
        self.freed += 1;
        let table = &mut Arc::make_mut(&mut self.facts).known.volumes;
        let drivers = csi_node.map(|csi_node| csi_node.spec.drivers.as_slice()).unwrap_or_default();
        let limits = drivers.iter().filter_map(|driver| Some((table.driver(&driver.name), driver.allocatable.count?)));
        let limits: BTreeMap<usize, u32> = limits.collect();
        if limits.is_empty() {
            table.limits.remove(node);
        } else {
            table.limits.insert(node.to_owned(), limits);
        }
    }

    pub(crate) fn put_attachments(&mut self, storage: Storage<'_>) {
        let facts = Arc::make_mut(&mut self.facts);
        let mut now = OrdMap::new();
        for (name, attachment) in storage.attachments {
            let node = facts.known.table.find(&attachment.spec.node_name);
            let volume = attached_by(&attachment.spec.source.persistent_volume_name, storage);
            if let (Some(node), Some((driver, handle))) = (node, volume) {
                now.insert(name.clone(), (node, facts.known.volumes.volume(&driver, handle)));
            }
        }
        let before = std::mem::replace(&mut self.attached.attachments, now.clone());
        // Additions before removals, so that an unchanged volume never disappears in between.
        let changes = now.iter().filter(|(name, at)| before.get(*name) != Some(*at)).map(|(_, at)| (*at, true));
        let gone = before.iter().filter(|(name, at)| now.get(*name) != Some(*at)).map(|(_, at)| (*at, false));
        for ((node, volume), added) in changes.chain(gone) {
            let driver = self.facts.known.volumes.driver_of[volume];
            self.freed += u64::from(self.attached.change(node, volume, driver, added));
        }
    }
}
