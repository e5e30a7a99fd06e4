//! The audit: who did what. Filtering it, and from an entry to its object.

use std::sync::Arc;

use super::lists::{self, SortKey};
use super::navigate::{home, push};
use super::{long, revisions};
use crate::console::present::filter::Filter;
use crate::console::state::column::AuditColumn;
use crate::console::state::page::{AppPage, AuditPage, NodePage, Page};
use crate::console::state::records::Ledger;
use crate::console::state::work::Work;
use crate::console::state::{Grade, State};
use crate::model::{AppId, NodeId, Time};
use crate::source::Records;
use crate::view::audit::{ACTIONS, AuditEntry, AuditObject};

/// Goes to the audit. What follows filters it: `user=sue`, `action=kill`, `object=etl-1`, or the name of an action
/// by itself; all other words together are the filter of the list.
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
                let told = format!("{key}= is nothing the audit is filtered by; there are user=, action=, object=");
                return state.say(Grade::Refusal, told);
            }
            None => others.push(word),
        }
    }
    page.list.filter = others.join(" ");
    if let Some(action) = page.action.as_deref().filter(|action| !ACTIONS.contains(action)) {
        let told = format!("{action} is no action; there are {}", ACTIONS.join(", "));
        return state.say(Grade::Refusal, told);
    }
    home(state);
    if wanted.is_none() {
        page = state.parked.audit.take().unwrap_or_default();
    }
    push(state, Page::Audit(page));
}

/// Takes what is known of the ledger. Whether there was anything new.
pub fn take(state: &mut State, records: Records) {
    state.cluster.ledger.told = Some(records);
    if matches!(state.page(), Page::Audit(_) | Page::Revisions(_)) {
        lists::rebuild(state, true);
    }
}

/// Makes the rows; of what was done after `until` none.
pub fn rebuild(page: &mut AuditPage, ledger: &Ledger, until: Option<Time>) {
    let known = ledger.told.as_ref().and_then(|told| told.audit.as_ref().ok());
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
    // The first column holds the time.
    page.list.widest[0] = 8;
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let texts = |entry: &&Arc<AuditEntry>| {
            let entry: &AuditEntry = entry;
            // The sieve looks at each only while it is asked.
            [who(entry), &*entry.action, &*entry.object, &*entry.address, &*entry.code, &*entry.reason, &*entry.why]
                .map(str::to_owned)
        };
        let words: Vec<[String; 7]> = shown.iter().map(texts).collect();
        let mut kept = filter.select(words.iter(), |words| words.each_ref().map(String::as_str)).into_iter();
        shown.retain(|_| kept.next().unwrap_or(false));
    }
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = shown
        .into_iter()
        .map(|entry| {
            let key = match column {
                AuditColumn::Time => SortKey::Figures(number(entry.id), 0),
                AuditColumn::User => SortKey::Text(who(entry)),
                AuditColumn::Action => SortKey::Text(&entry.action),
                AuditColumn::Object => SortKey::Text(&entry.object),
                AuditColumn::Result => SortKey::Text(&entry.code),
            };
            (key, SortKey::Figures(-number(entry.id), 0), Arc::clone(entry))
        })
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, entry)| entry).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|entry| entry.id), None, filtered);
}

/// Who did it, also where that is no person.
pub fn who(entry: &AuditEntry) -> &str {
    if entry.user.is_empty() { &entry.address } else { &entry.user }
}

/// Puts the cursor on an entry.
pub fn select(page: &mut AuditPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|entry| entry.id));
}

/// The entry under the cursor.
pub fn entry(page: &AuditPage) -> Option<&Arc<AuditEntry>> {
    page.list.rows.get(page.list.cursor.index)
}

/// By what the audit is narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Who did it.
    User,
    /// What was done.
    Action,
    /// To what.
    Object,
}

/// Shows only entries that are like the one under the cursor in this; once more: all again.
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

/// Whether the audit can be narrowed so.
///
/// # Errors
/// Why not.
pub fn can_narrow(state: &State) -> Result<(), String> {
    let Page::Audit(page) = state.page() else { return Err("only in the audit".to_owned()) };
    let narrowed = page.user.is_some() || page.action.is_some() || page.object.is_some();
    if narrowed || entry(page).is_some() { Ok(()) } else { Err("there is no row under the cursor".to_owned()) }
}

/// Why an entry leads nowhere.
const GONE: &str = "what it is about is not there any more";

/// What the entry under the cursor is about, if it is there.
fn object(state: &State, opened: bool) -> Option<Page> {
    let Page::Audit(page) = state.page() else { return None };
    let entry = entry(page)?;
    let part = state.cluster.part()?;
    match entry.kind() {
        AuditObject::Application => {
            let id = AppId::from(entry.object.as_str());
            long::is_there(part, &id, opened, state.options.long).then(|| Page::App(AppPage::new(id, None)))
        }
        AuditObject::Node => {
            let id = NodeId::from(entry.object.as_str());
            part.nodes.contains_key(&id).then(|| Page::Node(NodePage::new(id)))
        }
        AuditObject::Configuration | AuditObject::Whole => None,
    }
}

/// Goes to what the entry under the cursor is about: the history for a change of the configuration.
pub fn jump(state: &mut State) {
    if let Some(next) = object(state, true) {
        return push(state, next);
    }
    let Page::Audit(page) = state.page() else { return };
    let Some(entry) = entry(page).filter(|entry| entry.kind() == AuditObject::Configuration) else {
        return state.say(Grade::Refusal, GONE);
    };
    let facts = if entry.allowed { &entry.after } else { &entry.before };
    let number = facts.iter().find(|(name, _)| name == "revision").and_then(|(_, number)| number.parse().ok());
    revisions::open_at(state, number);
}

/// Whether what the entry under the cursor is about is there.
///
/// # Errors
/// Why there is nothing to go to.
pub fn can_jump(state: &State) -> Result<(), String> {
    let Page::Audit(page) = state.page() else { return Ok(()) };
    match entry(page).map(|entry| entry.kind()) {
        None => Err("there is no row under the cursor".to_owned()),
        Some(AuditObject::Configuration) => Ok(()),
        Some(AuditObject::Whole) => Err("it is about the scheduler as a whole".to_owned()),
        Some(_) if object(state, false).is_some() => Ok(()),
        Some(_) => Err(GONE.to_owned()),
    }
}

/// Writes the entries that the list shows into a file, one JSON object a line.
pub fn export(page: &AuditPage, file: std::path::PathBuf) -> Work {
    let text = page.list.rows.iter().map(|entry| json_line(entry)).collect();
    let what =
        crate::console::present::format::count(page.list.rows.len() as u64, "entry").replace("entrys", "entries");
    Work::Write { file, text, what }
}

/// An entry as one line of JSON, with the keys of REST E11.
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
