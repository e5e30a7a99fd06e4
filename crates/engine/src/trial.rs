//! Cores from forks, for what-ifs, stepped manually. Their allocations end by a runtime model.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::active_config::{ActiveConfig, ConfigText};
use super::audit::ConfigOrigin;
use super::config_load;
use super::core::Core;
use super::setup::Setup;
use super::state::{Deadlines, State};
use forecast::whatif::{Comparison, Course, Fork, Pace, Runtimes};
use model::{AppId, AskId, Time};
use scenario::Workload;
use scheduler::{Command, Event, EventKind, Partition, PartitionCommand};
use view::act::LoadedBy;
use view::history::SAMPLE_EVERY;

impl Core {
    /// Creates a core in the state of a fork. Its event log and audit start empty, and it writes its configuration to
    /// no file. `instance` names it for clients that follow its events.
    pub fn of_fork(fork: &Fork, runtimes: &Runtimes, instance: &str) -> Self {
        let scheduler = fork.scheduler().clone();
        // Its ledger also starts there: earlier usage is unknown.
        let setup =
            Setup { instance: Arc::from(instance), starts: fork.now(), ..Setup::of(scheduler.switches().profile) };
        let workload = fork.partition().map(|part| Endings::of(part, fork.now(), runtimes.clone()));
        let workload = workload.map(|endings| Box::new(endings) as Box<dyn Workload>);
        let mut state = State::new(&setup, scheduler, workload);
        let Pace { clean_every, next_clean, retry, cycle_due } = fork.pace();
        let next_sample = fork.now() + SAMPLE_EVERY;
        state.deadlines = Deadlines { clean_every, next_clean, next_sample, retry, cycle_due };
        if let Some(text) = fork.text()
            && let Some(config) = config::read(text, setup.profile).config
        {
            state.active_config = ActiveConfig { config: Arc::new(config), revision: 1, ..ActiveConfig::default() };
            let text = ConfigText::new(text, &setup.policy_group);
            config_load::set_text(&mut state, Some(text), 0, ConfigOrigin::from(LoadedBy::Start));
        }
        state.course = fork.partition().map(|part| Box::new(Course::initial(part, fork.now())));
        Self { state }
    }

    /// Makes the next step run a cycle.
    pub fn wake(&mut self) {
        self.state.deadlines.cycle_due = true;
    }

    /// The course so far; only for a core of a fork.
    pub fn course(&self) -> Option<&Course> {
        self.state.course.as_deref()
    }

    /// Compares the courses with and without the changes. Both cores must come from the same fork and be at the same
    /// time.
    pub fn compared(without: &mut Self, with: &mut Self, partition: &str) -> Comparison {
        let now = without.now().max(with.now());
        let [one, other] = [without, with].map(|core| {
            let part = core.state.scheduler.partitions().iter().find(|part| *part.name == *partition);
            core.state.course.as_deref_mut().map(|course| (course, part))
        });
        one.zip(other).map(|(one, other)| Course::compared(one, other, now)).unwrap_or_default()
    }
}

struct Endings {
    partition: Arc<str>,
    runtimes: Runtimes,
    due: BTreeMap<(Time, u64), (AppId, AskId)>,
    places: BTreeMap<(AppId, AskId), (Time, u64)>,
    number: u64,
}

impl Endings {
    fn of(part: &Partition, now: Time, runtimes: Runtimes) -> Self {
        let partition = Arc::clone(&part.name);
        let mut all = Self { partition, runtimes, due: BTreeMap::new(), places: BTreeMap::new(), number: 0 };
        let mut running = Vec::new();
        for (_, app) in part.apps.iter() {
            for key in app.allocations.values() {
                let ask = &app.asks[*key];
                let Some(allocation) = ask.allocation.filter(|_| !ask.placeholder) else { continue };
                let end = all.runtimes.end(app, ask.id.as_str(), allocation.since, now);
                running.extend(end.map(|end| (end, (app.id.clone(), ask.id.clone()))));
            }
        }
        running.into_iter().for_each(|(end, which)| all.set(end, which));
        all
    }

    fn set(&mut self, at: Time, which: (AppId, AskId)) {
        self.number += 1;
        self.forget(&which);
        self.due.insert((at, self.number), which.clone());
        self.places.insert(which, (at, self.number));
    }

    fn forget(&mut self, which: &(AppId, AskId)) {
        if let Some(place) = self.places.remove(which) {
            self.due.remove(&place);
        }
    }
}

impl Workload for Endings {
    fn next(&self) -> Option<Time> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        let mut commands = Vec::new();
        while let Some(first) = self.due.first_entry()
            && first.key().0 <= now
        {
            let (app, ask) = first.remove();
            self.places.remove(&(app.clone(), ask.clone()));
            let command = PartitionCommand::Release { app, ask };
            commands.push(Command::In { partition: Some(Arc::clone(&self.partition)), command });
        }
        commands
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::Allocated { app, ask, holder, placeholder: false, .. } => {
                    let named = (app, &*holder.user, &holder.queue);
                    if let Some(runtime) = self.runtimes.of_named(named, ask.as_str()) {
                        self.set(now + runtime, (app.clone(), ask.clone()));
                    }
                }
                EventKind::Released { app, ask, .. } => self.forget(&(app.clone(), ask.clone())),
                _ => {}
            }
        }
    }
}
