//! The check of an edited configuration.

use std::sync::Arc;

use crate::present::edit_limits;
use crate::present::format;
use crate::state::editor::{CheckJob, CheckResult, Removed};
use config::diff::{Key, What};
use config::{Config, Diff, Reading, Removal};
use model::{QueuePath, Time};
use view::act::{Act, Refusal, may_configure};
use view::placement::access;
use view::units::show_amount;
use view::{PartitionView, QueueRow, QuotaEffects, QuotaForecast, View};

const NAMED: usize = 4;

const ENFORCED: &str = "no new allocations until usage is below the maximum; allocations above it are preempted";

/// Checks a text with two parses: not in the draw loop.
pub fn check(job: &CheckJob) -> CheckResult {
    let read = |text: &str| config::read_file(text.as_bytes(), job.view.policy_group(), job.profile);
    let Reading { config, faults } = read(&job.text);
    let differs = *job.text != *job.base;
    let mut checked = CheckResult { version: job.version, differs, faults, ..CheckResult::default() };
    let Some(config) = config else { return checked };
    let old = read(&job.base).config.unwrap_or_default();
    checked.removal = Removal::between(&old, &config, config::is_empty_text(&checked.faults));
    let mut diff = config::diff(&old, &config);
    checked.summary = diff.summary();
    let config = Arc::new(config);
    let quotas = quotas(&config, job);
    for change in &mut diff.changes {
        let is_removed = |queue: &QueuePath| is_removed(&quotas, &change.partition, queue);
        if matches!(change.key, Key::Max(_)) && change.queue.as_ref().is_some_and(is_removed) {
            change.effect = ENFORCED;
        }
    }
    checked.changes = diff.lines();
    checked.preempted = preempted(&quotas, job.at);
    checked.asks_scheduler = quotas.iter().flat_map(|(_, effects)| &effects.starts).any(|one| one.victims.is_none());
    checked.consequences = consequences(&diff, job, &quotas, &config);
    checked.removed = removed(&diff, &job.view);
    checked.refused = refused(&diff, job);
    checked.config = Some(config);
    checked
}

fn refused(diff: &Diff, job: &CheckJob) -> Option<String> {
    let actor = match &job.actor {
        Ok(actor) => actor,
        Err(why) => return Some(why.to_string()),
    };
    let act = Act::Configure { text: String::new(), base: None, dry_run: true };
    if let Some(refusal) = Refusal::read_only(actor, &act) {
        return Some(refusal.reason());
    }
    let parts = &job.view.partitions;
    let admin = |partition: &str, queue: &QueuePath| {
        let part = parts.iter().find(|part| *part.name == *partition);
        part.is_some_and(|part| access::admin(part, queue.as_str(), &actor.identity).is_some())
    };
    let names = parts.iter().map(|part| &*part.name);
    let shortfall = may_configure(diff, actor.scheduler_admin, admin, names).err()?;
    Some(Refusal::no_config_rights(actor, &act, &shortfall).reason())
}

fn removed(diff: &Diff, view: &View) -> Vec<Removed> {
    let mut gone: Vec<(&str, &QueuePath)> = Vec::new();
    for (partition, path) in diff.removed_queues() {
        // A queue precedes its descendants.
        if !gone.last().is_some_and(|(known, above)| *known == partition && path.is_within(above)) {
            gone.push((partition, path));
        }
    }
    let of = |(partition, path): (&str, &QueuePath)| {
        let part = view.partitions.iter().find(|part| *part.name == *partition);
        let row = part.and_then(|part| part.queue_at(path));
        Removed {
            queue: path.clone(),
            subtree: row.is_some_and(|row| !row.children.is_empty()),
            apps: row.map_or(0, |row| usize::try_from(row.app_count).unwrap_or(usize::MAX)),
        }
    };
    gone.into_iter().map(of).collect()
}

fn quotas(config: &Arc<Config>, job: &CheckJob) -> Vec<(Arc<str>, QuotaEffects)> {
    let enforces = job.view.partitions.iter().any(|part| part.quota_preemption);
    if !enforces && !config.partitions.iter().any(|part| part.quota_preemption) {
        return Vec::new();
    }
    // A rejected text has no effect.
    let Ok(loaded) = View::of_config(Arc::clone(config), job.profile) else { return Vec::new() };
    let each = job.view.partitions.iter().filter_map(|part| {
        let then = loaded.partitions.iter().find(|then| then.name == part.name)?;
        let mut effects = part.quota_effects(job.at, then);
        effects.starts.iter_mut().for_each(|one| completed(one, &part.name, job));
        Some((Arc::clone(&part.name), effects))
    });
    each.collect()
}

/// Adds victims that only the scheduler knows. The delay starts when the text becomes active, so the older times of the
/// answer are ignored.
fn completed(one: &mut QuotaForecast, partition: &str, job: &CheckJob) {
    let reported =
        job.preview.iter().filter(|preview| *preview.text == *job.text).flat_map(|preview| &preview.forecasts);
    let mut same = reported.filter(|(of, forecast)| **of == *partition && forecast.queue == one.queue);
    if let (None, Some((_, forecast))) = (&one.victims, same.next()) {
        *one = QuotaForecast { since: one.since, at: one.at, ..forecast.clone() };
    }
}

fn is_removed(quotas: &[(Arc<str>, QuotaEffects)], partition: &str, queue: &QueuePath) -> bool {
    let mut of = quotas.iter().filter(|(name, _)| **name == *partition).flat_map(|(_, effects)| &effects.starts);
    of.any(|one| one.queue == *queue)
}

fn preempted(quotas: &[(Arc<str>, QuotaEffects)], now: Time) -> Vec<String> {
    let starts = quotas.iter().flat_map(|(_, effects)| &effects.starts);
    starts.map(|one| format!("{}: {}", one.queue, one.sentence(now, format::resource))).collect()
}

fn consequences(
    diff: &Diff,
    job: &CheckJob,
    quotas: &[(Arc<str>, QuotaEffects)],
    config: &Arc<Config>,
) -> Vec<(String, Vec<String>)> {
    let view = &job.view;
    let mut message: Vec<(String, Vec<String>)> = Vec::new();
    let mut limits = edit_limits::Changed::new(diff, config, job.profile);
    for change in &diff.changes {
        let Some(part) = view.partitions.iter().find(|part| *part.name == *change.partition) else { continue };
        let Some(row) = change.queue.as_ref().and_then(|path| part.queue_at(path)) else { continue };
        let sentences = match (&change.key, change.what) {
            (Key::Queue, What::Removed) => drains(part, row),
            (Key::Max(name), _) => {
                maximum(part, row, (name, change.to.as_deref()), is_removed(quotas, &change.partition, &row.path))
            }
            (Key::MaxApplications, _) => applications(row, change.to.as_deref()),
            (Key::Guaranteed(name), _) => guarantee(row, name, change.to.as_deref()),
            (key, _) if edit_limits::is_of_limit(key) => limits.of(part, row),
            _ => Vec::new(),
        };
        if sentences.is_empty() {
            continue;
        }
        match message.last_mut().filter(|(path, _)| *path == row.path.as_str()) {
            Some((_, known)) => known.extend(sentences),
            None => message.push((row.path.to_string(), sentences)),
        }
    }
    for (_, effects) in quotas {
        let starts = effects.starts.iter().map(|one| (one, one.sentence(job.at, format::resource)));
        let not_any_more = |one: &QuotaForecast| {
            format!("allocations to be preempted in {} continue to run", view::drain::span(one.at.since(job.at)))
        };
        let called_off = effects.called_off.iter().map(|one| (one, not_any_more(one)));
        for (of, sentence) in starts.chain(called_off) {
            match message.iter_mut().find(|(path, _)| *path == of.queue.as_str()) {
                Some((_, known)) => known.push(sentence),
                None => message.push((of.queue.to_string(), vec![sentence])),
            }
        }
    }
    message
}

/// A removed queue drains while it contains applications.
fn drains(part: &PartitionView, row: &QueueRow) -> Vec<String> {
    let holding = part.apps_in(&row.path);
    if holding.is_empty() {
        return vec!["it is empty and is removed immediately".to_owned()];
    }
    let mut sentences = vec![format!("drains, blocked by {}:", format::count(holding.len() as u64, "application"))];
    for app in holding.iter().take(NAMED) {
        let allocated = format::resource(&app.allocated);
        let allocated = if allocated.is_empty() { "nothing allocated".to_owned() } else { allocated };
        sentences.push(format!("{} ({}) {allocated}", app.id, app.who.user));
    }
    if holding.len() > NAMED {
        sentences.push(format!("and {} more", holding.len() - NAMED));
    }
    sentences
}

fn maximum(part: &PartitionView, row: &QueueRow, (name, to): (&str, Option<&str>), is_removed: bool) -> Vec<String> {
    let used = row.allocated.amount(name);
    let called = format::resource_name(name);
    let Some(max) = to.and_then(|text| model::parse_quantity(name, text).ok()) else {
        return vec![format!("{called}: its maximum is removed, {} in use", show_amount(name, used))];
    };
    if used > max {
        let (used, max) = (show_amount(name, used), show_amount(name, max));
        return vec![match is_removed {
            true => format!("{called}: {used} in use is above {max}; no new allocations until below"),
            false => format!("{called}: {used} in use continues; no new allocations until below {max}"),
        }];
    }
    let amount =
        |amount: Option<i64>| amount.map_or_else(|| "unlimited".to_owned(), |amount| show_amount(name, amount));
    let now = part.headroom(row).and_then(|headroom| headroom.get(name));
    let above = row.parent.and_then(|slot| part.queue(slot)).and_then(|above| part.headroom(above)?.get(name));
    let then = above.map_or(max - used, |above| above.min(max - used));
    let mut sentences = vec![format!(
        "{called}: {} in use, headroom {} now, {} then",
        show_amount(name, used),
        amount(now),
        show_amount(name, then)
    )];
    let capacity = part.capacity.amount(name);
    if capacity > 0 && max > capacity {
        let (max, all) = (show_amount(name, max), show_amount(name, capacity));
        sentences.push(format!("{called}: {max} is above the {all} of all nodes: this maximum has no effect"));
    }
    sentences
}

fn applications(row: &QueueRow, to: Option<&str>) -> Vec<String> {
    match to.and_then(|text| text.parse::<u64>().ok()) {
        Some(max) if row.running > max && max > 0 => {
            vec![format!(
                "{} continue; none starts until fewer than {max} run",
                format::count(row.running, "application")
            )]
        }
        _ => Vec::new(),
    }
}

fn guarantee(row: &QueueRow, name: &str, to: Option<&str>) -> Vec<String> {
    let used = row.allocated.amount(name);
    let guaranteed = to.and_then(|text| model::parse_quantity(name, text).ok()).unwrap_or(0);
    let called = format::resource_name(name);
    if used > guaranteed {
        vec![format!(
            "{called}: {} of {} in use is above its guarantee",
            show_amount(name, used - guaranteed),
            show_amount(name, used)
        )]
    } else {
        Vec::new()
    }
}
