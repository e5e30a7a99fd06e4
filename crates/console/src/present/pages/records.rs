//! The pages of events, audit, and revisions.

use crate::present::lists::{audit, events, revisions};
use crate::present::metrics::records as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count, count_read, filter, sort};
use crate::present::pieces::{Piece, dim, piece};
use crate::present::subject;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column;
use crate::state::page::{AuditPage, EventsPage, Page, RevisionsPage, Subject};
use crate::theme::{Role, Symbols};
use source::FocusKind;
use view::PartitionView;

impl Present for EventsPage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        std::iter::once(title.to_owned()).chain(self.about.as_ref().map(ToString::to_string)).collect()
    }

    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let follow = if self.follow { piece(Role::Good, "following") } else { dim("f follows") };
        let mut shown = count(&self.list, "event");
        if self.routine > 0 {
            shown.push(dim(format!(", {} routine hidden", self.routine)));
        }
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), vec![follow], shown];
        let only = |word: String| vec![dim("only "), piece(Role::Accent, word)];
        facts.extend(self.kind.map(|kind| only(kind.to_string())));
        facts.extend(self.what.map(|(change, detail)| only(format!("{change} {detail}"))));
        facts
    }

    fn subject(&self, state: &State, _part: &PartitionView) -> Option<Subject> {
        let number = self.list.rows.get(self.list.cursor.index)?;
        state.cluster.events.get(*number).cloned().map(Subject::Event)
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(events::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(events::fields(state, self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        column::at(column).map(|column| metrics::event(column).to_owned())
    }
}

impl Present for AuditPage {
    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let unread = !matches!(&state.cluster.ledger.latest, Some(known) if known.audit.is_ok());
        let mut facts = vec![
            sort(symbols, &self.list),
            filter(symbols, &self.list),
            count_read(unread, &self.list, "entry", symbols),
        ];
        facts.extend(audit::facts(state, self));
        facts
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        subject::entry(self).cloned().map(Subject::Entry)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Records
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(audit::table(state, self, width))
    }

    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        Some(audit::fields(self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        column::at(column).map(|column| metrics::entry(column).to_owned())
    }
}

impl Present for RevisionsPage {
    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let unread = !matches!(&state.cluster.ledger.latest, Some(known) if known.revisions.is_ok());
        let count = count_read(unread, &self.list, "revision", symbols);
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), count];
        facts.extend(revisions::facts(self));
        facts
    }

    fn subject(&self, state: &State, _part: &PartitionView) -> Option<Subject> {
        subject::compared(self, &state.cluster.ledger)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Records
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(revisions::table(state, self, width))
    }

    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        Some(revisions::fields(self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        column::at(column).map(|column| metrics::revision(column).to_owned())
    }
}
