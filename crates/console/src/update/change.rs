//! Forms on one queue.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::input::editing::edit;
use crate::present::format;
use crate::present::guard::change::{can_apply, is_behind, target};
use crate::present::layout;
use crate::present::suggestions;
use crate::state::change::DraftJob;
use crate::state::change::{Applying, ChangeField, ChangePage, FormDraft, Kind, What};
use crate::state::config::ConfigPage;
use crate::state::editor::QuotaPreview;
use crate::state::key::Key;
use crate::state::layer::Layer;
use crate::state::line_edit::LineEdit;
use crate::state::line_edit::{LineStep, Reach};
use crate::state::orders::Purpose;
use crate::state::page::Page;
use crate::state::work::Work;
use crate::state::{Grade, State};
use crate::update::config;
use crate::update::stack::{pop, push};
use model::quantity::write_quantity;
use model::{MEMORY, VCORE};
use view::act::Act;
use view::{PartitionView, QueueRow, QuotaForecast};

/// Restores a form that was left with input.
pub fn open(state: &mut State, kind: Kind) {
    let Ok(row) = target(state).cloned() else { return };
    let Some(part) = state.cluster.part() else { return };
    let name = Arc::clone(&part.name);
    let fields = fields(part, &row, kind);
    let retained =
        state.parked.change.take_if(|page| page.kind == kind && page.queue == row.path && page.partition == name);
    let page = retained.unwrap_or_else(|| Box::new(ChangePage::new(kind, row.path.clone(), name, fields)));
    if matches!(state.page(), Page::Change(_)) {
        pop(state);
    }
    push(state, Page::Change(page));
    due(state);
    if kind != Kind::Remove {
        state.layers.push(Layer::Form);
    }
}

fn fields(part: &PartitionView, row: &QueueRow, kind: Kind) -> Vec<ChangeField> {
    match kind {
        Kind::Max => {
            let bounded = row.path.parent().is_some();
            let mut fields =
                if bounded { amounts(part, row.max.as_ref(), "no maximum of its own") } else { Vec::new() };
            let running = row.max_running.map(|most| most.to_string()).unwrap_or_default();
            fields.push(ChangeField::new(What::Applications, "running", "any number of applications", running));
            fields
        }
        Kind::Guaranteed => amounts(part, row.guaranteed.as_ref(), "nothing guaranteed"),
        Kind::Property | Kind::Child | Kind::Limit | Kind::Remove => {
            let empty = |(what, label, hint): (What, &str, &str)| ChangeField::new(what, label, hint, "");
            unwritten(kind).into_iter().map(empty).collect()
        }
    }
}

fn unwritten(kind: Kind) -> Vec<(What, &'static str, &'static str)> {
    match kind {
        Kind::Property => vec![
            (What::Key, "property", "its key, for example priority.offset"),
            (What::Value, "value", "empty: it is removed"),
        ],
        Kind::Child => vec![
            (What::Name, "name", "letters, digits, _, and -"),
            (What::Sort, "kind", "leaf; or parent"),
            (What::Applications, "running", "any number of applications"),
            (What::Amounts, "maximum", "none; memory=10G vcore=4"),
            (What::GuaranteedAmounts, "guarantee", "none; memory=10G vcore=4"),
            (What::Submit, "submit", "as above; USERS GROUPS"),
            (What::Admin, "admin", "as above; USERS GROUPS"),
        ],
        Kind::Limit => vec![
            (What::Users, "users", "none; * for all"),
            (What::Groups, "groups", "none; * for all"),
            (What::Applications, "running", "unchanged; none removes it"),
            (What::Amounts, "resources", "unchanged; memory=10G gpu=none"),
            (What::Description, "words", "a description of the limit"),
        ],
        Kind::Max | Kind::Guaranteed | Kind::Remove => Vec::new(),
    }
}

/// Fields for the resources of nodes and of the queue's limit, and for others.
fn amounts(part: &PartitionView, own: Option<&model::Resource>, hint: &str) -> Vec<ChangeField> {
    let known = part.capacity.iter().chain(own.into_iter().flat_map(|own| own.iter()));
    let others: BTreeSet<&str> = known.map(|(name, _)| name).filter(|name| ![VCORE, MEMORY].contains(name)).collect();
    let field = |name: &str| {
        let was = own.and_then(|own| own.get(name)).map(|amount| write_quantity(name, amount)).unwrap_or_default();
        ChangeField::new(What::Amount(name.to_owned()), format::resource_name(name), hint, was)
    };
    let mut fields: Vec<ChangeField> = [VCORE, MEMORY].into_iter().chain(others).map(field).collect();
    fields.push(ChangeField::new(What::Amounts, "others", "NAME=AMOUNT", ""));
    fields
}

fn shown(state: &mut State) -> Option<&mut ChangePage> {
    match state.page_mut() {
        Page::Change(page) => Some(page),
        _ => None,
    }
}

fn all(state: &mut State) -> impl Iterator<Item = &mut ChangePage> {
    let open = state.pages.iter_mut().filter_map(|page| match page {
        Page::Change(page) => Some(page),
        _ => None,
    });
    open.chain(state.parked.change.as_mut()).map(Box::as_mut)
}

/// The form with unapplied input.
pub fn written(state: &State) -> Option<&ChangePage> {
    let open = state.pages.iter().filter_map(|page| match page {
        Page::Change(page) => Some(page),
        _ => None,
    });
    open.chain(state.parked.change.as_ref()).map(Box::as_ref).find(|page| page.written())
}

/// Stores a closed form if it has input.
pub fn park(state: &mut State, page: Box<ChangePage>) {
    if page.written() {
        state.report(Grade::Info, format!("your input is saved; reopen the form on {}", page.queue));
        state.parked.change = Some(page);
    }
}

/// Goes to another field.
pub fn step(page: &mut ChangePage, step: isize) {
    let len = page.fields.len();
    if len > 0 {
        page.field = (page.field + len).saturating_add_signed(step) % len;
        page.fields[page.field].line.enter();
    }
    page.suggestion.clear();
}

/// Restores the initial texts.
pub fn clear(state: &mut State) {
    if let Some(page) = shown(state) {
        for field in &mut page.fields {
            field.line = LineEdit::prefilled(field.was.clone());
        }
    }
    changed(state);
}

fn changed(state: &mut State) {
    let now = state.now;
    if let Some(page) = shown(state) {
        page.version += 1;
        page.top = 0;
        page.suggestion.clear();
        page.due = Some(now + ConfigPage::PAUSE);
    }
}

/// Applies a key to the field under the cursor.
pub fn key(state: &mut State, key: Key) {
    let Some(page) = shown(state) else { return };
    let Some(field) = page.fields.get_mut(page.field) else { return };
    let before = field.line.text().to_owned();
    if !edit(&mut field.line, key) {
        return;
    }
    if field.line.text() != before {
        changed(state);
    }
    suggest_again(state);
    state.redraw();
}

/// Pastes text into the field under the cursor.
pub fn paste(state: &mut State, text: &str) -> bool {
    let Some(field) = shown(state).and_then(|page| page.fields.get_mut(page.field)) else { return false };
    field.line.paste(text);
    changed(state);
    suggest_again(state);
    true
}

fn suggest_again(state: &mut State) {
    let (Page::Change(page), Some(part)) = (state.page(), state.cluster.part()) else { return };
    let rest = suggestions::rest_of_change(part, &state.cluster.identity, page);
    if let Some(page) = shown(state) {
        page.suggestion = rest;
    }
}

/// Accepts the suggestion; without one the cursor moves right.
pub fn take_suggestion(state: &mut State) {
    let Some(page) = shown(state) else { return };
    let suggestion = std::mem::take(&mut page.suggestion);
    let Some(field) = page.fields.get_mut(page.field) else { return };
    if suggestion.is_empty() {
        field.line.apply(LineStep::Move(Reach::Right));
        return suggest_again(state);
    }
    let whole = format!("{}{suggestion}", field.line.text());
    field.line.set(whole);
    changed(state);
    suggest_again(state);
}

/// Limits scrolling to the last line.
pub fn settle(state: &mut State) {
    let (lines, space) = match (state.page(), layout::regions(state)) {
        (Page::Change(page), Some(regions)) => crate::present::change::extent(page, regions.rows),
        _ => (0, 0),
    };
    if let Some(page) = shown(state) {
        page.top = page.top.min(lines.saturating_sub(space));
    }
}

/// Checks after a change of the form or of the active configuration.
pub fn due(state: &mut State) {
    let behind = matches!(state.page(), Page::Change(page) if is_behind(state, page) && page.applying.is_none());
    let (now, view) = (state.now, Arc::clone(&state.cluster.newest));
    let profile = state.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
    let (actor, at) = (state.cluster.actor.clone(), state.cluster.at);
    let preview = state.cluster.quota_preview.clone();
    let Some(page) = shown(state) else { return };
    if behind && page.due.is_none() && !page.looking {
        (page.version, page.due) = (page.version + 1, Some(now));
    }
    if page.looking || page.due.is_none_or(|due| due > now) {
        return;
    }
    page.due = None;
    let Some(base) = view.configuration.clone() else { return };
    page.looking = true;
    let (version, kind, queue) = (page.version, page.kind, page.queue.clone());
    let (partition, fields) = (Arc::clone(&page.partition), page.fields.clone());
    let job = DraftJob { at, version, kind, queue, partition, fields, base, view, profile, actor, preview };
    state.emit(Work::Draft(Box::new(job)));
}

/// When to check the form on the screen.
pub fn next_due(state: &State) -> Option<Duration> {
    match state.page() {
        Page::Change(page) if !page.looking => page.due,
        _ => None,
    }
}

/// Checks an edit or form with this text again.
pub fn quotas_previewed(state: &mut State, text: Arc<str>, forecasts: Vec<(Arc<str>, QuotaForecast)>) {
    let (now, known) = (state.now, !forecasts.is_empty());
    state.cluster.quota_preview = Some(Arc::new(QuotaPreview { text: Arc::clone(&text), forecasts, taken: now }));
    if !known {
        return;
    }
    if let Some(page) = config::page_mut(state).filter(|page| page.buffer.text() == *text) {
        page.due = Some(now);
    }
    for page in all(state).filter(|page| page.drafted.text.as_deref() == Some(&*text)) {
        page.due = Some(now);
    }
}

/// Takes the check result of the form.
pub fn drafted(state: &mut State, drafted: FormDraft) {
    let text = drafted.text.clone().filter(|_| drafted.checked.asks_scheduler);
    for page in all(state).filter(|page| page.looking) {
        page.looking = false;
        page.drafted = drafted.clone();
    }
    due(state);
    text.into_iter().for_each(|text| config::preview_quotas(state, text));
}

/// Asks whether to apply the change.
pub fn ask_apply(state: &mut State) {
    let Page::Change(page) = state.page() else { return };
    let title = match page.kind {
        Kind::Remove => format!("Remove {}?", page.queue),
        kind => format!("{}: {}?", page.queue, kind.title()),
    };
    let retained = state.cluster.past.retained;
    let question = config::question(title, &page.drafted.checked, page.drafted.base.as_deref(), retained);
    state.ask(question);
}

/// Applies the change.
pub fn apply(state: &mut State, reason: &str) {
    let Page::Change(page) = state.page() else { return };
    if let Err(message) = can_apply(state, page) {
        return state.report(Grade::Refusal, message);
    }
    let (Some(text), Some(base)) = (&page.drafted.text, &page.drafted.base) else { return };
    let act = Act::Configure { text: text.to_string(), base: Some(base.checksum.clone()), dry_run: false };
    let fields = page.fields.iter().map(|field| field.line.text().to_owned()).collect();
    let order = config::order(act, reason, &page.drafted.checked.removal);
    let number = super::orders::send(state, order, Purpose::Report);
    let turn = state.turn;
    if let Some(page) = shown(state) {
        page.applying = Some(Applying { number, turn, fields });
    }
}

/// An applied form closes, unless it is edited again.
pub fn ordered(state: &mut State, number: u64, applied: bool) {
    let turn = state.turn;
    let of = |page: &&mut ChangePage| page.applying.as_ref().is_some_and(|applying| applying.number == number);
    let Some(page) = all(state).find(of) else { return };
    let Some(sent) = page.applying.take().filter(|_| applied) else { return };
    let before = page.drafted.base.clone();
    for (field, text) in page.fields.iter_mut().zip(sent.fields) {
        field.was = text;
    }
    let (kind, queue) = (page.kind, page.queue.clone());
    config::replaced(state, before);
    let on_screen =
        |state: &State| matches!(state.page(), Page::Change(page) if page.kind == kind && page.queue == queue);
    if on_screen(state) && turn == sent.turn {
        let reported = state.toast.take();
        state.layers.retain(|layer| !matches!(layer, Layer::Form));
        pop(state);
        state.toast = reported;
    }
    state.parked.change.take_if(|page| !page.written());
}
