//! The pages that explain, and fairness.

use crate::present::explain;
use crate::present::lists::{fairness, limits_used};
use crate::present::metrics::fairness as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count, filter, sort};
use crate::present::pieces::Piece;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column;
use crate::state::explain::{ExplainPage, Explained};
use crate::state::layer::Metric;
use crate::state::page::{Account, FairnessPage, LimitsPage, Page, Subject};
use crate::theme::Symbols;
use source::FocusKind;
use view::waiting::{Asked, Target};
use view::{PartitionView, Side};

impl ExplainPage {
    fn named(&self, part: &PartitionView) -> Option<Subject> {
        let account = |side, name: &String| Subject::Account(Account { side, name: name.as_str().into() });
        match self.lines().get(self.index)?.to.as_ref()? {
            Target::App(app, _) | Target::Why(app) => part.app_by_id(app).cloned().map(Subject::App),
            Target::Queue(path) => Some(Subject::Queue(path.clone())),
            Target::Node(node) => Some(Subject::Node(node.clone())),
            Target::User(name) => Some(account(Side::User, name)),
            Target::Group(name) => Some(account(Side::Group, name)),
            Target::Line(_) => None,
        }
    }
}

impl Present for ExplainPage {
    fn crumbs(&self, _title: &str, _before: Option<&Page>) -> Vec<String> {
        match &self.of {
            Explained::Waiting(Asked::App(app, None)) => vec![app.to_string(), self.question().to_owned()],
            Explained::Waiting(Asked::App(app, Some(ask))) => {
                vec![app.to_string(), ask.to_string(), self.question().to_owned()]
            }
            Explained::Waiting(Asked::Waiting(None)) => vec!["Pending requests".to_owned()],
            Explained::Waiting(Asked::Waiting(Some(queue))) => vec![queue.to_string(), "pending requests".to_owned()],
            Explained::Node(node) => vec![node.to_string(), "who uses it".to_owned()],
            Explained::Event(record) => vec![record.object.to_string(), "why it happened".to_owned()],
            Explained::Overview(_) => vec!["Overview".to_owned()],
        }
    }

    fn subject(&self, state: &State, part: &PartitionView) -> Option<Subject> {
        match &self.of {
            Explained::Waiting(Asked::App(app, _)) => part.app_by_id(app).cloned().map(Subject::App),
            Explained::Waiting(Asked::Waiting(queue)) => queue.clone().map(Subject::Queue),
            Explained::Node(node) => Some(Subject::Node(node.clone())),
            Explained::Event(record) => Some(Subject::Event(record.clone())),
            Explained::Overview(_) => self.named(part),
        }
        .filter(|_| state.cluster.part().is_some())
    }

    fn focus(&self, _state: &State) -> FocusKind {
        match &self.of {
            Explained::Waiting(Asked::App(app, _)) => FocusKind::App(app.clone()),
            Explained::Waiting(Asked::Waiting(queue)) => FocusKind::Apps(queue.clone()),
            Explained::Node(node) => FocusKind::Node(node.clone()),
            Explained::Event(_) => FocusKind::Queues,
            Explained::Overview(_) => FocusKind::Apps(None),
        }
    }

    fn metrics(&self, state: &State) -> Option<(String, Vec<Metric>)> {
        let of = crate::present::subject::name(state).unwrap_or_else(|| "pending requests".to_owned());
        if let Explained::Overview(_) = &self.of {
            return Some(("the overview".to_owned(), metrics::overview(self.lines())));
        }
        Some((of, metrics::sheet(self.lines())))
    }

    fn sheet(&self, state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(explain::rows(state, self, width).into_iter().map(|row| row.pieces).collect())
    }
}

impl Present for FairnessPage {
    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "row")]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        self.list.rows.get(self.list.cursor.index).map(|row| Subject::Queue(row.queue.clone()))
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(fairness::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(fairness::fields(state, self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        Some(metrics::why(self.list.rows.get(self.list.cursor.index)?, column::at(column)?))
    }
}

impl Present for LimitsPage {
    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "row")]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        let row = self.list.rows.get(self.list.cursor.index)?;
        Some(Subject::Account(Account { side: row.side, name: row.name.clone() }))
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(limits_used::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(limits_used::fields(state, self))
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Users
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        Some(metrics::of_limit(self.list.rows.get(self.list.cursor.index)?, column::at(column)?))
    }
}
