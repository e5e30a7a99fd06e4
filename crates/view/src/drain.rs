//! Queues that drain, in words (SCH-210, SCH-211).

use std::time::Duration;

use super::{AppRow, NoticeWeight, PartitionView, QueueRow, View};
use model::{Acl, AppState, QueueState, Time};

use scheduler::{COMPLETING, Draining, DrainingApp};

const NAMED: usize = 3;
const LISTED: usize = 50;

/// The notice for a queue that starts to drain, or drains for long: weight, one line, and the list of blocking
/// applications.
pub fn drain_notice(
    draining: &Draining,
    partition: Option<&str>,
    stuck: bool,
    now: Time,
) -> (NoticeWeight, String, String) {
    let queue = match partition {
        Some(partition) => format!("{} of partition {partition}", draining.queue),
        None => draining.queue.to_string(),
    };
    let since = if stuck { format!(" for {}", span(now.since(draining.since))) } else { String::new() };
    let blocked = match draining.applications.as_slice() {
        [] => "nothing blocks it".to_owned(),
        apps => format!("blocked by {}", named(apps.iter().map(|app| blocked_by(app, ' ')), apps.len(), NAMED, "; ")),
    };
    let over = draining.empty_by().map(|by| format!(", done in {} without new requests", span(by.since(now))));
    let title =
        format!("{queue} drains{since}, {blocked}{}; admins: {}", over.unwrap_or_default(), admins(&draining.admins));
    let weight = if draining.applications.is_empty() { NoticeWeight::Info } else { NoticeWeight::Warning };
    let mut lines: Vec<String> = draining.applications.iter().take(LISTED).map(listed).collect();
    let more = draining.applications.len().saturating_sub(LISTED);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    (weight, title, lines.join("\n"))
}

impl View {
    /// Whether a queue has been draining for long (SCH-211).
    pub fn is_stuck(&self, row: &QueueRow, now: Time) -> bool {
        let since = now.since(row.state_since);
        row.state == QueueState::Draining && !self.stuck_after.is_zero() && since >= self.stuck_after
    }
}

impl PartitionView {
    /// The remaining applications in a queue and its subtree, and who may act on them (SCH-210).
    pub fn draining(&self, row: &QueueRow) -> Draining {
        let mut applications = Vec::new();
        let mut below = vec![row];
        while let Some(row) = below.pop() {
            applications.extend(row.apps.iter().filter_map(|slot| self.app(*slot)).map(|app| draining_app(app)));
            below.extend(row.children.iter().rev().filter_map(|slot| self.queue(*slot)).map(|child| &**child));
        }
        Draining {
            queue: row.path.clone(),
            since: row.state_since,
            applications,
            allocated: row.allocated.clone(),
            admins: Acl::joined(self.path_up(row).map(|row| &row.settings.admin_acl)),
        }
    }
}

fn draining_app(app: &AppRow) -> DrainingApp {
    let completing = app.log.last().filter(|_| app.state == AppState::Completing);
    DrainingApp {
        id: app.id.clone(),
        who: app.who.clone(),
        queue: app.queue.clone(),
        state: app.state,
        allocated: app.allocated.add(&app.placeholder),
        pending: app.pending.clone(),
        ends_by: completing.map(|change| change.at + COMPLETING),
    }
}

fn listed(app: &DrainingApp) -> String {
    format!("{} in {}, {}", blocked_by(app, ':'), app.queue, app.state)
}

fn blocked_by(app: &DrainingApp, symbol: char) -> String {
    let space = if symbol == ' ' { "" } else { " " };
    let with = if app.allocated.is_empty() { "nothing allocated".to_owned() } else { app.allocated.to_string() };
    format!("{} ({}){symbol}{space}{with}", app.id, app.who.user)
}

/// The members of an admin ACL: `sue, bob, group ops`.
pub fn admins(acl: &Acl) -> String {
    if acl.all_users {
        return "all users".to_owned();
    }
    if acl.is_empty_list() {
        return "none".to_owned();
    }
    let all = acl.users.iter().cloned().chain(acl.groups.iter().map(|group| format!("group {group}")));
    named(all, acl.users.len() + acl.groups.len(), 2 * NAMED, ", ")
}

fn named(all: impl Iterator<Item = String>, count: usize, most: usize, between: &str) -> String {
    let mut named: Vec<String> = all.take(most).collect();
    if count > most {
        named.push(format!("{} more", count - most));
    }
    named.join(between)
}

/// A duration in its two largest units: `45s`, `1h`, `2h 5m`, `3d 4h`.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let at = units.iter().position(|(size, _)| seconds >= *size).unwrap_or(units.len() - 1);
    let (size, name) = units[at];
    let first = format!("{}{name}", seconds / size);
    match units.get(at + 1).map(|(next, name)| (seconds % size / next, name)) {
        Some((rest, name)) if rest > 0 => format!("{first} {rest}{name}"),
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AppState, Identity, QueuePath, Resource};

    fn app(id: &str, user: &str, allocated: &[(&str, i64)]) -> DrainingApp {
        DrainingApp {
            id: id.into(),
            who: Identity::new(user, [user]),
            queue: QueuePath::new("root.legacy.etl"),
            state: AppState::Running,
            allocated: allocated.iter().copied().collect(),
            pending: Resource::new(),
            ends_by: None,
        }
    }

    fn draining(applications: Vec<DrainingApp>, admins: Acl) -> Draining {
        let queue = QueuePath::new("root.legacy");
        Draining { queue, since: Time::ZERO, applications, allocated: Resource::new(), admins }
    }

    #[test]
    fn one_line_names_what_blocks_the_queue_and_who_may_act() {
        let admins = Acl { users: vec!["sue".to_owned()], groups: vec!["ops".to_owned()], all_users: false };
        let apps = vec![app("old-1", "joe", &[("vcore", 2000), ("memory", 4 << 30)]), app("old-2", "ann", &[])];
        let (weight, title, text) = drain_notice(&draining(apps, admins), None, true, Time::from_millis(3_900_000));
        assert_eq!(weight, NoticeWeight::Warning);
        assert_eq!(
            title,
            "root.legacy drains for 1h 5m, blocked by old-1 (joe) memory 4Gi, vcore 2; old-2 (ann) nothing allocated; admins: sue, \
             group ops"
        );
        assert_eq!(
            text,
            "old-1 (joe): memory 4Gi, vcore 2 in root.legacy.etl, Running\n\
             old-2 (ann): nothing allocated in root.legacy.etl, Running"
        );
    }

    #[test]
    fn an_empty_queue_is_no_warning_and_a_crowd_is_counted() {
        let (weight, title, text) = drain_notice(&draining(Vec::new(), Acl::default()), Some("gpu"), false, Time::ZERO);
        assert_eq!((weight, text.as_str()), (NoticeWeight::Info, ""));
        assert_eq!(title, "root.legacy of partition gpu drains, nothing blocks it; admins: none");
        let crowd = (0..60).map(|n| app(&format!("a{n}"), "joe", &[])).collect();
        let (_, title, text) = drain_notice(&draining(crowd, Acl::default()), None, false, Time::ZERO);
        assert!(title.contains("; 57 more; admins"), "{title}");
        assert!(text.ends_with("\nand 10 more"), "{text}");
    }

    #[test]
    fn the_end_is_predicted_if_possible() {
        let ends =
            |seconds: u64| DrainingApp { ends_by: Some(Time::from_millis(seconds * 1000)), ..app("a", "joe", &[]) };
        let message = |apps| drain_notice(&draining(apps, Acl::default()), None, false, Time::from_millis(5000)).1;
        let title = message(vec![ends(12), ends(30)]);
        assert!(title.ends_with("allocated, done in 25s without new requests; admins: none"), "{title}");
        let title = message(vec![ends(12), app("b", "ann", &[("vcore", 1000)])]);
        assert!(!title.contains("done in"), "one of them runs, who knows for how long: {title}");
    }

    #[test]
    fn spans_have_two_units_at_most() {
        for (seconds, shown) in
            [(0, "0s"), (45, "45s"), (3600, "1h"), (3661, "1h 1m"), (273_600, "3d 4h"), (86_460, "1d")]
        {
            assert_eq!(span(Duration::from_secs(seconds)), shown);
        }
    }
}
