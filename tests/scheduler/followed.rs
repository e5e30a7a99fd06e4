//! A followed ledger with YuniKorn's events and lists, compared with the scheduler's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use ::scenario::{self, ScenarioWorkload, StepKind, Workload};
use engine::{Core, Progress};
use ledger::followed::{Change, Followed};
use ledger::{Dimension, Question, Report};
use model::{AppId, AskId, Profile, Resource, Time};
use scheduler::{Command, Event, EventKind};
use source::book::{Before, Dialect, Rows, change, look};
use view::record::records;
use view::{AskState, PartitionView, PendingReason};
use wire::convert::read::{RemoteState, Scope, Shapes, record};
use wire::convert::{Context, Wall, applications, event, partitions, queue_tree};
use wire::dto;

use crate::common::share;

struct Received {
    inner: ScenarioWorkload,
    events: Arc<Mutex<Vec<Event>>>,
}

impl Workload for Received {
    fn next(&self) -> Option<Time> {
        self.inner.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.inner.act(now)
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        self.events.lock().unwrap().extend_from_slice(events);
        self.inner.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.inner.runs_cycles()
    }
}

struct Stage {
    core: Core,
    profile: Profile,
    end: Time,
    events: Arc<Mutex<Vec<Event>>>,
    context: Context,
    state: RemoteState,
    before: Before,
    followed: Followed,
    number: u64,
    /// Changes without an event.
    silent: [bool; 2],
    running: BTreeSet<(AppId, AskId)>,
}

const DIALECT: Dialect = Dialect { numbers_allocations: false, counts_ended: true };

impl Stage {
    fn new(text: &str, profile: Profile) -> Option<Self> {
        let scenario = scenario::read(text).scenario.expect("a recorded scenario reads");
        let config = scenario.embedded_config(profile)?.config?;
        let mut end = Duration::from_secs(10) + Duration::from_millis(scenario.steps.len() as u64);
        for step in &scenario.steps {
            end += if let StepKind::Advance(by) = step.kind { by } else { Duration::ZERO };
        }
        let events = Arc::default();
        let received = Received { inner: ScenarioWorkload::new(scenario, profile), events: Arc::clone(&events) };
        let core = Core::new(profile, Arc::new(config), Some(Box::new(received))).ok()?;
        let context = Context { cluster_id: "lab".to_owned(), wall: Wall::new(UNIX_EPOCH, 1.0) };
        Some(Self {
            core,
            profile,
            end: Time::ZERO + end,
            events,
            context,
            state: RemoteState::new(profile, Shapes::default()),
            before: Before::new(),
            followed: Followed::default(),
            number: 0,
            silent: [false; 2],
            running: BTreeSet::new(),
        })
    }

    /// Returns the numbered events, or `None` at the end.
    fn step(&mut self) -> Option<Vec<(u64, Time, Change)>> {
        let progress = self.core.run_until(self.end, 1);
        let new = std::mem::take(&mut *self.events.lock().unwrap());
        for event in &new {
            match event.kind {
                EventKind::AskResized { allocated: true, .. } => self.silent[0] = true,
                // No event distinguishes the two allocations of a repeated ID in 1.5.1 (D-23).
                EventKind::Allocated { ref app, ref ask, .. } => {
                    self.silent[0] |= !self.running.insert((app.clone(), ask.clone()));
                }
                EventKind::Released { ref app, ref ask, .. } => {
                    self.running.remove(&(app.clone(), ask.clone()));
                }
                EventKind::AskResized { .. } | EventKind::Replacing { .. } => self.silent[1] = true,
                _ => {}
            }
        }
        let wired = records(&new, self.profile).into_iter().filter(|one| !one.is_own());
        let mut changes = Vec::new();
        for one in wired {
            let json = serde_json::to_string(&event(&self.context, &one)).unwrap();
            let read: dto::EventRecord = serde_json::from_str(&json).unwrap();
            let read = record(&read);
            changes.extend(change(&read, DIALECT).map(|change| (self.number, read.at, change)));
            self.number += 1;
        }
        (progress == Progress::Busy || !changes.is_empty()).then_some(changes)
    }

    fn lists(&mut self) -> Vec<Rows> {
        let view = self.core.whole_view();
        let json = |value: &dyn erased::Json| value.json();
        self.state.partitions(serde_json::from_str(&json(&partitions(&self.context, &view))).unwrap());
        let at = self.core.now();
        for part in &view.partitions {
            if let Some(root) = part.root() {
                let tree = queue_tree(part, root);
                self.state.queues(&part.name, &serde_json::from_str(&json(&tree)).unwrap(), at);
            }
            let mut reader = self.state.app_reader(&part.name);
            for mut app in applications(&self.context, part, part.apps.iter().flatten()) {
                without_takeovers(&mut app, part);
                reader.take(json(&app).as_bytes()).unwrap();
            }
            self.state.apps(&part.name, reader, &Scope::All, at);
        }
        let row = |part: &PartitionView| Rows {
            name: Arc::clone(&part.name),
            apps: part.apps.clone(),
            queues: part.queues.clone(),
            ended: part.ended.clone(),
        };
        self.state.view().partitions.iter().map(row).collect()
    }

    fn look(&mut self, number: u64) -> ledger::followed::Look {
        let rows = self.lists();
        let look = look(&rows, (number, self.core.now()), &self.before, &self.followed, DIALECT);
        self.before = rows.iter().map(|rows| (Arc::clone(&rows.name), rows.apps.clone())).collect();
        look
    }

    fn start(&mut self) {
        self.before.clear();
        let look = self.look(self.number);
        self.followed.start(&look, []);
    }

    fn handle(&mut self, changes: Vec<(u64, Time, Change)>) {
        for (number, at, change) in changes {
            self.followed.happened(number, at, change);
        }
    }

    fn own(&self, by: &[Dimension]) -> Report {
        let question = Question { by: by.to_vec(), ..Question::default() };
        self.core.ledger().ledger().report(self.core.now(), &question)
    }

    fn remote(&mut self, by: &[Dimension]) -> Report {
        self.followed.received_until(self.core.now());
        self.followed.report(&Question { by: by.to_vec(), ..Question::default() })
    }
}

/// A core does not list requests that wait for their placeholder to be released.
fn without_takeovers(app: &mut dto::Application, part: &PartitionView) {
    let row = part.app_by_id(&app.application_id.as_str().into()).expect("it is listed");
    let mut more = app.requests.iter().fold(Resource::new(), |sum, one| sum.add(&one.resource.0));
    more.sub_assign(&row.pending);
    app.requests.retain(|request| {
        let ask = row.asks.values().find(|ask| ask.id.as_str() == request.allocation_key).expect("it is listed");
        let takes_over = matches!(ask.state, AskState::Pending { reason: PendingReason::Placeholder, .. });
        let moves = takes_over && more.iter().any(|(_, amount)| amount > 0);
        if moves {
            more.sub_assign(&request.resource.0);
        }
        !moves
    });
}

mod erased {
    pub trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).unwrap()
        }
    }
}

type Sums = BTreeMap<(Vec<String>, &'static str, String), u128>;

fn sums(report: &Report, amounts: &[&'static str]) -> Sums {
    let mut sums = Sums::new();
    for row in &report.rows {
        for what in amounts {
            let integral = match *what {
                "allocated" => &row.allocated,
                "waited" => &row.waited,
                "borrowed" => &row.borrowed,
                _ => &row.guaranteed,
            };
            sums.extend(integral.micros().map(|(name, amount)| ((row.key.clone(), *what, name.to_owned()), amount)));
        }
    }
    sums
}

const ALL: [&str; 4] = ["allocated", "waited", "borrowed", "guaranteed"];
use Dimension as D;

fn each(one_in: usize, excluded: share::Excluded, mut run: impl FnMut(&str, Stage)) {
    for file in share::part_of(share::recorded_scenarios(), one_in) {
        let text = std::fs::read_to_string(&file).expect("it was listed");
        for profile in Profile::ALL.into_iter().filter(|profile| excluded.lets(&file, *profile)) {
            let Some(stage) = Stage::new(&text, profile) else { continue };
            run(&format!("{} under {profile}", file.display()), stage);
        }
    }
}

#[test]
fn with_lists_after_each_step_it_is_the_schedulers_own_ledger_to_the_unit() {
    let (mut compared, mut inexact) = (0, 0);
    // A list has only the last priority of a repeated request, and 1.5.1 lists a repeated ID with another size once
    // (D-23).
    let excluded =
        share::Excluded { always: &["late3-again"], by_1_5_1: &["late3-resize"], ..share::Excluded::default() };
    each(16, excluded, |name, mut stage| {
        stage.start();
        while let Some(changes) = stage.step() {
            stage.handle(changes);
            let look = stage.look(stage.number);
            stage.followed.compare(&look);
            stage.followed.compare(&look);
        }
        let whole = [D::Hour, D::Partition, D::Queue, D::User, D::Group, D::Application, D::Priority];
        let (own, remote) = (stage.own(&whole), stage.remote(&whole));
        assert_eq!(sums(&remote, &ALL[..3]), sums(&own, &ALL[..3]), "{name}");
        let (own, remote) = (stage.own(&[D::Hour, D::Tree]), stage.remote(&[D::Hour, D::Tree]));
        assert_eq!(sums(&remote, &ALL), sums(&own, &ALL), "{name}: by tree");
        assert_eq!(stage.followed.gaps().count(), 0, "{name}");
        inexact += usize::from(stage.followed.inexact().next().is_some());
        compared += usize::from(!own.rows.is_empty());
    });
    assert!(compared > if share::all() { 400 } else { 30 }, "{compared} runs had something to compare");
    assert!(inexact * 2 < compared, "{inexact} of {compared} had differences that no event reports");
}

#[test]
fn by_the_events_alone_every_allocation_counts_to_the_unit() {
    let (mut all, mut waits) = (0, 0);
    each(8, share::Excluded::default(), |name, mut stage| {
        stage.start();
        while let Some(changes) = stage.step() {
            // A repeated event changes nothing.
            stage.handle(changes.clone());
            let again: Vec<_> = changes.iter().rev().take(1).rev().cloned().collect();
            stage.handle(again);
        }
        let by = [D::Hour, D::Queue, D::Application];
        let (own, remote) = (stage.own(&by), stage.remote(&by));
        if !stage.silent[0] {
            assert_eq!(sums(&remote, &ALL[..1]), sums(&own, &ALL[..1]), "{name}");
            all += usize::from(!own.rows.is_empty());
        }
        if !stage.silent[0] && !stage.silent[1] {
            assert_eq!(sums(&remote, &ALL[..2]), sums(&own, &ALL[..2]), "{name}: waited");
            waits += usize::from(!own.rows.is_empty());
        }
    });
    assert!(all > 50 && waits > 30, "{all} runs were compared, {waits} of them with what waited");
}

#[test]
fn a_gap_omits_only_what_happened_in_it() {
    let mut compared = 0;
    let excluded = share::Excluded { by_1_5_1: &["late3-again"], ..share::Excluded::default() };
    each(16, excluded, |name, mut stage| {
        let by = [D::Queue, D::Application];
        stage.start();
        let (mut steps, mut missing): (u32, Sums) = (0, Sums::new());
        while let Some(changes) = stage.step() {
            steps += 1;
            match steps % 40 {
                20 => {
                    stage.handle(changes);
                    let look = stage.look(stage.number);
                    stage.followed.compare(&look);
                    stage.followed.received_until(stage.core.now());
                    stage.followed.stop("the connection was down".to_owned());
                    for (key, amount) in sums(&stage.own(&by), &ALL[..2]) {
                        let before = missing.get(&key).copied().unwrap_or(0);
                        missing.insert(key, before.wrapping_sub(amount));
                    }
                }
                21..30 => {}
                30 => {
                    for (key, amount) in sums(&stage.own(&by), &ALL[..2]) {
                        let before = missing.get(&key).copied().unwrap_or(0);
                        missing.insert(key, before.wrapping_add(amount));
                    }
                    stage.start();
                }
                _ => {
                    stage.handle(changes);
                    let look = stage.look(stage.number);
                    stage.followed.compare(&look);
                }
            }
        }
        if !stage.followed.is_counting() {
            return;
        }
        let (own, remote) = (sums(&stage.own(&by), &ALL[..2]), sums(&stage.remote(&by), &ALL[..2]));
        let mut expected = own;
        for (key, amount) in missing {
            let before = expected.get(&key).copied().unwrap_or(0);
            expected.insert(key, before.wrapping_sub(amount));
        }
        expected.retain(|_, amount| *amount > 0);
        assert_eq!(remote, expected, "{name}");
        compared += stage.followed.gaps().count();
        assert!(stage.followed.gaps().all(|gap| gap.to.is_some()), "{name}: every gap has both ends");
    });
    assert!(compared > 20, "{compared} gaps");
}
