//! A what-if as text.

use crate::present::format;
use source::TrialStatus;

/// `10m after 0:41, with 1 change: kill etl-1`
pub fn words(trial: &TrialStatus) -> String {
    let after = trial.now.since(trial.started_at);
    let started_at = format::when(trial.started_at, trial.now);
    let when = if after.is_zero() {
        format!("at {started_at}")
    } else {
        format!("{} after {started_at}", format::duration(after))
    };
    let changes = match (trial.changes.len(), trial.changed_side) {
        (0, _) => "no changes yet".to_owned(),
        (count, true) => {
            format!("with {}: {}", format::count(count as u64, "change"), trial.changes.join(", "))
        }
        (count, false) => format!("WITHOUT the {}", format::count(count as u64, "change")),
    };
    let busy = if trial.busy { ", at work" } else { "" };
    format!("{when}{busy}, {changes}")
}
