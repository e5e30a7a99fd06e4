//! The pages of users and groups, and of one.

use crate::present::subject;
use crate::state::State;
use crate::state::page::{AccountPage, AppPage, AppsPage, LineId, Page, Subject, UsersPage};
use crate::update::page::PageUpdate;
use crate::update::stack::push;
use crate::update::users;
use view::{PartitionView, Side};

impl PageUpdate for UsersPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        users::select(self, index);
    }

    fn make(&mut self, part: &PartitionView) {
        users::rebuild(self, part);
    }

    fn is_complete(&self, part: &PartitionView) -> bool {
        users::is_complete(self, part)
    }

    fn opener(&self) -> fn(&mut State) {
        |state| {
            if let Some(Subject::Account(account)) = subject::of(state) {
                push(state, Page::Account(AccountPage::new(account)));
            }
        }
    }

    fn park(self, state: &mut State) {
        state.parked.users = Some(self);
    }
}

impl PageUpdate for AccountPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        users::select_line(self, index);
    }

    fn resolve(&mut self, part: &PartitionView, _opened: bool) {
        users::resolve(self, part);
    }

    fn make(&mut self, part: &PartitionView) {
        users::rebuild_levels(self, part);
    }

    fn find_cursor(&mut self) {
        users::find_line(self);
    }

    fn examined(&self, part: &PartitionView) -> usize {
        part.live_apps
    }

    fn opener(&self) -> fn(&mut State) {
        open_line
    }
}

fn open_line(state: &mut State) {
    let Page::Account(page) = state.page() else { return };
    let Some(line) = page.list.rows.get(page.list.cursor.index) else { return };
    let next = match &line.id {
        LineId::App(id) => Page::App(AppPage::new(id.clone(), None)),
        LineId::Queue(path) | LineId::Group(path, _) => {
            let mut apps = AppsPage::new(Some(path.clone()));
            if page.account.side == Side::User {
                apps.list.filter = format!("={}", page.account.name);
            }
            Page::Apps(apps)
        }
    };
    push(state, next);
}
