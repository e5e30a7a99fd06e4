//! The known state of the cluster.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::state::editor::QuotaPreview;
use crate::state::events::Events;
use crate::state::past::Past;
use crate::state::records::Ledger;
use crate::state::trends::KnownTrends;
use alerts::Severity;
use model::{Identity, Time};
use source::{About, BoardSnapshot, Link, OwnHealth, SourcePlace, StalePart, TrialStatus};
use view::act::{Actor, Configuration};
use view::history::{Sample, sample_of};
use view::unread::Unread;
use view::{PartitionView, View};

/// The known state of the cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The shown view. It differs from `newest` only while frozen.
    pub view: Arc<View>,
    sample: OnceLock<Sample>,
    /// The newest view.
    pub newest: Arc<View>,
    /// The cluster's time, for ages.
    pub at: Time,
    /// The scheduler behind the source.
    pub about: About,
    /// The user, from the source or the arguments.
    pub identity: Identity,
    /// The user with scheduler-wide rights, or why nothing can be changed.
    pub actor: Result<Actor, Arc<str>>,
    /// The state of the connection.
    pub link: Link,
    /// Outdated parts of a working connection.
    pub stale: Vec<StalePart>,
    /// Parts that are not loaded.
    pub unread: Unread,
    /// How much older than the queues.
    pub apps_lag: Option<Duration>,
    /// The scheduler's own health report.
    pub health: OwnHealth,
    /// The recent mean duration of a cycle.
    pub cycle: Option<Duration>,
    /// Whether previews are estimates.
    pub estimates: bool,
    /// The name of the partition on the screen.
    pub partition: Arc<str>,
    /// The loaded events.
    pub events: Events,
    /// Since when, on the console's clock.
    pub frozen: Option<Duration>,
    /// The views of this session, and the selected time.
    pub past: Past,
    /// The audit and the revisions.
    pub ledger: Ledger,
    /// The scheduler's last preview of quota preemption.
    pub quota_preview: Option<Arc<QuotaPreview>>,
    /// The status of a what-if.
    pub trial: Option<TrialStatus>,
    /// The loaded trends.
    pub trends: KnownTrends,
    /// The source is a local job daemon.
    pub has_jobs: bool,
    /// The alerts; `None` if no rules are evaluated.
    pub alerts: Option<Arc<BoardSnapshot>>,
    /// The first unshown alert change.
    pub alerts_seen: Option<u64>,
}

impl Cluster {
    pub(super) fn at_start(
        view: Arc<View>,
        about: About,
        (identity, actor): (Identity, Result<Actor, Arc<str>>),
        link: Link,
    ) -> Self {
        let partition = view.partitions.first().map(|part| Arc::clone(&part.name)).unwrap_or_default();
        let at = view.at;
        Self {
            newest: Arc::clone(&view),
            view,
            sample: OnceLock::new(),
            at,
            about,
            identity,
            actor,
            link,
            stale: Vec::new(),
            unread: Unread::default(),
            apps_lag: Some(Duration::ZERO),
            health: OwnHealth::Here,
            cycle: None,
            estimates: false,
            partition,
            events: Events::default(),
            frozen: None,
            past: Past::at_live(at),
            ledger: Ledger::default(),
            quota_preview: None,
            trial: None,
            trends: KnownTrends::default(),
            has_jobs: false,
            alerts: None,
            alerts_seen: None,
        }
    }

    /// Shows another view; returns the one before it.
    pub fn set_view(&mut self, view: Arc<View>) -> Arc<View> {
        self.sample = OnceLock::new();
        std::mem::replace(&mut self.view, view)
    }

    /// The current values of the shown view, for charts. They are computed once: a view may have 100,000 applications.
    pub fn sample(&self) -> Sample {
        let sample = self.sample.get_or_init(|| sample_of(self.view.at, &self.view));
        Sample { at: self.at, ..sample.clone() }
    }

    /// An alert above the lowest severity fires.
    pub fn alerts_show(&self) -> bool {
        self.alerts.iter().any(|snapshot| snapshot.on().any(|alert| alert.severity > Severity::Info))
    }

    /// The acting user.
    ///
    /// # Errors
    /// Why changes are impossible.
    pub fn actor(&self) -> Result<&Actor, String> {
        if let Some(why) = self.past.why_off() {
            return Err(why);
        }
        // An embedded scheduler accepts commands while busy.
        if matches!(self.about.place, SourcePlace::Remote | SourcePlace::Machine { .. }) {
            match &self.link {
                Link::Live { .. } => {}
                Link::Connecting { .. } => return Err("not connected yet".to_owned()),
                Link::Stale { cause, .. } => return Err(format!("the connection is lost: {cause}")),
                Link::Refused { why, .. } => return Err(why.clone()),
            }
        }
        self.actor.as_ref().map_err(ToString::to_string)
    }

    /// Why the source is read-only. ACLs are not considered.
    pub fn read_only(&self) -> Option<&str> {
        match &self.actor {
            Ok(actor) => actor.read_only.as_deref(),
            Err(why) => Some(why),
        }
    }

    /// `None` in the present.
    pub fn until(&self) -> Option<Time> {
        self.past.shown.as_ref().map(|shown| shown.at)
    }

    /// The active configuration at the time on the screen.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        let view = if self.past.shown.is_some() { &self.view } else { &self.newest };
        view.configuration.as_ref()
    }

    /// `None` before the first configuration, and while a remote one is not loaded.
    pub fn part(&self) -> Option<&PartitionView> {
        self.view.partitions.iter().find(|part| part.name == self.partition).or_else(|| self.view.partitions.first())
    }

    /// Why no partition is shown. A remote scheduler has one, even if it is not loaded.
    pub fn why_no_part(&self) -> &'static str {
        match (&self.past.shown, self.about.place, &self.link) {
            (Some(_), ..) | (_, SourcePlace::Embedded | SourcePlace::Saved | SourcePlace::WhatIf, _) => {
                "no configuration yet"
            }
            (_, SourcePlace::Remote | SourcePlace::Machine { .. }, Link::Live { .. } | Link::Connecting { .. }) => {
                "loading the partition"
            }
            (_, SourcePlace::Remote | SourcePlace::Machine { .. }, _) => "the partition is unknown",
        }
    }
}
