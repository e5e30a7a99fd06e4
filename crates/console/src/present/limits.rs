//! Limits of users and groups as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::present::format;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::place::Source;
use crate::present::text;
use crate::state::page::Account;
use crate::theme::{Role, Symbols};
use model::{MEMORY, Resource, VCORE};
use view::units::show_amount;
use view::{AppGroup, AppRow, LimitUse, PartitionView, Side, UsageRow};

/// `*`: the shared limit of users without their own.
pub fn name(side: Side, name: &str) -> String {
    match (side, name) {
        (Side::Group, "*") => "all other users".to_owned(),
        _ => text::escape(name).into_owned(),
    }
}

/// `user` or `group`.
pub const fn kind(side: Side) -> &'static str {
    match side {
        Side::User => "user",
        Side::Group => "group",
    }
}

/// The kind with the name: `user sue`.
pub fn title(account: &Account) -> String {
    let name = name(account.side, &account.name);
    if account.side == Side::Group && &*account.name == "*" { name } else { format!("{} {name}", kind(account.side)) }
}

/// `root.tenants.tenant-a, queues.yaml:31`; without a source the queue's name.
pub fn place(limit: &LimitUse, source: Option<Source<'_>>) -> String {
    let Some(source) = source else { return limit.queue.name().to_owned() };
    match source.place(limit.limit.at) {
        None => limit.queue.to_string(),
        Some(place) => format!("{}, {place}", limit.queue),
    }
}

/// `user limit: sue`; short: `sue` or `group dev`.
pub fn owner(limit: &LimitUse, long: bool) -> String {
    let name = name(limit.side, &limit.name);
    match (long, limit.side) {
        (true, side) => format!("{} limit: {name}", kind(side)),
        (false, Side::Group) if limit.name != "*" => format!("group {name}"),
        (false, _) => name,
    }
}

/// `user limit: sue has cpu 6 of 6 in root.tenants.tenant-a, queues.yaml:31`, shorter without a source.
pub fn too_full(part: &PartitionView, app: &AppRow, wanted: &Resource, source: Option<Source<'_>>) -> Option<String> {
    let limit = part.limit_too_full_for(app, wanted)?;
    let short = |part: &Tightest| {
        let wanted = part.resource.as_deref().map_or(0, |name| wanted.amount(name));
        wanted > part.max.saturating_sub(part.used).max(0)
    };
    let parts: Vec<String> = Tightest::parts(&limit).iter().filter(|part| short(part)).map(Tightest::words).collect();
    Some(format!("{} has {} in {}", owner(&limit, source.is_some()), parts.join(", "), place(&limit, source)))
}

/// Why an application does not start: a limit of running applications, or the queue's maximum. A source adds paths and
/// locations.
pub fn blocked(part: &PartitionView, app: &AppRow, source: Option<Source<'_>>) -> Option<String> {
    let limit = app.blocked_by_limits.then(|| part.blocking_limit(app)).flatten();
    if let Some((limit, max)) = limit.and_then(|limit| Some((limit.clone(), limit.max_running()?))) {
        let apps = format::count(max, "application");
        return Some(format!(
            "{} runs {} of {apps} in {}",
            owner(&limit, source.is_some()),
            limit.running.len(),
            place(&limit, source)
        ));
    }
    let queue = app.blocked_by_queue.then(|| part.queue_at(&app.queue)).flatten()?;
    let full = |max: u64, running: u64| running >= max;
    let row = part
        .path_up(queue)
        .find(|row| row.max_running.is_some_and(|max| full(max, row.running + row.allocating_accepted)))?;
    let name = if source.is_some() { row.path.as_str() } else { row.path.name() };
    let apps = format::count(row.max_running.unwrap_or_default(), "application");
    Some(format!("{name} runs {} of {apps}", row.running + row.allocating_accepted))
}

/// The most used part of a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tightest {
    /// The resource; `None` for applications.
    pub resource: Option<String>,
    /// Usage, in the unit of the resource.
    pub used: i64,
    /// The limit, in the same unit.
    pub max: i64,
}

impl Tightest {
    /// The parts: CPU, memory, other resources, applications.
    pub fn parts(limit: &LimitUse) -> Vec<Self> {
        let part = |(name, max): (&str, i64)| Self {
            resource: Some(name.to_owned()),
            used: limit.allocated.amount(name),
            max,
        };
        let mut parts: Vec<Self> = limit.max().into_iter().flat_map(Resource::iter).map(part).collect();
        parts.sort_by_key(|part| match part.resource.as_deref() {
            Some(VCORE) => 0,
            Some(MEMORY) => 1,
            _ => 2,
        });
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let used = number(limit.running.len() as u64);
        parts.extend(limit.max_running().map(|max| Self { resource: None, used, max: number(max) }));
        parts
    }

    /// The tightest part, if any.
    pub fn of(limit: &LimitUse) -> Option<Self> {
        let parts = Self::parts(limit).into_iter();
        parts.reduce(|best, other| if other.above(&best) { other } else { best })
    }

    /// Whether its share is larger.
    pub fn above(&self, other: &Self) -> bool {
        i128::from(self.used) * i128::from(other.max) > i128::from(other.used) * i128::from(self.max)
    }

    /// The used share, in thousandths.
    pub fn share(&self) -> i64 {
        let share = i128::from(self.used) * 1_000 / i128::from(self.max.max(1));
        i64::try_from(share).unwrap_or(i64::MAX)
    }

    /// `cpu 6 of 6`, `2 of 3 apps`.
    pub fn words(&self) -> String {
        match &self.resource {
            None => format!("{} of {} apps", self.used, self.max),
            Some(name) => format!(
                "{} {} of {}",
                format::resource_name(name),
                show_amount(name, self.used),
                show_amount(name, self.max)
            ),
        }
    }
}

/// The groups that count each user's active applications.
pub fn groups_by_user(part: &PartitionView) -> BTreeMap<Arc<str>, Vec<Arc<str>>> {
    let mut groups: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
    for app in part.apps.iter().flatten() {
        let AppGroup::Group(group) = &app.group else { continue };
        match groups.get_mut(app.who.user.as_str()) {
            Some(known) if known.contains(group) => {}
            Some(known) => known.push(Arc::clone(group)),
            None => {
                groups.insert(app.who.user.as_str().into(), vec![Arc::clone(group)]);
            }
        }
    }
    groups
}

/// The groups of a user; empty for a group.
pub fn groups_of(part: &PartitionView, account: &Account) -> Vec<Arc<str>> {
    let mut groups: Vec<Arc<str>> = Vec::new();
    for app in part.apps.iter().flatten().filter(|app| account.side == Side::User && app.who.user == *account.name) {
        if let AppGroup::Group(group) = &app.group
            && !groups.contains(group)
        {
            groups.push(Arc::clone(group));
        }
    }
    groups
}

/// Its own, and those of the user's counting groups.
pub fn counting(part: &PartitionView, (side, row): (Side, &UsageRow), groups: &[Arc<str>]) -> Vec<LimitUse> {
    let mut limits: Vec<LimitUse> = row.limits(side).collect();
    for group in groups {
        let Some(usage) = part.usage_of(Side::Group, group) else { continue };
        limits.extend(usage.limits(Side::Group).filter(|limit| row.at(&limit.queue).is_some()));
    }
    limits
}

/// The limit with the largest used share.
pub fn tightest(limits: impl Iterator<Item = LimitUse>) -> Option<(LimitUse, Tightest)> {
    let known = limits.filter_map(|limit| Tightest::of(&limit).map(|part| (limit, part)));
    // The limit nearest to the leaves is the most informative.
    known.reduce(|best, other| if best.1.above(&other.1) { best } else { other })
}

/// `cpu 6 of 6 !, mem 8G of 12G, 1 of 3 apps`
pub fn use_pieces(limit: &LimitUse, symbols: &Symbols) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in Tightest::parts(limit) {
        if !pieces.is_empty() {
            pieces.push(dim(", "));
        }
        if part.used >= part.max {
            pieces.push(piece(Role::Danger, format!("{} {}", part.words(), symbols.limit)));
        } else {
            pieces.push(plain(part.words()));
        }
    }
    pieces
}

/// What is used of the resources without columns of their own: `gpu 2/2!`.
pub fn others(limit: &LimitUse, symbols: &Symbols) -> String {
    let mut text = String::new();
    let own = |(name, _): &(&str, i64)| *name != VCORE && *name != MEMORY;
    for (name, max) in limit.max().into_iter().flat_map(Resource::iter).filter(own) {
        let used = limit.allocated.amount(name);
        let full = if used >= max { symbols.limit } else { "" };
        let gap = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{gap}{name} {}/{}{full}", show_amount(name, used), show_amount(name, max));
    }
    text
}
