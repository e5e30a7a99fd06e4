//! A core written down whole, made anew from that, and brought forward by the records since.
//!
//! Invariants:
//! - a core that was made anew and replayed is the one that wrote the records: the same scheduler, the same notices, the same
//!   ledger;
//! - replaying does no IO: what was asked of files is in the records.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::configure::{InForce, Ready, Text};
use super::core::Core;
use super::journal::{Checked, Given, Ordered, Record, Refused, Wall};
use super::setup::Setup;
use crate::config::Config;
use crate::config::settings::EventConfig;
use crate::config::store::{Disk, Prepared};
use crate::model::{Profile, Time};
use crate::scenario::Workload;
use crate::scheduler::{Command, Event, Partition, Scheduler, saved};
use crate::view::act::{Actor, Code, Configuration, Done, Order, Refusal};
use crate::view::{Notice, NoticeWeight, Sample};

/// How many stretches of the past are known by the wall clock.
const STRETCHES: usize = 1000;

/// A time from which on the scheduler's time ran by the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// The scheduler's time.
    pub at: Time,
    /// The wall clock's.
    pub wall: Wall,
    /// How fast the scheduler's time ran.
    pub speed: f64,
}

/// What a core knows beside its state while something is carried out, and of how it came here.
#[derive(Default)]
pub(super) struct Context {
    /// The time of day of what is being carried out, where it is written down.
    pub wall: Option<Wall>,
    /// The text that an order brings into force.
    pub text: Option<Arc<str>>,
    /// That text, beside its file.
    pub prepared: Option<Prepared<'static, Disk>>,
    /// When its time ran, the oldest stretch first.
    pub stretches: VecDeque<Stretch>,
    /// How far the workload was played when that was last written down, for a core that has none itself.
    pub played: Option<Vec<u8>>,
    /// The checksum of what the configuration's file held before it was last changed by an order.
    pub file_before: Option<String>,
    /// Events that are told once what led to them is on the disk.
    pub untold: Vec<Vec<Event>>,
    /// Events are taken by [`Core::heard`].
    pub listens: bool,
}

impl Context {
    /// The wall clock's time at a time of the scheduler.
    pub fn wall_of(&self, time: Time) -> Option<SystemTime> {
        let at = self.stretches.partition_point(|stretch| stretch.at <= time);
        let stretch = self.stretches.get(at.checked_sub(1)?)?;
        Some(SystemTime::from(stretch.wall) + time.since(stretch.at).div_f64(stretch.speed))
    }

    /// Time goes on after it stood.
    pub fn goes_on(&mut self, now: Time, speed: Option<f64>) {
        let speed = speed.or_else(|| self.stretches.back().map(|stretch| stretch.speed));
        if let (Some(wall), Some(speed)) = (self.wall, speed) {
            self.begins(Stretch { at: now, wall, speed });
        }
    }

    fn begins(&mut self, stretch: Stretch) {
        self.stretches.push_back(stretch);
        if self.stretches.len() > STRETCHES {
            self.stretches.pop_front();
        }
    }
}

/// A core as it is written down: all of it borrowed while it is written, all of it its own once it is read. Its fields are written
/// without names, in this order.
#[derive(Serialize, Deserialize)]
struct Saved<'a, S> {
    scheduler: S,
    now: Time,
    cycling: bool,
    clean_every: Duration,
    next_clean: Time,
    retry: Option<Time>,
    resting: bool,
    rests_after_workload: bool,
    next_sample: Time,
    config: Cow<'a, Config>,
    revision: u64,
    written: Option<Cow<'a, Configuration>>,
    file_before: Option<Cow<'a, str>>,
    notices: Vec<Cow<'a, Notice>>,
    notices_told: u64,
    history: Vec<Cow<'a, Sample>>,
    entries: u64,
    stretches: Cow<'a, VecDeque<Stretch>>,
    #[serde(with = "crate::model::saved::bytes")]
    played: Vec<u8>,
    policy_group: Cow<'a, str>,
}

impl Core {
    /// Everything of it, written down.
    pub fn save(&mut self) -> Vec<u8> {
        self.scheduler.partitions_mut().iter_mut().for_each(Partition::count_all_skipped_cycles);
        let (notices, notices_told, history) = self.views.kept();
        let saved = Saved {
            scheduler: self.scheduler.saving(),
            now: self.now,
            cycling: self.cycling,
            clean_every: self.clean_every,
            next_clean: self.next_clean,
            retry: self.retry,
            resting: self.resting,
            rests_after_workload: self.rests_after_workload,
            next_sample: self.next_sample,
            config: Cow::Borrowed(&self.in_force.config),
            revision: self.in_force.revision,
            written: self.in_force.written.as_deref().map(Cow::Borrowed),
            file_before: self.context.file_before.as_deref().map(Cow::Borrowed),
            notices: notices.iter().map(|notice| Cow::Borrowed(&**notice)).collect(),
            notices_told,
            history: history.iter().map(|sample| Cow::Borrowed(&**sample)).collect(),
            entries: self.ledger().last(),
            stretches: Cow::Borrowed(&self.context.stretches),
            played: self.played(),
            policy_group: Cow::Borrowed(&self.policy_group),
        };
        rmp_serde::to_vec(&saved).expect("a core has nothing that MessagePack lacks")
    }

    /// How far the workload has been played.
    pub(super) fn played(&self) -> Vec<u8> {
        let own = self.workload.as_ref().and_then(|workload| workload.save());
        own.or_else(|| self.context.played.clone()).unwrap_or_default()
    }

    /// The core that was written down; it goes on with this workload. Its events are told to nobody until
    /// [`Core::goes_live`].
    ///
    /// # Errors
    /// What in it does not fit together.
    pub fn restored(setup: &Setup, bytes: &[u8], workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        let saved: Saved<'_, saved::Saved> = rmp_serde::from_slice(bytes).map_err(|error| error.to_string())?;
        let scheduler = Scheduler::restored(setup.profile, saved.scheduler)?;
        let mut core = Self::bare(setup, scheduler, workload);
        let mut quiet = setup.event.clone();
        quiet.tracking_enabled = false;
        core.events().configure(&quiet);
        core.now = saved.now;
        core.policy_group = saved.policy_group.into_owned();
        core.cycling = saved.cycling;
        core.clean_every = saved.clean_every;
        core.next_clean = saved.next_clean;
        core.retry = saved.retry;
        core.resting = saved.resting;
        core.rests_after_workload = saved.rests_after_workload;
        core.next_sample = saved.next_sample;
        core.in_force = InForce {
            config: Arc::new(saved.config.into_owned()),
            written: saved.written.map(|written| Arc::new(written.into_owned())),
            file: None,
            revision: saved.revision,
        };
        let notices = saved.notices.into_iter().map(Cow::into_owned).collect();
        let history = saved.history.into_iter().map(Cow::into_owned).collect();
        core.views.bring_back(notices, saved.notices_told, history);
        core.views.set_resting(saved.resting);
        core.show_configuration();
        core.ledger().go_on_from(saved.entries);
        core.context.stretches = saved.stretches.into_owned();
        core.context.file_before = saved.file_before.map(Cow::into_owned);
        if !saved.played.is_empty() {
            if let Some(workload) = &mut core.workload {
                workload.resume(&saved.played)?;
            }
            core.context.played = Some(saved.played);
        }
        Ok(core)
    }

    /// From now on its events are told, as it is set up.
    pub fn goes_live(&mut self, setup: &Setup) {
        self.events().configure(&setup.event);
    }

    /// From now on its events are told by [`Core::heard`], and to nobody else.
    pub(super) fn listen(&mut self) {
        self.events().configure(&EventConfig { tracking_enabled: true, ..EventConfig::default() });
        self.context.listens = true;
    }

    /// What is written down when the engine starts: the settings that hold from here on.
    pub(super) fn start_record(&self, setup: &Setup, speed: f64, wall: Wall) -> Record {
        let Setup { tuning, clean_every, paused, .. } = *setup;
        let policy_group = setup.policy_group.clone();
        Record::Start { at: self.now, wall, speed, tuning, clean_every, paused, policy_group }
    }

    /// It stands at a time at which nothing more was done.
    pub(super) fn stands_at(&mut self, time: Time) {
        self.now = self.now.max(time);
    }

    /// Does again what was written down.
    pub fn replay(&mut self, record: Record) {
        self.now = self.now.max(record.at());
        self.context.wall = record.wall();
        match record {
            Record::Start { at, wall, speed, tuning, clean_every, paused, policy_group } => {
                self.context.begins(Stretch { at, wall, speed });
                self.scheduler.set_tuning(tuning);
                self.clean_every = clean_every;
                self.policy_group = policy_group;
                self.rests_after_workload |= paused;
                self.next_clean = self.next_clean.min(self.now + clean_every);
            }
            Record::Cycles { n, .. } => (0..n).for_each(|_| self.cycle()),
            Record::Clean { .. } => self.clean(),
            Record::Tick { .. } => self.duty(&Command::Tick, None),
            Record::Continue { .. } => self.duty(&Command::Continue, None),
            Record::Sample { .. } => self.sample(),
            Record::Work { commands, .. } => {
                if let Some(workload) = &mut self.workload {
                    // What it gives out is what was written down; it only comes as far as that.
                    workload.act(self.now);
                }
                for given in commands {
                    let (command, text) = self.given(given);
                    self.duty(&command, text);
                }
            }
            Record::Give { command, .. } => {
                let (command, text) = self.given(command);
                self.apply_written(&command, text);
            }
            Record::Order(ordered) => {
                let Ordered { actor, order, checked, .. } = *ordered;
                let _ = self.carry_out_order(&actor, &order, checked, None);
            }
            Record::Reload { name, text, .. } => self.reloaded(&name, &text),
            Record::Rest { .. } => self.rest(),
            Record::Notice { weight, title, text, .. } => self.follow_with(weight, title, text),
            Record::Played { state, .. } => self.context.played = Some(state),
        }
        self.context.wall = None;
    }

    fn given(&self, given: Given) -> (Command, Option<Text>) {
        let (command, text) = given.command();
        (command, text.map(|text| Text::of(&text, self.policy_group())))
    }

    /// Carries out an order that is written down: with what was found when its file was looked at, and with what is prepared there.
    pub(super) fn carry_out_order(
        &mut self,
        actor: &Actor,
        order: &Order,
        checked: Option<Checked>,
        prepared: Option<Prepared<'static, Disk>>,
    ) -> Result<Done, Refusal> {
        let Some(Checked { file_before, text, refused }) = checked else { return self.perform(actor, order) };
        if let Some(Refused { code, message, description }) = refused {
            let refusal = Refusal::new(Code::named(&code).unwrap_or(Code::BadRequest), message, description);
            self.refused(actor, order, &refusal);
            return Err(refusal);
        }
        self.context.text = text.map(Arc::from);
        self.context.prepared = prepared;
        let outcome = self.perform(actor, order);
        self.context.text = None;
        self.context.prepared = None;
        if outcome.is_ok() && file_before.is_some() {
            self.context.file_before = file_before;
        }
        outcome
    }

    /// What is written down of an order before it is carried out, and what it has prepared.
    pub(super) fn ordered(&self, actor: &Actor, order: &Order, refused: Option<&Refusal>) -> (Ordered, Preparation) {
        let (checked, preparation) = match refused {
            Some(refusal) => (Some(Checked::refused(refusal)), Preparation::Refused(Box::new(refusal.clone()))),
            None => match self.prepare(actor, order) {
                Ok(None) => (None, Preparation::None),
                Ok(Some(Ready { text, file_before, prepared })) => {
                    let checked = Checked { file_before, text: Some(text.to_string()), refused: None };
                    (Some(checked), prepared.map_or(Preparation::None, Preparation::Text))
                }
                Err(refusal) => (Some(Checked::refused(&refusal)), Preparation::Refused(Box::new(refusal))),
            },
        };
        let (actor, order) = (actor.clone(), order.clone());
        (Ordered { at: self.now, wall: Wall::now(), actor, order, checked }, preparation)
    }

    /// A clock that goes on where this core stands.
    pub(super) fn clock_from_here(&self, speed: f64) -> Clock {
        Clock::going_on(speed, self.now, self.context.stretches.iter().copied().collect())
    }

    /// Tells that damage was mended.
    pub fn tell_repair(&mut self, what: String) {
        self.notice(NoticeWeight::Warning, "the state was damaged and is mended".to_owned(), what);
    }

    /// The profile that it decides by.
    pub fn profile(&self) -> Profile {
        self.scheduler.switches().profile
    }
}

/// What an order waits with for its commit point.
pub(super) enum Preparation {
    /// Nothing.
    None,
    /// The new text of the configuration, beside its file.
    Text(Prepared<'static, Disk>),
    /// It is refused already.
    Refused(Box<Refusal>),
}
