//! The ledger equals a recount in every recorded scenario.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::scenario::{self, ScenarioWorkload, StepKind, Workload};
use engine::{Core, Progress, Setup};
use ledger::{Dimension, Integral, Question, Report, ReportRow};
use model::{AppId, AskId, Priority, Profile, QueuePath, Resource, Time};
use scheduler::{Command, Event, EventKind, PartitionCommand};

use crate::common::share;

const HOUR: u64 = 3_600_000_000;

#[derive(Default)]
struct Record {
    events: Vec<Event>,
    priorities: Vec<(usize, AppId, AskId, Priority)>,
}

struct Received {
    inner: ScenarioWorkload,
    record: Arc<Mutex<Record>>,
}

impl Workload for Received {
    fn next(&self) -> Option<Time> {
        self.inner.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        let commands = self.inner.act(now);
        let mut record = self.record.lock().unwrap();
        for command in &commands {
            let Command::In { command: PartitionCommand::Ask(spec), .. } = command else { continue };
            let at = record.events.len();
            let ids = (1..=spec.count).map(|number| match spec.count {
                1 => spec.id.clone(),
                _ => AskId::from(format!("{}-{number}", spec.id).as_str()),
            });
            record.priorities.extend(ids.map(|id| (at, spec.app.clone(), id, spec.priority)));
        }
        drop(record);
        commands
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        self.record.lock().unwrap().events.extend_from_slice(events);
        self.inner.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.inner.runs_cycles()
    }
}

struct Open {
    since: Time,
    resource: Resource,
    queue: QueuePath,
    user: String,
}

type Key = (u64, String, String, String, i32);
type Sums = BTreeMap<Key, BTreeMap<String, u128>>;

/// The slow method: every allocation and every request individually.
#[derive(Default)]
struct Recount {
    allocated: BTreeMap<(AppId, AskId), Open>,
    pending: BTreeMap<(AppId, AskId), (Time, Resource, i32)>,
    used: Sums,
    waited: BTreeMap<(i32, String), u128>,
    priorities: BTreeMap<(AppId, AskId), Priority>,
}

impl Recount {
    fn close(&mut self, key: &(AppId, AskId), at: Time) -> Option<Open> {
        let open = self.allocated.remove(key)?;
        let mut from = open.since.0;
        while from < at.0 {
            let (hour, end) = (from / HOUR, ((from / HOUR + 1) * HOUR).min(at.0));
            let row = (hour, open.queue.to_string(), open.user.clone(), key.0.to_string(), self.priority(key));
            let sums = self.used.entry(row).or_default();
            for (name, amount) in open.resource.iter().filter(|(_, amount)| *amount > 0) {
                *sums.entry(name.to_owned()).or_default() += u128::from(amount as u64) * u128::from(end - from);
            }
            from = end;
        }
        Some(open)
    }

    fn stop_waiting(&mut self, key: &(AppId, AskId), at: Time) {
        let Some((since, resource, priority)) = self.pending.remove(key) else { return };
        for (name, amount) in resource.iter().filter(|(_, amount)| *amount > 0) {
            *self.waited.entry((priority, name.to_owned())).or_default() +=
                u128::from(amount as u64) * u128::from(at.0 - since.0);
        }
    }

    fn priority(&self, key: &(AppId, AskId)) -> i32 {
        self.priorities.get(key).map_or(0, |priority| priority.0)
    }

    fn handle_all(&mut self, record: &Record) {
        let mut asks = record.priorities.iter().peekable();
        for (at, event) in record.events.iter().enumerate() {
            while let Some((_, app, ask, priority)) = asks.next_if(|(made, ..)| *made <= at) {
                self.priorities.insert((app.clone(), ask.clone()), *priority);
            }
            self.handle(event);
        }
    }

    fn handle(&mut self, Event { at, kind }: &Event) {
        match kind {
            EventKind::AskAdded { app, ask, resource } => {
                let key = (app.clone(), ask.clone());
                self.stop_waiting(&key, *at);
                let priority = self.priority(&key);
                self.pending.insert(key, (*at, resource.clone(), priority));
            }
            EventKind::AskRemoved { app, ask, .. } | EventKind::Replacing { app, ask, .. } => {
                self.stop_waiting(&(app.clone(), ask.clone()), *at);
            }
            EventKind::Allocated { app, ask, resource, holder, .. } => {
                let key = (app.clone(), ask.clone());
                self.stop_waiting(&key, *at);
                let (resource, queue, user) = (resource.clone(), holder.queue.clone(), holder.user.to_string());
                self.allocated.insert(key, Open { since: *at, resource, queue, user });
            }
            EventKind::Released { app, ask, .. } => drop(self.close(&(app.clone(), ask.clone()), *at)),
            EventKind::AskResized { app, ask, resource, allocated: false, .. } => {
                let key = (app.clone(), ask.clone());
                self.stop_waiting(&key, *at);
                let priority = self.priority(&key);
                self.pending.insert(key, (*at, resource.clone(), priority));
            }
            EventKind::AskResized { app, ask, resource, .. } => {
                let key = (app.clone(), ask.clone());
                if let Some(open) = self.close(&key, *at) {
                    self.allocated.insert(key, Open { since: *at, resource: resource.clone(), ..open });
                }
            }
            EventKind::Moved { app, queue, .. } => {
                let keys: Vec<_> = self.allocated.keys().filter(|(of, _)| of == app).cloned().collect();
                for key in keys {
                    let open = self.close(&key, *at).expect("it was listed");
                    self.allocated.insert(key, Open { since: *at, queue: queue.clone(), ..open });
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, at: Time) {
        let open: Vec<_> = self.allocated.keys().cloned().collect();
        open.iter().for_each(|key| drop(self.close(key, at)));
        let waiting: Vec<_> = self.pending.keys().cloned().collect();
        waiting.iter().for_each(|key| self.stop_waiting(key, at));
    }
}

fn sums(report: &Report) -> Sums {
    let mut sums = Sums::new();
    for row in report.rows.iter().filter(|row| !row.allocated.is_empty()) {
        let [hour, queue, user, app, band] = row.key.as_slice() else { panic!("five dimensions: {:?}", row.key) };
        let band = band.parse::<i32>().expect("a priority is a number");
        let hour = hour.parse::<u64>().expect("an hour is a number") / HOUR;
        let amounts = row.allocated.micros().map(|(name, amount)| (name.to_owned(), amount)).collect();
        sums.insert((hour, queue.clone(), user.clone(), app.clone(), band), amounts);
    }
    sums
}

/// `None` if the profile rejects the configuration.
fn played(text: &str, profile: Profile) -> Option<(Core, Record)> {
    let scenario = scenario::read(text).scenario.expect("a recorded scenario reads");
    let config = scenario.embedded_config(profile)?.config?;
    let mut end = Duration::from_secs(10) + Duration::from_millis(scenario.steps.len() as u64);
    for step in &scenario.steps {
        end += if let StepKind::Advance(by) = step.kind { by } else { Duration::ZERO };
    }
    let record = Arc::new(Mutex::new(Record::default()));
    let received = Received { inner: ScenarioWorkload::new(scenario, profile), record: Arc::clone(&record) };
    let mut core = Core::new(profile, Arc::new(config), Some(Box::new(received))).ok()?;
    core.run_until(Time::ZERO + end, usize::MAX);
    let record = std::mem::take(&mut *record.lock().unwrap());
    Some((core, record))
}

fn micros(integral: &Integral) -> BTreeMap<String, u128> {
    integral.micros().map(|(name, amount)| (name.to_owned(), amount)).collect()
}

/// No event reports: in the releases, a finished gang leaves uncounted allocations (P-22), and a repeated request keeps
/// its priority (D-23). 1.5.1 allocates a repeated ID with another size twice (D-23).
const NOT_RECOUNTED: share::Excluded = share::Excluded {
    always: &[],
    by_releases: &["late3-again-priority2", "late3-gangfailed", "late3-gangtimeout"],
    by_1_5_1: &["late3-resize"],
};

fn by(core: &Core, dimension: Dimension) -> Report {
    let question = Question { by: vec![dimension], ..Question::default() };
    core.ledger().ledger().report(core.now(), &question)
}

#[test]
fn the_ledger_is_what_the_events_add_up_to() {
    use Dimension as D;
    let question =
        Question { by: vec![D::Hour, D::Queue, D::User, D::Application, D::Priority], ..Question::default() };
    let mut compared = 0;
    for file in share::part_of(share::recorded_scenarios(), 8) {
        let name = file.display();
        let text = std::fs::read_to_string(&file).expect("it was listed");
        for profile in Profile::ALL.into_iter().filter(|profile| NOT_RECOUNTED.lets(&file, *profile)) {
            let Some((core, record)) = played(&text, profile) else { continue };
            let mut recount = Recount::default();
            recount.handle_all(&record);
            recount.end(core.now());
            let report = core.ledger().ledger().report(core.now(), &question);
            assert_eq!(sums(&report), recount.used, "{name} under {profile}");
            let mut waited = BTreeMap::new();
            for row in by(&core, D::Priority).rows {
                let band: i32 = row.key[0].parse().expect("a priority is a number");
                waited.extend(micros(&row.waited).into_iter().map(|(name, amount)| ((band, name), amount)));
            }
            assert_eq!(waited, recount.waited, "{name} under {profile}: waited");
            let root = by(&core, D::Tree).rows.into_iter().find(|row| row.key == ["root"]).map(|row| row.allocated);
            assert_eq!(root.unwrap_or_default(), report.total.allocated, "{name} under {profile}: the root");
            compared += usize::from(!report.rows.is_empty());
        }
    }
    assert!(compared > if share::all() { 400 } else { 50 }, "{compared} runs had something to compare");
}

#[test]
fn what_was_borrowed_is_the_same_however_it_is_split() {
    let mut borrowed = 0;
    for file in share::part_of(share::recorded_scenarios(), 8) {
        let text = std::fs::read_to_string(&file).expect("it was listed");
        let Some((core, _)) = played(&text, Profile::Kornsole) else { continue };
        let tree: BTreeMap<_, _> =
            by(&core, Dimension::Tree).rows.into_iter().map(|row| (row.key.clone(), row)).collect();
        for row in by(&core, Dimension::Queue).rows {
            for (name, guaranteed) in row.guaranteed.micros().filter(|(_, guaranteed)| *guaranteed > 0) {
                let (own, of_tree) = (micros(&row.borrowed), micros(&tree[&row.key].borrowed));
                let what = format!("{}: {:?} {name} {guaranteed}", file.display(), row.key);
                assert_eq!(own.get(name), of_tree.get(name), "{what}");
                borrowed += usize::from(own.contains_key(name));
            }
        }
        let total = by(&core, Dimension::Queue).total.borrowed;
        for dimension in [Dimension::User, Dimension::Group, Dimension::Application, Dimension::Priority] {
            assert_eq!(by(&core, dimension).total.borrowed, total, "{}: {dimension}", file.display());
        }
    }
    assert!(borrowed > 3, "{borrowed} queues borrowed beyond a guarantee of their own");
}

#[test]
fn what_is_not_decided_yet_is_not_counted() {
    let question = Question { by: vec![Dimension::Application], ..Question::default() };
    let file =
        share::recorded_scenarios().into_iter().find(|file| file.ends_with("mix-001.yaml")).expect("it is there");
    let text = std::fs::read_to_string(file).expect("it was listed");
    let scenario = scenario::read(&text).scenario.expect("a recorded scenario reads");
    let config = scenario.embedded_config(Profile::Kornsole).and_then(|embedded| embedded.config);
    let config = Arc::new(config.expect("its configuration is valid"));
    let workload = Box::new(ScenarioWorkload::new(scenario, Profile::Kornsole));
    let mut core = Core::new(Profile::Kornsole, config, Some(workload)).expect("it is valid");
    let (end, mut behind) = (Time(HOUR), 0);
    let mut before: BTreeMap<(Vec<String>, String), u128> = BTreeMap::new();
    while core.run_until(end, 3) == Progress::Busy {
        let report = core.ledger().ledger().report(end, &question);
        behind += usize::from(report.to < end);
        let used = |row: &ReportRow| {
            micros(&row.allocated)
                .into_iter()
                .map(|(name, amount)| ((row.key.clone(), name), amount))
                .collect::<Vec<_>>()
        };
        let now: BTreeMap<_, _> = report.rows.iter().flat_map(used).collect();
        for (of, amount) in &before {
            assert!(now.get(of) >= Some(amount), "{of:?}: {amount} became {:?}", now.get(of));
        }
        before = now;
    }
    assert!(behind > 10 && !before.is_empty(), "{behind} reports were asked for ahead of the scheduler");
}

#[test]
fn periods_that_follow_each_other_count_nothing_twice() {
    let file =
        share::recorded_scenarios().into_iter().find(|file| file.ends_with("mix-001.yaml")).expect("it is there");
    let text = std::fs::read_to_string(file).expect("it was listed");
    let (mut core, _) = played(&text, Profile::Kornsole).expect("its configuration is valid");
    core.run_until(Time(2 * HOUR + HOUR / 4), usize::MAX);
    let total = |from: Option<u64>, to: Option<u64>| {
        let question = Question { from: from.map(Time), to: to.map(Time), ..Question::default() };
        micros(&core.ledger().ledger().report(core.now(), &question).total.allocated)
    };
    let whole = total(None, None);
    assert!(!whole.is_empty());
    for middle in [HOUR / 3, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR, 2 * HOUR + 1] {
        let mut parts = total(None, Some(middle));
        for (name, amount) in total(Some(middle), None) {
            *parts.entry(name).or_default() += amount;
        }
        assert_eq!(parts, whole, "split at {middle}");
    }
}

#[test]
fn a_restored_core_counts_on_where_it_was() {
    let question = Question { by: vec![Dimension::Queue, Dimension::Application], ..Question::default() };
    let file =
        share::recorded_scenarios().into_iter().find(|file| file.ends_with("mix-001.yaml")).expect("it is there");
    let text = std::fs::read_to_string(file).expect("it was listed");
    let (mut core, _) = played(&text, Profile::Kornsole).expect("its configuration is valid");
    let bytes = core.save();
    let mut restored = Core::restored(&Setup::of(Profile::Kornsole), &bytes, None).expect("what was saved is restored");
    for later in [0, 5, 3_700] {
        let until = core.now() + Duration::from_secs(later);
        core.run_until(until, usize::MAX);
        restored.run_until(until, usize::MAX);
        let report = |core: &Core| core.ledger().ledger().report(until, &question);
        assert!(!report(&core).rows.is_empty());
        assert_eq!(report(&restored), report(&core), "{later} s later");
    }
}
