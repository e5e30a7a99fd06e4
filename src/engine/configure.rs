//! The configuration in force: its text, its file, and how another one comes into its place (REST E5).
//!
//! The order, of which each step can still refuse: the text is read and checked, compared with what it is meant to replace, the
//! actor's rights and the scheduler are asked, the text is written and synced beside its file. Then comes the commit point; the
//! file is renamed, the scheduler loads it, and that is answered.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ahead::Read;
use super::audit::{Origin, count_changes};
use super::core::Core;
use super::journal::{Record, Wall};
use super::perform::counted;
use crate::config::diff::{Key, What};
use crate::config::store::{self, Disk};
use crate::config::{self, Config, Diff, Source};
use crate::model::QueueState;
use crate::scheduler::placement::access;
use crate::scheduler::{Command, Event, EventKind};
use crate::view::NoticeWeight;
use crate::view::act::{
    Act, Actor, ChangeLine, Code, Configuration, Configured, Details, FoundFault, LoadedBy, Order, Reason, Refusal,
    may_configure,
};

/// The configuration in force.
#[derive(Default)]
pub(super) struct InForce {
    pub config: Arc<Config>,
    /// How it was written, where that is known.
    pub written: Option<Arc<Configuration>>,
    /// The file that it is to be kept in, with what the file held when it was last read or written.
    pub file: Option<(PathBuf, Vec<u8>)>,
    pub revision: u64,
}

impl InForce {
    /// How it was written, where that is known.
    pub fn written(&self) -> Option<Arc<Configuration>> {
        self.written.clone()
    }

    /// Counts up with each configuration that comes into force; the first has 1.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The checksum of its text.
    pub fn checksum(&self) -> String {
        self.config.checksum.clone()
    }
}

/// A text that is about to be loaded.
#[derive(Clone)]
pub(super) struct Text {
    pub text: Arc<str>,
    queues: Arc<str>,
}

impl Text {
    /// A text that is a queue configuration, or a manifest with one.
    pub fn of(text: &str, policy_group: &str) -> Self {
        let text: Arc<str> = Arc::from(text);
        let queues = config::manifest::queues_of(&text, policy_group).map_or_else(|| Arc::clone(&text), Arc::from);
        Self { text, queues }
    }

    fn is_manifest(&self) -> bool {
        self.text != self.queues
    }
}

impl Core {
    /// The same core, which knows how its first configuration was written, and keeps changes of it in `file`.
    #[must_use]
    pub fn written(mut self, bytes: &[u8], file: Option<PathBuf>) -> Self {
        let text = Text::of(&String::from_utf8_lossy(bytes), self.policy_group());
        self.in_force.file = file.map(|file| (file, bytes.to_vec()));
        self.note(Some(text), 0, LoadedBy::Start.into());
        self
    }

    /// From now on changes of the configuration are kept in `file`, which holds `bytes`. A core that goes on finishes the replacing of
    /// that file if that was cut off; if somebody changed it meanwhile, that comes into force. Gives what the file holds then.
    pub fn keep_in(&mut self, file: &Path, bytes: Vec<u8>) -> Vec<u8> {
        self.clear_up(file);
        let written = self.in_force.written.clone();
        let text = written.as_ref().map(|written| Arc::clone(&written.text));
        self.in_force.file = Some((file.to_owned(), bytes.clone()));
        self.in_force.written = written
            .map(|written| Arc::new(Configuration { file: Some(file.to_owned()), ..Configuration::clone(&written) }));
        self.show_configuration();
        let Some(text) = text.filter(|text| *text.as_bytes() != *bytes) else { return bytes };
        if self.context.file_before.as_deref() != Some(&*config::checksum(&bytes)) {
            self.reload(&file.display().to_string(), &bytes);
            return bytes;
        }
        let name = file.display();
        match store::store(file, text.as_bytes()) {
            Ok(()) => {
                let title = format!("{name} was replaced: that was cut off when the scheduler ended");
                self.notice(NoticeWeight::Info, title, String::new());
                self.in_force.file = Some((file.to_owned(), text.as_bytes().to_vec()));
                text.as_bytes().to_vec()
            }
            Err(error) => {
                let title = format!("{name} is not what is in force, and cannot be replaced");
                self.notice(NoticeWeight::Error, title, error.to_string());
                bytes
            }
        }
    }

    /// Removes what a process that was ended in the middle of a change left beside the configuration's file, and tells of it.
    pub fn clear_up(&mut self, file: &Path) {
        for left in store::sweep(file) {
            let title = format!("{} was left of a change that was cut off, and is removed", left.display());
            self.notice(NoticeWeight::Info, title, String::new());
        }
    }

    /// The same core, which keeps changes of its configuration in no file.
    #[must_use]
    pub fn kept_nowhere(mut self) -> Self {
        self.in_force.file = None;
        self
    }

    /// The configuration in force, as it was written; `None` when that is not known.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        self.in_force.written.as_ref()
    }

    /// Loads a configuration. It becomes the one in force unless the scheduler refuses it.
    pub(super) fn load(&mut self, config: &Arc<Config>, text: Option<Text>, origin: impl Into<Origin>) -> Vec<Event> {
        let events = self.give(&Command::Configure(Arc::clone(config)));
        let accepted = events.iter().any(|event| event.kind == EventKind::ConfigAccepted);
        let same = self.in_force.revision > 0 && self.in_force.config.checksum == config.checksum;
        if accepted && (!same || config.checksum.is_empty()) {
            let text = text.or_else(|| self.workload_text(config).map(|text| Text::of(&text, self.policy_group())));
            let changes = count_changes(&self.in_force.config, config);
            self.in_force.config = Arc::clone(config);
            self.in_force.revision += 1;
            self.note(text, changes, origin.into());
        }
        events
    }

    /// Takes note of how the configuration in force was written, and shows it.
    fn note(&mut self, text: Option<Text>, changes: usize, origin: Origin) {
        self.revise(text.as_ref().map(|text| Arc::clone(&text.text)), changes, &origin);
        let (at, checksum) = (self.now(), self.in_force.config.checksum.clone());
        let InForce { file, revision, .. } = &self.in_force;
        let file = file.as_ref().map(|(path, _)| path.clone());
        let policy_group = self.policy_group().to_owned();
        let (revision, by) = (*revision, origin.by);
        self.in_force.written = text.map(|Text { text, queues }| {
            Arc::new(Configuration { text, queues, checksum, file, revision, at, by, policy_group })
        });
        self.show_configuration();
    }

    /// Reloads a configuration file that has changed. What comes of it is told as a notice; a bad one changes nothing (SCH-177).
    pub fn reload(&mut self, name: &str, bytes: &[u8]) {
        if let Some((path, known)) = &mut self.in_force.file {
            // An order may have replaced the file since this was read; then that is told by itself.
            if std::fs::read(path).is_ok_and(|now| now != bytes) {
                return;
            }
            bytes.clone_into(known);
        }
        let wall = Wall::now();
        if let Some(recorder) = &mut self.recorder {
            recorder.record(&Record::Reload { at: self.now, wall, name: name.to_owned(), text: bytes.to_vec() });
        }
        self.context.wall = Some(wall);
        self.reloaded(name, bytes);
        self.context.wall = None;
    }

    /// Another text of a configuration file comes into force, or is refused.
    pub(super) fn reloaded(&mut self, name: &str, bytes: &[u8]) {
        let read = self.read(bytes);
        let before = self.config_facts();
        let told = Source::new(name, &read.text.text).render_all(&read.faults);
        let refused = match &read.config {
            None => Some(told.clone()),
            Some(config) => {
                if config.checksum == self.scheduler().checksum() {
                    return;
                }
                rejected(self.load(config, Some(read.text.clone()), LoadedBy::File))
            }
        };
        self.enter_reload(name, before, refused.as_deref());
        let (weight, title, text) = match refused {
            Some(why) => (NoticeWeight::Error, format!("{name} was refused, the configuration stays as it is"), why),
            None => (NoticeWeight::Info, format!("{name} is in force"), told),
        };
        self.follow_with(weight, title, text);
    }

    /// Brings another configuration into force for somebody, or tells what that would mean.
    pub(super) fn reconfigure(
        &mut self,
        actor: &Actor,
        order: &Order,
        text: &str,
        base: Option<&str>,
        dry_run: bool,
    ) -> Result<Configured, Refusal> {
        let Weighed { config, new, diff, mut done } = self.weighed(actor, order, text, base, dry_run)?;
        if dry_run || done.checksum == done.previous {
            return Ok(done);
        }
        done.warning = self.store(&new)?;
        if let Some(why) = rejected(self.load(&config, Some(new), Origin::order(actor, order))) {
            // It was asked before; a scheduler that changes its mind is told, not hidden.
            return Err(invalid("the scheduler refused the configuration", &why));
        }
        done.revision = self.in_force.revision;
        let text = if order.reason.is_empty() { diff.summary() } else { order.reason.clone() };
        let did = match &order.act {
            Act::Rollback { revision, .. } => format!("rolled the configuration back to revision {revision}"),
            _ => "changed the configuration".to_owned(),
        };
        self.follow_with(NoticeWeight::Info, format!("{} {did}", actor.user()), text);
        Ok(done)
    }

    /// Asks everything that can refuse another configuration, short of writing it.
    fn weighed(
        &self,
        actor: &Actor,
        order: &Order,
        text: &str,
        base: Option<&str>,
        dry_run: bool,
    ) -> Result<Weighed, Refusal> {
        let (config, new) = self.valid(text)?;
        self.compare(base)?;
        let diff = config::diff(&self.in_force.config, &config);
        // The very text that is in force changes nothing, and so takes no right.
        if config.checksum != self.scheduler().checksum() {
            self.may_reconfigure(actor, order, &diff)?;
        }
        if let Some(why) = self.scheduler().would_refuse(self.now(), &config) {
            return Err(invalid("the configuration cannot be loaded as things are", &why));
        }
        let done = self.configured(&config, &diff, dry_run);
        Ok(Weighed { config, new, diff, done })
    }

    /// The text of a revision, or of the order that is being carried out.
    fn text_of_revision(&self, revision: u64) -> Result<Arc<str>, Refusal> {
        if let Some(text) = &self.context.text {
            return Ok(Arc::clone(text));
        }
        let known = self.ledger().revision(revision);
        let known = known.ok_or_else(|| Refusal::not_found("revision", &revision.to_string()))?;
        known.text.clone().ok_or_else(|| Refusal::not_found("text of revision", &revision.to_string()))
    }

    /// The part of a change before its commit point: it is weighed, and its text written and synced beside its file. `None` for what
    /// needs nothing of that.
    ///
    /// # Errors
    /// Why it is refused. Nothing was done.
    pub(super) fn prepare(&self, actor: &Actor, order: &Order) -> Result<Option<Ready>, Refusal> {
        if order.act.is_dry_run() || Self::refused_at_once(actor, order).is_some() {
            return Ok(None);
        }
        let (text, base) = match &order.act {
            Act::Configure { text, base, .. } => (Arc::from(text.as_str()), base),
            Act::Rollback { revision, base, .. } => (self.text_of_revision(*revision)?, base),
            _ => return Ok(None),
        };
        let weighed = self.weighed(actor, order, &text, base.as_deref(), false)?;
        let mut ready = Ready { text, file_before: None, prepared: None };
        if weighed.done.checksum == weighed.done.previous {
            return Ok(Some(ready));
        }
        if let Some((path, known)) = &self.in_force.file {
            self.same_kind(path, &weighed.new)?;
            ready.file_before = Some(config::checksum(known));
            let prepared = store::prepare(&Disk, path, weighed.new.text.as_bytes());
            ready.prepared = Some(prepared.map_err(|error| not_durable(&error))?);
        }
        Ok(Some(ready))
    }

    /// Brings a configuration that was in force back for somebody, as a new revision, or tells what that would mean.
    pub(super) fn roll_back(
        &mut self,
        actor: &Actor,
        order: &Order,
        revision: u64,
        base: Option<&str>,
        dry_run: bool,
    ) -> Result<Configured, Refusal> {
        let text = self.text_of_revision(revision)?;
        let done = self.reconfigure(actor, order, &text, base, dry_run)?;
        if !dry_run && done.revision != revision && done.checksum != done.previous {
            let user = actor.user();
            let message = format!("{user} brought revision {revision} back, as revision {}", done.revision);
            self.tell_event(EventKind::ConfigRolledBack { message });
        }
        Ok(done)
    }

    /// What a text comes to: it may have been read ahead.
    fn read(&self, bytes: &[u8]) -> Arc<Read> {
        self.readings.read(bytes, self.policy_group(), self.profile())
    }

    /// The configuration of a text, or everything that is wrong with it.
    fn valid(&self, text: &str) -> Result<(Arc<Config>, Text), Refusal> {
        let read = self.read(text.as_bytes());
        let faults = &read.faults;
        read.config.clone().map(|config| (config, read.text.clone())).ok_or_else(|| {
            let first = faults.iter().find(|fault| fault.severity == config::Severity::Error);
            let first = first.map(ToString::to_string).unwrap_or_default();
            let faults = faults.iter().map(FoundFault::from).collect();
            Refusal::new(Code::ConfigInvalid, "the configuration is not valid", first)
                .with(Details { faults, ..Details::default() })
        })
    }

    /// Refuses when the configuration in force, or its file, is another one than `base`.
    fn compare(&self, base: Option<&str>) -> Result<(), Refusal> {
        let current = self.scheduler().checksum();
        let now = Details { current: Some(current.to_owned()), ..Details::default() };
        let Some(base) = base.filter(|base| *base != "*") else {
            let text = "name the checksum of the configuration that the new one is to replace";
            let refusal = Refusal::new(Code::ChecksumRequired, "the configuration is replaced knowingly only", text);
            return Err(refusal.with(now));
        };
        let changed = "the configuration was changed meanwhile";
        let of_late = self.ledger().recent_revisions();
        if !of_late.iter().any(|revision| base.eq_ignore_ascii_case(&revision.checksum)) {
            let text = "none with this checksum was in force of late; look at the one that is, and name its checksum";
            let refusal = Refusal::new(Code::ChecksumMismatch, "another configuration is in force", text);
            return Err(refusal.with(now));
        }
        if !base.eq_ignore_ascii_case(current) {
            let written = self.in_force.written.as_deref();
            let by = written.map(|written| match &written.by {
                LoadedBy::Start => "the start".to_owned(),
                LoadedBy::File => "its file".to_owned(),
                LoadedBy::Workload => "the workload".to_owned(),
                LoadedBy::User(user) | LoadedBy::RolledBack(user) => user.clone(),
            });
            let text = match &by {
                Some(by) => format!("another one is in force by now, by {by}; look at it and make the change anew"),
                None => "another one is in force by now; look at it and make the change anew".to_owned(),
            };
            let details = Details { changed_by: by, changed_at: written.map(|written| written.at), ..now };
            return Err(Refusal::new(Code::ChecksumMismatch, changed, text).with(details));
        }
        match &self.in_force.file {
            Some((path, known)) => match std::fs::read(path) {
                Ok(bytes) if bytes != *known => {
                    let text = format!("{} holds another text than what was read from it", path.display());
                    Err(Refusal::new(Code::ChecksumMismatch, changed, text).with(now))
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let text = format!("{} cannot be read: {error}", path.display());
                    Err(Refusal::new(Code::NotDurable, "the configuration cannot be kept", text))
                }
                _ => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Whether somebody may make a change (REST E1).
    fn may_reconfigure(&self, actor: &Actor, order: &Order, diff: &Diff) -> Result<(), Refusal> {
        let parts = self.scheduler().partitions();
        let admin = |partition: &str, queue: &crate::model::QueuePath| {
            let part = parts.iter().find(|part| *part.name == *partition);
            part.is_some_and(|part| access::admin(&part.queues, queue.as_str(), &actor.identity).is_some())
        };
        may_configure(diff, actor.scheduler_admin, admin, parts.iter().map(|part| &*part.name))
            .map_err(|lacks| Refusal::no_config_rights(actor, &order.act, &lacks))
    }

    /// What a change means.
    fn configured(&self, config: &Config, diff: &Diff, dry_run: bool) -> Configured {
        let mut draining = Vec::new();
        let mut what_happens = Vec::new();
        let parts = self.scheduler().partitions();
        for (partition, path) in diff.removed_queues() {
            let Some(part) = parts.iter().find(|part| *part.name == *partition) else { continue };
            let Some(queue) = part.queues.find(path).map(|key| &part.queues[key]) else { continue };
            if !queue.managed || queue.state != QueueState::Active {
                continue;
            }
            draining.push((partition.to_owned(), path.clone()));
            let apps = usize::try_from(queue.app_count).unwrap_or(usize::MAX);
            what_happens.push(match apps {
                0 => format!("{path} will drain: it is empty, and goes with the next pass of the cleaner"),
                _ => format!("{path} will drain: {} in it", counted(apps, "application")),
            });
        }
        let of = |key: Key, what| {
            let changes = diff.changes.iter().filter(move |change| change.key == key && change.what == what);
            changes.map(|change| (change.partition.clone(), change.queue.clone()))
        };
        for (partition, _) in of(Key::Partition, What::Removed) {
            let part = parts.iter().find(|part| *part.name == *partition);
            let apps = part.map_or(0, |part| part.apps.len());
            what_happens.push(format!("partition {partition} goes: {} in it will fail", counted(apps, "application")));
        }
        let created = of(Key::Queue, What::Added).filter_map(|(partition, queue)| Some((partition, queue?)));
        Configured {
            checksum: config.checksum.clone(),
            previous: self.scheduler().checksum().to_owned(),
            revision: self.in_force.revision,
            changes: diff.changes.iter().map(ChangeLine::from).collect(),
            touches: diff.touches().into_iter().map(|(partition, queue)| (partition.to_owned(), queue)).collect(),
            outside: diff.touches_partitions(),
            draining,
            created: created.collect(),
            what_happens,
            warning: None,
            dry_run,
        }
    }

    /// Refuses a text of another kind than its file: a manifest stays one.
    fn same_kind(&self, path: &Path, new: &Text) -> Result<(), Refusal> {
        let manifest = self.in_force.written.as_ref().is_some_and(|written| written.text != written.queues);
        if manifest == new.is_manifest() {
            return Ok(());
        }
        let text = format!(
            "{} is {}, and the new text has to be one too",
            path.display(),
            if manifest { "a ConfigMap manifest" } else { "a queue configuration by itself" }
        );
        Err(Refusal::new(Code::BadRequest, "the configuration cannot be kept", text))
    }

    /// Puts a text into the file of the configuration, if it has one. Up to the rename everything that fails leaves all as it was;
    /// but what was prepared is in the journal already, so that only a warning is left of what fails then. Gives what is not quite as it
    /// should be.
    fn store(&mut self, new: &Text) -> Result<Option<String>, Refusal> {
        let ready = self.context.prepared.take();
        let journaled = ready.is_some();
        let prepared = match (ready, &self.in_force.file) {
            (_, None) => return Ok(None),
            (Some(prepared), _) => prepared,
            (None, Some((path, _))) => {
                self.same_kind(path, new)?;
                store::prepare(&Disk, path, new.text.as_bytes()).map_err(|error| not_durable(&error))?
            }
        };
        // The commit point, unless the journal has been that.
        let warning = match prepared.commit() {
            Ok(()) => None,
            Err(error) if error.replaced() => Some(error.to_string()),
            Err(error) if journaled => Some(format!("{error}; the next start tries again")),
            Err(error) => return Err(not_durable(&error)),
        };
        if let Some((_, known)) = &mut self.in_force.file {
            *known = new.text.as_bytes().to_vec();
        }
        Ok(warning)
    }
}

/// A change that has passed every check.
struct Weighed {
    config: Arc<Config>,
    new: Text,
    diff: Diff,
    done: Configured,
}

/// A change that waits for its commit point.
pub(super) struct Ready {
    /// The text that is to come into force.
    pub text: Arc<str>,
    /// The checksum of the text that is in the file until then.
    pub file_before: Option<String>,
    /// The new text beside its file.
    pub prepared: Option<store::Prepared<'static, Disk>>,
}

fn not_durable(error: &store::StoreError) -> Refusal {
    Refusal::new(Code::NotDurable, "the configuration cannot be kept, and stays as it is", error.to_string())
}

/// Why the scheduler refused a configuration; `None` when it did not.
pub(super) fn rejected(events: Vec<Event>) -> Option<String> {
    events.into_iter().find_map(|event| match event.kind {
        EventKind::ConfigRejected { message } => Some(message),
        _ => None,
    })
}

fn invalid(message: &str, why: &str) -> Refusal {
    let reasons = vec![Reason { code: Code::ConfigInvalid, queue: None, text: why.to_owned() }];
    Refusal::new(Code::ConfigInvalid, message, why).with(Details { reasons, ..Details::default() })
}
