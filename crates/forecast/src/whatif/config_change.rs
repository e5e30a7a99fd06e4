//! Sets a key of a queue in the text of a configuration.

use super::change::{Amount, Key};
use config::edit::{self, Bound, NewLimit, Target};
use config::{DEFAULT_POLICY_GROUP, Fault};
use model::quantity::write_quantity;
use model::{QueuePath, parse_quantity};
use scheduler::Partition;
use scheduler::state::queue::Queue;
use scheduler::usage::Side;

pub(super) fn edited(
    text: &str,
    partition: &Partition,
    (queue, key, value): (&QueuePath, &Key, &Amount),
) -> Result<String, String> {
    let target = Target { policy_group: DEFAULT_POLICY_GROUP, partition: &partition.name, queue };
    let there = partition.queues.find(queue).and_then(|found| partition.queues.get(found));
    let there = there.ok_or_else(|| format!("queue {queue} not found"))?;
    let edited = match key {
        Key::Max(resource) | Key::Guaranteed(resource) => {
            let bound = if matches!(key, Key::Max(_)) { Bound::Max } else { Bound::Guaranteed };
            let amount = quantity(resource, value, || amount_now(there, bound, resource))?;
            edit::set_amount(text, &target, bound, resource, amount.as_deref())
        }
        Key::MaxApplications => {
            let count = count(value, || there.settings.max_applications)?;
            edit::set_max_applications(text, &target, count)
        }
        Key::Property(name) => {
            let value = match value {
                Amount::Is(text) => Some(text.as_str()),
                _ => None,
            };
            edit::set_property(text, &target, name, value)
        }
        Key::Limit(side, name, resource) => return limit(text, &target, (*side, name), Some(resource), value),
        Key::LimitApplications(side, name) => return limit(text, &target, (*side, name), None, value),
    };
    edited.map_err(|fault| spoken(&fault))
}

fn spoken(fault: &Fault) -> String {
    if fault.hint.is_empty() { fault.message.clone() } else { format!("{}: {}", fault.message, fault.hint) }
}

fn amount_now(queue: &Queue, bound: Bound, resource: &str) -> Option<i64> {
    let all = if bound == Bound::Max { &queue.max } else { &queue.guaranteed };
    all.as_ref().and_then(|all| all.get(resource))
}

/// `None` removes the quantity.
pub(super) fn quantity(
    resource: &str,
    value: &Amount,
    now: impl Fn() -> Option<i64>,
) -> Result<Option<String>, String> {
    let read = |text: &str| parse_quantity(resource, text).map_err(|fault| format!("{text:?} is {fault}"));
    let now = || now().ok_or_else(|| format!("{resource} has no quantity to increase or decrease"));
    let amount = match value {
        Amount::Nothing => return Ok(None),
        Amount::Is(text) => return Ok(Some(text.clone())),
        Amount::More(text) => now()?.saturating_add(read(text)?),
        Amount::Less(text) => now()?.saturating_sub(read(text)?).max(0),
        // A float saturates.
        Amount::Times(factor) => (now()? as f64 * factor).round() as i64,
    };
    Ok(Some(write_quantity(resource, amount)))
}

fn count(value: &Amount, now: impl Fn() -> Option<u64>) -> Result<Option<u64>, String> {
    let read = |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is not a count"));
    let now = || now().ok_or("the limit has no value to increase or decrease");
    Ok(Some(match value {
        Amount::Nothing => return Ok(None),
        Amount::Is(text) => read(text)?,
        Amount::More(text) => now()?.saturating_add(read(text)?),
        Amount::Less(text) => now()?.saturating_sub(read(text)?),
        Amount::Times(factor) => (now()? as f64 * factor).round() as u64,
    }))
}

/// In the limit of exactly this user or group, or in a new first limit.
fn limit(
    text: &str,
    target: &Target<'_>,
    (side, name): (Side, &str),
    resource: Option<&str>,
    value: &Amount,
) -> Result<String, String> {
    let limits = edit::limits(text, target).map_err(|fault| spoken(&fault))?;
    let names = |limit: &NewLimit| if side == Side::User { limit.users.clone() } else { limit.groups.clone() };
    let at = limits.iter().position(|limit| names(limit).iter().any(|known| known == name));
    let mut limit = at.map_or_else(NewLimit::default, |at| limits[at].clone());
    match resource {
        None => limit.max_applications = count(value, || limit.max_applications)?,
        Some(resource) => {
            let written = limit.max_resources.iter().find(|(known, _)| known == resource);
            let now = written.and_then(|(_, amount)| parse_quantity(resource, amount).ok());
            let amount = quantity(resource, value, || now)?;
            limit.max_resources.retain(|(known, _)| known != resource);
            limit.max_resources.extend(amount.map(|amount| (resource.to_owned(), amount)));
        }
    }
    let edited = match at {
        Some(at) if limits[at].users.len() + limits[at].groups.len() == 1 => {
            edit::change_limit(text, target, at, &limit)
        }
        Some(_) => {
            return Err(format!(
                "the limit for {name} also applies to other names; change it in the text of the configuration"
            ));
        }
        None => {
            let list = if side == Side::User { &mut limit.users } else { &mut limit.groups };
            list.push(name.to_owned());
            edit::add_limit(text, target, Some(0), &limit)
        }
    };
    edited.map_err(|fault| spoken(&fault))
}
