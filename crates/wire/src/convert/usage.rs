//! Usage of users and groups (`rest.md` 5.7).
//!
//! They are listed with usage, with a pending application that a cycle has considered, or if a limit names them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::sync::Arc;

use crate::dto;
use config::LimitConfig;
use model::QueuePath;
use view::users::{ANYONE, max_applications, max_resources};
use view::{AppGroup, AppRow, PartitionView, QueueUsageRow, Side, UsageRows};

/// Converts all users, by name.
pub fn users(partition: &PartitionView) -> Vec<dto::UserUsage> {
    let mut groups: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    for app in partition.apps.iter().flatten() {
        if let AppGroup::Group(group) = &app.group {
            let own = groups.entry(app.who.user.as_str()).or_default();
            own.insert(app.id.as_str().to_owned(), group.to_string());
        }
    }
    let limited = Limited::of(partition, Side::User);
    let waiting = Waiting::of(partition);
    let names = names(&partition.users, &limited, &waiting);
    let one = |name: &str| dto::UserUsage {
        user_name: name.to_owned(),
        groups: groups.remove(name).unwrap_or_default(),
        queues: tree(&partition.users, name, &limited, &waiting),
        other: BTreeMap::new(),
    };
    names.into_iter().map(one).collect()
}

/// Converts a user, if known.
pub fn user(partition: &PartitionView, name: &str) -> Option<dto::UserUsage> {
    let limited = Limited::of(partition, Side::User);
    let waiting = Waiting::of(partition);
    if !names(&partition.users, &limited, &waiting).contains(name) {
        return None;
    }
    let own = partition.apps.iter().flatten().filter(|app| app.who.user == name);
    let group = |app: &Arc<AppRow>| match &app.group {
        AppGroup::Group(group) => Some((app.id.as_str().to_owned(), group.to_string())),
        _ => None,
    };
    Some(dto::UserUsage {
        user_name: name.to_owned(),
        groups: own.filter_map(group).collect(),
        queues: tree(&partition.users, name, &limited, &waiting),
        other: BTreeMap::new(),
    })
}

/// All groups; `*` is for users without a named group.
pub fn groups(partition: &PartitionView) -> Vec<dto::GroupUsage> {
    let mut apps: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for app in partition.apps.iter().flatten() {
        if let AppGroup::Group(group) = &app.group {
            apps.entry(group).or_default().insert(app.id.as_str().to_owned());
        }
    }
    let limited = Limited::of(partition, Side::Group);
    let waiting = Waiting::none();
    let names = names(&partition.groups, &limited, &waiting);
    let one = |name: &str| dto::GroupUsage {
        group_name: name.to_owned(),
        applications: apps.remove(name).unwrap_or_default().into_iter().collect(),
        queues: tree(&partition.groups, name, &limited, &waiting),
        other: BTreeMap::new(),
    };
    names.into_iter().map(one).collect()
}

/// Converts a group, if known.
pub fn group(partition: &PartitionView, name: &str) -> Option<dto::GroupUsage> {
    groups(partition).into_iter().find(|group| group.group_name == name)
}

fn names<'a>(rows: &'a UsageRows, limited: &Limited<'a>, waiting: &Waiting<'a>) -> BTreeSet<&'a str> {
    let using = rows.values().filter(|row| row.queues.iter().any(|level| waiting.shows(&row.name, level)));
    using.map(|row| &*row.name).chain(limited.names()).collect()
}

/// Only after a cycle has considered an application, it counts under a group.
struct Waiting<'a>(Option<BTreeMap<&'a str, Vec<&'a QueuePath>>>);

impl<'a> Waiting<'a> {
    fn of(partition: &'a PartitionView) -> Self {
        let mut queues: BTreeMap<&str, Vec<&QueuePath>> = BTreeMap::new();
        let considered = |app: &&Arc<AppRow>| app.group != AppGroup::Undecided;
        for app in partition.apps.iter().flatten().filter(considered) {
            queues.entry(&app.who.user).or_default().push(&app.queue);
        }
        Self(Some(queues))
    }

    /// For groups, because pending applications count only for users.
    const fn none() -> Self {
        Self(None)
    }

    fn shows(&self, name: &str, level: &QueueUsageRow) -> bool {
        let waits = |queues: &Vec<&QueuePath>| queues.iter().any(|queue| queue.is_within(&level.queue));
        level.is_used() || self.0.as_ref().is_none_or(|all| all.get(name).is_some_and(waits))
    }
}

struct Limited<'a>(BTreeMap<&'a str, BTreeMap<QueuePath, &'a Arc<LimitConfig>>>);

impl<'a> Limited<'a> {
    fn of(partition: &'a PartitionView, side: Side) -> Self {
        let mut all: BTreeMap<&str, BTreeMap<QueuePath, &Arc<LimitConfig>>> = BTreeMap::new();
        for queue in partition.queues.iter().flatten() {
            for limit in queue.settings.limits.list() {
                let names = if side == Side::User { &limit.users } else { &limit.groups };
                for name in names.iter().filter(|name| side == Side::Group || *name != ANYONE) {
                    all.entry(name).or_default().insert(queue.path.clone(), limit);
                }
            }
        }
        Self(all)
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }
}

#[derive(Default)]
struct Level<'a> {
    usage: Option<&'a QueueUsageRow>,
    limit: Option<&'a Arc<LimitConfig>>,
}

fn tree(rows: &UsageRows, name: &str, limited: &Limited<'_>, waiting: &Waiting<'_>) -> Option<dto::QueueUsage> {
    let mut levels: BTreeMap<QueuePath, Level<'_>> = BTreeMap::new();
    let rows = rows.get(name).into_iter().flat_map(|row| row.queues.iter());
    for row in rows.filter(|row| waiting.shows(name, row)) {
        levels.insert(row.queue.clone(), Level { usage: Some(row), limit: row.limit.as_ref() });
    }
    for (queue, limit) in limited.0.get(name).into_iter().flatten() {
        levels.entry(queue.clone()).or_default().limit = Some(*limit);
        let above = std::iter::successors(queue.parent(), QueuePath::parent);
        above.for_each(|queue| {
            levels.entry(queue).or_default();
        });
    }
    nest(&mut levels.into_iter().peekable())
}

fn nest<'a>(levels: &mut Peekable<impl Iterator<Item = (QueuePath, Level<'a>)>>) -> Option<dto::QueueUsage> {
    let (path, level) = levels.next()?;
    let mut children = Vec::new();
    while levels.peek().is_some_and(|(next, _)| next.is_within(&path)) {
        children.extend(nest(levels));
    }
    let max = level.limit.and_then(|limit| max_resources(limit));
    Some(dto::QueueUsage {
        queue_path: path.as_str().to_owned(),
        resource_usage: level.usage.map(|row| (&row.allocated).into()).unwrap_or_default(),
        running_applications: level.usage.iter().flat_map(|row| &row.running).map(|app| app.to_string()).collect(),
        max_resources: max.map(dto::ResourceMap::from).unwrap_or_default(),
        max_applications: level.limit.and_then(|limit| max_applications(limit)).unwrap_or_default(),
        children,
        other: BTreeMap::new(),
    })
}
