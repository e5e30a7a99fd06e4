//! The alerts.
//!
//! ```text
//!  STATE▲     SEVERITY  SINCE  RULE           SUBJECT          WHAT
//!  firing     critical     2m  node-lost      node n-3         gone for 2m, it had 12 cpu, 40G memory
//!  inhibited  warning     14m  queue-starves  queue root.etl   4 of 8 guaranteed cpu, 6 pending
//!  silence                 1h  queue-waits    queue root.dev   by sue, 50m left: a migration
//! ```

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::alerts::{AlertLine, AlertsPage};
use crate::state::column::AlertColumn;
use crate::theme::Role;
use alerts::Severity;
use model::Time;
use view::drain::span;

/// The unit of a column.
pub const fn unit(column: AlertColumn) -> Unit {
    match column {
        AlertColumn::Since => Unit::Lasting,
        _ => Unit::Words,
    }
}

/// The value of a column.
pub fn value(row: &AlertLine, column: AlertColumn, now: Time) -> Value<'_> {
    match column {
        AlertColumn::State => Value::text(row.state().1),
        AlertColumn::Severity => row.alert().map_or(Value::Nothing, |alert| Value::text(alert.severity.word())),
        AlertColumn::Since => Value::lasting(now, Some(since(row))),
        AlertColumn::Rule => Value::text(rule(row)),
        AlertColumn::Subject => Value::text(subject(row)),
        AlertColumn::What => Value::text(what(row, now)),
    }
}

fn since(row: &AlertLine) -> Time {
    match row {
        AlertLine::Alert(alert) => alert.since,
        AlertLine::Silence(silence) => silence.from,
        AlertLine::Ended(ended) => ended.at,
    }
}

/// The name of the rule.
pub fn rule(row: &AlertLine) -> &str {
    match row {
        AlertLine::Silence(silence) => silence.rule.as_deref().unwrap_or("all rules"),
        AlertLine::Alert(alert) => &alert.rule,
        AlertLine::Ended(ended) => &ended.alert.rule,
    }
}

/// What it is about.
pub fn subject(row: &AlertLine) -> String {
    match row {
        AlertLine::Silence(silence) => silence.subject.as_ref().map_or("everything".to_owned(), ToString::to_string),
        AlertLine::Alert(alert) => alert.subject.to_string(),
        AlertLine::Ended(ended) => ended.alert.subject.to_string(),
    }
}

fn what(row: &AlertLine, now: Time) -> String {
    match row {
        AlertLine::Silence(silence) => {
            format!("by {}, {} left: {}", silence.by, span(silence.until.since(now)), silence.reason)
        }
        AlertLine::Alert(alert) => alert.text.clone(),
        AlertLine::Ended(ended) => {
            let lasted = ended.at.since(ended.alert.since);
            format!("lasted {}: {}", span(lasted), ended.alert.text)
        }
    }
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a AlertsPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |row| value(row, column, state.cluster.at))
    })
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a AlertsPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: 9, least: 9 };
    let own_column = |column| Some(own(column, page.list.widest));
    let columns = arrange(state, width, plans(page.list.widest), own_column, space);
    let len = page.list.rows.len();
    let sorted = move |column: AlertColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(row) = page.list.rows.get(index) {
            cell(pen, state, row, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match (&state.cluster.alerts, page.list.total) {
        (None, _) => "rules are not evaluated here".to_owned(),
        (Some(snapshot), 0) => match snapshot.at {
            None => "the rules have not been evaluated yet".to_owned(),
            Some(_) => format!("no alerts from {} rules", snapshot.rules.rules.len()),
        },
        (Some(_), total) => format!("the filter {} hides all {total}", page.list.filter),
    };
    let problem = state.cluster.alerts.iter().flat_map(|snapshot| snapshot.problem.iter().cloned());
    table.or_reported(std::iter::once(words).chain(problem).collect())
}

fn plans([rule, subject, _]: [u16; 3]) -> impl Iterator<Item = Vec<Col<AlertColumn>>> {
    // Cut names lose more than cut sentences.
    let plans = [(true, 40, 60, 60), (true, 24, 32, 30), (true, 24, 28, 18), (false, 16, 28, 16), (false, 12, 16, 16)];
    plans.into_iter().map(move |(severity, most_rule, most_subject, what)| {
        use AlertColumn as C;
        let mut columns = vec![left(C::State, "STATE", 9)];
        if severity {
            columns.push(left(C::Severity, "SEVERITY", 8));
        }
        columns.push(right(C::Since, "SINCE", 7));
        columns.push(left(C::Rule, "RULE", rule.clamp(8, most_rule)));
        columns.push(left(C::Subject, "SUBJECT", subject.clamp(10, most_subject)));
        columns.push(left(C::What, "WHAT", what).up_to(200));
        columns
    })
}

fn own(column: AlertColumn, [rule, subject, _]: [u16; 3]) -> Col<AlertColumn> {
    use AlertColumn as C;
    match column {
        C::State => left(C::State, "STATE", 9),
        C::Severity => left(C::Severity, "SEVERITY", 8),
        C::Since => right(C::Since, "SINCE", 7),
        C::Rule => left(C::Rule, "RULE", rule.clamp(8, 40)),
        C::Subject => left(C::Subject, "SUBJECT", subject.clamp(10, 60)),
        C::What => left(C::What, "WHAT", 30).up_to(200),
    }
}

/// The role of a severity.
pub const fn role(severity: Severity) -> Role {
    match severity {
        Severity::Critical => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Text,
    }
}

fn cell(pen: &mut Writer, state: &State, row: &AlertLine, what_column: AlertColumn, slot: Slot) {
    let nothing = pen.symbols().nothing;
    let now = state.cluster.at;
    let on = row.state().0 == 0;
    let strong = |text: String| match row.alert() {
        Some(alert) if on => piece(role(alert.severity), text),
        _ => dim(text),
    };
    let pieces = match what_column {
        AlertColumn::State => vec![strong(row.state().1.to_owned())],
        AlertColumn::Severity => match row.alert() {
            Some(alert) => vec![strong(alert.severity.word().to_owned())],
            None => vec![dim(nothing)],
        },
        AlertColumn::Since => vec![plain(format::age(now, Some(since(row)), nothing))],
        AlertColumn::Rule => {
            pen.name(slot.x, slot.width, rule(row), Role::Text);
            return;
        }
        AlertColumn::Subject => {
            pen.name(slot.x, slot.width, &subject(row), Role::Text);
            return;
        }
        AlertColumn::What => vec![plain(what(row, now))],
    };
    pen.cell(slot, &pieces);
}
