//! The user's identity and missing rights at a remote scheduler.

use std::sync::Arc;

use super::{Remote, act};
use crate::Source as _;
use cluster::kube::Cluster;
use view::act::{Actor, ActsFrom};

impl Remote {
    pub(super) fn acts_in(&self) -> Option<&Arc<Cluster>> {
        let is_yunikorn = matches!(self.shared.remote.load_full().as_deref(), Some(client::Remote::YuniKorn(_)));
        self.cluster.as_ref().filter(|_| is_yunikorn)
    }

    pub(super) fn acting(&self) -> Actor {
        if let Some(cluster) = self.acts_in() {
            return Actor { read_only: self.read_only(), ..act::cluster::actor(cluster, &self.view()) };
        }
        let who = self.shared.who.load_full().unwrap_or_default();
        let (scheduler_admin, from, judged_elsewhere) = (who.scheduler_admin, ActsFrom::Console, false);
        Actor {
            identity: self.identity().clone(),
            scheduler_admin,
            read_only: self.read_only(),
            from,
            judged_elsewhere,
            cluster: None,
        }
    }

    /// `None` if operations are possible, subject to access lists.
    pub(super) fn read_only(&self) -> Option<Arc<str>> {
        let why = if self.options.read_only {
            "started with --read-only"
        } else if self.seen_as_other {
            "viewed as another user"
        } else {
            match self.shared.remote.load_full().as_deref() {
                None => "not connected yet",
                Some(client::Remote::YuniKorn(_)) if self.cluster.is_some() => return None,
                Some(client::Remote::YuniKorn(_)) => "the REST API of Apache YuniKorn is read-only",
                Some(client::Remote::Kornsole(_)) if !self.has_token => "no token; use --token-file or KORNSOLE_TOKEN",
                Some(client::Remote::Kornsole(server)) if server.read_only => "the server does not accept operations",
                Some(client::Remote::Kornsole(_)) => match self.shared.who.load_full().as_deref() {
                    None => "the user of the token is not loaded yet",
                    Some(who) if !who.authenticated => "the token is unknown to the server",
                    Some(who) if who.read_only => "the token is read-only",
                    Some(_) => return None,
                },
            }
        };
        Some(Arc::from(why))
    }
}
