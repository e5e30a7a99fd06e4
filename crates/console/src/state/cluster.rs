//! The known state of the cluster.

use std::sync::Arc;
use std::time::Duration;

use crate::state::editor::QuotaPreview;
use crate::state::events::Events;
use crate::state::past::Past;
use crate::state::records::Ledger;
use crate::state::trends::KnownTrends;
use alerts::Severity;
use model::{Identity, Time};
use source::{About, Link, OwnHealth, Picture, SourcePlace, StalePart, TrialStatus};
use view::act::{Actor, Configuration};
use view::unread::Unread;
use view::{PartitionView, View};

/// The known state of the cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The view on the screen. It differs from `newest` only while the screen is frozen.
    pub view: Arc<View>,
    /// The newest view.
    pub newest: Arc<View>,
    /// The cluster's time, for ages.
    pub at: Time,
    /// The scheduler behind the source.
    pub about: About,
    /// The user and groups, from the source or the arguments.
    pub identity: Identity,
    /// The identity with its rights on the whole scheduler, or why nothing can be changed.
    pub actor: Result<Actor, Arc<str>>,
    /// The state of the connection.
    pub link: Link,
    /// Parts that are older than the rest although the connection works.
    pub stale: Vec<StalePart>,
    /// Parts that are not loaded.
    pub unread: Unread,
    /// How much older the applications are than the queues, if known.
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
    /// Since when the screen is frozen, on the console's clock.
    pub frozen: Option<Duration>,
    /// The views of this session, and the selected time.
    pub past: Past,
    /// The audit and the revisions.
    pub ledger: Ledger,
    /// The scheduler's last preview of quota preemption.
    pub quota_preview: Option<Arc<QuotaPreview>>,
    /// The status of the what-if, in a what-if.
    pub trial: Option<TrialStatus>,
    /// The loaded trends.
    pub trends: KnownTrends,
    /// The source is a local job daemon.
    pub has_jobs: bool,
    /// The alerts; `None` if no rules are evaluated.
    pub alerts: Option<Arc<Picture>>,
    /// The first alert change that the console has not shown.
    pub alerts_seen: Option<u64>,
}

impl Cluster {
    /// Selects the first partition, with an empty past.
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

    /// Whether every page shows the alert line: an alert above the lowest severity fires.
    pub fn alerts_show(&self) -> bool {
        self.alerts.iter().any(|picture| picture.on().any(|alert| alert.severity > Severity::Info))
    }

    /// Returns the acting user.
    ///
    /// # Errors
    /// Why no user can change anything.
    pub fn actor(&self) -> Result<&Actor, String> {
        if let Some(why) = self.past.why_off() {
            return Err(why);
        }
        // An embedded scheduler accepts commands while it is busy.
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

    /// The selected time in the past; `None` in the present.
    pub fn until(&self) -> Option<Time> {
        self.past.shown.as_ref().map(|shown| shown.at)
    }

    /// The active configuration at the time on the screen.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        let view = if self.past.shown.is_some() { &self.view } else { &self.newest };
        view.configuration.as_ref()
    }

    /// The partition on the screen; `None` before the first configuration.
    pub fn part(&self) -> Option<&PartitionView> {
        self.view.partitions.iter().find(|part| part.name == self.partition).or_else(|| self.view.partitions.first())
    }
}
