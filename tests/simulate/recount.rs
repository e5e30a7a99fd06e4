use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use ::scenario::{self, RunOutcome, Runner, Scenario, Sink};
use forecast::simulate::meter::{Meter, Pending};
use forecast::simulate::{Metrics, Waits};
use model::{AppId, AskId, Profile, Resource, Time};
use scheduler::{Event, EventKind, Scheduler};

use crate::common::share;

#[derive(Default)]
struct Events(Vec<Event>);

impl Sink for Events {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        self.0.extend_from_slice(events);
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}

type Key = (AppId, AskId);

type Used = BTreeMap<(String, String), u128>;

#[derive(Default)]
struct Recount {
    asked: BTreeMap<Key, Time>,
    has: BTreeMap<Key, (Time, Resource, String)>,
    waits: Vec<u64>,
    used: Used,
    preempted: u64,
}

impl Recount {
    fn close(&mut self, key: &Key, at: Time) -> Option<String> {
        let (since, resource, user) = self.has.remove(key)?;
        for (name, amount) in resource.iter().filter(|(_, amount)| *amount > 0) {
            let amount = u128::from(amount.unsigned_abs()) * at.since(since).as_micros();
            for who in [String::new(), user.clone()] {
                *self.used.entry((who, name.to_owned())).or_default() += amount;
            }
        }
        Some(user)
    }

    fn count(&mut self, Event { at, kind }: &Event) {
        match kind {
            EventKind::AskAdded { app, ask, .. } => drop(self.asked.insert((app.clone(), ask.clone()), *at)),
            EventKind::AskRemoved { app, ask, .. } => drop(self.asked.remove(&(app.clone(), ask.clone()))),
            EventKind::Allocated { app, ask, resource, holder, placeholder, .. } => {
                let key = (app.clone(), ask.clone());
                let asked = self.asked.remove(&key);
                if !placeholder {
                    self.waits.push(asked.map_or(0, |asked| u64::try_from(at.since(asked).as_millis()).unwrap()));
                }
                self.has.insert(key, (*at, resource.clone(), holder.user.to_string()));
            }
            EventKind::Released { app, ask, reason, .. } => {
                self.close(&(app.clone(), ask.clone()), *at);
                self.preempted += u64::from(*reason == scheduler::ReleaseReason::Preempted);
            }
            EventKind::AskResized { app, ask, resource, allocated: true, .. } => {
                let key = (app.clone(), ask.clone());
                if let Some(user) = self.close(&key, *at) {
                    self.has.insert(key, (*at, resource.clone(), user));
                }
            }
            _ => {}
        }
    }

    fn differs(mut self, metrics: &Metrics, end: Time) -> Option<String> {
        let open: Vec<Key> = self.has.keys().cloned().collect();
        open.iter().for_each(|key| drop(self.close(key, end)));
        let waiting = metrics.total.waits.waiting;
        if metrics.total.allocated != self.waits.len() as u64 || metrics.total.preempted != self.preempted {
            return Some(format!("{} allocations, recounted {}", metrics.total.allocated, self.waits.len()));
        }
        if waiting == 0 && metrics.total.waits != Waits::of(self.waits, 0) {
            return Some(format!("waits: {:?}", metrics.total.waits));
        }
        let groups = std::iter::once(&metrics.total).chain(&metrics.users);
        let reported: BTreeMap<(String, String), u64> = groups
            .flat_map(|group| group.used.iter().map(|(name, used)| ((group.name.clone(), name.clone()), *used)))
            .collect();
        let seconds = |micros: u128| u64::try_from((micros + 500_000) / 1_000_000).unwrap();
        let recounted: BTreeMap<(String, String), u64> =
            self.used.into_iter().filter(|(_, used)| *used > 0).map(|(key, used)| (key, seconds(used))).collect();
        (reported != recounted).then(|| format!("used {reported:?}, recounted {recounted:?}"))
    }
}

fn difference(scenario: &Scenario, profile: Profile) -> Option<String> {
    let (mut runner, mut events) = (Runner::new(profile), Events::default());
    if runner.load(scenario.embedded_config(profile).unwrap(), &mut events).unwrap() == RunOutcome::Refused {
        return None;
    }
    let (mut meter, mut recount) = (Meter::default(), Recount::default());
    for step in &scenario.steps {
        runner.step(step, &mut events).unwrap();
        let happened = std::mem::take(&mut events.0);
        meter.observe(&happened, runner.scheduler());
        happened.iter().for_each(|event| recount.count(event));
    }
    recount.differs(&meter.end(runner.scheduler(), runner.now(), Pending::Recorded), runner.now())
}

#[test]
fn waits_and_resources_times_time_are_those_of_a_recount_in_every_recorded_scenario() {
    let files = share::part_of(share::recorded_scenarios(), 4);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let scenario = scenario::read(&std::fs::read_to_string(file).unwrap()).scenario.unwrap();
            for profile in Profile::ALL {
                let difference = difference(&scenario, profile);
                assert!(difference.is_none(), "{} {profile}: {}", file.display(), difference.unwrap_or_default());
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}
