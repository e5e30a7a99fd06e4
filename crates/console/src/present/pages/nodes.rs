//! The pages of nodes, and of one.

use crate::present::details::node::retained_for;
use crate::present::lists::{node, nodes as list};
use crate::present::metrics::nodes as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count, count_read, filter, sort};
use crate::present::pieces::{Piece, piece};
use crate::present::subject;
use crate::present::table::Table;
use crate::present::unknown;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column;
use crate::state::page::{NodePage, NodesPage, Page, Subject};
use crate::theme::{Role, Symbols};
use source::FocusKind;
use view::PartitionView;

impl Present for NodesPage {
    fn is_standalone(&self) -> bool {
        true
    }

    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let count = count_read(state.cluster.unread.nodes, &self.list, "node", symbols);
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        self.list.rows.get(self.list.cursor.index).cloned().map(Subject::Node)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Nodes
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(list::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(list::fields(state, self))
    }

    fn why(&self, _state: &State, part: &PartitionView, column: usize) -> Option<String> {
        let node = part.nodes.get(self.list.rows.get(self.list.cursor.index)?)?;
        let column = column::at(column)?;
        let lost = unknown::of_node(part, node, column).map(unknown::why);
        Some(lost.unwrap_or_else(|| metrics::why(node, column)))
    }
}

impl Present for NodePage {
    fn crumbs(&self, _title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![self.id.to_string()]
    }

    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "allocation")];
        let retained = self.row.as_ref().and_then(|row| retained_for(row));
        facts.extend(retained.map(|retained| vec![piece(Role::StateWaiting, format!("reserved for {retained}"))]));
        facts
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        Some(Subject::Node(self.id.clone()))
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Node(self.id.clone())
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(node::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(node::fields(state, self))
    }

    fn why(&self, state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        let (node, one) = (self.row.as_ref()?, subject::allocation(self)?);
        Some(metrics::why_allocation(node, one, state.cluster.past.live, column::at(column)?))
    }
}
