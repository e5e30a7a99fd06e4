//! Updates alerts, the rows of their page, and silences.

use std::sync::Arc;
use std::time::Duration;

use crate::present::filter::Filter;
use crate::present::lists::alerts::{rule, subject, value};
use crate::present::value::Value;
use crate::state::alerts::{AlertKey, AlertLine, AlertsPage};
use crate::state::column::AlertColumn;
use crate::state::effect::{Effect, SilenceStep};
use crate::state::layer::{CommandLine, Layer};
use crate::state::page::Page;
use crate::state::{Cluster, Grade, State};
use crate::update::stack::{home, push};
use crate::update::{config, explain, lists, overview};
use ::config::properties::parse_duration;
use alerts::{ChangeKind, SilenceOrder, SubjectKind};
use source::BoardSnapshot;

const ENDED: usize = 50;

/// Opens the page.
pub fn open(state: &mut State) {
    home(state);
    push(state, Page::Alerts(AlertsPage::default()));
}

/// Takes the current alerts. Returns whether the screen changes.
pub fn take(state: &mut State, snapshot: Option<Arc<BoardSnapshot>>) -> bool {
    let same = match (&state.cluster.alerts, &snapshot) {
        (Some(known), Some(new)) => Arc::ptr_eq(known, new),
        (None, None) => true,
        _ => false,
    };
    if same {
        return false;
    }
    let before: Vec<String> = state.cluster.alerts.iter().flat_map(|known| known.on().map(|one| one.title())).collect();
    report(state, snapshot.as_deref());
    state.cluster.alerts = snapshot;
    let on: Vec<String> = state.cluster.alerts.iter().flat_map(|new| new.on().map(|one| one.title())).collect();
    if matches!(state.page(), Page::Alerts(_)) {
        if let Page::Alerts(page) = state.page_mut() {
            page.list.built = None;
        }
        lists::rebuild(state, true);
        return true;
    }
    before != on
}

fn report(state: &mut State, snapshot: Option<&BoardSnapshot>) {
    let Some(snapshot) = snapshot else { return };
    let seen = state.cluster.alerts_seen;
    state.cluster.alerts_seen = Some(snapshot.next_change);
    // Earlier changes are not new.
    let Some(seen) = seen else { return };
    let terminal = snapshot.rules.targets.terminal;
    for change in snapshot.recent.iter().filter(|change| change.number >= seen) {
        let title = change.alert.title();
        match change.kind {
            ChangeKind::Firing => {
                let grade =
                    if change.alert.severity == alerts::Severity::Critical { Grade::Error } else { Grade::Warning };
                state.keep(Some(state.now), grade, format!("alert {title}"), change.alert.text.clone());
                if change.alert.severity >= terminal.severity && (terminal.bell || terminal.notify.is_some()) {
                    let text = format!("{title}: {}", change.alert.text);
                    state.emit(Effect::Notify { bell: terminal.bell, by: terminal.notify, text });
                }
            }
            ChangeKind::Resolved => {
                state.keep(Some(state.now), Grade::Info, format!("alert {title} resolved"), String::new());
            }
        }
    }
}

/// Lists pending and firing alerts, active silences, and recently resolved alerts.
pub fn rebuild(page: &mut AlertsPage, cluster: &Cluster) {
    let Some(snapshot) = &cluster.alerts else {
        page.list.rows = Arc::default();
        page.list.total = 0;
        return;
    };
    let alerts = snapshot.alerts.iter().cloned().map(AlertLine::Alert);
    let silences = snapshot.silences.iter().filter(|one| one.ended.is_none()).cloned().map(AlertLine::Silence);
    let ended = snapshot.ended.iter().take(ENDED).cloned().map(AlertLine::Ended);
    let mut shown: Vec<Arc<AlertLine>> = alerts.chain(silences).chain(ended).map(Arc::new).collect();
    page.list.total = shown.len();
    page.list.widest = lists::widest(shown.iter().map(|row| [rule(row).into(), subject(row).into(), "".into()]));
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let of = |row: &Arc<AlertLine>| [rule(row).to_owned(), subject(row), row.state().1.to_owned()];
        let texts: Vec<[String; 3]> = shown.iter().map(of).collect();
        let mut retained =
            filter.select(texts.iter(), |row| [row[0].as_str(), row[1].as_str(), row[2].as_str()]).into_iter();
        shown.retain(|_| retained.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let key = |row: &Arc<AlertLine>| match column {
        AlertColumn::State => Value::count(usize::from(row.state().0)),
        AlertColumn::Severity => Value::count(row.alert().map_or(0, |alert| 1 + alert.severity as usize)),
        column => value(row, column, cluster.at).into_owned(),
    };
    let mut keyed: Vec<_> =
        shown.iter().enumerate().map(|(at, row)| (key(row), Value::count(at), Arc::clone(row))).collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, row)| row).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| identity(rows, index), None, filtered);
}

fn identity(rows: &[Arc<AlertLine>], index: usize) -> Option<AlertKey> {
    rows.get(index).map(|row| row.key())
}

/// Moves the cursor to a row.
pub fn select(page: &mut AlertsPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| identity(rows, index));
}

fn under_cursor(state: &State) -> Option<Arc<AlertLine>> {
    let Page::Alerts(page) = state.page() else { return None };
    page.list.rows.get(page.list.cursor.index).cloned()
}

/// Opens the subject of the selected alert.
pub fn jump(state: &mut State) {
    let Some(row) = under_cursor(state) else { return };
    let Some(alert) = row.alert() else {
        return state.report(Grade::Refusal, "a silence has no page; D ends it");
    };
    match (alert.subject.target(), alert.subject.kind) {
        (Some(target), _) => explain::go_to(state, target),
        (None, SubjectKind::Configuration) => config::open(state),
        (None, SubjectKind::Cluster) => overview::open(state),
        (None, kind) => state.report(Grade::Refusal, format!("no page of the {}", kind.word())),
    }
}

/// `:silence 2h the reason`, or the whole rule: `:silence rule 2h the reason`. Otherwise opens the command line.
pub fn silence(state: &mut State, argument: Option<&str>) {
    let Some(argument) = argument else {
        let mut line = CommandLine::default();
        line.line.set("silence 2h ".to_owned());
        state.layers.push(Layer::Command(line));
        return;
    };
    let Some(row) = under_cursor(state) else {
        return state.report(Grade::Refusal, "no alert selected; :alerts lists them");
    };
    let Some(alert) = row.alert() else {
        return state.report(Grade::Refusal, "the selected row is already a silence");
    };
    match order(argument, alert, &state.cluster.identity.user) {
        Ok(order) => {
            let at = state.cluster.at;
            state.emit(Effect::Silence(SilenceStep::Start(order, at)));
        }
        Err(why) => state.report(Grade::Refusal, why),
    }
}

fn order(argument: &str, alert: &alerts::Alert, by: &str) -> Result<SilenceOrder, String> {
    const USAGE: &str = "write :silence 2h REASON, or :silence rule 2h REASON for the whole rule";
    let (whole, rest) = match argument.trim().strip_prefix("rule ") {
        Some(rest) => (true, rest.trim()),
        None => (false, argument.trim()),
    };
    let (lasts, reason) = rest.split_once(' ').ok_or(USAGE)?;
    let days = lasts.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let lasts = match days {
        Some(days) => Some(Duration::from_secs(u64::from(days) * 86_400)),
        None => parse_duration(lasts),
    };
    let lasts = lasts.ok_or(USAGE)?;
    let subject = (!whole).then(|| alert.subject.clone());
    let (rule, by, reason) = (Some(alert.rule.clone()), by.to_owned(), reason.trim().to_owned());
    Ok(SilenceOrder { rule, subject, lasts, by, reason })
}

/// Ends the silence of the selected row.
pub fn end_silence(state: &mut State) {
    let id = under_cursor(state).and_then(|row| match &*row {
        AlertLine::Silence(silence) => Some(silence.id),
        AlertLine::Alert(alert) => match alert.muted {
            Some(alerts::Muted::Silenced(id)) => Some(id),
            _ => None,
        },
        AlertLine::Ended(_) => None,
    });
    match id {
        Some(id) => {
            let (by, at) = (state.cluster.identity.user.clone(), state.cluster.at);
            state.emit(Effect::Silence(SilenceStep::End(id, by, at)));
        }
        None => state.report(Grade::Refusal, "no silence here"),
    }
}
