//! Lists all objects for the filters once.

use std::sync::Arc;
use std::time::Duration;

use super::cluster::Cluster;
use super::kinds::{
    Attachments, Claims, Classes, CsiNodes, Kind, Namespaces, Nodes, Pods, Read, StorageClasses, Volumes,
};
use super::objects::Texts;
use super::page::{Pace, PageHead, Request, Stop, unreadable};
use super::{Asked, KubeFault, items};
use crate::Answer;
use kubernetes::live::LiveObject;
use kubernetes::{Listed, NotListed};

const PATIENCE: Duration = Duration::from_secs(10);
const MOST_UNREADABLE: usize = 3;

impl Cluster {
    /// Lists the objects. A kind that cannot be listed is named, and does not stop the others.
    pub fn list_for_filters(self: &Arc<Self>) -> Answer<'_, Listed> {
        Box::pin(async move {
            let all = tokio::join!(
                List::of::<Nodes>(self),
                List::of::<Pods>(self),
                List::of::<Namespaces>(self),
                List::of::<Classes>(self),
                List::of::<Volumes>(self),
                List::of::<Claims>(self),
                List::of::<StorageClasses>(self),
                List::of::<CsiNodes>(self),
                List::of::<Attachments>(self),
            );
            let mut listed = Listed::default();
            for list in [all.0, all.1, all.2, all.3, all.4, all.5, all.6, all.7, all.8] {
                list.objects.into_iter().for_each(|object| listed.cluster.gather_for_filters(object));
                listed.missing.extend(list.missing);
                listed.unreadable.extend(list.unreadable);
            }
            listed.unreadable.truncate(MOST_UNREADABLE);
            listed
        })
    }
}

#[derive(Default)]
struct List {
    objects: Vec<LiveObject>,
    unreadable: Vec<String>,
    missing: Option<NotListed>,
}

impl List {
    async fn of<K: Kind>(cluster: &Arc<Cluster>) -> Self {
        let mut list = Self::default();
        let mut done = list.read::<K>(cluster).await;
        if done.as_ref().is_err_and(|fault| fault.status == Some(410)) {
            // The API server's continuation token expired.
            list = Self::default();
            done = list.read::<K>(cluster).await;
        }
        match done {
            Ok(()) => list,
            Err(fault) => {
                // Part of a list would make the rest look missing.
                let why = (!fault.is_forbidden()).then(|| fault.to_string());
                Self { missing: Some(NotListed { kind: K::KIND, why }), ..Self::default() }
            }
        }
    }

    async fn read<K: Kind>(&mut self, cluster: &Arc<Cluster>) -> Result<(), KubeFault> {
        let (group, resource) = K::RESOURCE;
        let request = Request {
            cluster: Arc::clone(cluster),
            pace: Pace { answer: PATIENCE, ..Pace::default() },
            path: K::PATH.to_owned(),
            asked: Asked { group, ..Asked::core("list", resource, None) },
        };
        let mut texts = Texts::default();
        let mut behind = String::new();
        loop {
            let whole = request.clone().page(behind).await.map_err(|Stop { fault, .. }| fault)?;
            let head: PageHead = serde_json::from_slice(&whole).map_err(|error| unreadable(&error))?;
            let page: Vec<K> = items::objects(&whole, &mut texts).map_err(|error| unreadable(&error))?;
            drop(whole);
            for read in page {
                let Read { key, object } = read.into();
                match object {
                    Ok(object) => self.objects.push(object),
                    Err(_) if self.unreadable.len() >= MOST_UNREADABLE => {}
                    Err(why) => self.unreadable.push(format!("{} {}/{}: {why}", key.kind, key.namespace, key.name)),
                }
            }
            behind = head.metadata.rest;
            if behind.is_empty() {
                return Ok(());
            }
        }
    }
}
