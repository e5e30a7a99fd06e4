//! The effects that an update requests, carried out in order by the session and the runtime.

use std::sync::Arc;
use std::time::Duration;

use crate::state::State;
use crate::state::own_command::OwnRun;
use crate::state::past::Step;
use crate::state::work::Work;
use alerts::SilenceOrder;
use alerts::rule::Osc;
use model::{AppId, Time};
use source::SuspendOrder;
use view::act::{Order, Refusal};
use view::job::{JobOrder, OutputWanted};
use view::kubernetes::{EventsOf, LogName, ObjectName};
use view::used::UsageQuestion;
use view::waiting::Question;

/// An action outside of the state.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Draw the changed screen.
    Redraw,
    /// Another program wrote to the terminal.
    Repaint,
    /// Exit the console.
    Quit,
    /// Suspend the process to the background.
    Suspend,
    /// Copy a text to the terminal's clipboard.
    Copy(String),
    /// Edit a text in `$EDITOR`. Answered by [`super::reply::Reply::TextEdited`].
    EditText(String),
    /// Run a command in the terminal. Answered by [`super::reply::Reply::OwnEnded`].
    RunOwn(Box<OwnRun>),
    /// Open a scheduler by context name. Answered by [`super::reply::Reply::ContextOpened`].
    OpenContext(String),
    /// Contact a context by name. Answered by [`super::reply::Reply::ContextAnswered`].
    AskContext(String),
    /// Answered by [`super::reply::Reply::OrderAnswered`].
    SendOrder(u64, Order),
    /// Report a rejected operation for the audit.
    ReportRefusal(Order, Refusal),
    /// Answered by [`super::reply::Reply::RevisionText`].
    FetchRevision(u64),
    /// Answered by [`super::reply::Reply::Explained`].
    Explain(Question),
    /// Answered by [`super::reply::Reply::ShadowKnown`].
    AskShadow,
    /// Answered by [`super::reply::Reply::UsageKnown`].
    AskUsage(UsageQuestion),
    /// Answered by [`super::reply::Reply::QuotasPreviewed`].
    PreviewQuotas(Arc<str>),
    /// Answered by [`super::reply::Reply::PastView`].
    FetchPastView(Time),
    /// Right before or after a time. Answered by [`super::reply::Reply::PastSpan`].
    FetchPastSpan(Time, Step),
    /// Fetch a job with output. Answered by [`super::reply::Reply::JobSeen`].
    LookAtJob(AppId, OutputWanted),
    /// Answered by [`super::reply::Reply::JobsNamed`].
    NameJobs(Vec<AppId>),
    /// Read or suspend the owners of pods.
    Owners(OwnersWork),
    /// Read data of a Kubernetes object.
    ForPod(ForPod),
    /// Answered by [`super::reply::Reply::JobChanged`].
    ChangeJob(JobOrder),
    /// A step in a what-if.
    WhatIf(WhatIfStep),
    /// Version, text, and partition. Stops a running forecast. Answered by [`super::reply::Reply::Forecast`].
    Forecast(u64, Arc<str>, Arc<str>),
    /// Stop the forecast: the text has changed.
    StopForecast,
    /// Find important events from this number. Answered by [`super::reply::Reply::MomentsFound`].
    FindMoments(u64),
    /// A bell or a desktop notification.
    Notify {
        /// Ring the bell.
        bell: bool,
        /// The escape sequence, if any.
        by: Option<Osc>,
        /// One line of text.
        text: String,
    },
    /// Answered by [`super::reply::Reply::SilenceChanged`].
    Silence(SilenceStep),
    /// Run this in a worker thread.
    Work(Work),
}

/// Data of a pod or another Kubernetes object.
#[derive(Clone, Debug)]
pub enum ForPod {
    /// Answered by [`super::reply::Reply::PodEvents`].
    Events(EventsOf),
    /// YAML, by pod UID. Answered by [`super::reply::Reply::PodText`].
    Text(Arc<str>, ObjectName),
    /// The YAML for the clipboard. Answered by [`super::reply::Reply::ObjectCopied`].
    Copy(ObjectName),
    /// Closes the previous log. Answered by [`super::reply::Reply::PodLog`].
    OpenLog(LogName),
    /// The next part. Answered by [`super::reply::Reply::PodLog`].
    ReadLog(LogName),
    /// Close the log.
    CloseLog,
}

/// One change of the silences, at a cluster time.
#[derive(Clone, Debug)]
pub enum SilenceStep {
    /// Start a silence.
    Start(SilenceOrder, Time),
    /// End a silence: its number and the acting user.
    End(u64, String, Time),
}

/// One step of a what-if.
#[derive(Clone, Debug)]
pub enum WhatIfStep {
    /// Add a change, written as text.
    Suppose(String),
    /// Compare both sides in their current state.
    Compare,
    /// Answered by [`super::reply::Reply::WhatIfOpened`].
    Open(Vec<Order>),
    /// `true` applies the changes to the cluster.
    Leave(bool),
    /// Advance its clock.
    Advance(Duration),
    /// Revert a change, by its number from 1.
    TakeBack(usize),
    /// Show the other side.
    TurnOver,
}

impl From<Work> for Effect {
    fn from(work: Work) -> Self {
        Self::Work(work)
    }
}

impl State {
    pub(crate) fn emit(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    /// Requests a redraw at most once per update.
    pub(crate) fn redraw(&mut self) {
        if !self.effects.iter().any(|effect| matches!(effect, Effect::Redraw)) {
            self.effects.push(Effect::Redraw);
        }
    }

    /// Only [`crate::update`] calls this, at the end of an update.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}

/// Work on the owners of pods.
#[derive(Clone, Debug)]
pub enum OwnersWork {
    /// Find owners in a partition. Answered by [`super::reply::Reply::OwnersFound`].
    LookUp(Arc<str>, AppId),
    /// Suspend or resume owners. Answered by [`super::reply::Reply::OwnersSuspended`].
    Suspend(Box<SuspendOrder>),
}
