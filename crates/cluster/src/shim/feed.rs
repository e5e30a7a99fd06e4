//! Changes of the objects of a cluster: one watch per kind, one channel.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinSet;

use crate::kube::kinds::{
    Attachments, Claims, Classes, CsiNodes, Kind, Maps, Namespaces, Nodes, Pods, Read, StorageClasses, Volumes, key_of,
};
use crate::kube::{Change, Pace, Reader};
use kubernetes::live::{Input, ObjectKey};

/// Maximum number of queued batches per kind.
pub(super) const WAITING: usize = 16;
/// Number of kinds.
pub const KINDS: usize = 10;

/// A change of the cluster.
#[derive(Debug)]
pub enum FeedChange {
    /// Changed and removed objects.
    Changed(Vec<Input>),
    /// A kind was listed completely.
    Listed(&'static str),
    /// No changes arrive, for this reason.
    Lost(&'static str, String),
    /// An object is invalid: it counts as missing.
    Unreadable(ObjectKey, String),
}

/// Watches on all kinds. Dropping it ends them.
#[derive(Debug)]
pub struct Feed {
    _tasks: JoinSet<()>,
}

impl Feed {
    /// Follows all kinds, ConfigMaps in one namespace only. `take` gets the changes, in order for each kind. Must be
    /// called in a runtime.
    pub fn start(cluster: &Reader, namespace: &str, take: impl Fn(FeedChange) + Clone + Send + 'static) -> Self {
        let mut tasks = JoinSet::new();
        start_list::<Nodes>(&mut tasks, cluster, None, take.clone());
        start_list::<Pods>(&mut tasks, cluster, None, take.clone());
        start_list::<Namespaces>(&mut tasks, cluster, None, take.clone());
        start_list::<Classes>(&mut tasks, cluster, None, take.clone());
        start_list::<Volumes>(&mut tasks, cluster, None, take.clone());
        start_list::<Claims>(&mut tasks, cluster, None, take.clone());
        start_list::<StorageClasses>(&mut tasks, cluster, None, take.clone());
        start_list::<CsiNodes>(&mut tasks, cluster, None, take.clone());
        start_list::<Attachments>(&mut tasks, cluster, None, take.clone());
        let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
        start_list::<Maps>(&mut tasks, cluster, Some(maps), take);
        Self { _tasks: tasks }
    }
}

fn start_list<K: Kind>(
    tasks: &mut JoinSet<()>,
    cluster: &Reader,
    path: Option<String>,
    take: impl Fn(FeedChange) + Send + 'static,
) {
    let (sender, mut changes): (Sender<Change<K>>, _) = channel(WAITING);
    let path = path.unwrap_or_else(|| K::PATH.to_owned());
    tasks.spawn(cluster.clone().follow(Pace::default(), path, sender));
    tasks.spawn(async move {
        let mut list = KindList::default();
        while let Some(change) = changes.recv().await {
            list.take::<K>(change, &take);
        }
    });
}

#[derive(Debug, Default)]
pub(super) struct KindList {
    known: BTreeSet<Arc<str>>,
    listed: Option<BTreeSet<Arc<str>>>,
}

impl KindList {
    pub(super) fn take<K: Kind>(&mut self, change: Change<K>, take: &impl Fn(FeedChange)) {
        match change {
            Change::Started => self.listed = Some(BTreeSet::new()),
            Change::Put(objects) => {
                let mut inputs = Vec::with_capacity(objects.len());
                for object in objects {
                    let key = object.key();
                    if let Some(listed) = &mut self.listed {
                        listed.insert(Arc::clone(&key));
                    }
                    self.known.insert(key);
                    let Read { key, object } = object.into();
                    match object {
                        Ok(object) => inputs.push(Input::Put(object)),
                        Err(why) => {
                            inputs.push(Input::Gone(key.clone()));
                            take(FeedChange::Unreadable(key, why));
                        }
                    }
                }
                take(FeedChange::Changed(inputs));
            }
            Change::Gone(key) => {
                self.known.remove(&key);
                take(FeedChange::Changed(vec![Input::Gone(key_of(K::KIND, &key))]));
            }
            Change::Complete => {
                // Objects that are not in the list were removed while nothing arrived.
                if let Some(listed) = self.listed.take() {
                    let gone = self.known.difference(&listed).map(|key| Input::Gone(key_of(K::KIND, key)));
                    let gone: Vec<Input> = gone.collect();
                    self.known = listed;
                    if !gone.is_empty() {
                        take(FeedChange::Changed(gone));
                    }
                }
                take(FeedChange::Listed(K::KIND));
            }
            Change::Live => {}
            Change::Lost(fault) => take(FeedChange::Lost(K::KIND, fault.to_string())),
        }
    }
}

pub(super) fn is_map(input: &Input) -> bool {
    match input {
        Input::Put(object) => object.key().kind == "ConfigMap",
        Input::Gone(key) => key.kind == "ConfigMap",
        Input::Done(_) | Input::Configured => false,
    }
}
