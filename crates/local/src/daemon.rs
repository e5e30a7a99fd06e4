//! The daemon: the jobs, and the engine that schedules them.
//!
//! Invariants:
//! - the table is never locked during an operation;
//! - a job is on disk before the scheduler knows it, and before the submitter gets its ID.

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::cgroup::Enforcement;
use super::helper::Helper;
use super::history::Limits;
use super::job::{Job, JobState, Owner};
use super::machine::Machine;
use super::starting::most_starting;
use super::store::Store;
use super::table::Table;
use engine::Engine;
use model::{AppId, AskId, Identity, NodeId, Priority};
use view::act::{Act, Actor, ActsFrom, AskSpec, Done, NodeSpec, Order, PartitionAct, Refusal, Submission};
use view::{AppRow, PartitionView, View};

const NEWEST: usize = 256;

const TURN: Duration = Duration::from_micros(50);
const MOST_TURNS: u32 = 40;

/// Settings of the daemon.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine as offered to the scheduler.
    pub machine: Machine,
    /// How limits are enforced.
    pub enforcement: Enforcement,
    /// Time between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Maximum stored output of one attempt, in bytes.
    pub output_bytes: u64,
    /// The same for all ended attempts of one user.
    pub user_output_bytes: u64,
    /// Which records of ended jobs are retained.
    pub history: Limits,
    /// The user who runs the daemon.
    pub owner: Owner,
    /// The program that supervises jobs.
    pub helper: Helper,
    /// Open file limit of a job.
    pub files: Option<u64>,
    /// Directory of the socket, readable by all submitters.
    pub socket_dir: PathBuf,
}

/// Returns the REST address and a token for a user, or the reason why not.
pub type TokenSource = Box<dyn Fn(&Identity) -> Result<(String, String), String> + Send + Sync>;

/// A running daemon.
pub struct Daemon {
    pub(super) engine: Arc<Engine>,
    pub(super) settings: Settings,
    pub(super) store: Store,
    table: Mutex<Table>,
    asking: AtomicUsize,
    pub(super) ended: Condvar,
    waker: UnixStream,
    pub(super) most_starting: usize,
    pub(super) token_source: OnceLock<TokenSource>,
    unkept: Mutex<Option<String>>,
}

impl Daemon {
    /// Opens a daemon. The returned stream wakes [`Daemon::reconcile_forever`].
    ///
    /// # Errors
    /// The directory cannot be used.
    pub fn open(engine: Arc<Engine>, dir: &Path, settings: Settings) -> io::Result<(Arc<Self>, UnixStream)> {
        let (store, jobs) = Store::open(dir)?;
        let (waker, woken) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let table = Mutex::new(Table::new(jobs));
        let daemon = Arc::new(Self {
            engine,
            settings,
            store,
            table,
            asking: AtomicUsize::new(0),
            ended: Condvar::new(),
            waker,
            most_starting: most_starting(),
            token_source: OnceLock::new(),
            unkept: Mutex::default(),
        });
        daemon.count_all();
        daemon.offer_machine().map_err(|why| io::Error::other(why.to_string()))?;
        let waking = Arc::downgrade(&daemon);
        daemon.engine.published().on_change(Box::new(move || {
            if let Some(daemon) = waking.upgrade() {
                daemon.wake();
            }
        }));
        Ok((daemon, woken))
    }

    /// Sets the source of console tokens, once.
    pub fn set_token_source(&self, source: TokenSource) {
        let _ = self.token_source.set(source);
    }

    pub(super) fn wake(&self) {
        // A full pipe also wakes the thread.
        let _ = io::Write::write(&mut &self.waker, &[1]);
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.asking.fetch_add(1, Ordering::AcqRel);
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        self.asking.fetch_sub(1, Ordering::AcqRel);
        table
    }

    /// Waits for requests first: a lock that is retaken immediately would starve them.
    pub(super) fn table_in_turn(&self) -> MutexGuard<'_, Table> {
        for _ in 0..MOST_TURNS {
            if self.asking.load(Ordering::Acquire) == 0 {
                break;
            }
            std::thread::sleep(TURN);
        }
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait_for_end<'t>(&self, table: MutexGuard<'t, Table>, most: Duration) -> MutexGuard<'t, Table> {
        self.ended.wait_timeout(table, most).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn partition(view: &View) -> Option<&PartitionView> {
        view.partitions.first()
    }

    pub(super) fn app<'v>(view: &'v View, job: &Job) -> Option<&'v Arc<AppRow>> {
        let id = job.app();
        // Newest first: most requests are about them.
        Self::partition(view)?.apps.iter().rev().flatten().find(|app| app.id == id)
    }

    pub(super) fn newest_app<'v>(view: &'v View, job: &Job) -> Option<&'v Arc<AppRow>> {
        let id = job.app();
        Self::partition(view)?.apps.iter().rev().take(NEWEST).flatten().find(|app| app.id == id)
    }

    pub(super) fn apps(view: &View) -> HashMap<&AppId, &Arc<AppRow>> {
        let parts = Self::partition(view).into_iter();
        parts.flat_map(|part| part.apps.iter().flatten()).map(|app| (&app.id, app)).collect()
    }

    pub(super) fn actor(&self, who: &Owner) -> Actor {
        let admin = who.uid == 0 || who.uid == self.settings.owner.uid;
        let from = ActsFrom::Api { address: Arc::from("local socket"), request: Arc::from("") };
        Actor { from, ..Actor::from(who.identity.clone()).scheduler_admin(admin) }
    }

    pub(super) fn perform_later(
        &self,
        actor: &Actor,
        act: PartitionAct,
        answer: impl FnOnce(Result<Done, Refusal>) + Send + 'static,
    ) {
        self.perform_later_because(actor, act, "", answer);
    }

    pub(super) fn perform_later_because(
        &self,
        actor: &Actor,
        act: PartitionAct,
        reason: &str,
        answer: impl FnOnce(Result<Done, Refusal>) + Send + 'static,
    ) {
        let view = self.engine.published().view();
        let partition = Self::partition(&view).map_or_else(|| Arc::from("default"), |part| Arc::clone(&part.name));
        let order = Order::new(Act::In { partition, act }, reason);
        self.engine.perform(actor.clone(), order, Box::new(answer));
    }

    fn offer_machine(&self) -> Result<(), Refusal> {
        let view = self.engine.published().view();
        let (id, capacity) = (self.settings.machine.node(), self.settings.machine.capacity());
        let actor = self.actor(&self.settings.owner).scheduler_admin(true);
        let others: Vec<NodeId> = Self::partition(&view).iter().flat_map(|part| part.nodes.keys()).cloned().collect();
        for other in others.iter().filter(|other| **other != id) {
            self.perform(&actor, PartitionAct::RemoveNode { id: other.clone(), force: true })?;
        }
        if others.contains(&id) {
            self.perform(&actor, PartitionAct::UpdateNode { id, capacity: Some(capacity), occupied: None })?;
        } else {
            self.perform(&actor, PartitionAct::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() }))?;
        }
        Ok(())
    }

    pub(super) fn submission(job: &Job) -> Submission {
        Submission {
            app: job.app(),
            queue: job.spec.queue.clone(),
            who: job.owner.identity.clone(),
            tags: [("application.stateaware.disable".to_owned(), "true".to_owned())].into(),
            ..Submission::default()
        }
    }

    pub(super) fn may_keep_its_space(&self, job: &Job) -> bool {
        let uid = job.owner.uid;
        uid == 0 || uid == self.settings.owner.uid || self.administers(&job.owner, job)
    }

    pub(super) fn administers(&self, who: &Owner, job: &Job) -> bool {
        let view = self.engine.published().view();
        let part = Self::partition(&view).map(|part| part.name.clone());
        let act = PartitionAct::Kill { app: job.app(), expect_queue: None };
        part.is_some_and(|partition| view.may(&self.actor(who), &Act::In { partition, act }).is_ok())
    }

    pub(super) fn submitter(&self, job: &Job) -> Actor {
        let who: Identity = job.owner.identity.clone();
        Actor { from: ActsFrom::Workload, ..Actor::from(who) }
    }

    pub(super) fn ask_of(job: &Job) -> PartitionAct {
        let ask = AskSpec {
            app: job.app(),
            id: job.ask(),
            count: 1,
            resource: job.resource(),
            priority: Priority(job.spec.priority),
            allow_preempt_self: !job.spec.no_preempt,
            allow_preempt_other: true,
            limit: job.spec.time_limit.map(Duration::from_secs),
            ..AskSpec::default()
        };
        PartitionAct::Ask { app: job.app(), asks: vec![ask] }
    }

    pub(super) fn release_of(job: &Job, attempt: u32) -> PartitionAct {
        PartitionAct::Release { app: job.app(), ask: AskId::from(format!("run-{attempt}")) }
    }

    /// Records the job as queued on disk, before the scheduler gets it. Returns true if recorded.
    pub(super) fn queue(&self, job: &mut Job) -> bool {
        job.state = JobState::Queued;
        let retained = self.keep(job);
        if !retained {
            job.state = JobState::Waiting;
        }
        retained
    }

    /// Syncs until the process ends.
    pub fn sync_forever(&self) {
        let mut failing = false;
        loop {
            let outcome = self.store.sync_unsynced();
            if let Err(why) = &outcome
                && !failing
            {
                tracing::error!("cannot sync jobs to disk; a power cut could lose them: {why}");
            }
            failing = outcome.is_err();
        }
    }

    /// Returns true if the disk accepted the state.
    pub(super) fn keep(&self, job: &Job) -> bool {
        self.save(job).is_ok()
    }

    /// Reports the first failure, and the recovery.
    pub(super) fn save(&self, job: &Job) -> io::Result<()> {
        let saved = self.store.save(job);
        let failing = saved.as_ref().err().map(ToString::to_string);
        let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*unkept, &failing) {
            (None, Some(why)) => tracing::error!("cannot save jobs, retrying: {why}"),
            (Some(_), None) => tracing::warn!("jobs are saved again"),
            _ => {}
        }
        *unkept = failing;
        saved
    }

    pub(super) fn unkept(&self) -> Option<String> {
        let unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        unkept.as_ref().map(|why| format!("cannot save jobs, retrying: {why}"))
    }
}
