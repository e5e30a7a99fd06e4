//! The events: following them, from one to its object, from an object to its events.

use std::sync::Arc;

use super::lists::{self, SortKey};
use super::long;
use super::navigate::{home, push};
use super::queues as tree;
use crate::console::present::filter::Filter;
use crate::console::present::subject;
use crate::console::state::column::EventColumn;
use crate::console::state::events::Events;
use crate::console::state::page::{Account, AccountPage, AppPage, EventsPage, NodePage, Page, Subject};
use crate::console::state::{Grade, State};
use crate::model::{AppId, AskId, NodeId, QueuePath, Time};
use crate::view::{ChangeType, EventPage, ObjectType, Record, Side};

/// Why an event leads nowhere.
const GONE: &str = "what the event is about is not there any more";

/// Goes to the events, or to those of one object.
pub fn open(state: &mut State, about: Option<&str>) {
    let about = about.map(str::trim).filter(|text| !text.is_empty());
    home(state);
    let page = match about {
        Some(about) => EventsPage::about(Some(about.into())),
        None => state.parked.events.take().unwrap_or_else(|| EventsPage::about(None)),
    };
    push(state, Page::Events(page));
}

/// Goes to the events of what is under the cursor; coming back leads here.
pub fn of_subject(state: &mut State) {
    if let Some(about) = named(state) {
        push(state, Page::Events(EventsPage::about(Some(about))));
    }
}

/// What the events of the thing under the cursor name.
fn named(state: &State) -> Option<Arc<str>> {
    Some(match subject::of(state)? {
        Subject::Queue(path) | Subject::Access(path) => Arc::from(path.as_str()),
        Subject::App(row) | Subject::Why(row) => Arc::from(row.id.as_str()),
        Subject::Node(id) => Arc::from(id.as_str()),
        Subject::Account(account) => account.name,
        Subject::Event(record) => Arc::clone(&record.object),
        Subject::Health(_) | Subject::History(_) | Subject::Partitions | Subject::Info => return None,
        Subject::Entry(entry) => Arc::from(entry.object.as_str()),
        Subject::Revision(_) | Subject::Compare(..) => return None,
    })
}

/// Whether there is a thing under the cursor that events are about.
pub fn can_show_of(state: &State) -> Result<(), String> {
    named(state).map(|_| ()).ok_or_else(|| "there is no row under the cursor".to_owned())
}

/// Takes the events that came since the last ones. Whether there were any.
pub fn take(state: &mut State, page: EventPage) -> bool {
    let new = state.cluster.events.take(page);
    if new && state.cluster.frozen.is_none() && matches!(state.page(), Page::Events(_)) {
        lists::rebuild(state, false);
    }
    new
}

/// Stays with the newest event, or stops doing so.
pub fn toggle_follow(state: &mut State) {
    if let Page::Events(page) = state.page_mut() {
        page.follow = !page.follow;
    }
    lists::rebuild(state, true);
}

/// Makes the rows; of what happened after `until` none.
pub fn rebuild(page: &mut EventsPage, events: &Events, until: Option<Time>) {
    let about = page.about.clone();
    let mut shown: Vec<(u64, &Arc<Record>)> = events
        .records
        .iter()
        .map(|(number, record)| (*number, record))
        .filter(|(_, record)| until.is_none_or(|until| record.at <= until))
        .filter(|(_, record)| about.as_ref().is_none_or(|about| is_about(record, about)))
        .collect();
    page.list.total = shown.len();
    page.list.widest =
        lists::widest(shown.iter().rev().map(|(_, record)| ["".into(), (&*record.object).into(), "".into()]));
    // The first column holds the time.
    page.list.widest[0] = 8;
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let words: Vec<(String, &Arc<Record>)> = shown.iter().map(|(_, record)| (word(record), *record)).collect();
        let kept = filter.select(words.iter(), |(word, record)| {
            [&*record.object, &*record.reference, word.as_str(), &*record.message]
        });
        let mut kept = kept.into_iter();
        shown.retain(|_| kept.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut keyed: Vec<_> = shown
        .into_iter()
        .map(|(at, record)| {
            let key = match column {
                EventColumn::Time => SortKey::Figures(number(at), 0),
                EventColumn::Kind => SortKey::Figures(record.kind.0.into(), record.detail.0.into()),
                EventColumn::Object => SortKey::Text(&record.object),
            };
            (key, SortKey::Figures(-number(at), 0), at)
        })
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, at)| at).collect());
    if page.follow {
        page.list.cursor.wanted = None;
        page.list.cursor.index = 0;
    }
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    let follow = page.follow.then_some(0);
    page.list.cursor.find(rows.len(), |index| rows.get(index).copied(), follow, filtered);
}

/// Whether an event is of a thing: names it, or is of something in it.
fn is_about(record: &Record, about: &str) -> bool {
    &*record.object == about || &*record.reference == about
}

/// What happened, in a few words.
///
/// Of an event with which nothing came, went or was set that has no word: "none held" would say the opposite.
pub fn word(record: &Record) -> String {
    match (record.change, record.detail.0) {
        (ChangeType::NONE, 0) => String::new(),
        (ChangeType::NONE, _) => record.detail.to_string(),
        (change, 0) => change.to_string(),
        (change, _) => format!("{change} {}", record.detail),
    }
}

/// Puts the cursor on an event; that ends following, but for the newest.
pub fn select(page: &mut EventsPage, index: usize) {
    page.follow = index == 0 && page.follow;
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).copied());
}

/// The page of what the event under the cursor is about.
pub fn object(state: &State, page: &EventsPage, opened: bool) -> Option<Page> {
    let record = state.cluster.events.get(*page.list.rows.get(page.list.cursor.index)?)?;
    let part = state.cluster.part()?;
    let there = |id: &AppId| long::is_there(part, id, opened, state.options.long);
    match record.kind {
        ObjectType::APP => {
            let id = AppId::from(&*record.object);
            there(&id).then_some(())?;
            Some(Page::App(AppPage::new(id, None)))
        }
        ObjectType::REQUEST => {
            let id = AppId::from(&*record.reference);
            there(&id).then_some(())?;
            Some(Page::App(AppPage::new(id, Some(AskId::from(&*record.object)))))
        }
        ObjectType::NODE => {
            let id = NodeId::from(&*record.object);
            part.nodes.contains_key(&id).then(|| Page::Node(NodePage::new(id)))
        }
        ObjectType::USER_GROUP => {
            let sides = [Side::User, Side::Group].into_iter();
            let side = sides.into_iter().find(|side| part.usage_of(*side, &record.object).is_some())?;
            Some(Page::Account(AccountPage::new(Account { side, name: Arc::clone(&record.object) })))
        }
        _ => None,
    }
}

/// Goes to what the event under the cursor is about.
pub fn jump(state: &mut State) {
    let Page::Events(page) = state.page() else { return };
    if let Some(next) = object(state, page, true) {
        return push(state, next);
    }
    if let Some(path) = queue(state, page) {
        home(state);
        if let Page::Queues(page) = state.page_mut() {
            tree::go_to(page, &path);
        }
        return lists::rebuild(state, true);
    }
    state.say(Grade::Refusal, GONE);
}

fn queue(state: &State, page: &EventsPage) -> Option<QueuePath> {
    let record = state.cluster.events.get(*page.list.rows.get(page.list.cursor.index)?)?;
    if record.kind != ObjectType::QUEUE {
        return None;
    }
    let path = QueuePath::new(&record.object);
    state.cluster.part()?.queue_at(&path).map(|row| row.path.clone())
}

/// Whether what the event under the cursor is about is still there.
pub fn can_jump(state: &State) -> Result<(), String> {
    let Page::Events(page) = state.page() else { return Ok(()) };
    if page.list.rows.is_empty() {
        return Err("there is no row under the cursor".to_owned());
    }
    if object(state, page, false).is_some() || queue(state, page).is_some() {
        return Ok(());
    }
    Err(GONE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::ChangeDetail;

    #[test]
    fn what_neither_came_nor_went_has_no_none_before_its_words() {
        let of = |change, detail| word(&Record { change, detail, ..Record::hole(1, 1, Time::ZERO) });
        let held = ChangeDetail::APP_CANNOTRUN_QUOTA;
        assert_eq!(of(ChangeType::NONE, held), "held by a user's or group's application limit");
        assert_eq!(of(ChangeType::NONE, ChangeDetail(0)), "");
        assert_eq!(of(ChangeType::ADD, ChangeDetail(0)), ChangeType::ADD.to_string());
        for detail in 0..1_000 {
            assert!(!of(ChangeType::NONE, ChangeDetail(detail)).starts_with("none"), "{detail}");
        }
    }
}
