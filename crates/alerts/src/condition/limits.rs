//! Usage of user and group limits.

use std::collections::BTreeMap;

use super::Reading;
use crate::rule::Rule;
use crate::subject::{Subject, SubjectKind};
use view::limits_used::LimitUsed;
use view::units::show_amount;
use view::waiting::resource_word;
use view::{PartitionView, Side};

/// One reading per limit, for its most used resource.
pub fn used(rule: &Rule, part: &PartitionView) -> Vec<Reading> {
    let mut fullest: BTreeMap<Subject, LimitUsed> = BTreeMap::new();
    // A limit of 0 is always used up, and does not need attention.
    for row in part.limits_used().into_iter().filter(|row| row.limit > 0) {
        let kind = match row.side {
            Side::User => SubjectKind::User,
            Side::Group => SubjectKind::Group,
        };
        let queue = Some(row.queue.to_string());
        let subject = Subject { queue, ..Subject::new(&part.name, kind, &*row.name) };
        match fullest.get(&subject) {
            Some(other) if other.part() >= row.part() => {}
            _ => _ = fullest.insert(subject, row),
        }
    }
    let reading = |(subject, row): (Subject, LimitUsed)| {
        let show =
            |amount: i64| row.resource.as_ref().map_or_else(|| amount.to_string(), |name| show_amount(name, amount));
        let percent = row.part() as f64 / 10.0;
        let (used, limit, what) = (show(row.used), show(row.limit), resource_word(row.resource_name()));
        let blocked = match row.blocked() {
            0 => String::new(),
            blocked => format!(", {} blocked", show(blocked)),
        };
        Reading::of_value(
            rule,
            subject,
            percent,
            format!("{used} of {limit} {what} ({:.0}%){blocked}", percent.floor()),
        )
    };
    fullest.into_iter().filter_map(reading).collect()
}
