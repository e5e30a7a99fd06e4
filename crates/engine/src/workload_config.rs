//! Configurations of the workload. A step applies only the workload's own changes and keeps changes by others, or
//! applies nothing.
//!
//! Invariants:
//! - without changes by others, a step is loaded byte for byte;
//! - a replay gives the same result: all inputs are in the state and in the record of the step.

use std::sync::Arc;

use super::active_config::{ConfigText, WorkloadBase};
use super::audit;
use super::config_load::{load, rejected};
use super::state::State;
use ::config::merge::merge;
use ::config::{self, Config};
use scheduler::{Event, EventKind};
use view::NoticeWeight;
use view::act::{ActsFrom, LoadedBy};

/// Applies a configuration of the workload, or its changes; `text` is its text if the workload does not know it. A
/// rejected step is reported to users and to the workload.
pub(super) fn load_step(state: &mut State, config: &Arc<Config>, text: Option<ConfigText>) {
    let before = audit::config_facts(state);
    let of_workload = || state.workload_text(config).map(|text| ConfigText::new(&text, &state.policy_group));
    let text = text.or_else(of_workload);
    let refused = match merged(state, config, text.as_ref()) {
        Err(why) => {
            refuse(state, &why);
            Some(why)
        }
        Ok(None) => rejected(load(state, config, text.clone(), LoadedBy::Workload)),
        Ok(Some((onto, merged, text))) => {
            let refused = rejected(load(state, &merged, Some(text), LoadedBy::Workload));
            if refused.is_none() {
                let title = "a configuration step of the workload was merged with the active configuration".to_owned();
                let retained = format!("revision {onto} is unchanged, except for the changes of the workload");
                state.show_notice(NoticeWeight::Info, title, retained);
            }
            refused
        }
    };
    if refused.is_none() {
        let base = text.map(|text| WorkloadBase { checksum: config.checksum.clone(), text: text.queues });
        state.active_config.workload_base = base;
    }
    audit::enter_load(state, ActsFrom::Workload, before, refused.as_deref(), None);
}

/// The text to load instead of a configuration of the workload, and its base revision; `None` if no one else made
/// changes.
///
/// # Errors
/// Returns an error if the changes cannot be merged.
fn merged(
    state: &State,
    config: &Config,
    text: Option<&ConfigText>,
) -> Result<Option<(u64, Arc<Config>, ConfigText)>, String> {
    let active = &state.active_config;
    let in_force = &active.config;
    let Some(base) = &active.workload_base else { return own_or_nothing(state) };
    if base.checksum == in_force.checksum || config.checksum == in_force.checksum {
        return Ok(None);
    }
    let (Some(written), Some(text)) = (&active.written, text) else { return own_or_nothing(state) };
    let since = format!("revision {} is not the workload's", active.revision);
    let both = merge(&base.text, &written.queues, &text.queues).map_err(|lines| {
        let line = lines.first().map_or(1, |line| line + 1);
        format!("{since}, and both change line {line}: the active configuration is unchanged")
    })?;
    let parsed = state.config_cache.parse(both.as_bytes(), &state.policy_group, state.profile());
    let Some(merged) = &parsed.config else {
        return Err(format!(
            "{since}, and with the step's changes it would not be valid: the active configuration is unchanged"
        ));
    };
    // Similar lines may have been confused: verify that nothing else changed.
    let read = config::read(&base.text, state.profile()).config.unwrap_or_default();
    let (wanted, done) = (config::diff(&read, config), config::diff(in_force, merged));
    if !done.touches().is_subset(&wanted.touches()) || (done.touches_partitions() && !wanted.touches_partitions()) {
        return Err(format!(
            "{since}, and the step's changes cannot be separated from that: the active configuration is unchanged"
        ));
    }
    Ok(Some((active.revision, Arc::clone(merged), parsed.text.clone())))
}

/// Without both texts, a configuration may replace only one from the workload.
fn own_or_nothing<T>(state: &State) -> Result<Option<T>, String> {
    match state.active_config.written.as_ref().map(|written| &written.by) {
        Some(LoadedBy::User(user) | LoadedBy::RolledBack(user)) => Err(format!(
            "revision {} is {user}'s, and the changes of the workload are unknown: the active configuration is unchanged",
            state.active_config.revision
        )),
        _ => Ok(None),
    }
}

fn refuse(state: &mut State, why: &str) {
    let title = "a configuration step of the workload was rejected".to_owned();
    state.show_notice(NoticeWeight::Warning, title, why.to_owned());
    let events = vec![Event::new(state.now, EventKind::ConfigRejected { message: why.to_owned() })];
    if let Some(workload) = &mut state.workload {
        workload.observe(state.now, &events);
    }
    state.outbox.push(events);
}
