//! Replies to effects, on one channel.

use std::sync::Arc;

use crate::state::change::FormDraft;
use crate::state::contexts::ContextFacts;
use crate::state::editor::CheckResult;
use crate::state::jobs::{ListResult, Names};
use crate::state::page::Checkup;
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

/// An overview and its inputs.
#[derive(Clone, Debug)]
pub struct OverviewMade {
    /// The overview; `None` if its partition was removed.
    pub sheet: Option<Box<Sheet>>,
    /// Reused by the next overview.
    pub faults: Option<Arc<ConfigFaults>>,
    /// The pending applications; `None` if the partition was removed.
    pub waiting: Option<WaitingNow>,
    /// The rest of the frame uses it too.
    pub view: Arc<View>,
}

impl OverviewMade {
    /// Makes an overview from one view. O(applications).
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
    /// The result of an operation, by number.
    OrderAnswered(u64, Result<Done, Refusal>),
    /// The text of a revision, or why it failed.
    RevisionText(u64, Result<Arc<str>, String>),
    /// Why something waits; or why that is unknown.
    Explained(Question, Result<Sheet, Refusal>),
    /// An overview, at the requested time and partition.
    OverviewMade(OverviewMade),
    /// A shadow's findings.
    ShadowKnown(Box<Result<ShadowSheet, String>>),
    /// Usage over time, or why it is unknown.
    UsageKnown(UsageQuestion, Box<Result<Used, String>>),
    /// A local job.
    JobSeen(AppId, Box<Result<JobSheet, String>>),
    /// `None` without an answer.
    JobsNamed(Option<Vec<(AppId, String)>>),
    /// Events by pod UID.
    PodEvents(Arc<str>, Result<Vec<ObjectEvent>, String>),
    /// YAML by pod UID.
    PodText(Arc<str>, Result<String, String>),
    /// An object as YAML, for the clipboard.
    ObjectCopied(Result<String, String>),
    /// A part of a log, or why reading failed.
    PodLog(LogName, Result<LogPart, String>),
    /// The result as text.
    JobChanged(JobOrder, Result<String, String>),
    /// The owners of an application's pods.
    OwnersFound(AppId, Result<Vec<Chain>, String>),
    /// The results for each owner, or why all failed.
    OwnersSuspended(Box<SuspendOrder>, Result<Vec<OwnerDone>, Refusal>),
    /// The result as text.
    SilenceChanged(Result<String, String>),
    /// Previews by partition, as far as known.
    QuotasPreviewed(Arc<str>, Vec<(Arc<str>, QuotaForecast)>),
    /// A past view, or why it is unavailable.
    PastView(Time, Result<Arc<View>, String>),
    /// Right before or after a time, for a step.
    PastSpan(Time, Step, Result<Span, String>),
    /// Important events of the source.
    MomentsFound(MomentPage),
    /// A scheduler by context.
    ContextOpened(String, Result<SourceHandle, String>),
    /// A cluster for the clusters page, by context.
    ClusterOpened(String, Result<SourceHandle, String>),
    /// The response of a context, or why it failed.
    ContextAnswered(String, Result<ContextFacts, String>),
    /// A copy with its operations.
    WhatIfOpened(Vec<Order>, Result<SourceHandle, String>),
    /// A configuration for the placement page: name and view.
    ConfigRead(String, Result<Arc<View>, String>),
    /// The rows of a long list.
    ListMade(Box<ListResult>),
    /// Completions of the typed text.
    NamesFound(Names),
    /// Events that came since the last ones.
    EventsRead(EventPage),
    /// The check of an edited configuration.
    EditChecked(Box<CheckResult>),
    /// A forecast by the version of the text.
    Forecast(u64, Result<Vec<String>, String>),
    /// The check of a form on a queue.
    FormDrafted(Box<FormDraft>),
    /// The text from the external editor.
    TextEdited(Result<String, String>),
    /// The result of a user's own command, as text.
    OwnEnded(Result<String, String>),
    /// The comparison of two revisions.
    RevisionsCompared(Compared),
    /// The result of health checks.
    CheckedUp(Checkup),
    /// Progress by page number.
    SimulationProgress(u64, String),
    /// The result of a simulation, or why it failed.
    Simulated(u64, Box<Result<Simulation, String>>),
    /// Its name and content as text.
    FileWritten(Result<String, String>),
}
