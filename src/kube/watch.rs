//! Lists of objects that are followed: read in pages, then changed by each change that the API server reports.
//!
//! Memory is bounded: one page is read at a time, an answer longer than an object can be is refused, and a slow consumer slows down the
//! reader.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use serde::Deserialize;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::cluster::Cluster;
use super::objects::{Followed, Meta, Texts};
use super::{Asked, KubeFault};

/// How many objects are asked for at a time.
const PAGE: usize = 500;
/// The longest line of a watch, in bytes. An object has at most 1.5 MiB in the store of an API server.
const LINE: usize = 8 << 20;
/// The longest page, in bytes.
const LONGEST_PAGE: usize = 256 << 20;
/// The longest refusal that is read, in bytes.
const REFUSAL: usize = 64 << 10;

/// How long is waited for what.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The first pause after a failure; it doubles with each.
    pub first: Duration,
    /// The longest pause after a failure.
    pub longest: Duration,
    /// The pause after a refusal, which only somebody's doing can change.
    pub refused: Duration,
    /// How long an answer may take to begin, and to continue.
    pub answer: Duration,
    /// How long one watch lasts; then another one continues where it ended.
    pub watch: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { first: seconds(1), longest: seconds(30), refused: seconds(60), answer: seconds(30), watch: seconds(240) }
    }
}

/// What is new of a list.
#[derive(Debug)]
pub enum Change<T> {
    /// The whole list comes, perhaps again.
    Begun,
    /// Objects as they are now.
    Put(Vec<T>),
    /// An object is gone, by its key.
    Gone(Arc<str>),
    /// The whole list has come: what did not come since it begun is gone.
    Complete,
    /// Each change arrives from here on.
    Live,
    /// Nothing newer arrives, for this reason.
    Lost(KubeFault),
}

/// Why following stops for a while.
struct Stop {
    fault: KubeFault,
    /// How long the API server wants to be left alone.
    after: Option<Duration>,
}

impl From<KubeFault> for Stop {
    fn from(fault: KubeFault) -> Self {
        Self { fault, after: None }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "W: Deserialize<'de>"))]
struct Page<W> {
    // Without any there may be `null`.
    items: Option<Vec<W>>,
}

/// The head of a page: what stands in it is skipped.
#[derive(Deserialize)]
struct PageHead {
    #[serde(default)]
    metadata: PageMeta,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PageMeta {
    resource_version: String,
    #[serde(rename = "continue")]
    rest: String,
}

/// The kind of a line of a watch: it is read first, since the kind of the object depends on it.
#[derive(Deserialize)]
struct LineKind<'l> {
    #[serde(rename = "type")]
    kind: &'l str,
}

/// A line of a watch with its object.
#[derive(Deserialize)]
#[serde(bound(deserialize = "W: Deserialize<'de>"))]
struct Line<W> {
    object: W,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Bookmark {
    metadata: Meta,
}

/// Follows a list until nobody takes the changes any more.
pub async fn follow<T: Followed>(cluster: Arc<Cluster>, pace: Pace, changes: Sender<Change<T>>) {
    follow_at(cluster, pace, T::PATH.to_owned(), changes).await;
}

/// Follows a list at another address: that of one namespace.
pub async fn follow_at<T: Followed>(cluster: Arc<Cluster>, pace: Pace, path: String, changes: Sender<Change<T>>) {
    let mut list = List { cluster, pace, path, changes, texts: Texts::default(), version: None };
    let mut failures = 0_u32;
    while !list.changes.is_closed() {
        let listed = list.version.is_some();
        let done = if listed { list.watch().await } else { list.read().await };
        let Err(Stop { fault, after }) = done else {
            failures = 0;
            continue;
        };
        failures = failures.saturating_add(1);
        let expired = fault.status == Some(410);
        if expired || fault.is_forbidden() || fault.status == Some(401) {
            list.version = None;
        }
        let doubled = pace.first.saturating_mul(1 << (failures - 1).min(10)).min(pace.longest);
        let pause = match fault.status {
            // What was missed is read again at once, and only then the usual pauses hold.
            Some(410) if failures == 1 => continue,
            Some(401 | 403) => pace.refused,
            _ => after.unwrap_or(doubled).clamp(pace.first, pace.longest.max(pace.first)),
        };
        let _ = list.changes.send(Change::Lost(fault)).await;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = list.changes.closed() => {}
        }
    }
}

/// A list, and where one is in its changes.
struct List<T> {
    cluster: Arc<Cluster>,
    pace: Pace,
    path: String,
    changes: Sender<Change<T>>,
    texts: Texts,
    /// The version that everything has been seen of; `None`: the list is to be read.
    version: Option<String>,
}

impl<T: Followed> List<T> {
    /// Reads the whole list. While the objects of a page are read, the next page is on its way.
    async fn read(&mut self) -> Result<(), Stop> {
        self.send(Change::Begun).await;
        let request = self.request("list");
        // What is on its way ends with this.
        let mut on_its_way = JoinSet::new();
        on_its_way.spawn(request.clone().page(String::new()));
        while let Some(page) = on_its_way.join_next().await {
            let whole = page.map_err(|_| silent())??;
            let head: PageHead = serde_json::from_slice(&whole).map_err(|error| unreadable(&error))?;
            let PageMeta { resource_version, rest } = head.metadata;
            if !rest.is_empty() {
                on_its_way.spawn(request.clone().page(rest.clone()));
            }
            let page: Page<T::Wire> = serde_json::from_slice(&whole).map_err(|error| unreadable(&error))?;
            drop(whole);
            let texts = &mut self.texts;
            let items = page.items.unwrap_or_default().into_iter().map(|wire| T::read(wire, texts)).collect();
            self.send(Change::Put(items)).await;
            if rest.is_empty() {
                self.version = Some(resource_version);
                self.send(Change::Complete).await;
            }
        }
        Ok(())
    }

    /// Takes changes until the API server ends the watch, as it does every few minutes.
    async fn watch(&mut self) -> Result<(), Stop> {
        let version = self.version.clone().unwrap_or_default();
        let version: String = form_urlencoded::byte_serialize(version.as_bytes()).collect();
        let seconds = self.pace.watch.as_secs().max(1);
        let query = format!("watch=true&allowWatchBookmarks=true&timeoutSeconds={seconds}&resourceVersion={version}");
        let mut body = self.request("watch").get(&query).await?;
        self.send(Change::Live).await;
        let mut buffer: Vec<u8> = Vec::new();
        // Without a change there is a bookmark in time, or the end.
        let patience = self.pace.watch + self.pace.answer;
        loop {
            let frame = timeout(patience, body.frame()).await.map_err(|_| silent())?;
            let Some(frame) = frame else {
                // A server that ends each watch at once is not asked without a pause.
                tokio::time::sleep(self.pace.first / 4).await;
                return Ok(());
            };
            let frame = frame.map_err(|error| broken(&error.to_string()))?;
            let data: Bytes = frame.into_data().unwrap_or_default();
            buffer.extend_from_slice(&data);
            let Some(end) = buffer.iter().rposition(|byte| *byte == b'\n') else {
                if buffer.len() > LINE {
                    return Err(broken("a line is longer than an object can be").into());
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

    async fn flush(&self, put: &mut Vec<T>) {
        if !put.is_empty() {
            self.send(Change::Put(std::mem::take(put))).await;
        }
    }

    /// What one line of a watch says.
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
        // Who takes them may have gone; that is seen where the next one is wanted.
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

/// What is asked of an API server, at the address of a list.
#[derive(Clone)]
struct Request {
    cluster: Arc<Cluster>,
    pace: Pace,
    path: String,
    asked: Asked,
}

impl Request {
    /// A page of the list: the first one, or the one behind this.
    async fn page(self, behind: String) -> Result<Bytes, Stop> {
        let token: String = form_urlencoded::byte_serialize(behind.as_bytes()).collect();
        let token = if token.is_empty() { token } else { format!("&continue={token}") };
        let body = self.get(&format!("limit={PAGE}{token}")).await?;
        let whole = timeout(self.pace.answer, Limited::new(body, LONGEST_PAGE).collect()).await;
        let whole = whole.map_err(|_| silent())?.map_err(|error| broken(&error.to_string()))?;
        Ok(whole.to_bytes())
    }

    /// Asks, and gives the body of a good answer.
    async fn get(&self, query: &str) -> Result<Body, Stop> {
        let client = self.cluster.client().await?;
        let request = http::Request::get(format!("{}?{query}", self.path)).body(Body::empty());
        let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
        let who = self.cluster.user();
        let sent = timeout(self.pace.answer, client.send(request)).await.map_err(|_| silent())?;
        let response = sent.map_err(|error| KubeFault::of(error, &self.asked, who.as_deref()))?;
        if response.status().is_success() {
            return Ok(response.into_body());
        }
        let status = response.status().as_u16();
        let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let body = timeout(self.pace.answer, Limited::new(response.into_body(), REFUSAL).collect()).await;
        let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
        let said: Status = serde_json::from_slice(&body).unwrap_or_default();
        let fault = KubeFault::answered(status, &said.message, &self.asked, who.as_deref());
        Err(Stop { fault, after: seconds.map(Duration::from_secs) })
    }
}

fn silent() -> KubeFault {
    KubeFault::new("the API server does not answer")
}

fn broken(technical: &str) -> KubeFault {
    KubeFault { technical: technical.to_owned(), ..KubeFault::new("the answer of the API server broke off") }
}

/// The words of the reader may quote what it read, which may be a secret.
fn unreadable(error: &serde_json::Error) -> KubeFault {
    let place = format!("line {}, column {}", error.line(), error.column());
    KubeFault::new(format!("an answer of the API server does not read ({place})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::kubernetes::PodRow;

    #[test]
    fn a_page_without_items_reads() {
        for text in [r#"{"items":null}"#, r#"{"metadata":{},"items":[]}"#, "{}"] {
            let page: Page<<PodRow as Followed>::Wire> = serde_json::from_str(text).unwrap();
            assert!(page.items.unwrap_or_default().is_empty(), "{text}");
        }
    }
}
