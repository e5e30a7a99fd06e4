//! The usage page.

use std::sync::Arc;
use std::time::Duration;

use crate::present::column_filter::ColumnFilter;
use crate::present::lists::usage::{unit, value};
use crate::present::value::Value;
use crate::state::effect::Effect;
use crate::state::page::{AppPage, Page};
use crate::state::usage::UsagePage;
use crate::state::{Grade, State};
use crate::update::lists;
use crate::update::stack::{home, push};
use model::{AppId, QueuePath};
use view::used::{UsageBy, UsagePeriod, UsageQuestion, Used, UsedRow};

const AGAIN: Duration = Duration::from_secs(10);

/// Opens the page, optionally for a period.
pub fn open(state: &mut State, period: Option<&str>) {
    match period.map(str::trim).filter(|text| !text.is_empty()).map(UsagePeriod::parse) {
        Some(Err(why)) => state.report(Grade::Refusal, why),
        period => {
            let period = period.and_then(Result::ok).unwrap_or_default();
            home(state);
            push(state, Page::Usage(UsagePage::new(UsageQuestion { period, ..UsageQuestion::default() })));
        }
    }
}

/// Requests the answer if it is missing or old.
pub fn want(state: &mut State) {
    let now = state.now;
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    if state.cluster.part().is_none() {
        return;
    }
    let Page::Usage(page) = state.page_mut() else { return };
    let old = page.asked.is_none_or(|asked| now >= asked + AGAIN && !is_stopped);
    if page.awaited || !old {
        return;
    }
    (page.asked, page.awaited) = (Some(now), true);
    let question = page.question.clone();
    state.emit(Effect::AskUsage(question));
}

/// Takes an answer for its question.
pub fn take(state: &mut State, question: &UsageQuestion, answer: Result<Used, String>) {
    let found = state.pages.iter_mut().rev().find_map(|page| match page {
        Page::Usage(page) if page.awaited && page.question == *question => Some(page),
        _ => None,
    });
    let Some(page) = found else { return };
    page.awaited = false;
    page.answer = Some(answer.map(Arc::new));
    page.list.built = None;
    lists::rebuild(state, true);
}

fn ask(state: &mut State, change: impl FnOnce(&mut UsageQuestion) -> Result<(), String>) {
    let Page::Usage(page) = state.page_mut() else { return };
    if let Err(why) = change(&mut page.question) {
        return state.report(Grade::Refusal, why);
    }
    (page.asked, page.awaited, page.answer) = (None, false, None);
    page.list.filter.clear();
    page.list.built = None;
    lists::rebuild(state, true);
}

/// Sets the named or the next period.
pub fn period(state: &mut State, name: Option<&str>) {
    ask(state, |question| {
        question.period = match name {
            Some(name) => UsagePeriod::parse(name.trim())?,
            None => next(&UsagePeriod::ALL, question.period),
        };
        Ok(())
    });
}

/// Splits by the named or the next criterion.
pub fn split(state: &mut State, name: Option<&str>) {
    ask(state, |question| {
        let all: Vec<UsageBy> = UsageBy::ALL.into_iter().filter(|by| fits(*by, question)).collect();
        question.by = match name {
            Some(name) => *all.iter().find(|by| by.name() == name.trim()).ok_or_else(|| {
                let known: Vec<&str> = all.iter().map(|by| by.name()).collect();
                format!("cannot split by {name:?}; valid: {}", known.join(", "))
            })?,
            None => next(&all, question.by),
        };
        Ok(())
    });
}

fn fits(by: UsageBy, question: &UsageQuestion) -> bool {
    match by {
        UsageBy::Tree => question.user.is_none(),
        UsageBy::User => question.user.is_none(),
        _ => true,
    }
}

fn next<T: Copy + PartialEq>(all: &[T], one: T) -> T {
    let at = all.iter().position(|other| *other == one).map_or(0, |at| (at + 1) % all.len().max(1));
    all.get(at).copied().unwrap_or(one)
}

/// Makes the rows.
pub fn rebuild(page: &mut UsagePage) {
    let mut shown: Vec<Arc<UsedRow>> = page.used().map(|used| used.rows.clone()).unwrap_or_default();
    page.list.total = shown.len();
    page.list.widest = lists::widest(shown.iter().map(|row| [(&*row.name).into(), "".into(), "".into()]));
    let (column, nothing) = (page.list.sort.column, Used::default());
    let used = page.used().unwrap_or(&nothing);
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        filter.retain(&mut shown, |row| [&*row.name], |row, column| value(used, row, column));
    }
    let mut keyed: Vec<_> = shown
        .iter()
        .map(|row| (value(used, row, column).into_owned(), Value::text(row.name.to_string()), Arc::clone(row)))
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, row)| row).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|row| Arc::clone(&row.name)), None, filtered);
}

/// Moves the cursor to a row.
pub fn select(page: &mut UsagePage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|row| Arc::clone(&row.name)));
}

/// Opens users of a queue, applications of a user, or requests of an application.
pub fn enter(state: &mut State) {
    let Page::Usage(page) = state.page() else { return };
    let Some(name) = page.list.rows.get(page.list.cursor.index).map(|row| Arc::clone(&row.name)) else { return };
    let mut question = page.question.clone();
    match question.by {
        UsageBy::Queue | UsageBy::Tree => {
            question.queue = Some(QueuePath::new(&name));
            question.by = if question.user.is_some() { UsageBy::Application } else { UsageBy::User };
        }
        UsageBy::User => (question.user, question.by) = (Some(name), UsageBy::Application),
        UsageBy::Application if name.is_empty() => {
            return state.report(Grade::Info, "these applications are old: their usage is summed by queue and user");
        }
        UsageBy::Application => {
            let id = AppId::from(&*name);
            let known = state.cluster.part().is_some_and(|part| part.app_by_id(&id).is_some());
            if !known {
                return state.report(Grade::Info, format!("{name} is old: only its usage is known"));
            }
            return push(state, Page::App(AppPage::new(id, None)));
        }
        UsageBy::Group | UsageBy::Priority => {
            let words = format!("the usage of a {} cannot be split further; b changes the split", question.by.name());
            return state.report(Grade::Info, words);
        }
    }
    push(state, Page::Usage(UsagePage::new(question)));
}
