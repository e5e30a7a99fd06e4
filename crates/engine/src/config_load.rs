//! Loads configurations from the start, the workload, an order, or the configuration file.

use std::path::Path;
use std::sync::Arc;

use super::active_config::{ActiveConfig, ConfigText, WorkloadBase};
use super::audit::{self, ConfigOrigin, count_changes};
use super::earlier;
use super::journal::record::{Record, WallTime};
use super::state::State;
use ::config::{self, Config, Removal, Source, store};
use scheduler::{Command, Event, EventKind};
use view::Notice;
use view::NoticeWeight;
use view::View;
use view::act::{ActsFrom, Configuration, LoadedBy};

pub(super) fn load(
    state: &mut State,
    config: &Arc<Config>,
    text: Option<ConfigText>,
    origin: impl Into<ConfigOrigin>,
) -> Vec<Event> {
    let events = state.apply(&Command::Configure(Arc::clone(config)));
    let accepted = events.iter().any(|event| event.kind == EventKind::ConfigAccepted);
    let active = &state.active_config;
    let same = active.revision > 0 && active.config.checksum == config.checksum;
    if accepted && (!same || config.checksum.is_empty()) {
        let of_workload = || state.workload_text(config).map(|text| ConfigText::new(&text, &state.policy_group));
        let text = text.or_else(of_workload);
        let changes = count_changes(&active.config, config);
        state.active_config.config = Arc::clone(config);
        state.active_config.revision += 1;
        set_text(state, text, changes, origin.into());
    }
    events
}

pub(super) fn apply(state: &mut State, command: &Command, text: Option<ConfigText>) -> Vec<Event> {
    match command {
        Command::Configure(config) => load(state, config, text, LoadedBy::Workload),
        _ => state.apply(command),
    }
}

/// Sets the text of the active configuration, as a revision and in the view.
pub(super) fn set_text(state: &mut State, text: Option<ConfigText>, changes: usize, origin: ConfigOrigin) {
    // A configuration from an earlier run keeps its author.
    if origin.by != LoadedBy::Start || !earlier::knows(state) {
        audit::revise(state, text.as_ref().map(|text| Arc::clone(&text.text)), changes, &origin);
    }
    let at = state.now;
    let ActiveConfig { config, file, revision, .. } = &state.active_config;
    let (checksum, file) = (config.checksum.clone(), file.as_ref().map(|(path, _)| path.clone()));
    let policy_group = state.policy_group.clone();
    let (revision, by) = (*revision, origin.by);
    if by == LoadedBy::Start {
        let of_start = |text: &ConfigText| WorkloadBase { checksum: checksum.clone(), text: Arc::clone(&text.queues) };
        state.active_config.workload_base = text.as_ref().map(of_start);
    }
    state.active_config.written = text.map(|ConfigText { text, queues }| {
        Arc::new(Configuration { text, queues, checksum, file, revision, at, by, policy_group, config_map: None })
    });
    state.show_configuration();
}

/// Writes changes of the configuration to `file` from now on; `bytes` is its content. A restored scheduler completes an
/// interrupted replacement of the file. If the file has changed, its text is loaded. Returns the content of the file.
pub(super) fn attach_file(state: &mut State, file: &Path, bytes: Vec<u8>) -> Vec<u8> {
    remove_leftovers(state, file);
    let written = state.active_config.written.clone();
    let text = written.as_ref().map(|written| Arc::clone(&written.text));
    state.active_config.file = Some((file.to_owned(), bytes.clone()));
    state.active_config.written = written
        .map(|written| Arc::new(Configuration { file: Some(file.to_owned()), ..Configuration::clone(&written) }));
    state.show_configuration();
    let Some(text) = text.filter(|text| *text.as_bytes() != *bytes) else { return bytes };
    if state.file_before.as_deref() != Some(&*config::checksum(&bytes)) {
        reload(state, &file.display().to_string(), &bytes);
        return bytes;
    }
    let name = file.display();
    match store::store(file, text.as_bytes()) {
        Ok(()) => {
            let title = format!("the replacement of {name}, interrupted when the scheduler stopped, is complete");
            state.notice(NoticeWeight::Info, title, String::new());
            state.active_config.file = Some((file.to_owned(), text.as_bytes().to_vec()));
            text.as_bytes().to_vec()
        }
        Err(error) => {
            let title = format!("{name} is not the active configuration, and cannot be replaced");
            state.notice(NoticeWeight::Error, title, error.to_string());
            bytes
        }
    }
}

/// Removes what a process that was ended in the middle of a change left next to the configuration's file, with a notice.
pub(super) fn remove_leftovers(state: &mut State, file: &Path) {
    for left in store::sweep(file) {
        let title = format!("{}, left by an interrupted change, is removed", left.display());
        state.notice(NoticeWeight::Info, title, String::new());
    }
}

/// Reloads a configuration file that has changed, with a notice about the outcome; a bad one changes nothing (SCH-177).
pub(super) fn reload(state: &mut State, name: &str, bytes: &[u8]) {
    if let Some((path, known)) = &mut state.active_config.file {
        // If an order replaced the file since the read, another reload follows.
        if std::fs::read(path).is_ok_and(|now| now != bytes) {
            return;
        }
        bytes.clone_into(known);
    }
    let wall = WallTime::now();
    let refused = is_too_large(state, bytes);
    state.record(|at| {
        let (name, text, refused) = (name.to_owned(), bytes.to_vec(), refused.clone());
        Record::Reload { at, wall, name, text, refused }
    });
    reload_recorded(state, name, bytes, wall, refused);
}

/// Why a file must not replace the active configuration: its removal is too large (CFG-120).
fn is_too_large(state: &State, bytes: &[u8]) -> Option<String> {
    let parsed = state.config_cache.parse(bytes, &state.policy_group, state.profile());
    let config = parsed.config.as_ref().filter(|config| config.checksum != state.scheduler.checksum())?;
    let removal = Removal::between(&state.active_config.config, config, config::is_empty_text(&parsed.faults));
    let refused = !removal.passes(state.allowed_removal);
    refused.then(|| format!("{removal}; {}, at the start or with `kornsole apply`", removal.how_to_allow()))
}

/// Reloads a recorded file without access to the file. `refused` is the recorded reason of a rejection that does not
/// follow from the text.
pub(super) fn reload_recorded(state: &mut State, name: &str, bytes: &[u8], wall: WallTime, refused: Option<String>) {
    let parsed = state.config_cache.parse(bytes, &state.policy_group, state.profile());
    let before = audit::config_facts(state);
    let faults = Source::new(name, &parsed.text.text).render_all(&parsed.faults);
    // The scheduler reports only its own rejections.
    let refuse = |state: &mut State, why: String| {
        state.emit_event(EventKind::ConfigRejected { message: why.clone() });
        Some(why)
    };
    let refused = match (&parsed.config, refused) {
        (None, _) => refuse(state, faults.clone()),
        (Some(_), Some(why)) => refuse(state, why),
        (Some(config), None) => {
            if config.checksum == state.scheduler.checksum() {
                if std::mem::take(&mut state.active_config.file_refused) {
                    state.emit_event(EventKind::ConfigAccepted);
                    let title = format!("{name} {ACTIVE_AGAIN}");
                    state.show_notice(NoticeWeight::Info, title, faults);
                }
                return;
            }
            rejected(load(state, config, Some(parsed.text.clone()), ConfigOrigin::file(wall)))
        }
    };
    state.active_config.file_refused = refused.is_some();
    audit::enter_load(state, ActsFrom::File(Arc::from(name)), before, refused.as_deref(), Some(wall));
    let (weight, title, text) = match refused {
        Some(why) => (NoticeWeight::Error, format!("{name} {REJECTED}"), why),
        None => (NoticeWeight::Info, format!("{name} {ACTIVE}"), faults),
    };
    state.show_notice(weight, title, text);
}

/// The title endings of notices about the configuration file.
const REJECTED: &str = "was rejected, the configuration is unchanged";
const ACTIVE: &str = "is active";
const ACTIVE_AGAIN: &str = "is the active configuration again";

/// The notice of a rejected configuration file, unless a later one was accepted.
pub fn rejected_file(view: &View) -> Option<&Arc<Notice>> {
    let ends = |notice: &Notice, end: &str| notice.title.ends_with(end);
    let is = |notice: &&Arc<Notice>| [REJECTED, ACTIVE, ACTIVE_AGAIN].iter().any(|end| ends(notice, end));
    view.notices.iter().rev().find(is).filter(|notice| ends(notice, REJECTED))
}

pub(super) fn rejected(events: Vec<Event>) -> Option<String> {
    events.into_iter().find_map(|event| match event.kind {
        EventKind::ConfigRejected { message } => Some(message),
        _ => None,
    })
}
