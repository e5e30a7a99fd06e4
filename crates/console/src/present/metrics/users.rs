//! Explanations of columns of users and groups.

use crate::present::format;
use crate::present::limits;
use crate::present::metrics::{share, sum_of};
use crate::present::place::Source;
use crate::present::trend_cells;
use crate::state::column::{LevelColumn, UserColumn};
use crate::state::page::{Account, AccountPage, LineId};
use model::{MEMORY, VCORE};
use view::units::show_amount;
use view::{LimitUse, PartitionView, QueueUsageRow, Side, UsageRow};

/// The explanation of a column of users and groups.
pub fn why(source: Source<'_>, part: &PartitionView, account: &Account, column: UserColumn) -> String {
    let kind = limits::kind(account.side);
    let row = part.whole_usage_of(account.side, &account.name);
    let row = row.as_deref();
    let root = row.and_then(|row| row.queues.first());
    let groups = limits::groups_of(part, account);
    let counting = row.map_or_else(Vec::new, |row| limits::counting(part, (account.side, row), &groups));
    match column {
        UserColumn::Name => format!("a {kind} with an active application or a limit"),
        UserColumn::Kind => match kind {
            "user" => "counts all applications of this user".to_owned(),
            _ => "counts the applications under a limit of this group".to_owned(),
        },
        UserColumn::Apps => {
            let (running, live) = root.map_or((0, 0), |root| (root.running.len() as u64, root.apps));
            format!("{running} of {} active applications run", format::count(live, "application"))
        }
        UserColumn::Cpu => used(row, VCORE),
        UserColumn::Memory => used(row, MEMORY),
        UserColumn::Live => "active applications, in any state".to_owned(),
        UserColumn::Trend => trend_cells::OF_USER.to_owned(),
        UserColumn::Other => "allocated resources without their own column".to_owned(),
        UserColumn::Limits => {
            let queues: Vec<String> = counting.iter().map(|limit| limits::place(limit, Some(source))).collect();
            if queues.is_empty() { format!("no limit names this {kind}") } else { format!("in {}", queues.join("; ")) }
        }
        UserColumn::Closest => {
            let tightest = limits::tightest(counting.into_iter());
            match tightest {
                None => "no limits".to_owned(),
                Some((limit, part)) => format!(
                    "{} is {} of that limit, the largest share of all its limits; it is on {}",
                    part.words(),
                    share(part.used, part.max).unwrap_or_else(|| "all".to_owned()),
                    limits::place(&limit, Some(source))
                ),
            }
        }
    }
}

fn used(row: Option<&UsageRow>, name: &str) -> String {
    let all: Vec<&QueueUsageRow> = row.into_iter().flat_map(|row| row.queues.iter()).collect();
    let leaf = |one: &&&QueueUsageRow| {
        let below = format!("{}.", one.queue);
        !all.iter().any(|other| other.queue.as_str().starts_with(&below) && !other.allocated.is_zero())
    };
    let parts = all.iter().filter(leaf).map(|one| (one.allocated.amount(name), format!("in {}", one.queue)));
    match sum_of(parts.collect(), name).as_str() {
        "" => "no allocations".to_owned(),
        made => made.to_owned(),
    }
}

/// The explanation of a column.
pub fn why_level(source: Source<'_>, part: &PartitionView, page: &AccountPage, column: LevelColumn) -> Option<String> {
    let line = page.list.rows.get(page.list.cursor.index)?;
    let (path, side, name) = match &line.id {
        LineId::Queue(path) => (path, page.account.side, &page.account.name),
        LineId::Group(path, group) => (path, Side::Group, group),
        LineId::App(_) => return Some("its row shows the reason".to_owned()),
    };
    let row = part.whole_usage_of(side, name)?;
    let level = row.at(path)?;
    let limit = level.limit_use(side, name);
    let queue = part.queue_at(path);
    Some(match column {
        LevelColumn::Queue => format!("{path} and its subtree"),
        LevelColumn::Cpu => level_used(level, limit.as_ref(), queue.map(|row| row.allocated.amount(VCORE)), VCORE),
        LevelColumn::Memory => level_used(level, limit.as_ref(), queue.map(|row| row.allocated.amount(MEMORY)), MEMORY),
        LevelColumn::Apps => {
            let running = level.running.len();
            let max = limit.as_ref().and_then(LimitUse::max_running);
            let most = max.map_or("no application limit here".to_owned(), |max| format!("at most {max} by the limit"));
            format!("{running} run of {} here and below; {most}", format::count(level.apps, "active application"))
        }
        LevelColumn::CpuLimit | LevelColumn::MemoryLimit | LevelColumn::AppsLimit => {
            "the limit on this queue; parents may have limits too".to_owned()
        }
        LevelColumn::Why => "the causes of its waiting applications".to_owned(),
        LevelColumn::From => limit.as_ref().map_or_else(
            || "this queue has no limits; the limits of its parents apply too".to_owned(),
            |limit| format!("the limit of {}", limits::place(limit, Some(source))),
        ),
    })
}

fn level_used(level: &QueueUsageRow, limit: Option<&LimitUse>, all: Option<i64>, name: &str) -> String {
    let used = level.allocated.amount(name);
    let of = all.and_then(|all| share(used, all)).map_or_else(String::new, |of| format!(", {of} of the queue's usage"));
    let max = limit.and_then(|limit| limit.max()?.get(name));
    let limit = match max {
        None => "no limit on this queue".to_owned(),
        Some(max) => {
            let left = max.saturating_sub(used).max(0);
            format!("the limit is {}, {} left", show_amount(name, max), show_amount(name, left))
        }
    };
    format!("allocated here and below{of}; {limit}")
}
