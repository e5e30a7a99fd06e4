//! Orders that replace the configuration (REST E5).
//!
//! Each check can reject. The text is synced next to its file. Then the commit point: rename the file, load the
//! configuration, and answer. Checks run once per order: in [`prepare`] with a journal, otherwise in [`replace`].

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::active_config::ConfigText;
use super::audit::ConfigOrigin;
use super::config_load::{load, rejected};
use super::prepared::{CheckedConfig, Prepared, PreparedConfig};
use super::state::{State, counted};
use ::config::diff::{Key, What};
use ::config::store::{self, Disk};
use ::config::{self, Config, Diff, Removal};
use model::{QueuePath, QueueState};
use scheduler::EventKind;
use scheduler::placement::access;
use view::NoticeWeight;
use view::act::{
    Act, Actor, ChangeLine, Code, Configured, Details, FoundFault, LoadedBy, Order, Reason, Refusal, may_configure,
};

pub(super) struct ConfigChange<'o> {
    pub text: &'o str,
    /// The checksum of the configuration to replace.
    pub base: Option<&'o str>,
    pub dry_run: bool,
}

/// Replaces the active configuration, or returns the effects (dry run).
///
/// # Errors
/// Returns the rejection. Nothing was changed.
pub(super) fn replace(
    state: &mut State,
    actor: &Actor,
    order: &Order,
    change: &ConfigChange<'_>,
    prepared: Prepared,
) -> Result<Configured, Refusal> {
    let recorded = prepared.config.is_some();
    let (checked, staged) = prepared.config.map_or((None, None), |config| (config.checked, config.staged));
    let checked = checked.map_or_else(|| check(state, actor, order, change), Ok)?;
    if !recorded && !change.dry_run {
        may_remove(order, &checked)?;
    }
    let CheckedConfig { config, text, diff, mut done } = checked;
    if change.dry_run || done.checksum == done.previous {
        return Ok(done);
    }
    done.warning = write_file(state, &text, staged)?;
    let origin = ConfigOrigin::order(actor, order, prepared.wall);
    if let Some(why) = rejected(load(state, &config, Some(text), origin)) {
        // The scheduler accepted it before; a different result is reported, not hidden.
        return Err(invalid("the scheduler rejected the configuration", &why));
    }
    done.revision = state.active_config.revision;
    let text = if order.reason.is_empty() { diff.summary() } else { order.reason.clone() };
    let did = match &order.act {
        Act::Rollback { revision, .. } => format!("rolled the configuration back to revision {revision}"),
        _ => "changed the configuration".to_owned(),
    };
    state.show_notice(NoticeWeight::Info, format!("{} {did}", actor.user()), text);
    Ok(done)
}

/// Restores the configuration of an earlier revision as a new revision, or returns the effects (dry run).
///
/// # Errors
/// Returns the rejection. Nothing was changed.
pub(super) fn roll_back(
    state: &mut State,
    actor: &Actor,
    order: &Order,
    revision: u64,
    change: &ConfigChange<'_>,
    prepared: Prepared,
) -> Result<Configured, Refusal> {
    let done = replace(state, actor, order, change, prepared)?;
    if !change.dry_run && done.revision != revision && done.checksum != done.previous {
        let user = actor.user();
        let message = format!("{user} restored revision {revision} as revision {}", done.revision);
        state.emit_event(EventKind::ConfigRolledBack { message });
    }
    Ok(done)
}

/// The text of a revision: the one carried with the order, or else from the audit log.
///
/// # Errors
/// Returns an error if the revision or its text is unknown.
pub(super) fn revision_text(state: &State, revision: u64, prepared: &Prepared) -> Result<Arc<str>, Refusal> {
    if let Some(config) = &prepared.config {
        return Ok(Arc::clone(&config.text));
    }
    let known = state.audit_log.revision(revision);
    let known = known.ok_or_else(|| Refusal::not_found("revision", &revision.to_string()))?;
    known.text.clone().ok_or_else(|| Refusal::not_found("text of revision", &revision.to_string()))
}

/// Checks a change and writes its text next to the file, before the commit point. Empty for other orders.
///
/// # Errors
/// Returns the rejection. Nothing was changed.
pub(super) fn prepare(state: &State, actor: &Actor, order: &Order) -> Result<Prepared, Refusal> {
    let (text, base) = match &order.act {
        Act::Configure { text, base, dry_run: false } => (Arc::from(text.as_str()), base),
        Act::Rollback { revision, base, dry_run: false } => {
            (revision_text(state, *revision, &Prepared::default())?, base)
        }
        _ => return Ok(Prepared::default()),
    };
    let change = ConfigChange { text: &text, base: base.as_deref(), dry_run: false };
    let checked = check(state, actor, order, &change)?;
    may_remove(order, &checked)?;
    let (mut file_before, mut staged) = (None, None);
    if checked.done.checksum != checked.done.previous
        && let Some((path, known)) = &state.active_config.file
    {
        same_kind(state, path, &checked.text)?;
        file_before = Some(config::checksum(known));
        let prepared = store::prepare(&Disk, path, checked.text.text.as_bytes());
        staged = Some(prepared.map_err(|error| not_durable(&error))?);
    }
    let config = Some(PreparedConfig { text, checked: Some(checked), staged });
    Ok(Prepared { file_before, config, ..Prepared::default() })
}

fn check(state: &State, actor: &Actor, order: &Order, change: &ConfigChange<'_>) -> Result<CheckedConfig, Refusal> {
    let Valid { config, text, empty } = valid(state, change.text)?;
    compare(state, change.base)?;
    let diff = config::diff(&state.active_config.config, &config);
    // The identical text changes nothing and needs no right.
    if config.checksum != state.scheduler.checksum() {
        may_reconfigure(state, actor, order, &diff)?;
    }
    if let Some(why) = state.scheduler.would_refuse(state.now, &config) {
        return Err(invalid("the configuration cannot be loaded in the current state", &why));
    }
    let removal = Removal::between(&state.active_config.config, &config, empty);
    let done = Configured { removal, ..configured(state, &config, &diff, change.dry_run) };
    Ok(CheckedConfig { config, text, diff, done })
}

/// Rejects a removal that the order does not allow (CFG-120). A recorded order has passed already.
fn may_remove(order: &Order, checked: &CheckedConfig) -> Result<(), Refusal> {
    let done = &checked.done;
    if done.checksum == done.previous || done.removal.passes(order.allowed) {
        return Ok(());
    }
    Err(Refusal::removal(done.removal.clone()))
}

struct Valid {
    config: Arc<Config>,
    text: ConfigText,
    empty: bool,
}

fn valid(state: &State, text: &str) -> Result<Valid, Refusal> {
    let parsed = state.config_cache.parse(text.as_bytes(), &state.policy_group, state.profile());
    let faults = &parsed.faults;
    let (text, empty) = (parsed.text.clone(), config::is_empty_text(faults));
    parsed.config.clone().map(|config| Valid { config, text, empty }).ok_or_else(|| {
        let first = faults.iter().find(|fault| fault.severity == config::Severity::Error);
        let first = first.map(ToString::to_string).unwrap_or_default();
        let faults = faults.iter().map(FoundFault::from).collect();
        Refusal::new(Code::ConfigInvalid, "the configuration is not valid", first)
            .with(Details { faults, ..Details::default() })
    })
}

/// Rejects if `base` is not the active configuration or its file.
fn compare(state: &State, base: Option<&str>) -> Result<(), Refusal> {
    let current = state.scheduler.checksum();
    let now = Details { current: Some(current.to_owned()), ..Details::default() };
    let Some(base) = base.filter(|base| *base != "*") else {
        let text = "send the checksum of the configuration to replace";
        let refusal =
            Refusal::new(Code::ChecksumRequired, "the checksum of the replaced configuration is missing", text);
        return Err(refusal.with(now));
    };
    let changed = "the configuration has changed";
    let of_late = state.audit_log.recent_revisions();
    if !of_late.iter().any(|revision| base.eq_ignore_ascii_case(&revision.checksum)) {
        let text = "no recent configuration has this checksum; read the active one, and send its checksum";
        let refusal = Refusal::new(Code::ChecksumMismatch, "another configuration is active", text);
        return Err(refusal.with(now));
    }
    if !base.eq_ignore_ascii_case(current) {
        let written = state.active_config.written.as_deref();
        let by = written.map(|written| match &written.by {
            LoadedBy::Start => "the start".to_owned(),
            LoadedBy::File => "its file".to_owned(),
            LoadedBy::Seen => "another user".to_owned(),
            LoadedBy::Workload => "the workload".to_owned(),
            LoadedBy::User(user) | LoadedBy::RolledBack(user) => user.clone(),
        });
        let text = match &by {
            Some(by) => format!("another revision by {by} is active: review it and repeat the change"),
            None => "another revision is active: review it and repeat the change".to_owned(),
        };
        let details = Details { changed_by: by, changed_at: written.map(|written| written.at), ..now };
        return Err(Refusal::new(Code::ChecksumMismatch, changed, text).with(details));
    }
    match &state.active_config.file {
        Some((path, known)) => match std::fs::read(path) {
            Ok(bytes) if bytes != *known => {
                let text = format!("{} was changed since it was read", path.display());
                Err(Refusal::new(Code::ChecksumMismatch, changed, text).with(now))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let text = format!("{} cannot be read: {error}", path.display());
                Err(Refusal::new(Code::NotDurable, "cannot save the configuration", text))
            }
            _ => Ok(()),
        },
        None => Ok(()),
    }
}

fn may_reconfigure(state: &State, actor: &Actor, order: &Order, diff: &Diff) -> Result<(), Refusal> {
    let parts = state.scheduler.partitions();
    let admin = |partition: &str, queue: &QueuePath| {
        let part = parts.iter().find(|part| *part.name == *partition);
        part.is_some_and(|part| access::admin(&part.queues, queue.as_str(), &actor.identity).is_some())
    };
    may_configure(diff, actor.scheduler_admin, admin, parts.iter().map(|part| &*part.name))
        .map_err(|shortfall| Refusal::no_config_rights(actor, &order.act, &shortfall))
}

fn configured(state: &State, config: &Config, diff: &Diff, dry_run: bool) -> Configured {
    let mut draining = Vec::new();
    let mut what_happens = Vec::new();
    let parts = state.scheduler.partitions();
    for (partition, path) in diff.removed_queues() {
        let Some(part) = parts.iter().find(|part| *part.name == *partition) else { continue };
        let Some(queue) = part.queues.find(path).map(|key| &part.queues[key]) else { continue };
        if !queue.managed || queue.state != QueueState::Active {
            continue;
        }
        draining.push((partition.to_owned(), path.clone()));
        let apps = usize::try_from(queue.app_count).unwrap_or(usize::MAX);
        what_happens.push(match apps {
            0 => format!("{path} will drain: it is empty, and is removed at the next cleanup"),
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
        what_happens
            .push(format!("partition {partition} is removed: {} in it will fail", counted(apps, "application")));
    }
    let created = of(Key::Queue, What::Added).filter_map(|(partition, queue)| Some((partition, queue?)));
    Configured {
        checksum: config.checksum.clone(),
        previous: state.scheduler.checksum().to_owned(),
        revision: state.active_config.revision + u64::from(config.checksum != state.scheduler.checksum()),
        changes: diff.changes.iter().map(ChangeLine::from).collect(),
        touches: diff.touches().into_iter().map(|(partition, queue)| (partition.to_owned(), queue)).collect(),
        outside: diff.touches_partitions(),
        draining,
        created: created.collect(),
        removal: Removal::default(),
        what_happens,
        resource_versions: None,
        warning: None,
        dry_run,
    }
}

/// Rejects a text of another kind than the file: a manifest must remain one.
fn same_kind(state: &State, path: &Path, new: &ConfigText) -> Result<(), Refusal> {
    if state.active_config.file.as_ref().is_some_and(|(_, known)| config::input::is_packed(known)) {
        let text = format!("{} is packed; unpack it and start with the unpacked file", path.display());
        return Err(Refusal::new(Code::BadRequest, "cannot save the configuration", text));
    }
    let manifest = state.active_config.written.as_ref().is_some_and(|written| written.text != written.queues);
    if manifest == new.is_manifest() {
        return Ok(());
    }
    let text = format!(
        "{} is {}, so the new text must be one too",
        path.display(),
        if manifest { "a manifest with a queue configuration" } else { "a plain queue configuration" }
    );
    Err(Refusal::new(Code::BadRequest, "cannot save the configuration", text))
}

/// Writes a text to the configuration file, if any. A failure before the rename keeps the old file; if the text is
/// already in the journal, it is only a warning, which is returned.
fn write_file(
    state: &mut State,
    new: &ConfigText,
    staged: Option<store::Prepared<'static, Disk>>,
) -> Result<Option<String>, Refusal> {
    let journaled = staged.is_some();
    let prepared = match (staged, &state.active_config.file) {
        (_, None) => return Ok(None),
        (Some(prepared), _) => prepared,
        (None, Some((path, _))) => {
            same_kind(state, path, new)?;
            store::prepare(&Disk, path, new.text.as_bytes()).map_err(|error| not_durable(&error))?
        }
    };
    // The commit point, unless the journal was it.
    let warning = match prepared.commit() {
        Ok(()) => None,
        Err(error) if error.replaced() => Some(error.to_string()),
        Err(error) if journaled => Some(format!("{error}; retried at the next start")),
        Err(error) => return Err(not_durable(&error)),
    };
    if let Some((_, known)) = &mut state.active_config.file {
        *known = new.text.as_bytes().to_vec();
    }
    Ok(warning)
}

fn not_durable(error: &store::StoreError) -> Refusal {
    Refusal::new(Code::NotDurable, "cannot save the configuration; it is unchanged", error.to_string())
}

fn invalid(message: &str, why: &str) -> Refusal {
    let reasons = vec![Reason { code: Code::ConfigInvalid, queue: None, text: why.to_owned() }];
    Refusal::new(Code::ConfigInvalid, message, why).with(Details { reasons, ..Details::default() })
}
