//! The page of alerts.

use crate::alerts::SubjectKind;
use crate::console::present::figures::alerts as figures;
use crate::console::present::lists::alerts;
use crate::console::present::page::Present;
use crate::console::present::pages::facts::{count, filter, sort};
use crate::console::present::pieces::Piece;
use crate::console::present::table::Table;
use crate::console::present::value::Fields;
use crate::console::state::State;
use crate::console::state::alerts::AlertsPage;
use crate::console::state::column;
use crate::console::state::page::{Account, Subject};
use crate::console::theme::Signs;
use crate::view::{PartitionView, Side};

impl Present for AlertsPage {
    fn facts(&self, _state: &State, signs: &'static Signs) -> Vec<Vec<Piece>> {
        vec![sort(signs, &self.list), filter(signs, &self.list), count(&self.list, "row")]
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
        Some(figures::why(state, self.list.rows.get(self.list.cursor.index)?, column::at(column)?))
    }
}
