//! The pages of users and groups, and of one.

use crate::present::blocker;
use crate::present::limits;
use crate::present::lists::{account, users as list};
use crate::present::metrics::users as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count_of, filter, sort};
use crate::present::pieces::{Piece, dim, piece};
use crate::present::place::Source;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column;
use crate::state::page::{AccountPage, Page, Subject, UsersPage};
use crate::theme::{Role, Symbols};
use source::FocusKind;
use view::{LimitUse, PartitionView};

impl Present for UsersPage {
    fn is_standalone(&self) -> bool {
        true
    }

    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let unread = state.cluster.unread.users && self.list.total == 0;
        let total = if unread { symbols.none.to_owned() } else { self.list.total.to_string() };
        let count = count_of(&self.list, format!("{total} users and groups"));
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), count];
        facts.extend(state.cluster.unread.no_side().map(|why| vec![piece(Role::Warning, why)]));
        facts
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        self.list.rows.get(self.list.cursor.index).cloned().map(Subject::Account)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Users
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(list::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(list::fields(state, self))
    }

    fn why(&self, state: &State, part: &PartitionView, column: usize) -> Option<String> {
        let account = self.list.rows.get(self.list.cursor.index)?;
        Some(metrics::why(Source::of(state), part, account, column::at(column)?))
    }
}

impl AccountPage {
    fn waits(&self) -> Vec<Piece> {
        match self.waiting {
            0 => vec![dim("no applications wait")],
            1 => vec![piece(Role::StateWaiting, "1 application waits")],
            more => vec![piece(Role::StateWaiting, format!("{more} applications wait"))],
        }
    }

    fn binding(&self, state: &State) -> Vec<Piece> {
        let Some((row, part)) = self.row.as_ref().zip(state.cluster.part()) else {
            return vec![dim("not in this partition")];
        };
        let counting = limits::counting(part, (self.account.side, row), &self.groups);
        let own = |limit: &LimitUse| limit.side == self.account.side;
        let words = |limit: LimitUse| match own(&limit) {
            true => limit.queue.name().to_owned(),
            false => format!("{} in {}", limits::owner(&limit, false), limit.queue.name()),
        };
        let full: Vec<String> = blocker::binding(part, &self.account, &counting).into_iter().map(words).collect();
        match full.len() {
            0 => vec![dim("no limit is reached")],
            1 => vec![piece(Role::Danger, format!("{} binds", full[0]))],
            _ => vec![piece(Role::Danger, format!("{} bind", full.join(", ")))],
        }
    }
}

impl Present for AccountPage {
    fn crumbs(&self, _title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![limits::title(&self.account)]
    }

    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        vec![filter(symbols, &self.list), self.waits(), self.binding(state)]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        Some(Subject::Account(self.account.clone()))
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Users
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(account::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(account::fields(state, self))
    }

    /// Pending applications below a queue do not count.
    fn passed(&self) -> Option<usize> {
        Some(self.list.rows.iter().filter(|line| line.slot.is_none()).count())
    }

    fn why(&self, state: &State, part: &PartitionView, column: usize) -> Option<String> {
        metrics::why_level(Source::of(state), part, self, column::at(column)?)
    }
}
