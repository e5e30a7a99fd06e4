//! A queue above its maximum, and quota preemption (N-01).

use crate::present::details::sheet::labeled_text;
use crate::present::edit_completion::only_elsewhere;
use crate::present::format;
use crate::present::layout;
use crate::present::pieces::Lines;
use crate::state::State;
use crate::theme::Role;
use model::Time;
use view::drain::span;
use view::{PartitionView, QueueRow, QuotaForecast};

const DELAY: &str = "quota.preemption.delay";
/// More allocations are not searched in the draw loop.
const MOST_EXAMINED: usize = 5_000;
const NAMED: usize = 4;

/// Adds nothing for the root.
pub(super) fn lines(lines: &mut Lines, state: &State, (part, row): (&PartitionView, &QueueRow), width: usize) {
    if row.parent.is_none() || !row.is_above_max() {
        return;
    }
    let above = format::resource(&PartitionView::above_max(row));
    labeled_text(lines, "above max", &above, width, Role::Warning);
    let now = state.cluster.at;
    let Some(due) = row.quota_due.filter(|_| part.quota_preemption) else {
        return labeled_text(lines, "", &runs_on(part, row), width, Role::Dim);
    };
    let forecast = examined(part).then(|| part.quota_forecasts(now));
    let Some(forecasts) = forecast else {
        let text = format!("in {}, too many allocations to list", span(due.since(now)));
        return labeled_text(lines, "preempts", &text, width, Role::Warning);
    };
    match forecasts.iter().find(|one| one.queue == row.path) {
        Some(one) => forecast_lines(lines, (state, one), row, now, width),
        None => labeled_text(lines, "preempts", "nothing: earlier preemptions are enough", width, Role::Dim),
    }
}

fn forecast_lines(lines: &mut Lines, (state, one): (&State, &QuotaForecast), row: &QueueRow, now: Time, width: usize) {
    let delay = row.settings.quota_preemption_delay;
    let counted = match one.since {
        Some(since) if !delay.is_zero() => format!(", after {} of {}", span(now.since(since)), span(delay)),
        _ => String::new(),
    };
    let text = format!("in {}{counted}", span(one.at.since(now)));
    labeled_text(lines, "preempts", &text, width, Role::Warning);
    let Some(victims) = &one.victims else {
        let text = format!("{} of it; the scheduler does not report which", format::resource(&one.excess));
        return labeled_text(lines, "goes", &text, width, Role::Warning);
    };
    let (apps, most) = (one.by_app(), NAMED.max(layout::named_in_details(state)));
    if victims.is_empty() {
        labeled_text(lines, "goes", "nothing", width, Role::Text);
    }
    for (at, (app, user, count)) in apps.iter().take(most).enumerate() {
        let text = format!("{} of {app} ({user})", format::count(*count as u64, "allocation"));
        labeled_text(lines, if at == 0 { "goes" } else { "" }, &text, width, Role::Warning);
    }
    if apps.len() > most {
        labeled_text(lines, "", &format!("and of {} more", apps.len() - most), width, Role::Warning);
    }
    if let Some(left) = one.left().filter(|left| !left.is_empty()) {
        let text = format!("{}: running allocations are too large, or protected", format::resource(&left));
        labeled_text(lines, "stays above", &text, width, Role::Text);
    }
}

fn runs_on(part: &PartitionView, row: &QueueRow) -> String {
    let delay = row.settings.quota_preemption_delay;
    if let Some(who) = only_elsewhere("properties", DELAY, part.rules.profile()) {
        format!("continues: a maximum is not enforced here, {who}")
    } else if !part.quota_preemption {
        "continues: this partition does not enforce maximums".to_owned()
    } else if delay.is_zero() {
        "continues: no quota.preemption.delay here".to_owned()
    } else if part.quota_law.is_some() || part.quota_reported.is_some() {
        "continues: its delay starts only at a reload that lowers the maximum".to_owned()
    } else {
        format!("is preempted {} after its maximum was lowered; that time is unknown", span(delay))
    }
}

fn examined(part: &PartitionView) -> bool {
    let due = part.queues.iter().flatten().filter(|row| row.quota_due.is_some());
    let mut left = MOST_EXAMINED;
    part.quota_reported.is_some()
        || due.into_iter().all(|row| {
            let count = part.count_asks(row, left);
            left = left.saturating_sub(count);
            left > 0
        })
}
