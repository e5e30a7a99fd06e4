//! The known state of the cluster on the screen.

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

/// What is known of the cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The view on the screen.
    pub view: Arc<View>,
    /// The newest view; another one than on the screen only while the picture is frozen.
    pub newest: Arc<View>,
    /// The cluster's time for ages on the screen.
    pub at: Time,
    /// What is at the other end.
    pub about: About,
    /// Who acts: user and groups, as the source or the arguments give them.
    pub identity: Identity,
    /// The same with what he may do to the scheduler as a whole; or why no one can change anything.
    pub actor: Result<Actor, Arc<str>>,
    /// How the connection is.
    pub link: Link,
    /// What is older than the rest though the connection stands.
    pub stale: Vec<StalePart>,
    /// What is not read yet.
    pub unread: Unread,
    /// How much older the applications are than the queues; `None` while they are unknown.
    pub apps_lag: Option<Duration>,
    /// What the scheduler says of its own health.
    pub health: OwnHealth,
    /// How long a cycle takes lately, in the mean; `None` where that is unknown.
    pub cycle: Option<Duration>,
    /// Whether what a preview says is an estimate.
    pub estimates: bool,
    /// The name of the partition on the screen.
    pub partition: Arc<str>,
    /// The last events, as far as someone examined them.
    pub events: Events,
    /// Since when the picture is frozen, on the console's clock.
    pub frozen: Option<Duration>,
    /// What this console has seen, and the moment of it that is on the screen.
    pub past: Past,
    /// The audit, and the configurations that were active.
    pub ledger: Ledger,
    /// The scheduler's last answer: which allocations an edited configuration would have preempted.
    pub quota_preview: Option<Arc<QuotaPreview>>,
    /// How the what-if stands, where this is one.
    pub trial: Option<TrialStatus>,
    /// What was measured over time, as far as someone examined it.
    pub trends: KnownTrends,
    /// The applications are jobs of a machine.
    pub has_jobs: bool,
    /// What is alerted about; `None` where no rules are evaluated.
    pub alerts: Option<Arc<Picture>>,
    /// The number of the first change of an alert that this console has not seen.
    pub alerts_seen: Option<u64>,
}

impl Cluster {
    /// What is known before the first news: the first partition of the view, with nothing seen of its past.
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

    /// Whether the line of alerts is on every page: one fires that is more than good to know.
    pub fn alerts_show(&self) -> bool {
        self.alerts.iter().any(|picture| picture.on().any(|alert| alert.severity > Severity::Info))
    }

    /// Who gives orders.
    ///
    /// # Errors
    /// Why no one can.
    pub fn actor(&self) -> Result<&Actor, String> {
        if let Some(why) = self.past.why_off() {
            return Err(why);
        }
        // A scheduler in this process takes orders also while it is busy.
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

    /// Why nothing can be changed; `None` when it can, as far as access lists let one.
    pub fn read_only(&self) -> Option<&str> {
        match &self.actor {
            Ok(actor) => actor.read_only.as_deref(),
            Err(why) => Some(why),
        }
    }

    /// Up to when what happened is shown; `None` in the present.
    pub fn until(&self) -> Option<Time> {
        self.past.shown.as_ref().map(|shown| shown.at)
    }

    /// The configuration that is active, or was at the time on the screen.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        let view = if self.past.shown.is_some() { &self.view } else { &self.newest };
        view.configuration.as_ref()
    }

    /// The partition on the screen. `None` before the first configuration is loaded.
    pub fn part(&self) -> Option<&PartitionView> {
        self.view.partitions.iter().find(|part| part.name == self.partition).or_else(|| self.view.partitions.first())
    }
}
