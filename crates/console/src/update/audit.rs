//! The audit: filters, and the object of an entry.

use crate::present::format;
use std::sync::Arc;

use crate::present::filter::Filter;
use crate::present::guard::audit::{GONE, object};
use crate::present::lists::audit::value;
use crate::present::subject::entry;
use crate::present::value::Value;
use crate::present::words::who;
use crate::state::column::AuditColumn;
use crate::state::page::{AuditPage, Page};
use crate::state::records::Ledger;
use crate::state::work::Work;
use crate::state::{Grade, State};
use crate::update::lists;
use crate::update::revisions;
use crate::update::stack::{home, push};
use model::Time;
use source::Records;
use view::audit::{ACTIONS, AuditEntry, AuditObject};

/// `user=sue`, `action=kill`, `object=etl-1`, or an action; other words filter the list.
pub fn open(state: &mut State, wanted: Option<&str>) {
    let wanted = wanted.map(str::trim).filter(|text| !text.is_empty());
    let mut page = AuditPage::default();
    let mut others: Vec<&str> = Vec::new();
    for word in wanted.unwrap_or_default().split_whitespace() {
        match word.split_once('=') {
            Some(("user", user)) => page.user = Some(user.to_owned()),
            Some(("action", action)) => page.action = Some(action.to_owned()),
            Some(("object", object)) => page.object = Some(object.to_owned()),
            None if ACTIONS.contains(&word) => page.action = Some(word.to_owned()),
            Some((key, _)) => {
                let message = format!("unknown filter {key}=; valid: user=, action=, object=");
                return state.report(Grade::Refusal, message);
            }
            None => others.push(word),
        }
    }
    page.list.filter = others.join(" ");
    if let Some(action) = page.action.as_deref().filter(|action| !ACTIONS.contains(action)) {
        let message = format!("{action} is not an action; valid: {}", ACTIONS.join(", "));
        return state.report(Grade::Refusal, message);
    }
    home(state);
    if wanted.is_none() {
        page = state.parked.audit.take().unwrap_or_default();
    }
    push(state, Page::Audit(page));
}

/// Takes new records.
pub fn take(state: &mut State, records: Records) {
    state.cluster.ledger.latest = Some(records);
    if matches!(state.page(), Page::Audit(_) | Page::Revisions(_)) {
        lists::rebuild(state, true);
    }
}

/// Makes the rows without entries after `until`.
pub fn rebuild(page: &mut AuditPage, ledger: &Ledger, until: Option<Time>, now: Time) {
    let known = ledger.latest.as_ref().and_then(|message| message.audit.as_ref().ok());
    let entries = known.map_or(&[][..], |audit| &audit.entries);
    let is = |wanted: &Option<String>, what: &str| wanted.as_ref().is_none_or(|wanted| wanted == what);
    let wanted = |entry: &&Arc<AuditEntry>| {
        is(&page.user, &entry.user) && is(&page.action, &entry.action) && is(&page.object, &entry.object)
    };
    let then = |entry: &&Arc<AuditEntry>| until.is_none_or(|until| entry.at <= until);
    let mut shown: Vec<&Arc<AuditEntry>> = entries.iter().filter(then).filter(wanted).collect();
    page.list.total = shown.len();
    page.list.widest = lists::widest(
        shown.iter().map(|entry| ["".into(), entry.object.as_str().into(), who(entry).to_owned().into()]),
    );
    // The first column contains the time.
    page.list.widest[0] = format::when_width(shown.iter().map(|entry| entry.at).min(), now, 8);
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let texts = |entry: &&Arc<AuditEntry>| {
            let entry: &AuditEntry = entry;
            [who(entry), &*entry.action, &*entry.object, &*entry.address, &*entry.code, &*entry.reason, &*entry.why]
                .map(str::to_owned)
        };
        let words: Vec<[String; 7]> = shown.iter().map(texts).collect();
        let mut retained = filter.select(words.iter(), |words| words.each_ref().map(String::as_str)).into_iter();
        shown.retain(|_| retained.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let newest_first = |entry: &AuditEntry| Value::Metric(-i64::try_from(entry.id).unwrap_or(i64::MAX));
    let mut keyed: Vec<_> =
        shown.into_iter().map(|entry| (key(entry, column), newest_first(entry), Arc::clone(entry))).collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, entry)| entry).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|entry| entry.id), None, filtered);
}

fn key(entry: &AuditEntry, column: AuditColumn) -> Value<'_> {
    if column == AuditColumn::Time { Value::count(entry.id) } else { value(entry, column) }
}

/// Moves the cursor to an entry.
pub fn select(page: &mut AuditPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|entry| entry.id));
}

/// The criterion of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Who did it.
    User,
    /// What was done.
    Action,
    /// The application, node, or queue.
    Object,
}

/// Toggles the filter for the selected entry's value.
pub fn narrow(state: &mut State, by: By) {
    let Page::Audit(page) = state.page_mut() else { return };
    let like = entry(page).cloned();
    let slot = match by {
        By::User => &mut page.user,
        By::Action => &mut page.action,
        By::Object => &mut page.object,
    };
    *slot = match slot {
        Some(_) => None,
        None => like.map(|entry| match by {
            By::User => entry.user.clone(),
            By::Action => entry.action.clone(),
            By::Object => entry.object.clone(),
        }),
    };
    lists::rebuild(state, true);
}

/// The object, or the revisions for a configuration change.
pub fn jump(state: &mut State) {
    if let Some(next) = object(state, true) {
        return push(state, next);
    }
    let Page::Audit(page) = state.page() else { return };
    let Some(entry) = entry(page).filter(|entry| entry.kind() == AuditObject::Configuration) else {
        return state.report(Grade::Refusal, GONE);
    };
    let facts = if entry.allowed { &entry.after } else { &entry.before };
    let number = facts.iter().find(|(name, _)| name == "revision").and_then(|(_, number)| number.parse().ok());
    revisions::open_at(state, number);
}

/// Exports one JSON object per line.
pub fn export(page: &AuditPage, file: std::path::PathBuf) -> Work {
    let text = page.list.rows.iter().map(|entry| json_line(entry)).collect();
    let what = crate::present::format::count(page.list.rows.len() as u64, "entry");
    Work::Write { file, text, what }
}

/// A line of JSON with the keys of REST E11.
pub fn json_line(entry: &AuditEntry) -> String {
    let facts = |facts: &[(String, String)]| {
        let pairs = facts.iter().map(|(name, value)| (name.clone(), serde_json::Value::from(value.as_str())));
        serde_json::Value::Object(pairs.collect())
    };
    let at = entry.wall.unwrap_or_else(|| i64::try_from(entry.at.0.saturating_mul(1000)).unwrap_or(i64::MAX));
    let value = serde_json::json!({
        "id": entry.id, "at": at, "user": entry.user, "groups": entry.groups, "address": entry.address,
        "action": entry.action, "partition": entry.partition, "object": entry.object, "allowed": entry.allowed,
        "code": entry.code, "why": entry.why, "reason": entry.reason, "before": facts(&entry.before),
        "after": facts(&entry.after), "requestId": entry.request,
    });
    format!("{value}\n")
}
