//! A cluster as a console sees and changes it: one trait for embedded and remote schedulers.
//!
//! Invariants:
//! - no call blocks, on any thread;
//! - the console does not know the implementation, except for the words of [`Source::about`].

pub mod book;
mod connection;
mod cycles;
pub mod embedded;
mod explained;
pub mod forecast;
#[cfg(target_os = "linux")]
pub mod local;
pub mod objects;
mod owners;
pub mod partial;
pub mod probe;
pub mod records;
pub mod remote;
mod saved;
pub mod stepped;
pub mod stored_dir;
mod stored_file;
pub mod trends;
pub mod trial;
mod usage;

use std::sync::Arc;
use std::time::Duration;

pub use alerts::alerting::{Board, BoardSnapshot, ReceiverStatus};
pub use connection::{Link, StalePart};
pub use embedded::Embedded;
pub use engine::journal::JournalHistory;
use model::{AppId, Identity, NodeId, QueuePath, Time};
pub use objects::{LogStream, Objects};
pub use owners::{OwnersAnswer, SuspendAnswer, SuspendOrder};
pub use records::{Records, TextAnswer};
use view::act::{Act, Actor, Answer, Code, Configuration, Order, Refusal};
use view::job::{JobOrder, JobSheet, OutputWanted};
use view::shadowed::ShadowSheet;
use view::unread::Unread;
use view::used::{UsageQuestion, Used};
use view::waiting::{Question, SheetAnswer};
use view::{Chapter, EventPage, Health, QuotaForecast, Record, Toward, View};

/// Receives the forecasts of quota preemption, by partition.
pub type QuotaAnswer = Box<dyn FnOnce(Vec<(Arc<str>, QuotaForecast)>) + Send>;
pub use remote::Remote;
pub use saved::Saved;
pub use stepped::Stepped;
pub use trends::{Collector, Trends};
pub use trial::{
    AppTally, Comparison, Effect, FirstDifference, Metrics, NodeTally, Trial, TrialChange, TrialStatus, WhatIf,
};

/// Receives the view of an earlier time or an error, once, from any thread.
pub type ViewAnswer = Box<dyn FnOnce(Result<Arc<View>, String>) + Send>;

/// Receives a chapter of the past or an error, once, from any thread.
pub type ChapterAnswer = Box<dyn FnOnce(Result<Chapter, String>) + Send>;

/// Receives a what-if or an error, once, from any thread.
pub type WhatIfAnswer = Box<dyn FnOnce(Result<Arc<dyn Source>, String>) + Send>;

pub use forecast::{ForecastAnswer, StopFlag};

/// Receives the sheet of a job or an error, once, from any thread.
pub type JobAnswer = Box<dyn FnOnce(Result<JobSheet, String>) + Send>;

/// Receives the names of jobs, empty for those without access, once, from any thread; `None` without an answer.
pub type JobNamesAnswer = Box<dyn FnOnce(Option<Vec<(AppId, String)>>) + Send>;

/// Receives the result in words.
pub type JobDone = Box<dyn FnOnce(Result<String, String>) + Send>;

/// The error of sources that are not a shadow.
pub const NO_SHADOW: &str = "the server does not shadow a scheduler: use kornsole kube shadow --listen";

/// Receives the results of a shadow or an error, once, from any thread.
pub type ShadowAnswer = Box<dyn FnOnce(Result<ShadowSheet, String>) + Send>;

/// Receives usage over time or an error, once, from any thread.
pub type UsageAnswer = Box<dyn FnOnce(Result<Used, String>) + Send>;

/// A cluster as a console sees it.
pub trait Source: Send + Sync {
    /// The newest view; cheap.
    fn view(&self) -> Arc<View>;

    /// The current cluster time, for ages on the screen; without a clock, the time of the view.
    fn now(&self) -> Time {
        self.view().at
    }

    /// Returns events from number `since`, at most `limit`, numbered among all. A source without events returns an
    /// empty page without tracking.
    fn events(&self, since: u64, limit: usize) -> EventPage {
        let _ = (since, limit);
        EventPage::default()
    }

    /// Returns the last `limit` important events up to a time, with their numbers, the oldest first. They are stored
    /// longer. For times before this process, use [`Source::chapter`].
    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        let _ = (until, limit);
        Vec::new()
    }

    /// Describes the scheduler.
    fn about(&self) -> &About;

    /// The name and version of the scheduler: `YuniKorn 1.8`. Empty if unknown.
    fn version(&self) -> String {
        format!("kornsole {}", env!("CARGO_PKG_VERSION"))
    }

    /// The state of the connection.
    fn link(&self) -> Link;

    /// The lists that are not loaded.
    fn unread(&self) -> Unread {
        Unread::default()
    }

    /// The parts that are outdated despite a connection: the last read failed, was cut off, or has not happened since a
    /// reconnect.
    fn stale_parts(&self) -> Vec<StalePart> {
        Vec::new()
    }

    /// How much older the applications of the view are than its queues, because a remote is read list by list. `None`
    /// while the applications are unknown.
    fn apps_lag(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    /// The user of this source.
    fn identity(&self) -> &Identity;

    /// A remote source requests its data first.
    fn set_focus(&self, _focus: &Focus) {}

    /// The actor of orders through this source.
    ///
    /// # Errors
    /// Returns the reason if orders are impossible.
    fn actor(&self) -> Result<Actor, Arc<str>> {
        Err(Arc::from("this connection is read-only"))
    }

    /// A read-only source rejects all orders.
    fn act(&self, order: Order, answer: Answer) {
        let why = self.actor().err().unwrap_or_else(|| Arc::from("operations are not accepted here"));
        answer(Err(Refusal::new(Code::NotSupported, format!("cannot {}", order.act), &*why)));
    }

    /// Looks up the owners of an application's pods, up to the topmost; `answer` is called once, from any thread. Only
    /// in a cluster.
    fn owners(&self, partition: &str, app: &AppId, answer: OwnersAnswer) {
        let _ = (partition, app);
        answer(Err("it has no pods".to_owned()));
    }

    /// Suspends or resumes owners of pods; `answer` is called once, from any thread.
    fn suspend(&self, order: SuspendOrder, answer: SuspendAnswer) {
        let message = format!("the owners of {} are unknown", order.app);
        answer(Err(Refusal::new(Code::NotSupported, message, "only pods in a cluster have owners")));
    }

    /// Explains why an application, a request, or a queue waits; `answer` is called once, from any thread. If the
    /// checks of the scheduler are unknown, the answer is an error, not a guess.
    fn explain(&self, question: Question, answer: SheetAnswer) {
        let why = "this connection cannot request the data, which only the scheduler has";
        answer(Err(Refusal::new(Code::NotSupported, format!("cannot explain {}", question.of), why)));
    }

    /// Records an order that was rejected before it was sent, for the audit. A remote scheduler gets no request and
    /// audits only its own.
    fn refused(&self, _order: Order, _refusal: Refusal) {}

    /// Predicts from the view whether an order would be rejected, for graying out. An order that passes can still be
    /// rejected.
    ///
    /// # Errors
    /// Returns the rejection.
    fn may(&self, act: &Act) -> Result<(), Refusal> {
        match self.actor() {
            Ok(actor) => self.view().may(&actor, act),
            Err(why) => Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), &*why)),
        }
    }

    /// Whether previews are computed here, because the cluster has none (`rest.md` E12).
    fn estimates(&self) -> bool {
        false
    }

    /// The active configuration; `None` if unknown.
    fn configuration(&self) -> Option<Arc<Configuration>> {
        self.view().configuration.clone()
    }

    /// The audit and the revisions, as far as known and visible to the user. `None` if unchanged since the generation
    /// `known` (0 for none). A remote source requests them while [`FocusKind::Records`] is on the screen.
    fn records(&self, known: u64) -> Option<Records> {
        let _ = known;
        None
    }

    /// Fetches the text of a revision; `answer` is called once, from any thread.
    fn revision_text(&self, number: u64, answer: TextAnswer) {
        answer(Err(format!("the text of revision {number} is not available")));
    }

    /// Requests the quota preemption forecasts of a configuration, by partition; `answer` is called once, from any
    /// thread, with nothing if unknown.
    fn preview_quotas(&self, text: Arc<str>, answer: QuotaAnswer) {
        let _ = text;
        answer(Vec::new());
    }

    /// Computes usage over time; `answer` is called once, from any thread.
    fn usage(&self, question: UsageQuestion, answer: UsageAnswer) {
        let _ = question;
        answer(Err("usage history is not available".to_owned()));
    }

    /// Requests the results of a shadow; `answer` is called once, from any thread.
    fn shadow(&self, answer: ShadowAnswer) {
        answer(Err(NO_SHADOW.to_owned()));
    }

    /// A remote source requests it while [`FocusKind::Health`] is on the screen.
    fn health(&self) -> OwnHealth {
        match self.about().place {
            SourcePlace::Embedded | SourcePlace::WhatIf => OwnHealth::Here,
            SourcePlace::Remote | SourcePlace::Machine { .. } => OwnHealth::Unknown(Arc::from("not requested")),
            SourcePlace::Saved => OwnHealth::Unknown(Arc::from("not available in a saved state")),
        }
    }

    /// The recent mean duration of a cycle; `None` if unknown.
    fn cycle(&self) -> Option<Duration> {
        None
    }

    /// Whether [`Source::view_at`] works.
    fn has_past(&self) -> bool {
        false
    }

    /// Rebuilds the view of an earlier time; `answer` is called once, from any thread.
    fn view_at(&self, at: Time, answer: ViewAnswer) {
        answer(Err(format!("no data for {at}")));
    }

    /// The journal behind [`Source::view_at`], for simulations; `None` without one or if it is remote.
    fn journal(&self) -> Option<JournalHistory> {
        None
    }

    /// The trends of the cluster, if measured.
    fn trends(&self) -> Option<Arc<Trends>> {
        None
    }

    /// Returns the records that `wanted` accepts directly before or after a time; `answer` is called once, from any
    /// thread.
    fn chapter(&self, at: Time, _toward: Toward, _wanted: fn(&Record) -> bool, answer: ChapterAnswer) {
        answer(Err(format!("no data for {at}")));
    }

    /// Creates a what-if of a partition (default: the first one); `answer` is called once, from any thread.
    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        let _ = partition;
        answer(Err("a what-if needs a copy of the scheduler in this process".to_owned()));
    }

    /// Forecasts a configuration on a copy of a partition; `answer` is called once, from any thread, unless `stop`
    /// stops it.
    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
        let _ = (partition, text, stop);
        answer(Err("no copy is available to test it on".to_owned()));
    }

    /// The additional operations of a what-if.
    fn trial(&self) -> Option<&dyn Trial> {
        None
    }

    /// The jobs behind the applications, if the scheduler starts local processes.
    fn jobs(&self) -> Option<&dyn Jobs> {
        None
    }

    /// The Kubernetes cluster of the scheduler.
    fn objects(&self) -> Option<&dyn Objects> {
        None
    }

    /// The alerts evaluated in this process.
    fn alerts(&self) -> Option<&Arc<Board>> {
        None
    }

    /// Calls `wake` soon after each new view, from any thread, once for a burst. Replaces the previous callback.
    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>);
}

/// Local jobs, each an application. No call blocks.
pub trait Jobs: Send + Sync {
    /// Returns the job of an application, with a part of its output.
    fn look(&self, app: &AppId, output: OutputWanted, answer: JobAnswer);

    /// Returns the names of jobs, or their commands if unnamed.
    fn names(&self, apps: Vec<AppId>, answer: JobNamesAnswer);

    /// Executes a job operation as the user of this source.
    fn act(&self, order: JobOrder, done: JobDone);
}

/// The health that a scheduler reports (`rest.md` 5.13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnHealth {
    /// An embedded scheduler: the view is sufficient.
    Here,
    /// The last report and its cluster time.
    Reported(Arc<Health>, Time),
    /// Unknown, with the reason.
    Unknown(Arc<str>),
}

/// Describes the scheduler of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Where the scheduler runs.
    pub place: SourcePlace,
    /// The name in the header: `demo, seed 42`, `queues.yaml`, an address.
    pub name: String,
    /// Hints that are shown once: the default configuration, or that nothing is stored.
    pub notes: Vec<String>,
}

/// Where the scheduler of a source runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourcePlace {
    /// In this process.
    Embedded,
    /// Remote, over REST.
    Remote,
    /// In the local daemon, whose applications are jobs.
    Machine {
        /// Whether all limits of jobs are enforced.
        enforced: bool,
    },
    /// Nowhere: a saved state.
    Saved,
    /// In this process, as a what-if.
    WhatIf,
}

/// The content of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// In which partition.
    pub partition: Arc<str>,
    /// Which kind of thing.
    pub kind: FocusKind,
}

/// The kind of content that a source may have to request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FocusKind {
    /// The tree of queues, or content based on it.
    #[default]
    Queues,
    /// Applications, all or those of a leaf.
    Apps(Option<QueuePath>),
    /// An application with its requests.
    App(AppId),
    /// The list of nodes.
    Nodes,
    /// A node with its allocations.
    Node(NodeId),
    /// Users and groups.
    Users,
    /// The audit, or the revisions of the configuration.
    Records,
    /// The health reported by the scheduler.
    Health,
}
