//! Immediate effects of a new queue configuration on applications, before any scheduling.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::Config;
use model::quantity::show_amount;
use model::{AppId, QueueState, Resource, Time};
use scheduler::state::app::Application;
use scheduler::state::queue::Queue;
use scheduler::usage::limits::{max_applications, max_resources};
use scheduler::{Command, EventKind, Partition, Scheduler, Submission};

/// Effects on applications, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffectKind {
    /// The queue drains.
    Drains,
    /// Less guaranteed resources in the queue or a parent.
    LosesGuarantee,
    /// The usage exceeds a reduced limit.
    ExceedsLimit,
    /// Another queue, or a rejection, after a new submission.
    MovesElsewhere,
}

impl EffectKind {
    /// Returns the name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drains => "drains",
            Self::LosesGuarantee => "losesGuarantee",
            Self::ExceedsLimit => "exceedsLimit",
            Self::MovesElsewhere => "goesElsewhere",
        }
    }
}

/// An effect on applications of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigEffect {
    /// What becomes of them.
    pub kind: EffectKind,
    /// The changed queue.
    pub queue: String,
    /// A sentence with the values.
    pub what: String,
    /// Applications by ID.
    pub apps: Vec<AppId>,
}

/// Loads `old` first, so that only the difference counts. Fails if a configuration is rejected.
pub fn config_effects(
    scheduler: &Scheduler,
    partition: &str,
    now: Time,
    (old, new): (Option<&Arc<Config>>, &Arc<Config>),
) -> Result<Vec<ConfigEffect>, String> {
    let mut before = scheduler.fork(partition).ok_or_else(|| format!("partition {partition} not found"))?;
    if let Some(old) = old {
        load(&mut before, now, old)?;
    }
    let mut after = before.fork(partition).ok_or_else(|| format!("partition {partition} not found"))?;
    load(&mut after, now, new)?;
    let part = |of: &Scheduler| of.partitions().iter().position(|part| *part.name == *partition);
    let (Some(was), Some(is)) = (part(&before), part(&after)) else {
        return Err(format!("the new configuration removes partition {partition}"));
    };
    let (was, is) = (&before.partitions()[was], &after.partitions()[is]);
    let mut found = Vec::new();
    for old in was.queues.iter() {
        let apps = apps_in(was, old);
        if apps.is_empty() {
            continue;
        }
        let new = is.queues.find(&old.path).and_then(|key| is.queues.get(key));
        of_queue(old, new, &apps, &mut found);
        of_users(old, new, &apps, &mut found);
    }
    placements(was, is, &mut found);
    found.sort_by(|one, other| (one.kind, &one.queue, &one.what).cmp(&(other.kind, &other.queue, &other.what)));
    Ok(found)
}

fn load(scheduler: &mut Scheduler, now: Time, config: &Arc<Config>) -> Result<(), String> {
    let events = scheduler.apply(now, &Command::Configure(Arc::clone(config)));
    let refused = events.into_iter().find_map(|event| match event.kind {
        EventKind::ConfigRejected { message } => Some(message),
        _ => None,
    });
    refused.map_or(Ok(()), Err)
}

fn apps_in<'p>(part: &'p Partition, queue: &Queue) -> Vec<&'p Application> {
    let mut apps: Vec<&Application> = part
        .apps
        .iter()
        .map(|(_, app)| app)
        .filter(|app| {
            let rest = app.queue_path.as_str().strip_prefix(queue.path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .collect();
    apps.sort_by(|one, other| one.id.cmp(&other.id));
    apps
}

fn ids(apps: &[&Application]) -> Vec<AppId> {
    apps.iter().map(|app| app.id.clone()).collect()
}

fn of_queue(old: &Queue, new: Option<&Queue>, apps: &[&Application], found: &mut Vec<ConfigEffect>) {
    let queue = old.path.as_str().to_owned();
    let effect = |kind, what: String| ConfigEffect { kind, queue: queue.clone(), what, apps: ids(apps) };
    let is_draining = |queue: &Queue| queue.state == QueueState::Draining;
    let Some(new) = new.filter(|new| !is_draining(new) || is_draining(old)) else {
        if old.leaf {
            let what = format!("queue {queue} drains: it is removed when its applications have finished");
            found.push(effect(EffectKind::Drains, what));
        }
        return;
    };
    for (name, was, is) in lowered(old.guaranteed.as_ref(), new.guaranteed.as_ref(), 0) {
        let what = format!("guaranteed {name} of {queue}: {} to {}", show_amount(name, was), show_amount(name, is));
        found.push(effect(EffectKind::LosesGuarantee, what));
    }
    let is_root = old.parent.is_none();
    for (name, was, is) in lowered(old.max.as_ref(), new.max.as_ref(), i64::MAX).into_iter().filter(|_| !is_root) {
        let used = old.allocated.amount(name);
        if used > is {
            let was = if was == i64::MAX { "none".to_owned() } else { show_amount(name, was) };
            let (is, used) = (show_amount(name, is), show_amount(name, used));
            let what = format!("max {name} of {queue}: {was} to {is}, and {used} are in use");
            found.push(effect(EffectKind::ExceedsLimit, what));
        }
    }
    let most = |queue: &Queue| queue.settings.max_applications.filter(|most| *most > 0).unwrap_or(u64::MAX);
    if most(new) < most(old) && old.running > most(new) {
        let what = format!("maxapplications of {queue} is {} now, and {} run", most(new), old.running);
        found.push(effect(EffectKind::ExceedsLimit, what));
    }
}

/// `unset` replaces a missing quantity.
fn lowered<'r>(was: Option<&'r Resource>, is: Option<&'r Resource>, unset: i64) -> Vec<(&'r str, i64, i64)> {
    let amount = |of: Option<&Resource>, name: &str| of.and_then(|of| of.get(name)).unwrap_or(unset);
    let names: std::collections::BTreeSet<&str> =
        was.into_iter().chain(is).flat_map(|of| of.iter().map(|(name, _)| name)).collect();
    let all = names.into_iter().map(|name| (name, amount(was, name), amount(is, name)));
    all.filter(|(_, was, is)| is < was).collect()
}

fn of_users(old: &Queue, new: Option<&Queue>, apps: &[&Application], found: &mut Vec<ConfigEffect>) {
    let Some(new) = new else { return };
    let mut users: BTreeMap<&str, Vec<&Application>> = BTreeMap::new();
    for app in apps {
        users.entry(&app.who.user).or_default().push(app);
    }
    for (user, apps) in users {
        let (was, is) = (old.settings.limits.for_user(user), new.settings.limits.for_user(user));
        let Some(is) = is else { continue };
        let mut used = Resource::new();
        for app in &apps {
            used.add_assign(&app.allocated);
            used.add_assign(&app.allocated_placeholder);
        }
        let queue = old.path.as_str();
        let mut exceeds = |what: String| {
            let (kind, queue) = (EffectKind::ExceedsLimit, queue.to_owned());
            found.push(ConfigEffect { kind, queue, what, apps: ids(&apps) });
        };
        for (name, _, limit) in lowered(was.and_then(|was| max_resources(was)), max_resources(is), i64::MAX) {
            if used.amount(name) > limit {
                let (limit, used) = (show_amount(name, limit), show_amount(name, used.amount(name)));
                exceeds(format!("the limit of user {user} in {queue} is {name} {limit} now, and {used} are in use"));
            }
        }
        let most = |limit| max_applications(limit).unwrap_or(u64::MAX);
        let running = apps.iter().filter(|app| app.started.is_some() && app.finished.is_none()).count() as u64;
        if most(is) < was.map_or(u64::MAX, |was| most(was)) && running > most(is) {
            exceeds(format!("the limit of user {user} in {queue} is {} applications now, and {running} run", most(is)));
        }
    }
}

fn placements(was: &Partition, is: &Partition, found: &mut Vec<ConfigEffect>) {
    let mut groups: BTreeMap<(String, String), Vec<AppId>> = BTreeMap::new();
    for (_, app) in was.apps.iter() {
        let again = Submission {
            // The application with the original ID still exists.
            app: AppId::from(format!("{}\u{0}again", app.id)),
            queue: app.requested_queue.to_string(),
            who: app.who.clone(),
            tags: (*app.tags).clone(),
            ..Submission::default()
        };
        let place = |part: &Partition| {
            let admission = part.would_place(&again);
            admission.placement.placed().map(|placed| placed.path.as_str().to_owned())
        };
        let (before, after) = (place(was), place(is));
        if before != after {
            let words = |place: Option<String>| place.unwrap_or_else(|| "rejected".to_owned());
            groups.entry((words(before), words(after))).or_default().push(app.id.clone());
        }
    }
    for ((before, after), mut apps) in groups {
        apps.sort();
        let what = match after.as_str() {
            "rejected" => format!("submitted again, they are rejected instead of placed in {before}"),
            _ => format!("submitted again, they are placed in {after} instead of {before}"),
        };
        found.push(ConfigEffect { kind: EffectKind::MovesElsewhere, queue: before, what, apps });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Profile;
    use scenario::{Runner, Silent};

    const NOW: &str = "\
partitions:
- name: default
  placementrules: [{name: provided}, {name: tag, value: namespace, create: true}]
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: a
      resources: {guaranteed: {vcore: 4}, max: {vcore: 8}}
      limits: [{users: [ann], maxresources: {vcore: 6}, maxapplications: 3}]
    - {name: b}
    - {name: c, maxapplications: 3}
";

    fn state() -> Runner {
        let steps = "steps:
- node: {id: n, capacity: {vcore: 20}}
- submit: {app: one, queue: root.a, user: ann}
- ask: {app: one, id: x, resource: {vcore: 5}}
- submit: {app: two, queue: root.b, user: bob, tags: {namespace: x}}
- ask: {app: two, id: y, resource: {vcore: 1}}
- submit: {app: three, queue: root.c, user: bob}
- ask: {app: three, id: z, resource: {vcore: 1}}
- submit: {app: four, queue: root.c, user: bob}
- ask: {app: four, id: w, resource: {vcore: 1}}
- schedule: idle
";
        let text: String = NOW.lines().map(|line| format!("  {line}\n")).collect();
        let scenario = scenario::read(&format!("config: |\n{text}{steps}")).scenario.unwrap();
        let mut runner = Runner::new(Profile::V1_9_0);
        runner.run(&scenario, config::read(NOW, Profile::V1_9_0), &mut Silent).unwrap();
        runner
    }

    fn effects(new: &str) -> Vec<String> {
        let runner = state();
        let config = |text: &str| Arc::new(config::read(text, Profile::V1_9_0).config.unwrap());
        let found = config_effects(runner.scheduler(), "default", runner.now(), (Some(&config(NOW)), &config(new)));
        let line = |effect: ConfigEffect| {
            let apps: Vec<String> = effect.apps.iter().map(ToString::to_string).collect();
            format!("{} {}: {}: {}", effect.kind.name(), effect.queue, effect.what, apps.join(","))
        };
        found.unwrap().into_iter().map(line).collect()
    }

    #[test]
    fn without_a_difference_nothing_is_affected() {
        assert_eq!(effects(NOW), Vec::<String>::new());
        assert_eq!(effects(&NOW.replace("max: {vcore: 8}", "max: {vcore: 6}")), Vec::<String>::new(), "5 of 6 in use");
    }

    #[test]
    fn guarantees_and_limits_that_are_lower_are_named() {
        assert_eq!(
            effects(
                &NOW.replace("guaranteed: {vcore: 4}, max: {vcore: 8}", "guaranteed: {vcore: 1}, max: {vcore: 4}")
                    .replace("users: [ann], maxresources: {vcore: 6}", "users: [zoe], maxresources: {vcore: 3}")
            ),
            [
                "losesGuarantee root.a: guaranteed vcore of root.a: 4 to 1: one",
                "exceedsLimit root.a: max vcore of root.a: 8 to 4, and 5 are in use: one",
            ]
        );
        assert_eq!(
            effects(&NOW.replace("maxresources: {vcore: 6}", "maxresources: {vcore: 2}")),
            ["exceedsLimit root.a: the limit of user ann in root.a is vcore 2 now, and 5 are in use: one"]
        );
        assert_eq!(
            effects(&NOW.replace("name: c, maxapplications: 3", "name: c, maxapplications: 1")),
            ["exceedsLimit root.c: maxapplications of root.c is 1 now, and 2 run: four,three"]
        );
    }

    #[test]
    fn a_removed_queue_drains_and_its_applications_move_to_other_queues() {
        assert_eq!(
            effects(&NOW.replace("    - {name: b}\n", "")),
            [
                "drains root.b: queue root.b drains: it is removed when its applications have finished: two",
                "goesElsewhere root.b: submitted again, they are placed in root.x instead of root.b: two",
            ]
        );
        let found = effects(&NOW.replace("submitacl: '*'", "submitacl: ann"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|line| line.contains("they are rejected instead of placed in")), "{found:?}");
    }
}
