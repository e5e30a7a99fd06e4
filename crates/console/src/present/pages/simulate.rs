//! The page of simulation runs.

use std::sync::Arc;

use crate::present::lists::simulate;
use crate::present::page::Present;
use crate::present::pages::facts::{count, filter, sort};
use crate::present::pieces::{Piece, dim};
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column::{self, SimulationColumn};
use crate::state::page::{Page, Subject};
use crate::state::simulate::SimulatePage;
use crate::theme::Symbols;
use view::PartitionView;

impl Present for SimulatePage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![title.to_owned(), self.asked.to_string()]
    }

    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "run")];
        facts.extend(self.answer.is_none().then(|| vec![dim("esc cancels")]));
        facts
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        self.list.rows.get(self.list.cursor.index).map(Arc::clone).map(Subject::Simulated)
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(simulate::table(state, self, width))
    }

    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        Some(simulate::fields(self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        column::at::<SimulationColumn>(column).map(|column| why(column).to_owned())
    }
}

const fn why(column: SimulationColumn) -> &'static str {
    use SimulationColumn as C;
    match column {
        C::Run => "how the run differs from the others",
        C::Asks => "requests allocated, and pending at the end",
        C::P50 | C::P95 | C::P99 | C::Longest => "from request to allocation; pending requests count up to the end",
        C::Waiting => "requests pending at the end of the run",
        C::Rejected => "rejected applications",
        C::Preempted => "preempted allocations",
        C::Makespan => "the time of the last event since the start of the run",
        C::Cpu | C::Memory => "average usage over the whole run, as a share of all nodes",
        C::Fairness => "Jain's index of the users' dominant shares: 100% if all users have the same share",
    }
}
