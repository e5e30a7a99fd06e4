//! A small cluster that tests change.

use std::sync::Arc;
use std::time::Duration;

use crate::{Alerts, Change, ChangeKind, Disk, Given, Rules, read};
use model::{NodeId, Resource, Time};
use view::{NodeRow, PartitionView, View};

pub struct Stage {
    pub alerts: Alerts,
    pub given: Given,
}

/// The rules of a text without the defaults.
pub fn rules(text: &str) -> Arc<Rules> {
    let read = read(&format!("defaults = false\n{text}"));
    Arc::new(read.rules.unwrap_or_else(|| panic!("{:?}", read.faults)))
}

pub fn node(id: &str) -> Arc<NodeRow> {
    let capacity: Resource = [("vcore", 4000)].into_iter().collect();
    Arc::new(NodeRow {
        id: NodeId::from(id),
        capacity,
        allocated: Resource::new(),
        occupied: Resource::new(),
        schedulable: true,
        closed: None,
        attributes: Arc::default(),
        allocations: imbl::OrdMap::new(),
        foreign: Arc::default(),
        reservations: Arc::new([]),
    })
}

impl Stage {
    /// A cluster with two nodes and the rules of a text.
    pub fn new(text: &str) -> Self {
        let part = PartitionView { name: Arc::from("default"), ..PartitionView::default() };
        let view = View { partitions: vec![part], ..View::default() };
        let given = Given {
            view: Arc::new(view),
            at: Time(1_000_000_000),
            happened: Some(Vec::new()),
            connection: None,
            health: Some(Vec::new()),
            disk: None,
            apps: true,
        };
        let mut stage = Self { alerts: Alerts::new(rules(text)), given };
        stage.nodes(&["n-1", "n-2"]);
        stage
    }

    pub fn nodes(&mut self, ids: &[&str]) {
        let nodes = ids.iter().map(|id| (NodeId::from(*id), node(id))).collect();
        Arc::make_mut(&mut self.given.view).partitions[0].nodes = nodes;
    }

    pub fn disk(&mut self, used: u64) {
        self.given.disk = Some(Disk { dir: "state".into(), free: 100 - used, size: 100, failure: None });
    }

    /// Returns the reported changes.
    pub fn step(&mut self, seconds: u64) -> Vec<String> {
        self.given.at = self.given.at + Duration::from_secs(seconds);
        let changes = self.alerts.step(&self.given);
        changes.iter().map(words).collect()
    }

    pub fn restart(&mut self) {
        let saved = self.alerts.save().unwrap();
        self.alerts = Alerts::new(Arc::clone(self.alerts.rules()));
        self.alerts.restore(&saved, self.given.at).unwrap();
    }
}

fn words(change: &Change) -> String {
    let kind = match change.kind {
        ChangeKind::Firing => "fires",
        ChangeKind::Resolved => "is over",
    };
    format!("{} {kind}: {}", change.alert.title(), change.alert.text)
}
