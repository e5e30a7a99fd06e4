//! The page of alerts.

use crate::present::lists::alerts;
use crate::present::metrics::alerts as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count, filter, sort};
use crate::present::pieces::Piece;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::alerts::AlertsPage;
use crate::state::column;
use crate::state::page::{Account, Subject};
use crate::theme::Symbols;
use ::alerts::SubjectKind;
use view::{PartitionView, Side};

impl Present for AlertsPage {
    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "row")]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        let of = &self.list.rows.get(self.list.cursor.index)?.alert()?.subject;
        let account = |side| Some(Subject::Account(Account { side, name: of.name.as_str().into() }));
        match of.kind {
            SubjectKind::Queue => Some(Subject::Queue(of.name.as_str().into())),
            SubjectKind::Node => Some(Subject::Node(of.name.as_str().into())),
            SubjectKind::User => account(Side::User),
            SubjectKind::Group => account(Side::Group),
            _ => None,
        }
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(alerts::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(alerts::fields(state, self))
    }

    fn why(&self, state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        Some(metrics::why(state, self.list.rows.get(self.list.cursor.index)?, column::at(column)?))
    }
}
