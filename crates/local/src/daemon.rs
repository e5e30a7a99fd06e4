//! The daemon: the jobs, the engine that decides over them, and what both need to find each other.
//!
//! Invariants:
//! - the table is locked for a look or a change, never while an order is under way;
//! - a job is on the disk before the scheduler knows of it, and before who submitted it has its number.

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::cgroup::Enforcement;
use super::helper::Helper;
use super::job::{Job, JobState, Owner};
use super::machine::Machine;
use super::starting::most_beginning;
use super::store::Store;
use super::table::Table;
use engine::Engine;
use model::{AppId, AskId, Identity, NodeId, Priority};
use view::act::{Act, Actor, ActsFrom, AskSpec, Done, NodeSpec, Order, PartitionAct, Refusal, Submission};
use view::{AppRow, PartitionView, View};

/// How many applications are the newest ones.
const NEWEST: usize = 256;

/// How long those who ask have the table, and how often one after the other.
const TURN: Duration = Duration::from_micros(50);
const MOST_TURNS: u32 = 40;

/// How the daemon is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine, as it is offered.
    pub machine: Machine,
    /// How limits are enforced.
    pub enforcement: Enforcement,
    /// How long lies between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// How many bytes of output are kept of an attempt.
    pub output_bytes: u64,
    /// How many bytes of output are stored of all attempts of one user that ended.
    pub user_output_bytes: u64,
    /// How many jobs that ended are kept.
    pub history: usize,
    /// Who runs the daemon.
    pub owner: Owner,
    /// What supervises jobs.
    pub helper: Helper,
    /// How many files a job may have open, where the daemon has more for itself.
    pub files: Option<u64>,
    /// The directory of the socket; what is there can be read by all who submit jobs.
    pub socket_folder: PathBuf,
}

/// Lets a console in for someone: gives the address of the REST API and a token that represents him, or why not.
pub type TokenSource = Box<dyn Fn(&Identity) -> Result<(String, String), String> + Send + Sync>;

/// A running daemon.
pub struct Daemon {
    pub(super) engine: Arc<Engine>,
    pub(super) settings: Settings,
    pub(super) store: Store,
    table: Mutex<Table>,
    /// How many wait for the table to answer a request.
    asking: AtomicUsize,
    /// A job has ended.
    pub(super) ended: Condvar,
    waker: UnixStream,
    /// How many supervisors may be start at one time.
    pub(super) most_beginning: usize,
    pub(super) token_source: OnceLock<TokenSource>,
    /// Why jobs cannot be written at present.
    unkept: Mutex<Option<String>>,
}

impl Daemon {
    /// A daemon over the jobs of a directory, with an engine that is kept in the same one. Returns what wakes [`Daemon::reconcile_forever`].
    ///
    /// # Errors
    /// The directory cannot be used.
    pub fn open(engine: Arc<Engine>, folder: &Path, settings: Settings) -> io::Result<(Arc<Self>, UnixStream)> {
        let (store, jobs) = Store::open(folder)?;
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
            most_beginning: most_beginning(),
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

    /// Has consoles let in by this from now on, once.
    pub fn set_token_source(&self, source: TokenSource) {
        let _ = self.token_source.set(source);
    }

    /// Has the reconciling thread look again.
    pub(super) fn wake(&self) {
        // A full pipe wakes as well as a byte more in it.
        let _ = io::Write::write(&mut &self.waker, &[1]);
    }

    /// The jobs, for a request: someone waits for the answer.
    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.asking.fetch_add(1, Ordering::AcqRel);
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        self.asking.fetch_sub(1, Ordering::AcqRel);
        table
    }

    /// The jobs, for one step of many: those who ask have their turn first, as a lock that is taken again at once is never theirs.
    pub(super) fn table_in_turn(&self) -> MutexGuard<'_, Table> {
        for _ in 0..MOST_TURNS {
            if self.asking.load(Ordering::Acquire) == 0 {
                break;
            }
            std::thread::sleep(TURN);
        }
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The jobs, waited for until one ends or the time has ended.
    pub(super) fn wait_for_end<'t>(&self, table: MutexGuard<'t, Table>, most: Duration) -> MutexGuard<'t, Table> {
        self.ended.wait_timeout(table, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The partition that jobs are in: the first one.
    pub(super) fn partition(view: &View) -> Option<&PartitionView> {
        view.partitions.first()
    }

    /// The live application of a job.
    pub(super) fn app<'v>(view: &'v View, job: &Job) -> Option<&'v Arc<AppRow>> {
        let id = job.app();
        // The newest ones are the last ones, and asked about most.
        Self::partition(view)?.apps.iter().rev().flatten().find(|app| app.id == id)
    }

    /// The same, among the newest ones only.
    pub(super) fn newest_app<'v>(view: &'v View, job: &Job) -> Option<&'v Arc<AppRow>> {
        let id = job.app();
        Self::partition(view)?.apps.iter().rev().take(NEWEST).flatten().find(|app| app.id == id)
    }

    /// The live applications by their ids: for a look at many jobs.
    pub(super) fn apps(view: &View) -> HashMap<&AppId, &Arc<AppRow>> {
        let parts = Self::partition(view).into_iter();
        parts.flat_map(|part| part.apps.iter().flatten()).map(|app| (&app.id, app)).collect()
    }

    /// The user at the other end of the socket.
    pub(super) fn actor(&self, who: &Owner) -> Actor {
        let admin = who.uid == 0 || who.uid == self.settings.owner.uid;
        let from = ActsFrom::Api { address: Arc::from("local socket"), request: Arc::from("") };
        Actor { from, ..Actor::from(who.identity.clone()).scheduler_admin(admin) }
    }

    /// Has an order carried out, and does not wait.
    pub(super) fn perform_later(
        &self,
        actor: &Actor,
        act: PartitionAct,
        answer: impl FnOnce(Result<Done, Refusal>) + Send + 'static,
    ) {
        self.perform_later_because(actor, act, "", answer);
    }

    /// The same with a reason for the audit.
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

    /// Registers this machine as the node, or changes what it has.
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

    /// A job as the scheduler is offered it.
    pub(super) fn submission(job: &Job) -> Submission {
        Submission {
            app: job.app(),
            queue: job.spec.queue.clone(),
            who: job.owner.identity.clone(),
            tags: [("application.stateaware.disable".to_owned(), "true".to_owned())].into(),
            ..Submission::default()
        }
    }

    /// Whether a job may be one that makes no room for others.
    pub(super) fn may_keep_its_room(&self, job: &Job) -> bool {
        let uid = job.owner.uid;
        uid == 0 || uid == self.settings.owner.uid || self.administers(&job.owner, job)
    }

    /// Whether someone administers the queue that a job is in.
    pub(super) fn administers(&self, who: &Owner, job: &Job) -> bool {
        let view = self.engine.published().view();
        let part = Self::partition(&view).map(|part| part.name.clone());
        let act = PartitionAct::Kill { app: job.app(), expect_queue: None };
        part.is_some_and(|partition| view.may(&self.actor(who), &Act::In { partition, act }).is_ok())
    }

    /// Who acts for a job's own orders: its submitter.
    pub(super) fn submitter(&self, job: &Job) -> Actor {
        let who: Identity = job.owner.identity.clone();
        Actor { from: ActsFrom::Workload, ..Actor::from(who) }
    }

    /// The ask of a job's present attempt.
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

    /// The release of an attempt's ask.
    pub(super) fn release_of(job: &Job, attempt: u32) -> PartitionAct {
        PartitionAct::Release { app: job.app(), ask: AskId::from(format!("run-{attempt}")) }
    }

    /// Marks a job as queued, once the disk has taken that: what the scheduler has is queued on the disk. Returns whether it has.
    pub(super) fn queue(&self, job: &mut Job) -> bool {
        job.state = JobState::Queued;
        let retained = self.keep(job);
        if !retained {
            job.state = JobState::Waiting;
        }
        retained
    }

    /// Has what is written outlast a loss of power, soon after it was written, for as long as the process lives.
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

    /// Keeps a job as it is now. Gives whether the disk took it.
    pub(super) fn keep(&self, job: &Job) -> bool {
        self.save(job).is_ok()
    }

    /// The same with the reason. It is reported once that the disk takes nothing, and once that it works again.
    pub(super) fn save(&self, job: &Job) -> io::Result<()> {
        let kept = self.store.save(job);
        let failing = kept.as_ref().err().map(ToString::to_string);
        let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*unkept, &failing) {
            (None, Some(why)) => tracing::error!("cannot save jobs, retrying: {why}"),
            (Some(_), None) => tracing::warn!("jobs are saved again"),
            _ => {}
        }
        *unkept = failing;
        kept
    }

    /// Why jobs cannot be written at present, for all who look at them.
    pub(super) fn unkept(&self) -> Option<String> {
        let unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        unkept.as_ref().map(|why| format!("cannot save jobs, retrying: {why}"))
    }
}
