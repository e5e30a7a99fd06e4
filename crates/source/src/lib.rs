//! A cluster as a console sees and changes it: one trait, implemented for the embedded scheduler and for a remote one.
//!
//! Invariants:
//! - every call returns at once, from any thread: nothing here ever waits for the cluster;
//! - the console never knows which implementation it has, except for the words of [`Source::about`].

pub mod book;
mod connection;
mod cycles;
pub mod embedded;
mod explained;
pub mod forecast;
mod kept_file;
pub mod kept_folder;
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
pub mod trends;
pub mod trial;
mod usage;

use std::sync::Arc;
use std::time::Duration;

pub use alerts::alerting::{Board, Picture, ReceiverStatus};
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

/// Takes what would be preempted, by partition.
pub type QuotaAnswer = Box<dyn FnOnce(Vec<(Arc<str>, QuotaForecast)>) + Send>;
pub use remote::Remote;
pub use saved::Saved;
pub use stepped::Stepped;
pub use trends::{Collector, Trends};
pub use trial::{
    AppTally, Comparison, Effect, Figures, FirstDifference, NodeTally, Trial, TrialChange, TrialStatus, WhatIf,
};

/// Where the view of an earlier time goes, or why there is none. Called once, from any thread.
pub type ViewAnswer = Box<dyn FnOnce(Result<Arc<View>, String>) + Send>;

/// Where a chapter of the past goes, or why there is none. Called once, from any thread.
pub type ChapterAnswer = Box<dyn FnOnce(Result<Chapter, String>) + Send>;

/// Where a what-if goes, or why there is none. Called once, from any thread.
pub type WhatIfAnswer = Box<dyn FnOnce(Result<Arc<dyn Source>, String>) + Send>;

pub use forecast::{ForecastAnswer, StopSign};

/// Where what is known of a job goes, or why it is unknown. Called once, from any thread.
pub type JobAnswer = Box<dyn FnOnce(Result<JobSheet, String>) + Send>;

/// Where the names of jobs go, empty for those one may not see; `None` without an answer. Called once, from any thread.
pub type JobNamesAnswer = Box<dyn FnOnce(Option<Vec<(AppId, String)>>) + Send>;

/// Where it goes what was done to a job, in words, or why it was not. Called once, from any thread.
pub type JobDone = Box<dyn FnOnce(Result<String, String>) + Send>;

/// Why a source that is no shadow has nothing to show of one.
pub const NO_SHADOW: &str = "the server does not shadow a scheduler: use kornsole kube shadow --listen";

/// Where what a shadow found goes, or why that is unknown. Called once, from any thread.
pub type ShadowAnswer = Box<dyn FnOnce(Result<ShadowSheet, String>) + Send>;

/// Where what was used over time goes, or why that is unknown. Called once, from any thread.
pub type UsageAnswer = Box<dyn FnOnce(Result<Used, String>) + Send>;

/// A cluster as a console sees it.
pub trait Source: Send + Sync {
    /// The newest view. Costs a pointer.
    fn view(&self) -> Arc<View>;

    /// The cluster's own time right now, for ages on the screen; of a source without a clock of its own, that of its view.
    fn now(&self) -> Time {
        self.view().at
    }

    /// Events from number `since` on, at most `limit`, by the numbering of all events. A source without events gives an empty
    /// page, which says that events are not tracked.
    fn events(&self, since: u64, limit: usize) -> EventPage {
        let _ = (since, limit);
        EventPage::default()
    }

    /// The last `limit` important events up to a time, each with its number, the oldest first. They are kept separately and longer,
    /// so that the past has them too. For the time before this process there is [`Source::chapter`] with [`Record::is_important`].
    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        let _ = (until, limit);
        Vec::new()
    }

    /// What is at the other end.
    fn about(&self) -> &About;

    /// What answers, with its version: `YuniKorn 1.8`. Empty while that is unknown.
    fn version(&self) -> String {
        format!("kornsole {}", env!("CARGO_PKG_VERSION"))
    }

    /// How the connection is right now.
    fn link(&self) -> Link;

    /// The lists that are not read yet.
    fn unread(&self) -> Unread {
        Unread::default()
    }

    /// The parts that are older than they should be though the connection stands: the last read failed or was cut off, or there was none
    /// since the connection was lost.
    fn stale_parts(&self) -> Vec<StalePart> {
        Vec::new()
    }

    /// How much older the applications of the view are than its queues: a remote is read list by list, so its counts differ in age.
    /// `None` while the applications are unknown.
    fn apps_lag(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    /// Who acts through this source.
    fn identity(&self) -> &Identity;

    /// Takes the focus of the screen. A source that has to request its data requests this first.
    fn set_focus(&self, _focus: &Focus) {}

    /// Who gives orders through this source.
    ///
    /// # Errors
    /// Why no one can.
    fn actor(&self) -> Result<Actor, Arc<str>> {
        Err(Arc::from("this connection is read-only"))
    }

    /// Carries out an order; `answer` is called once, from any thread, with its result. A source that takes no orders
    /// refuses all.
    fn act(&self, order: Order, answer: Answer) {
        let why = self.actor().err().unwrap_or_else(|| Arc::from("operations are not accepted here"));
        answer(Err(Refusal::new(Code::NotSupported, format!("cannot {}", order.act), &*why)));
    }

    /// Looks up who owns the pods of an application, up to the topmost; `answer` is called once, from any thread. Only in a cluster are
    /// there pods.
    fn owners(&self, partition: &str, app: &AppId, answer: OwnersAnswer) {
        let _ = (partition, app);
        answer(Err("it has no pods".to_owned()));
    }

    /// Suspends owners of pods, or lets them run again; `answer` is called once, from any thread.
    fn suspend(&self, order: SuspendOrder, answer: SuspendAnswer) {
        let message = format!("the owners of {} are unknown", order.app);
        answer(Err(Refusal::new(Code::NotSupported, message, "only pods in a cluster have owners")));
    }

    /// Explains why an application, one of its asks, or all of a queue waits; `answer` is called once, from any thread. A source that
    /// does not know the checks of its scheduler says so instead of guessing.
    fn explain(&self, question: Question, answer: SheetAnswer) {
        let why = "only the scheduler has this data, and this connection cannot request it";
        answer(Err(Refusal::new(Code::NotSupported, format!("cannot explain {}", question.of), why)));
    }

    /// Records an order that was refused before it was sent, for the audit. A scheduler elsewhere gets no request, and audits its requests
    /// itself.
    fn refused(&self, _order: Order, _refusal: Refusal) {}

    /// Whether an order would be refused, as far as the view can say: for greying out. An order that passes can still be
    /// refused.
    ///
    /// # Errors
    /// Why it would be.
    fn may(&self, act: &Act) -> Result<(), Refusal> {
        match self.actor() {
            Ok(actor) => self.view().may(&actor, act),
            Err(why) => Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), &*why)),
        }
    }

    /// Whether what a preview says is worked out here, on a state of a cluster that offers no preview itself: an estimate
    /// (`rest.md` E12).
    fn estimates(&self) -> bool {
        false
    }

    /// The active configuration, as it was written; `None` where that is unknown.
    fn configuration(&self) -> Option<Arc<Configuration>> {
        self.view().configuration.clone()
    }

    /// The audit and the configurations that were active, as far as this source knows them and its identity may see them. `None`
    /// when nothing has changed since the generation `known` (0: nothing is known). A source that has to request them does so while
    /// [`FocusKind::Records`] is on the screen.
    fn records(&self, known: u64) -> Option<Records> {
        let _ = known;
        None
    }

    /// Has the text of a configuration that was active fetched; `answer` is called once, from any thread.
    fn revision_text(&self, number: u64, answer: TextAnswer) {
        answer(Err(format!("the text of revision {number} is not available")));
    }

    /// Has it said what a text of a configuration would have preempted, by partition, where the view does not show which allocations go;
    /// `answer` is called once, from any thread: with nothing where that is unknown here either.
    fn preview_quotas(&self, text: Arc<str>, answer: QuotaAnswer) {
        let _ = text;
        answer(Vec::new());
    }

    /// Has it worked out what was used over time; `answer` is called once, from any thread.
    fn usage(&self, question: UsageQuestion, answer: UsageAnswer) {
        let _ = question;
        answer(Err("usage history is not available".to_owned()));
    }

    /// Has it said what a shadow found next to the scheduler that it watches; `answer` is called once, from any thread.
    fn shadow(&self, answer: ShadowAnswer) {
        answer(Err(NO_SHADOW.to_owned()));
    }

    /// What the scheduler says of its own health. A source that has to ask does so while [`FocusKind::Health`] is on the screen.
    fn health(&self) -> OwnHealth {
        match self.about().place {
            SourcePlace::Embedded | SourcePlace::WhatIf => OwnHealth::Here,
            SourcePlace::Remote | SourcePlace::Machine { .. } => OwnHealth::Unknown(Arc::from("not requested")),
            SourcePlace::Saved => OwnHealth::Unknown(Arc::from("not available in a saved state")),
        }
    }

    /// How long a cycle of the scheduler takes lately, in the mean; `None` where that is unknown.
    fn cycle(&self) -> Option<Duration> {
        None
    }

    /// Whether earlier times can be examined by [`Source::view_at`].
    fn keeps_past(&self) -> bool {
        false
    }

    /// Has the view of an earlier time made from what is kept; `answer` is called once, from any thread, with it or with why there
    /// is none.
    fn view_at(&self, at: Time, answer: ViewAnswer) {
        answer(Err(format!("no data of {at}")));
    }

    /// The journal that [`Source::view_at`] looks into, to be simulated again; `None` where there is none or it is elsewhere.
    fn journal(&self) -> Option<JournalHistory> {
        None
    }

    /// What is measured of the cluster over time; `None` where nothing is.
    fn trends(&self) -> Option<Arc<Trends>> {
        None
    }

    /// Has what happened right before or after a time looked up in what is kept, as far as it goes at once: of the records of events
    /// those that `wanted` says. `answer` is called once, from any thread.
    fn chapter(&self, at: Time, _toward: Toward, _wanted: fn(&Record) -> bool, answer: ChapterAnswer) {
        answer(Err(format!("no data of {at}")));
    }

    /// Has a copy of a partition made to try things in; `answer` is called once, from any thread, with it or with why there is none. The
    /// first partition where none is named.
    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        let _ = partition;
        answer(Err("a what-if needs a copy of the scheduler in this process".to_owned()));
    }

    /// Has it worked out what a queue configuration would lead to in the next minutes, on a copy of a partition, until `stop` says that no one
    /// waits for it; `answer` is called once, from any thread, or not at all when it was stopped.
    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopSign, answer: ForecastAnswer) {
        let _ = (partition, text, stop);
        answer(Err("no copy is available to test it on".to_owned()));
    }

    /// The further commands of a what-if, where this is one.
    fn trial(&self) -> Option<&dyn Trial> {
        None
    }

    /// The jobs that the applications are, where the scheduler starts processes of its machine.
    fn jobs(&self) -> Option<&dyn Jobs> {
        None
    }

    /// The Kubernetes cluster that the scheduler is in, where it is asked through one.
    fn objects(&self) -> Option<&dyn Objects> {
        None
    }

    /// The alerts of this cluster, where they are evaluated in this process.
    fn alerts(&self) -> Option<&Arc<Board>> {
        None
    }

    /// Has `wake` called soon after each new view, from any thread; bursts may be reported once. Replaces the one before.
    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>);
}

/// Jobs of a machine, each of which is an application. Every call returns at once.
pub trait Jobs: Send + Sync {
    /// Has the job examined that an application is or was, with a part of its output.
    fn look(&self, app: &AppId, output: OutputWanted, answer: JobAnswer);

    /// Has the names of jobs looked up, or their commands where they have no names.
    fn names(&self, apps: Vec<AppId>, answer: JobNamesAnswer);

    /// Has something done to a job, as who acts through this source.
    fn act(&self, order: JobOrder, done: JobDone);
}

/// What a scheduler says of its own health (`rest.md` 5.13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnHealth {
    /// It is in this process, and its view says all there is.
    Here,
    /// What it answered last, and when, by the cluster's time.
    Reported(Arc<Health>, Time),
    /// That is unknown, for this reason.
    Unknown(Arc<str>),
}

/// What is at the other end of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Where the scheduler runs.
    pub place: SourcePlace,
    /// What it is, for the header: `demo, seed 42`, `queues.yaml`, an address.
    pub name: String,
    /// What a newcomer should know, shown once: which default configuration is used, that nothing is kept.
    pub notes: Vec<String>,
}

/// Where a source's scheduler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourcePlace {
    /// In this process.
    Embedded,
    /// Somewhere else, over REST.
    Remote,
    /// In the daemon of this machine, whose applications are jobs.
    Machine {
        /// Whether the limits of a job are enforced, all of them.
        enforced: bool,
    },
    /// Nowhere: what is shown was saved.
    Saved,
    /// In this process, as a copy to try things in.
    WhatIf,
}

/// What is on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// In which partition.
    pub partition: Arc<str>,
    /// Which kind of thing.
    pub kind: FocusKind,
}

/// Which kind of thing is on the screen, as far as it has to be requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FocusKind {
    /// The tree of queues, or what is paused on it.
    #[default]
    Queues,
    /// Applications; those of one leaf.
    Apps(Option<QueuePath>),
    /// One application with its asks.
    App(AppId),
    /// The list of nodes.
    Nodes,
    /// One node with its allocations.
    Node(NodeId),
    /// Users and groups.
    Users,
    /// The audit, or the history of configurations.
    Records,
    /// What the scheduler says of its own health.
    Health,
}
