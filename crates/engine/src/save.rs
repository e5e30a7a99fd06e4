//! Saves and restores a complete state.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::active_config::{ActiveConfig, WorkloadBase};
use super::clock::ClockHistory;
use super::ledger_book::LedgerBook;
use super::setup::Setup;
use super::state::{Deadlines, State};
use config::Config;
use ledger::Ledger;
use model::{Time, messagepack};
use scenario::Workload;
use scheduler::{Partition, Scheduler, saved};
use view::act::Configuration;
use view::{Notice, Sample};

/// The saved format: borrowed for writing, owned after reading. Fields are written without names, in this order.
#[derive(Serialize, Deserialize)]
struct SavedState<'a, S> {
    scheduler: S,
    now: Time,
    cycle_due: bool,
    clean_every: Duration,
    next_clean: Time,
    retry: Option<Time>,
    paused: bool,
    pause_after_workload: bool,
    next_sample: Time,
    config: Cow<'a, Config>,
    revision: u64,
    written: Option<Cow<'a, Configuration>>,
    file_before: Option<Cow<'a, str>>,
    notices: Vec<Cow<'a, Notice>>,
    notice_count: u64,
    history: Vec<Cow<'a, Sample>>,
    last_entry: u64,
    clock_history: Cow<'a, ClockHistory>,
    #[serde(with = "model::saved::bytes")]
    workload_progress: Vec<u8>,
    policy_group: Cow<'a, str>,
    /// Absent in files of earlier versions.
    #[serde(default)]
    workload_base: Option<Cow<'a, WorkloadBase>>,
    #[serde(default)]
    ledger: Option<Ledger>,
    #[serde(default)]
    file_refused: bool,
}

/// Saves the state without its audit log and events, as MessagePack.
#[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
pub(super) fn save(state: &mut State) -> Vec<u8> {
    state.scheduler.partitions_mut().iter_mut().for_each(Partition::count_all_skipped_cycles);
    let (notices, notice_count, history) = state.views.saved();
    let Deadlines { clean_every, next_clean, next_sample, retry, cycle_due } = state.deadlines;
    let saved = SavedState {
        scheduler: state.scheduler.saving(),
        now: state.now,
        cycle_due,
        clean_every,
        next_clean,
        retry,
        paused: state.paused,
        pause_after_workload: state.pause_after_workload,
        next_sample,
        config: Cow::Borrowed(&state.active_config.config),
        revision: state.active_config.revision,
        written: state.active_config.written.as_deref().map(Cow::Borrowed),
        file_before: state.file_before.as_deref().map(Cow::Borrowed),
        notices: notices.iter().map(|notice| Cow::Borrowed(&**notice)).collect(),
        notice_count,
        history: history.iter().map(|sample| Cow::Borrowed(&**sample)).collect(),
        last_entry: state.audit_log.last(),
        clock_history: Cow::Borrowed(&state.clock_history),
        workload_progress: state.workload_progress(),
        policy_group: Cow::Borrowed(&state.policy_group),
        workload_base: state.active_config.workload_base.as_ref().map(Cow::Borrowed),
        ledger: Some(state.ledger.ledger()),
        file_refused: state.active_config.file_refused,
    };
    rmp_serde::to_vec(&saved).expect("a state uses only types of MessagePack")
}

/// Restores a saved state, which continues with this workload. Events are not tracked until the log is configured.
///
/// # Errors
/// Returns an error if the saved state is inconsistent.
pub(super) fn restore(setup: &Setup, bytes: &[u8], workload: Option<Box<dyn Workload>>) -> Result<State, String> {
    let saved: SavedState<'_, saved::Saved> = messagepack::from_slice(bytes).map_err(|error| error.to_string())?;
    let scheduler = Scheduler::restored(setup.profile, saved.scheduler)?;
    let mut state = State::new(setup, scheduler, workload);
    let mut untracked = setup.event.clone();
    untracked.tracking_enabled = false;
    state.outbox.log().configure(&untracked);
    state.now = saved.now;
    let ledger = saved.ledger.unwrap_or_else(|| Ledger::initial(state.now, &state.scheduler));
    state.ledger = Arc::new(LedgerBook::new(ledger.with_most_rows(setup.ledger_rows)));
    state.policy_group = saved.policy_group.into_owned();
    state.deadlines = Deadlines {
        clean_every: saved.clean_every,
        next_clean: saved.next_clean,
        next_sample: saved.next_sample,
        retry: saved.retry,
        cycle_due: saved.cycle_due,
    };
    state.paused = saved.paused;
    state.pause_after_workload = saved.pause_after_workload;
    state.active_config = ActiveConfig {
        config: Arc::new(saved.config.into_owned()),
        written: saved.written.map(|written| Arc::new(written.into_owned())),
        file: None,
        revision: saved.revision,
        workload_base: saved.workload_base.map(Cow::into_owned),
        file_refused: saved.file_refused,
    };
    let notices = saved.notices.into_iter().map(Cow::into_owned).collect();
    let history = saved.history.into_iter().map(Cow::into_owned).collect();
    state.views.restore(notices, saved.notice_count, history);
    state.views.set_paused(saved.paused);
    state.show_configuration();
    state.audit_log.continue_after(saved.last_entry);
    state.clock_history = saved.clock_history.into_owned();
    state.file_before = saved.file_before.map(Cow::into_owned);
    if !saved.workload_progress.is_empty() {
        if let Some(workload) = &mut state.workload {
            workload.resume(&saved.workload_progress)?;
        }
        state.workload_progress = Some(saved.workload_progress);
    }
    Ok(state)
}
