//! Results of operations in the native API.

use super::Wall;
use super::config::fault;
use crate::dto::ResourceMap;
use crate::dto::native as dto;
use crate::dto::{self as wire};
use config::Removal;
use model::{AppId, AskId, Identity, QueuePath, Time};
use view::act::{
    AclKind, ChangeLine, Cleaned, Configuration, Configured, Details, Killed, LoadedBy, Moved, NodeDone, Reason,
    Refusal,
};
use view::placement::access;
use view::{PartitionView, QuotaForecast, QuotaVictim, View};

/// Converts a rejection (E2).
pub fn refusal(refusal: &Refusal, wall: &Wall, request_id: &str) -> dto::NativeError {
    let Details {
        queue,
        access,
        checked,
        scheduler_acl,
        kind,
        reasons,
        faults,
        current,
        changed_by,
        changed_at,
        removal: taken,
        wait: _,
        put_back: _,
    } = &*refusal.details;
    dto::NativeError {
        status_code: refusal.code.status(),
        message: refusal.message.clone(),
        description: refusal.reason(),
        code: refusal.code.name().to_owned(),
        request_id: request_id.to_owned(),
        details: dto::ErrorDetails {
            queue: queue.as_ref().map(ToString::to_string),
            access: access.map(|access| if access == AclKind::Admin { "admin" } else { "submit" }.to_owned()),
            checked: texts(checked),
            scheduler_acl: *scheduler_acl,
            kind: kind.clone(),
            reasons: reasons.iter().map(reason).collect(),
            faults: faults.iter().cloned().map(fault).collect(),
            current: current.clone(),
            changed_by: changed_by.clone(),
            changed_at: changed_at.map(|at| wall.nanos(at)),
            path: None,
            removal: taken.as_ref().map(removal),
        },
    }
}

fn removal(removal: &Removal) -> dto::Removal {
    let Removal { queues, of, partitions, empty } = removal.clone();
    dto::Removal { queues, of, partitions, empty, large: removal.is_large() }
}

fn reason(reason: &Reason) -> dto::Reason {
    let queue = reason.queue.as_ref().map(ToString::to_string);
    dto::Reason { code: reason.code.name().to_owned(), queue, text: reason.text.clone() }
}

fn texts<T: ToString>(list: &[T]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// Converts a killed or removed application.
pub fn killed(killed: &Killed) -> dto::KilledApplication {
    dto::KilledApplication {
        application_id: killed.app.to_string(),
        queue: killed.queue.to_string(),
        state: killed.state.to_string(),
        released_allocations: texts(&killed.released),
        canceled_requests: texts(&killed.canceled),
        left: killed.left as u64,
    }
}

/// Converts a move, done or as a dry run.
pub fn moved(moved: &Moved) -> dto::MovedApplication {
    dto::MovedApplication {
        application_id: moved.app.to_string(),
        from: moved.from.to_string(),
        to: moved.to.to_string(),
        state: moved.state.to_string(),
        effects: moved.effects.clone(),
    }
}

/// Converts the active configuration.
pub fn configuration(configuration: &Configuration, wall: &Wall) -> dto::ConfigState {
    let (source, by) = match &configuration.by {
        LoadedBy::Start => ("start", ""),
        LoadedBy::File => ("file", ""),
        LoadedBy::Workload => ("workload", ""),
        LoadedBy::User(user) => ("api", user.as_str()),
        LoadedBy::RolledBack(user) => ("rollback", user.as_str()),
        LoadedBy::Seen => ("seen", ""),
    };
    dto::ConfigState {
        checksum: configuration.checksum.clone(),
        text: configuration.text.to_string(),
        source: source.to_owned(),
        revision: configuration.revision,
        loaded_at: wall.nanos(configuration.at),
        loaded_by: by.to_owned(),
        file: configuration.file.as_ref().map(|file| file.display().to_string()),
        policy_group: configuration.policy_group.clone(),
    }
}

/// Converts a configuration change, with the caller's missing rights.
pub fn config_diff(done: &Configured, missing: Vec<String>, preempted: Vec<dto::PreviewedQuota>) -> dto::ConfigDiff {
    dto::ConfigDiff {
        changes: done.changes.iter().map(change).collect(),
        touches: done.touches.iter().map(|(partition, queue)| named(partition, queue)).collect(),
        permission: dto::ConfigPermission { allowed: missing.is_empty(), missing },
        what_happens: done.what_happens.clone(),
        removal: removal(&done.removal),
        preempted,
    }
}

/// Converts an applied configuration, done or as a dry run.
pub fn configured(done: &Configured) -> dto::AppliedConfig {
    let named = |queues: &[(String, QueuePath)]| queues.iter().map(|(part, queue)| named(part, queue)).collect();
    dto::AppliedConfig {
        checksum: done.checksum.clone(),
        previous: done.previous.clone(),
        revision: done.revision,
        changes: done.changes.iter().map(change).collect(),
        draining: named(&done.draining),
        created: named(&done.created),
        what_happens: done.what_happens.clone(),
        removal: removal(&done.removal),
        warning: done.warning.clone(),
    }
}

/// A queue, with its partition unless that is `default`.
pub fn named(partition: &str, queue: &QueuePath) -> String {
    if partition == "default" { queue.to_string() } else { format!("{partition}/{queue}") }
}

/// Converts one changed setting.
pub fn change(change: &ChangeLine) -> dto::ConfigChange {
    dto::ConfigChange {
        partition: change.partition.clone(),
        path: change.queue.as_ref().map_or_else(|| format!("partitions[{}]", change.partition), ToString::to_string),
        what: change.what.name().to_owned(),
        key: change.key.clone(),
        from: change.from.clone(),
        to: change.to.clone(),
        effect: change.effect.clone(),
    }
}

/// Converts a cleanup, done or as a dry run.
pub fn cleaned(done: &Cleaned) -> dto::CleanupResult {
    let retained = done
        .retained
        .iter()
        .map(|retained| dto::RetainedQueue { queue: retained.queue.to_string(), why: retained.why.clone() });
    dto::CleanupResult {
        removed_queues: texts(&done.removed_queues),
        retained: retained.collect(),
        removed_applications: done.removed_applications,
    }
}

/// Converts a node change.
pub fn node_changed(done: &NodeDone) -> dto::NodeChange {
    let released = |(app, ask): &(AppId, AskId)| dto::ReleasedAllocation {
        application_id: app.to_string(),
        allocation_key: ask.to_string(),
        allocated: true,
    };
    dto::NodeChange { node_id: done.node.to_string(), released: done.released.iter().map(released).collect() }
}

/// A user's permissions in all queues of a partition (E3).
pub fn permissions(part: &PartitionView, who: &Identity, scheduler_admin: bool) -> dto::Permissions {
    let one = |path: &QueuePath| {
        let via = |grant: Option<access::Grant>| grant.map(|grant| grant.queue.to_string());
        let (submit, admin) =
            (via(access::submit(part, path.as_str(), who)), via(access::admin(part, path.as_str(), who)));
        dto::QueuePermission {
            queue: path.to_string(),
            submit: submit.is_some(),
            admin: admin.is_some(),
            submit_via: submit,
            admin_via: admin,
        }
    };
    dto::Permissions { queues: part.walk().map(|row| one(&row.path)).collect(), scheduler_admin }
}

/// The draining queues of a partition with their blockers (E9, SCH-210).
pub fn draining(view: &View, part: &PartitionView, wall: &Wall) -> dto::DrainingQueues {
    let one = |row: &std::sync::Arc<view::QueueRow>| {
        let below = |app: &&std::sync::Arc<view::AppRow>| app.queue.is_within(&row.path);
        let admins = model::Acl::joined(part.path_up(row).map(|queue| &queue.settings.admin_acl));
        let all_users = admins.all_users.then(|| "*".to_owned());
        let lasts = view.at.since(row.state_since);
        dto::DrainingQueue {
            queue: row.path.to_string(),
            since: wall.nanos(row.state_since),
            seconds: lasts.as_secs(),
            long: !view.stuck_after.is_zero() && lasts >= view.stuck_after,
            applications: part.apps.iter().flatten().filter(below).map(|app| app.id.to_string()).collect(),
            allocated: (&row.allocated).into(),
            admins: dto::Admins { users: all_users.into_iter().chain(admins.users).collect(), groups: admins.groups },
        }
    };
    let draining = part.walk().filter(|row| row.state == model::QueueState::Draining);
    dto::DrainingQueues { queues: draining.map(one).collect() }
}

/// The queues above their own maximum, with the planned preemption (N-01).
pub fn quotas(part: &PartitionView, now: Time, wall: &Wall) -> dto::ExceededQuotas {
    let forecasts = part.quota_forecasts(now);
    let above = part.walk().filter(|row| row.parent.is_some() && row.is_above_max());
    let one = |row: &std::sync::Arc<view::QueueRow>| {
        let forecast = forecasts.iter().find(|one| one.queue == row.path);
        let forecast = forecast.map(|forecast| quota_forecast(forecast, wall)).unwrap_or_default();
        let above = (&PartitionView::above_max(row)).into();
        dto::ExceededQuota { queue: row.path.to_string(), above, ..forecast }
    };
    dto::ExceededQuotas { queues: above.map(one).collect() }
}

/// The time and victims of a quota preemption, without the excess.
pub fn quota_forecast(forecast: &QuotaForecast, wall: &Wall) -> dto::ExceededQuota {
    let victim = |victim: &QuotaVictim| dto::QuotaVictim {
        application_id: victim.app.to_string(),
        user: victim.user.clone(),
        allocation_key: victim.ask.to_string(),
        resource: (&victim.resource).into(),
    };
    dto::ExceededQuota {
        queue: forecast.queue.to_string(),
        above: ResourceMap::default(),
        since: forecast.since.map(|since| wall.nanos(since)),
        preempts_at: Some(wall.nanos(forecast.at)),
        excess: (&forecast.excess).into(),
        victims: forecast.victims.iter().flatten().map(victim).collect(),
    }
}

/// Converts one event (E10).
pub fn event(record: &view::record::Record, wall: &Wall) -> wire::EventRecord {
    let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    wire::EventRecord {
        kind: number(record.kind.0),
        object_id: record.object.to_string(),
        message: record.message.to_string(),
        timestamp_nano: wall.nanos(record.at),
        event_change_type: number(record.change.0),
        event_change_detail: number(record.detail.0),
        reference_id: record.reference.to_string(),
        resource: wire::EventResource((&record.resource).into()),
        grounds: record.grounds.as_ref().map(|grounds| Box::new(super::grounds::grounds(grounds))),
        other: Default::default(),
    }
}
