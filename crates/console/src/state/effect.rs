//! Effects outside of the state that an update requests. The update returns a list; the session and the runtime carry it out in order.

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

/// One thing to be done outside of the state.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Draw the screen again: it shows something else now.
    Redraw,
    /// Draw the screen from nothing: another program wrote over it.
    Repaint,
    /// End the console.
    Quit,
    /// Put the process into the background.
    Suspend,
    /// Put a text into the terminal's clipboard.
    Copy(String),
    /// Open a text in the person's own editor. Answered by [`super::reply::Reply::TextEdited`].
    EditText(String),
    /// Run a person's own command that takes the terminal. Answered by [`super::reply::Reply::OwnEnded`].
    RunOwn(Box<OwnRun>),
    /// Open another scheduler, by the name of its context. Answered by [`super::reply::Reply::ContextOpened`].
    OpenContext(String),
    /// Ask a context what it is, by its name. Answered by [`super::reply::Reply::ContextAnswered`].
    AskContext(String),
    /// Send an order to the source, under its number. Answered by [`super::reply::Reply::OrderAnswered`].
    SendOrder(u64, Order),
    /// Report an order that was refused here, so that the source can write it into the audit.
    ReportRefusal(Order, Refusal),
    /// Fetch the text of a revision. Answered by [`super::reply::Reply::RevisionText`].
    FetchRevision(u64),
    /// Ask the source why something waits. Answered by [`super::reply::Reply::Explained`].
    Explain(Question),
    /// Ask the source what a shadow found. Answered by [`super::reply::Reply::ShadowKnown`].
    AskShadow,
    /// Ask the source what was used over time. Answered by [`super::reply::Reply::UsageKnown`].
    AskUsage(UsageQuestion),
    /// Ask the source which allocations a text would have preempted. Answered by [`super::reply::Reply::QuotasPreviewed`].
    PreviewQuotas(Arc<str>),
    /// Fetch the view of an earlier time. Answered by [`super::reply::Reply::PastView`].
    FetchPastView(Time),
    /// Fetch what happened right before or after a time. Answered by [`super::reply::Reply::PastSpan`].
    FetchPastSpan(Time, Step),
    /// Look at the job that an application is, with a part of its output. Answered by [`super::reply::Reply::JobSeen`].
    LookAtJob(AppId, OutputWanted),
    /// Look up what jobs are called. Answered by [`super::reply::Reply::JobsNamed`].
    NameJobs(Vec<AppId>),
    /// Something about the owners of pods, for the source.
    Owners(OwnersWork),
    /// Read something of an object of Kubernetes.
    ForPod(ForPod),
    /// Have something done to a job. Answered by [`super::reply::Reply::JobChanged`].
    ChangeJob(JobOrder),
    /// Do something with a what-if.
    WhatIf(WhatIfStep),
    /// Work out the effect of an edited configuration, by the version of its text and in a partition. A forecast under way is stopped.
    /// Answered by [`super::reply::Reply::Forecast`].
    Forecast(u64, Arc<str>, Arc<str>),
    /// Stop that: the text is another one by now.
    StopForecast,
    /// Find what mattered among the source's events from this number on. Answered by [`super::reply::Reply::MomentsFound`].
    FindMoments(u64),
    /// Let the terminal ring, or show a notification of the desktop by an escape sequence.
    Notify {
        /// It rings its bell.
        bell: bool,
        /// By which sequence, if by any.
        by: Option<Osc>,
        /// What is reported, in one line.
        text: String,
    },
    /// Change the silences of the source's alerts. Answered by [`super::reply::Reply::SilenceChanged`].
    Silence(SilenceStep),
    /// Do this in a worker thread.
    Work(Work),
}

/// What is read of a pod, or of another object of Kubernetes.
#[derive(Clone, Debug)]
pub enum ForPod {
    /// Its events. Answered by [`super::reply::Reply::PodEvents`].
    Events(EventsOf),
    /// It as YAML, under the UID of the pod. Answered by [`super::reply::Reply::PodText`].
    Text(Arc<str>, ObjectName),
    /// It as YAML for the clipboard. Answered by [`super::reply::Reply::ObjectCopied`].
    Copy(ObjectName),
    /// Open a log instead of the one before, and read its first part. Answered by [`super::reply::Reply::PodLog`].
    OpenLog(LogName),
    /// Read the next part of the log. Answered by [`super::reply::Reply::PodLog`].
    ReadLog(LogName),
    /// No one examines the log any more.
    CloseLog,
}

/// One change of the silences, at a time of the cluster.
#[derive(Clone, Debug)]
pub enum SilenceStep {
    /// Silence from now on.
    Begin(SilenceOrder, Time),
    /// End a silence by its number; someone of this name does.
    End(u64, String, Time),
}

/// One step of a what-if.
#[derive(Clone, Debug)]
pub enum WhatIfStep {
    /// Make a change in it that is written in words.
    Suppose(String),
    /// Have its two sides compared as they stand.
    Compare,
    /// Have a copy of the cluster made, and these orders given in it. Answered by [`super::reply::Reply::WhatIfOpened`].
    Open(Vec<Order>),
    /// Return to the cluster. With `true` the changes are given to it as orders.
    Leave(bool),
    /// Move its time on.
    Advance(Duration),
    /// Take a change back, by its number from 1.
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
    /// Adds an effect to those that the running update returns.
    pub(crate) fn emit(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    /// Emits [`Effect::Redraw`], once for each update.
    pub(crate) fn redraw(&mut self) {
        if !self.effects.iter().any(|effect| matches!(effect, Effect::Redraw)) {
            self.effects.push(Effect::Redraw);
        }
    }

    /// The effects that were emitted. Only [`crate::update`] calls this, where an update ends.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}

/// What is wanted of the owners of pods.
#[derive(Clone, Debug)]
pub enum OwnersWork {
    /// Look up who owns the pods of an application, in a partition. Answered by [`super::reply::Reply::OwnersFound`].
    LookUp(Arc<str>, AppId),
    /// Suspend them, or let them run again. Answered by [`super::reply::Reply::OwnersSuspended`].
    Suspend(Box<SuspendOrder>),
}
