//! Follows lists: reads pages, then applies a watch.
//!
//! Memory is bounded: one page at a time, a maximum line length, and backpressure.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde::Deserialize;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::cluster::Cluster;
use super::objects::{Followed, Meta, NamedNamespace, NamedNode, PriorityClass, Texts};
use super::page::{Pace, PageHead, PageMeta, Request, Status, Stop, broken, silent, unreadable};
use super::{Asked, KubeFault, items};
use crate::Answer;
use view::kubernetes::PodRow;

/// Bytes. An API server stores objects of at most 1.5 MiB.
const LINE: usize = 8 << 20;

/// A change of a list.
#[derive(Debug)]
pub enum Change<T> {
    /// The list is read, possibly again.
    Started,
    /// Added or changed objects.
    Put(Vec<T>),
    /// An object was removed, by key.
    Gone(Arc<str>),
    /// Objects that were not listed since `Begun` are removed.
    Complete,
    /// The watch is active.
    Live,
    /// No changes arrive, for this reason.
    Lost(KubeFault),
}

type FrameOf = Result<http_body::Frame<Bytes>, kube::Error>;

/// Read first, because the type of the object depends on it.
#[derive(Deserialize)]
struct LineKind<'l> {
    #[serde(rename = "type")]
    kind: &'l str,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "W: Deserialize<'de>"))]
struct Line<W> {
    object: W,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Bookmark {
    metadata: Meta,
}

/// Its own function makes its code compile here.
pub trait Shown: Followed {
    /// Follows it until the receiver is dropped.
    fn follow(cluster: Arc<Cluster>, pace: Pace, changes: Sender<Change<Self>>) -> Answer<'static, ()>;
}

macro_rules! shown {
    ($($kind:ty),*) => {
        $(impl Shown for $kind {
            fn follow(cluster: Arc<Cluster>, pace: Pace, changes: Sender<Change<Self>>) -> Answer<'static, ()> {
                Box::pin(follow_at(cluster, pace, Self::PATH.to_owned(), changes))
            }
        })*
    };
}

shown!(PodRow, NamedNode, NamedNamespace, PriorityClass);

/// Follows a list at another path, for example of one namespace.
pub async fn follow_at<T: Followed>(cluster: Arc<Cluster>, pace: Pace, path: String, changes: Sender<Change<T>>) {
    let mut list = List { cluster, pace, path, changes, texts: Texts::default(), version: None };
    let (mut failures, mut was_unreached) = (0_u32, false);
    while !list.changes.is_closed() {
        let listed = list.version.is_some();
        let done = if listed { list.watch().await } else { list.read().await };
        let Err(Stop { fault, after }) = done else {
            failures = 0;
            continue;
        };
        // Rejections and connection failures are counted separately.
        let unreached = fault.status.is_none();
        failures = if unreached == was_unreached { failures.saturating_add(1) } else { 1 };
        was_unreached = unreached;
        let expired = fault.status == Some(410);
        if expired || fault.is_forbidden() || fault.status == Some(401) {
            list.version = None;
        }
        let doubled = pace.first.saturating_mul(1 << (failures - 1).min(10)).min(pace.longest);
        let pause = match fault.status {
            // Missed changes are read again at once; repeated failures pause.
            Some(410) if failures == 1 => continue,
            Some(401 | 403) => pace.refused,
            _ => after.unwrap_or(doubled).clamp(pace.first, pace.longest.max(pace.first)),
        };
        let _ = list.changes.send(Change::Lost(fault)).await;
        tokio::select! {
            () = list.pause(pause, unreached) => {}
            () = list.changes.closed() => {}
        }
    }
}

struct List<T> {
    cluster: Arc<Cluster>,
    pace: Pace,
    path: String,
    changes: Sender<Change<T>>,
    texts: Texts,
    /// `None`: the list must be read.
    version: Option<String>,
}

impl<T: Followed> List<T> {
    /// The next page is requested while one is parsed.
    async fn read(&mut self) -> Result<(), Stop> {
        self.send(Change::Started).await;
        let request = self.request("list");
        // Dropping it cancels the request.
        let mut on_its_way = JoinSet::new();
        on_its_way.spawn(request.clone().page(String::new()));
        while let Some(page) = on_its_way.join_next().await {
            let whole = page.map_err(|_| silent())??;
            let head: PageHead = serde_json::from_slice(&whole).map_err(|error| unreadable(&error))?;
            let PageMeta { resource_version, rest } = head.metadata;
            if !rest.is_empty() {
                on_its_way.spawn(request.clone().page(rest.clone()));
            }
            let items = items::objects(&whole, &mut self.texts).map_err(|error| unreadable(&error))?;
            drop(whole);
            self.send(Change::Put(items)).await;
            if rest.is_empty() {
                self.version = Some(resource_version);
                self.send(Change::Complete).await;
            }
        }
        Ok(())
    }

    /// Until the API server ends the watch, usually after minutes.
    async fn watch(&mut self) -> Result<(), Stop> {
        let version = self.version.clone().unwrap_or_default();
        let version: String = form_urlencoded::byte_serialize(version.as_bytes()).collect();
        let seconds = self.pace.watch.as_secs().max(1);
        let query = format!("watch=true&allowWatchBookmarks=true&timeoutSeconds={seconds}&resourceVersion={version}");
        let mut body = self.request("watch").get(&query).await?;
        self.send(Change::Live).await;
        let mut buffer: Vec<u8> = Vec::new();
        // By then a bookmark arrives, or the watch ends.
        let patience = self.pace.watch + self.pace.answer;
        loop {
            let frame = timeout(patience, self.frame(&mut body)).await.map_err(|_| silent())??;
            let Some(frame) = frame else {
                // Pause in case a server ends each watch at once.
                tokio::time::sleep(self.pace.first / 4).await;
                return Ok(());
            };
            let frame = frame.map_err(|error| broken(&error.to_string()))?;
            let data: Bytes = frame.into_data().unwrap_or_default();
            buffer.extend_from_slice(&data);
            let Some(end) = buffer.iter().rposition(|byte| *byte == b'\n') else {
                if buffer.len() > LINE {
                    return Err(broken("a line is longer than the largest object").into());
                }
                continue;
            };
            let rest = buffer.split_off(end + 1);
            let lines = std::mem::replace(&mut buffer, rest);
            let mut put = Vec::new();
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                match self.line(line)? {
                    Some(Change::Put(one)) => put.extend(one),
                    Some(other) => {
                        self.flush(&mut put).await;
                        self.send(other).await;
                    }
                    None => {}
                }
            }
            self.flush(&mut put).await;
            if self.changes.is_closed() {
                return Ok(());
            }
        }
    }

    /// If the API server was unreachable, ends as soon as it answers.
    async fn pause(&self, longest: Duration, unreached: bool) {
        let end = tokio::time::Instant::now() + longest;
        while unreached && tokio::time::Instant::now() + self.pace.quiet < end {
            tokio::time::sleep(self.pace.quiet).await;
            if self.cluster.answers(self.pace.quiet).await.is_ok() {
                return;
            }
        }
        tokio::time::sleep_until(end).await;
    }

    /// Probes the API server during silence.
    async fn frame(&self, body: &mut Body) -> Result<Option<FrameOf>, KubeFault> {
        loop {
            match timeout(self.pace.quiet, body.frame()).await {
                Ok(frame) => return Ok(frame),
                Err(_) => self.cluster.answers(self.pace.quiet).await?,
            }
        }
    }

    async fn flush(&self, put: &mut Vec<T>) {
        if !put.is_empty() {
            self.send(Change::Put(std::mem::take(put))).await;
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Change<T>>, Stop> {
        fn object<W: for<'de> Deserialize<'de>>(line: &[u8]) -> Result<W, KubeFault> {
            serde_json::from_slice::<Line<W>>(line).map(|line| line.object).map_err(|error| unreadable(&error))
        }
        let kind: LineKind<'_> = serde_json::from_slice(line).map_err(|error| unreadable(&error))?;
        match kind.kind {
            "BOOKMARK" => {
                self.version = Some(object::<Bookmark>(line)?.metadata.resource_version);
                Ok(None)
            }
            "ERROR" => {
                let status: Status = object(line)?;
                let asked = self.asked("watch");
                Err(KubeFault::answered(status.code, &status.message, &asked, self.who().as_deref()).into())
            }
            kind => {
                let wire: T::Wire = object(line)?;
                self.version = Some(T::version(&wire).to_owned());
                let one = T::read(wire, &mut self.texts);
                Ok(Some(if kind == "DELETED" { Change::Gone(one.key()) } else { Change::Put(vec![one]) }))
            }
        }
    }

    fn who(&self) -> Option<Arc<super::Who>> {
        self.cluster.user()
    }

    fn asked(&self, verb: &'static str) -> Asked {
        let (group, resource) = T::RESOURCE;
        Asked { group, ..Asked::core(verb, resource, None) }
    }

    async fn send(&self, change: Change<T>) {
        // A dropped receiver is noticed at the next change.
        let _ = self.changes.send(change).await;
    }

    fn request(&self, verb: &'static str) -> Request {
        Request {
            cluster: Arc::clone(&self.cluster),
            pace: self.pace,
            path: self.path.clone(),
            asked: self.asked(verb),
        }
    }
}
