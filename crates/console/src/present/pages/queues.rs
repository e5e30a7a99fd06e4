//! The queue tree.

use crate::present::format;
use crate::present::lists::queue_values;
use crate::present::lists::queues as list;
use crate::present::metrics::queues as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count_read, filter, sort};
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::table::Table;
use crate::present::unknown;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column;
use crate::state::page::{QueuesPage, Subject};
use crate::theme::{Role, Symbols};
use view::{PartitionView, QueueRow};

impl QueuesPage {
    fn row<'a>(&self, part: &'a PartitionView) -> Option<&'a QueueRow> {
        part.queue(self.list.rows.get(self.list.cursor.index)?.slot).map(|row| &**row)
    }

    fn matched(&self) -> usize {
        self.list.rows.iter().filter(|line| line.matched).count()
    }
}

impl Present for QueuesPage {
    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut count = count_read(state.cluster.part().is_none(), &self.list, "queue", symbols);
        if !self.list.filter.is_empty() {
            let all = format::count(self.list.total as u64, "queue");
            count =
                vec![plain(format!("{} of {all}", self.matched())), dim(format!(", {} hidden", self.list.hidden()))];
        }
        if self.draining > 0 {
            count.push(piece(Role::StateDraining, format!(", {} draining", self.draining)));
        }
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count]
    }

    fn subject(&self, _state: &State, part: &PartitionView) -> Option<Subject> {
        self.row(part).map(|row| Subject::Queue(row.path.clone()))
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(list::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(queue_values::fields(state, self))
    }

    fn passed(&self) -> Option<usize> {
        Some(self.matched())
    }

    fn why(&self, state: &State, part: &PartitionView, column: usize) -> Option<String> {
        let (row, column) = (self.row(part)?, column::at(column)?);
        let lost = unknown::of_queue(part, row, column).map(unknown::why);
        Some(lost.unwrap_or_else(|| metrics::why(state, part, row, column)))
    }
}
