//! The revisions: view, compare, and roll back.

use std::sync::Arc;

use crate::present::filter::Filter;
use crate::present::format;
use crate::present::lists::revisions::value;
use crate::present::subject::{compared, revision};
use crate::present::value::Value;
use crate::present::words::origin;
use crate::state::effect::Effect;
use crate::state::layer::{Confirm, Question};
use crate::state::page::{DetailsPage, Page, RevisionsPage, Subject};
use crate::state::records::{Compared, Ledger};
use crate::state::work::Work;
use crate::state::{Grade, State};
use crate::update::config;
use crate::update::lists;
use crate::update::orders;
use crate::update::stack::{home, push};
use ::config::diff::What;
use model::Time;
use view::act::{Act, ChangeLine, Configured};
use view::audit::Revision;

/// Opens the revisions.
pub fn open(state: &mut State) {
    open_at(state, None);
}

/// Opens the revisions at a number.
pub fn open_at(state: &mut State, number: Option<u64>) {
    home(state);
    let mut page = state.parked.revisions.take().unwrap_or_default();
    if number.is_some() {
        page.list.cursor.wanted = number;
    }
    push(state, Page::Revisions(page));
}

/// Makes the rows without revisions after `until`.
pub fn rebuild(page: &mut RevisionsPage, ledger: &Ledger, until: Option<Time>, now: Time) {
    let then = |revision: &&Arc<Revision>| until.is_none_or(|until| revision.at <= until);
    let mut shown: Vec<&Arc<Revision>> = ledger.revisions().iter().filter(then).collect();
    page.list.total = shown.len();
    page.list.widest = lists::widest(shown.iter().map(|one| ["".into(), one.by.as_str().into(), "".into()]));
    page.list.widest[0] = 6;
    page.list.widest[2] = format::when_width(shown.iter().map(|one| one.at).min(), now, 8);
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let numbers: Vec<String> = shown.iter().map(|one| one.number.to_string()).collect();
        let mut retained = filter
            .select(shown.iter().zip(&numbers), |(one, number)| {
                [number.as_str(), one.by.as_str(), one.source.name(), one.reason.as_str(), one.checksum.as_str()]
            })
            .into_iter();
        shown.retain(|_| retained.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let newest_first = |one: &Revision| Value::Metric(-i64::try_from(one.number).unwrap_or(i64::MAX));
    let mut keyed: Vec<_> =
        shown.into_iter().map(|one| (value(one, column), newest_first(one), Arc::clone(one))).collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, one)| one).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|one| one.number), None, filtered);
}

/// Moves the cursor to a revision.
pub fn select(page: &mut RevisionsPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|one| one.number));
}

/// Shows the text of the selected revision.
pub fn show(state: &mut State) {
    let Page::Revisions(page) = state.page() else { return };
    if let Some(number) = revision(page).map(|one| one.number) {
        push(state, Page::Details(DetailsPage { subject: Subject::Revision(number), top: 0 }));
    }
}

/// Marks a revision to compare others with.
pub fn mark(state: &mut State) {
    let Page::Revisions(page) = state.page_mut() else { return };
    let here = revision(page).map(|one| one.number);
    page.marked = if page.marked == here { None } else { here };
}

/// Texts, and the comparison.
pub fn want(state: &mut State) {
    let subject = match state.page() {
        Page::Revisions(page) => compared(page, &state.cluster.ledger),
        Page::Details(page) => Some(page.subject.clone()),
        _ => None,
    };
    match subject {
        Some(Subject::Revision(number)) => fetch(state, number),
        Some(Subject::Compare(old, new)) => compare(state, old, new),
        _ => {}
    }
}

fn fetch(state: &mut State, number: u64) {
    if state.cluster.ledger.start_fetch(number) {
        state.emit(Effect::FetchRevision(number));
    }
}

fn compare(state: &mut State, old: u64, new: u64) {
    let ledger = &state.cluster.ledger;
    let known = ledger.compared.as_ref().is_some_and(|compared| compared.of == (old, new));
    if known || ledger.comparing == Some((old, new)) {
        return;
    }
    fetch(state, old);
    fetch(state, new);
    let ledger = &mut state.cluster.ledger;
    let texts = match (ledger.text(old), ledger.text(new)) {
        (Some(Ok(old)), Some(Ok(new))) => (Arc::clone(old), Arc::clone(new)),
        (Some(Err(why)), _) | (_, Some(Err(why))) => {
            let lines = Err(why.to_owned());
            ledger.compared = Some(Compared { of: (old, new), lines });
            return;
        }
        _ => return,
    };
    ledger.comparing = Some((old, new));
    let profile = state.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
    let policy_group = state.cluster.view.policy_group().to_owned();
    state.emit(Work::Compare { of: (old, new), texts, profile, policy_group });
}

/// Takes a comparison.
pub fn take(state: &mut State, compared: Compared) {
    if state.cluster.ledger.comparing == Some(compared.of) {
        state.cluster.ledger.comparing = None;
    }
    state.cluster.ledger.compared = Some(compared);
}

fn target(state: &State, number: Option<&str>) -> Result<u64, String> {
    match number.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => text.parse().map_err(|_| format!("{text} is not a revision number")),
        None => match state.page() {
            Page::Revisions(page) => revision(page).map(|one| one.number),
            Page::Details(DetailsPage { subject: Subject::Revision(number), .. }) => Some(*number),
            _ => None,
        }
        .ok_or_else(|| "missing revision: use :rollback NUMBER, or b in the history of configurations".to_owned()),
    }
}

/// The dry run opens the question.
pub fn roll_back(state: &mut State, number: Option<&str>) {
    let revision = match target(state, number) {
        Ok(number) => number,
        Err(message) => return state.report(Grade::Refusal, message),
    };
    let Some(running) = &state.cluster.newest.configuration else { return };
    if running.revision == revision {
        return state.report(Grade::Refusal, format!("revision {revision} is already active"));
    }
    let base = Some(running.checksum.clone());
    orders::ask_first(state, Act::Rollback { revision, base, dry_run: true });
}

fn change_words(change: &ChangeLine) -> String {
    let of = change.queue.as_ref().map_or_else(|| format!("partition {}", change.partition), ToString::to_string);
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    let (from, to) = (value(&change.from), value(&change.to));
    // The format of the edit preview: `max vcore`.
    let key = change.key.strip_prefix("resources.").map_or_else(|| change.key.clone(), |key| key.replacen('.', " ", 1));
    let words = match (change.key.as_str(), change.what) {
        ("queue" | "partition", What::Added) => return format!("+ {of}: {}", change.effect),
        ("queue" | "partition", What::Removed) => return format!("- {of}: {}", change.effect),
        (_, What::Added) => format!("+ {of} {key} {to}, not set now"),
        (_, What::Removed) => format!("- {of} {key} {from}, not set then"),
        (_, What::Changed) => format!("~ {of} {key} {from} → {to}"),
    };
    if change.effect.is_empty() { words } else { format!("{words}: {}", change.effect) }
}

pub(super) fn against_running(state: &State, would: &Configured) -> Vec<String> {
    let mut lines = vec![match would.changes.len() {
        0 => "Only comments and order change.".to_owned(),
        count => format!("{} compared with the active one:", format::count(count as u64, "change")),
    }];
    let most = usize::from(state.size.height / 2).max(6);
    lines.extend(would.changes.iter().take(most).map(|change| format!("  {}", change_words(change))));
    if would.changes.len() > most {
        lines.push(format!("  and {} more", would.changes.len() - most));
    }
    lines.extend(would.what_happens.iter().take(6).map(|message| format!("{message}.")));
    lines
}

/// Asks after a successful dry run.
pub fn ask(state: &mut State, act: &Act, would: &Configured) {
    let Act::Rollback { revision, base, .. } = act else { return };
    if would.checksum == would.previous {
        let message = format!("revision {revision} is identical to the active one");
        return state.report(Grade::Info, message);
    }
    let mut lines = Vec::new();
    if let Some(known) = state.cluster.ledger.revision(*revision) {
        lines.push(format!("Revision {revision}, {}.", origin(known)));
    }
    lines.extend(against_running(state, would));
    lines.push("It is applied immediately, as a new revision; the history is unchanged.".to_owned());
    let act = Act::Rollback { revision: *revision, base: base.clone(), dry_run: false };
    let order = config::order(act, "", &would.removal);
    let want = would.removal.is_large().then(|| would.removal.queues.to_string());
    if want.is_some() {
        lines.push(format!("In all {}.", would.removal));
    }
    let what = Question::Order(Box::new(order));
    state.ask(Confirm::new(format!("Roll back to revision {revision}?"), lines, "Roll back", what).typing(want));
}
