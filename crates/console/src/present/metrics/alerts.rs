//! Explanations of the alert columns.

use crate::present::lists::alerts::rule;
use crate::state::State;
use crate::state::alerts::AlertLine;
use crate::state::column::AlertColumn;
use alerts::{Muted, Rule};

/// The explanation of a cell.
pub fn why(state: &State, row: &AlertLine, column: AlertColumn) -> String {
    let snapshot = state.cluster.alerts.as_ref();
    let known: Option<&Rule> = snapshot.and_then(|snapshot| snapshot.rules.get(rule(row)));
    match column {
        AlertColumn::State => match row.alert().and_then(|alert| alert.muted.as_ref()) {
            Some(Muted::Inhibited(by)) => format!("{by} is active and inhibits this rule: it is not reported"),
            Some(Muted::Silenced(id)) => format!("silence {id} matches it: it is not reported"),
            None => {
                "pending: its condition is met, but not for the duration of its rule; firing: for that duration; over: the condition was not met for the duration"
                    .to_owned()
            }
        },
        AlertColumn::Severity => "the severity of its rule".to_owned(),
        AlertColumn::Since => {
            "the time since its condition is met; for a resolved alert its end, for a silence its start".to_owned()
        }
        AlertColumn::Rule => known.map_or_else(
            || "the name of its rule".to_owned(),
            |rule| format!("{}: {}", rule.kind.means(), rule.words()),
        ),
        AlertColumn::Subject => "its object; enter goes there".to_owned(),
        AlertColumn::What => "the values at the last evaluation of its rule".to_owned(),
    }
}
