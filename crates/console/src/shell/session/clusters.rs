//! The clusters for the page of all clusters.
//!
//! Invariants: a worker thread opens each cluster once; all are dropped when the page closes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Session;
use crate::state::clusters::{ClusterMetrics, ClusterRow, ClusterState};
use crate::state::contexts::{ContextEntry, ContextOrigin};
use crate::state::page::Page;
use crate::state::work::{Discarded, SourceHandle, Work};
use crate::update::action::Action;
use source::Source;

const MOST: usize = 50;

#[derive(Default)]
pub(super) struct Clusters {
    opened: BTreeMap<String, Opened>,
}

enum Opened {
    Opening,
    Failed(String),
    Source(Arc<dyn Source>),
}

impl Session {
    pub(super) fn follow_clusters(&mut self) {
        let Page::Clusters(page) = self.state.page() else {
            if !self.state.pages.iter().any(|page| matches!(page, Page::Clusters(_))) {
                self.leave_clusters();
            }
            return;
        };
        let Some(opener) = self.opener.clone() else { return };
        let names: Vec<Arc<ContextEntry>> = self.state.contexts.all.iter().take(MOST).map(Arc::clone).collect();
        let mut rows: Vec<Arc<ClusterRow>> = Vec::with_capacity(names.len() + 1);
        let here = self.source.about().name.clone();
        let shown = self.state.contexts.here.clone().filter(|name| names.iter().any(|entry| entry.name == *name));
        if shown.is_none() {
            rows.push(Arc::new(self.here(&here)));
        }
        for entry in names {
            let name = entry.name.clone();
            if shown.as_ref() == Some(&name) {
                rows.push(Arc::new(self.here(&name)));
                continue;
            }
            if entry.origin == ContextOrigin::Kubeconfig {
                rows.push(Arc::new(ClusterRow::unseen(&name, ClusterState::NotAsked)));
                continue;
            }
            let row = match self.clusters.opened.get(&name) {
                Some(Opened::Opening) => ClusterRow::unseen(&name, ClusterState::Opening),
                Some(Opened::Failed(why)) => ClusterRow::unseen(&name, ClusterState::Failed(why.clone())),
                Some(Opened::Source(source)) => ClusterRow::of(&name, &**source),
                None => {
                    self.clusters.opened.insert(name.clone(), Opened::Opening);
                    self.effects.push(Work::OpenCluster(opener.clone(), name.clone()).into());
                    ClusterRow::unseen(&name, ClusterState::Opening)
                }
            };
            rows.push(Arc::new(row));
        }
        if page.known != rows {
            self.act(Action::Clusters(rows));
        }
    }

    /// The row is made from the frame, because the source may be newer.
    fn here(&self, name: &str) -> ClusterRow {
        let metrics = ClusterMetrics::of_view(&self.state.cluster.view);
        ClusterRow { here: true, metrics, ..ClusterRow::of(name, &*self.source) }
    }

    pub(super) fn take_cluster(&mut self, name: &str, opened: Result<SourceHandle, String>) {
        let Some(place) = self.clusters.opened.get_mut(name) else {
            // The drop may take longer than a frame.
            self.effects.extend(opened.ok().map(|source| Work::Discard(Discarded::of(source)).into()));
            return;
        };
        *place = match opened {
            Err(why) => Opened::Failed(why),
            Ok(SourceHandle(source)) => {
                let wake = Arc::clone(&self.wake);
                source.on_change(Box::new(move || wake()));
                Opened::Source(source)
            }
        };
    }

    pub(super) fn leave_clusters(&mut self) {
        for opened in std::mem::take(&mut self.clusters.opened).into_values() {
            if let Opened::Source(source) = opened {
                self.effects.push(Work::Discard(Discarded::of(SourceHandle(source))).into());
            }
        }
    }
}
