//! Queries a remote for a command, without a screen: the same requests and state, one at a time.

mod cluster;
mod look;
mod twin;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Runtime;

use crate::remote::act;
use crate::remote::fetch::{Fetch, FetchedData, WhoAmI};
use crate::remote::follow::{self, EventMessage, Feed};
use crate::remote::plan::Query;
use crate::remote::worker::{Identified, identify};
use ::cluster::kube::{Cluster, KubeFault};
use client::{Client, Fault, Limits, Problem, Release, Remote, Target};
use model::{Identity, Profile, Time};
use view::act::{Act, Configuration, Done, Order, PartitionAct, Refusal};
use wire::convert;
use wire::convert::read::{RemoteState, Shapes};
use wire::dto;

/// The requested data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Only the queues, with their configuration.
    Queues,
    /// Live applications of the partition.
    Apps,
    /// Applications that ended.
    Ended,
    /// The nodes with what is free on them.
    Nodes,
    /// Users and groups.
    Users,
}

/// The connection of a command.
pub struct Once {
    runtime: Runtime,
    client: Client,
    remote: Remote,
    has_token: bool,
    remote_state: RemoteState,
    /// The partitions without a list, and why; until the next request of the list.
    without_list: Option<(Vec<dto::Partition>, Fault)>,
    /// Why it may be a kornsole server.
    doubt: Option<Fault>,
    unknown: Vec<dto::Unknown>,
    /// The failed queries of the last call, and the reasons for users.
    unanswered: Vec<Query>,
    reasons: Vec<String>,
}

impl Once {
    /// Fails if no scheduler answers.
    pub fn connect(target: &Target, limits: Limits) -> Result<Self, Fault> {
        Self::connect_knowing(target, limits, RemoteState::new(Profile::default(), Shapes::default()))
    }

    /// As [`Self::connect`], with a known state of this server: unchanged rows are neither parsed nor copied.
    ///
    /// # Errors
    /// Returns an error if no scheduler answers.
    pub fn connect_knowing(target: &Target, limits: Limits, mut remote_state: RemoteState) -> Result<Self, Fault> {
        let failed = |why: String| Fault::Unreachable(Problem::new(why, ""));
        let client = Client::new(target, limits).map_err(|fault| failed(fault.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let got = runtime.block_on(identify(&client, Duration::MAX))?;
        // Without a partition, nothing can be read.
        let Identified { remote, doubt, without_list } =
            got.value.unwrap_or_else(|| Identified::of(Remote::YuniKorn(Release::V1_8)));
        let has_allocation_time = matches!(remote, Remote::Kornsole(_)) || remote.release() <= Release::V1_5;
        remote_state.read_as(remote.profile(), Shapes { has_allocation_time });
        Ok(Self {
            runtime,
            client,
            remote,
            has_token: target.has_token(),
            remote_state,
            without_list,
            doubt,
            unknown: Vec::new(),
            unanswered: Vec::new(),
            reasons: Vec::new(),
        })
    }

    /// The product and release.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// The active (and with `ended` also the ended) applications of a partition, with all reported fields.
    ///
    /// # Errors
    /// Returns an error if they cannot be fetched.
    pub fn applications(&self, partition: &Arc<str>, ended: bool) -> Result<Vec<dto::Application>, Fault> {
        let queries = [Query::Apps(Arc::clone(partition)), Query::Completed(Arc::clone(partition))];
        let rejected = Query::Rejected(Arc::clone(partition));
        let wanted = queries.into_iter().chain([rejected]).take(if ended { 3 } else { 1 });
        let paths = wanted.flat_map(|query| {
            let fetch = Fetch::of(query, &self.remote, self.has_token, &self.remote_state);
            fetch.map(Fetch::into_paths).unwrap_or_default()
        });
        let mut all: Vec<dto::Application> = Vec::new();
        for path in paths {
            self.collect(&path, &mut all)?;
        }
        for app in &mut all {
            app.requests.sort_by(|a, b| a.allocation_key.cmp(&b.allocation_key));
            app.allocations.sort_by(|a, b| a.allocation_key.cmp(&b.allocation_key));
        }
        all.sort_by(|a, b| (a.submission_time, &a.application_id).cmp(&(b.submission_time, &b.application_id)));
        Ok(all)
    }

    /// The nodes of a partition by id, with all reported fields.
    ///
    /// # Errors
    /// Returns an error if they cannot be fetched.
    pub fn nodes(&self, partition: &Arc<str>) -> Result<Vec<dto::Node>, Fault> {
        let fetch = Fetch::of(Query::Nodes(Arc::clone(partition)), &self.remote, self.has_token, &self.remote_state);
        let mut all: Vec<dto::Node> = Vec::new();
        for path in fetch.map(Fetch::into_paths).unwrap_or_default() {
            self.collect(&path, &mut all)?;
        }
        for node in &mut all {
            let key = |one: &dto::Allocation| (one.allocation_key.clone(), one.application_id.clone());
            node.allocations.sort_by_cached_key(key);
        }
        all.sort_by(|a, b| a.node_id.cmp(&b.node_id));
        Ok(all)
    }

    fn collect<T: DeserializeOwned + Send>(&self, path: &str, all: &mut Vec<T>) -> Result<(), Fault> {
        let take = |bytes: &[u8]| {
            // Invalid values are omitted: a missing key means unknown.
            all.push(dto::salvage(bytes, &mut Vec::new()).map_err(|why| why.to_string())?);
            Ok(())
        };
        match self.runtime.block_on(self.client.elements(path, take)) {
            Ok(_) => Ok(()),
            // A dynamic queue may be removed after the tree was read (1.4).
            Err(Fault::Missing(_) | Fault::Refused(400, _)) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// `None` if the server has no users.
    pub fn who(&mut self) -> Result<Option<WhoAmI>, Fault> {
        let Some(request) = Fetch::of(Query::WhoAmI, &self.remote, self.has_token, &self.remote_state) else {
            return Ok(None);
        };
        let outcome = self.runtime.block_on(request.run(self.client.clone(), Duration::ZERO));
        Ok(match outcome.result?.value {
            FetchedData::WhoAmI(who) => Some(who),
            _ => None,
        })
    }

    /// The configuration of a kornsole server as written.
    ///
    /// # Errors
    /// Returns an error if it cannot be fetched.
    pub fn configuration(&mut self) -> Result<Option<Arc<Configuration>>, Fault> {
        self.ask(Query::Config)?;
        Ok(self.remote_state.view().configuration.clone())
    }

    /// Executes an order.
    pub fn act(&mut self, order: &Order) -> Result<Done, Refusal> {
        let Some(cluster) = self.cluster() else {
            return self.runtime.block_on(act::perform(&self.client, order));
        };
        let mut view = self.look(&[Want::Apps]).map_err(|fault| act::refusal(&order.act, &fault))?;
        if let Act::In { partition, act: PartitionAct::Kill { app, .. } } = &order.act {
            // Without the right to list pods, those that the scheduler names are deleted.
            if let Ok(with) = self.with_pods(&cluster, &view, (partition, app)) {
                view = with;
            }
        }
        self.runtime.block_on(act::cluster::perform(&self.client, &cluster, &view, order))
    }

    /// The cluster that executes orders for Apache YuniKorn.
    pub fn cluster(&self) -> Option<Arc<Cluster>> {
        let is_yunikorn = matches!(self.remote, Remote::YuniKorn(_));
        self.client.cluster().filter(|_| is_yunikorn).cloned()
    }

    /// The user of the API server.
    ///
    /// # Errors
    /// Returns an error if it is unknown.
    pub fn who_in(&self, cluster: &Cluster) -> Result<Identity, KubeFault> {
        let who = self.runtime.block_on(cluster.who())?;
        Ok(Identity { user: who.user.clone(), groups: who.groups.clone() })
    }

    /// Tests changes on a copy of the server's state.
    ///
    /// # Errors
    /// Returns an error if it was rejected or failed.
    pub fn what_if(&self, asked: &dto::native::WhatIf) -> Result<dto::native::WhatIfResult, Fault> {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let body = dto::json::to_bytes(asked);
        let send = self.client.send_json(Method::POST, "kornsole/v1/whatif", headers, body);
        self.runtime.block_on(send).map(|got| got.value)
    }

    /// Passes events to `each` until it stops: the stored ones, and with `every` the following ones.
    ///
    /// # Errors
    /// Returns an error if they cannot be fetched.
    pub fn events(
        &self,
        every: Option<Duration>,
        mut each: impl FnMut(EventMessage) -> std::ops::ControlFlow<()>,
    ) -> Result<(), Fault> {
        let feed = Feed::of(&self.remote, self.has_token);
        self.runtime.block_on(async {
            let Some(every) = every else {
                return follow::past(&self.client, feed, &mut |messages| {
                    // All past events are passed on.
                    let _ = each(messages);
                })
                .await;
            };
            let (sender, mut messages) = follow::channel();
            let follower = tokio::spawn(follow::run(self.client.clone(), every, feed, 0, sender));
            while let Some(one) = messages.recv().await {
                if each(one).is_break() {
                    break;
                }
            }
            follower.abort();
            Ok(())
        })
    }

    /// Fetches a path relative to `/kornsole/v1/`.
    pub fn own(&self, path: &str) -> Result<Vec<u8>, Fault> {
        self.runtime.block_on(self.client.get(&format!("kornsole/v1/{path}"))).map(|got| got.value.to_vec())
    }

    /// Executes an operation on a path relative to `/kornsole/v1/`, with a reason.
    ///
    /// # Errors
    /// Returns an error if it was rejected or failed.
    pub fn own_order<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        reason: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T, Fault> {
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        act::add_reason(&mut headers, reason);
        let body = body.map(dto::json::to_bytes).unwrap_or_default();
        let path = format!("kornsole/v1/{path}");
        self.runtime.block_on(self.client.send_json(method, &path, headers, body)).map(|got| got.value)
    }

    fn ask(&mut self, query: Query) -> Result<(), Fault> {
        let partition = query.partition().cloned().unwrap_or_default();
        let Some(request) = Fetch::of(query, &self.remote, self.has_token, &self.remote_state) else { return Ok(()) };
        let outcome = self.runtime.block_on(request.run(self.client.clone(), Duration::ZERO));
        self.unknown.extend(outcome.unknown);
        match outcome.result?.value {
            FetchedData::Partitions(list) => self.remote_state.partitions(list),
            FetchedData::Queues(root) => self.remote_state.queues(&partition, &root, now()),
            FetchedData::Apps(reader, scope) => {
                self.remote_state.apps(&partition, reader, &scope, now());
            }
            FetchedData::Ended(which, reader) => self.remote_state.ended(&partition, which, reader),
            FetchedData::Nodes(reader, all, marks) => {
                self.remote_state.nodes(&partition, reader, all);
                marks.into_iter().for_each(|marks| self.remote_state.mark_nodes(marks));
            }
            FetchedData::Users(users) => self.remote_state.users(&partition, users),
            FetchedData::Groups(groups) => self.remote_state.groups(&partition, groups),
            FetchedData::Config(text) => {
                let _ = self.remote_state.config(&text, false);
                // Without the right to read the ConfigMap, the text from the scheduler is used, for its access lists.
                if self.cluster().is_some() && self.remote_state.has_config() {
                    let text = Arc::from(convert::read::plain(&text));
                    self.remote_state.configuration(Configuration::seen(text, 1, now()));
                }
            }
            FetchedData::WrittenConfig(text, entry, revision) => {
                let _ = self.remote_state.config(&text, true);
                let seen = Configuration::seen(Arc::from(text), revision.unwrap_or(1), now());
                self.remote_state.configuration(seen.in_config_map(entry));
            }
            FetchedData::OwnConfig(own) => {
                // Invalid parts are unknown; the text itself is available.
                let _ = self.remote_state.config(&own.queues, true);
                self.remote_state.configuration(*own);
            }
            FetchedData::WhoAmI(_)
            | FetchedData::Resting(_)
            | FetchedData::Draining(_)
            | FetchedData::Permissions(_)
            | FetchedData::MayKill(..)
            | FetchedData::Events(..)
            | FetchedData::Audit(_)
            | FetchedData::Health(_)
            | FetchedData::History(_)
            | FetchedData::Quotas(_)
            | FetchedData::Metrics(_) => {}
        }
        Ok(())
    }
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}
