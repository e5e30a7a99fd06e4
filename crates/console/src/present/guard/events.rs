//! The object of an event.

use std::sync::Arc;

use crate::present::subject;
use crate::state::State;
use crate::state::page::{Account, AccountPage, AppPage, EventsPage, NodePage, Page, Subject};
use model::{AppId, AskId, NodeId, QueuePath};
use view::{ObjectType, Side};

/// Why an event has no target.
pub const GONE: &str = "the object of the event no longer exists";

/// The id in events of the selected object.
pub fn named(state: &State) -> Option<Arc<str>> {
    Some(match subject::of(state)? {
        Subject::Queue(path) | Subject::Access(path) => Arc::from(path.as_str()),
        Subject::App(row) | Subject::Why(row) => Arc::from(row.id.as_str()),
        Subject::Node(id) => Arc::from(id.as_str()),
        Subject::Account(account) => account.name,
        Subject::Event(record) => Arc::clone(&record.object),
        Subject::Health(_) | Subject::History(_) | Subject::Partitions | Subject::Info | Subject::Sides => {
            return None;
        }
        Subject::Entry(entry) => Arc::from(entry.object.as_str()),
        Subject::Revision(_) | Subject::Compare(..) | Subject::Simulated(_) => return None,
    })
}

/// Whether the selected object has events.
pub fn can_show_of(state: &State) -> Result<(), String> {
    named(state).map(|_| ()).ok_or_else(|| "no row selected".to_owned())
}

/// The page of the selected event's object.
pub fn object(state: &State, page: &EventsPage, opened: bool) -> Option<Page> {
    let record = state.cluster.events.get(*page.list.rows.get(page.list.cursor.index)?)?;
    let part = state.cluster.part()?;
    let there = |id: &AppId| subject::is_listed(part, id, opened, state.options.long);
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

/// The queue of the selected event.
pub fn queue(state: &State, page: &EventsPage) -> Option<QueuePath> {
    let record = state.cluster.events.get(*page.list.rows.get(page.list.cursor.index)?)?;
    if record.kind != ObjectType::QUEUE {
        return None;
    }
    let path = QueuePath::new(&record.object);
    state.cluster.part()?.queue_at(&path).map(|row| row.path.clone())
}

/// Whether the object of the selected event exists.
pub fn can_jump(state: &State) -> Result<(), String> {
    let Page::Events(page) = state.page() else { return Ok(()) };
    if page.list.rows.is_empty() {
        return Err("no row selected".to_owned());
    }
    if object(state, page, false).is_some() || queue(state, page).is_some() {
        return Ok(());
    }
    Err(GONE.to_owned())
}
