//! Replies to effects: from the source, from the worker threads, from the external editor. All of them come on one channel.

use std::sync::Arc;

use crate::state::change::FormDraft;
use crate::state::contexts::ContextFacts;
use crate::state::editor::CheckResult;
use crate::state::jobs::{ListResult, Names};
use crate::state::past::{Span, Step};
use crate::state::records::Compared;
use crate::state::work::{MomentPage, SourceHandle};
use model::{AppId, Time};
use source::SuspendOrder;
use view::act::{Done, Order, Refusal};
use view::job::{JobOrder, JobSheet};
use view::kubernetes::{Chain, OwnerDone};
use view::kubernetes::{LogName, LogPart, ObjectEvent};
use view::overview::{ConfigFaults, Given, WaitingNow, overview};
use view::shadowed::ShadowSheet;
use view::simulation::Simulation;
use view::used::{UsageQuestion, Used};
use view::waiting::{Question, Sheet};
use view::{EventPage, QuotaForecast, View};

/// An overview, with what it was made from.
#[derive(Clone, Debug)]
pub struct OverviewMade {
    /// The overview; `None` where its partition no longer exists.
    pub sheet: Option<Box<Sheet>>,
    /// The faults of the active configuration, to be kept for the next one.
    pub faults: Option<Arc<ConfigFaults>>,
    /// Who waits in that view; `None` where its partition no longer exists.
    pub waiting: Option<WaitingNow>,
    /// The view whose figures it shows: the rest of the frame shows those of the same one.
    pub view: Arc<View>,
}

impl OverviewMade {
    /// Computes the sheet and the waits from one view, in time that grows with its applications.
    pub fn of(mut given: Given) -> Self {
        given.faults = ConfigFaults::of_moment(&given);
        let sheet = overview(&given).map(Box::new);
        let part = given.view.partitions.iter().find(|part| part.name == given.partition);
        let waiting = part.filter(|_| !given.unread.apps).map(|part| WaitingNow::of(part, given.at));
        Self { sheet, faults: given.faults, waiting, view: given.view }
    }
}

/// The result of one effect.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The result of an order, by its number.
    OrderAnswered(u64, Result<Done, Refusal>),
    /// The text of a revision, by its number; or why it cannot be fetched.
    RevisionText(u64, Result<Arc<str>, String>),
    /// Why something waits; or why that is unknown.
    Explained(Question, Result<Sheet, Refusal>),
    /// An overview, of the moment and the partition that it was requested.
    OverviewMade(OverviewMade),
    /// What a shadow found, or why that is unknown.
    ShadowKnown(Box<Result<ShadowSheet, String>>),
    /// What was used over time; or why that is unknown.
    UsageKnown(UsageQuestion, Box<Result<Used, String>>),
    /// What the job of an application is; or why that is unknown.
    JobSeen(AppId, Box<Result<JobSheet, String>>),
    /// What jobs are called; `None` where no one answered.
    JobsNamed(Option<Vec<(AppId, String)>>),
    /// The events of a pod, by its UID; or why they are unknown.
    PodEvents(Arc<str>, Result<Vec<ObjectEvent>, String>),
    /// A pod as YAML, by its UID; or why it cannot be fetched.
    PodText(Arc<str>, Result<String, String>),
    /// An object as YAML, to be copied.
    ObjectCopied(Result<String, String>),
    /// What came of a log; or why nothing comes.
    PodLog(LogName, Result<LogPart, String>),
    /// What was done to a job, in words; or why it was not.
    JobChanged(JobOrder, Result<String, String>),
    /// Who owns the pods of an application; or why that is unknown.
    OwnersFound(AppId, Result<Vec<Chain>, String>),
    /// What was done to owners of pods, one by one; or why nothing was.
    OwnersSuspended(Box<SuspendOrder>, Result<Vec<OwnerDone>, Refusal>),
    /// What was silenced, or is not any more, in words; or why it was not.
    SilenceChanged(Result<String, String>),
    /// Which allocations a text would have preempted, by partition, as far as the source knows.
    QuotasPreviewed(Arc<str>, Vec<(Arc<str>, QuotaForecast)>),
    /// The view of an earlier time, or why there is none.
    PastView(Time, Result<Arc<View>, String>),
    /// What happened right before or after a time, for a step; or why that is unknown.
    PastSpan(Time, Step, Result<Span, String>),
    /// What mattered among the source's events.
    MomentsFound(MomentPage),
    /// Another scheduler, by the name of its context; or why it cannot be opened.
    ContextOpened(String, Result<SourceHandle, String>),
    /// A cluster next to the one on the screen, by the name of its context; or why it cannot be opened.
    ClusterOpened(String, Result<SourceHandle, String>),
    /// What a context answered, by its name; or why it did not.
    ContextAnswered(String, Result<ContextFacts, String>),
    /// A copy of the cluster to try things in, with the orders that are given in it; or why there is none.
    WhatIfOpened(Vec<Order>, Result<SourceHandle, String>),
    /// A configuration that placement is tried against: its name, and a cluster with it active or why there is none.
    ConfigRead(String, Result<Arc<View>, String>),
    /// The rows of a long list.
    ListMade(Box<ListResult>),
    /// Names that complete what was written.
    NamesFound(Names),
    /// Events that came since the last ones.
    EventsRead(EventPage),
    /// What an edited configuration would mean.
    EditChecked(Box<CheckResult>),
    /// What an edited configuration leads to in the next minutes, by the version of its text, in lines; or why that is unknown.
    Forecast(u64, Result<Vec<String>, String>),
    /// What a form on a queue would change.
    FormDrafted(Box<FormDraft>),
    /// The text as it came out of the external editor.
    TextEdited(Result<String, String>),
    /// How a person's own command ended, in words.
    OwnEnded(Result<String, String>),
    /// The differences between two configurations.
    RevisionsCompared(Compared),
    /// How far a simulation is, by the number of its page.
    SimulationGoesOn(u64, String),
    /// What a simulation gave; or why there is none.
    Simulated(u64, Box<Result<Simulation, String>>),
    /// A file was written: its name and what is in it; or why not.
    FileWritten(Result<String, String>),
}
