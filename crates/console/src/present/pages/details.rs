//! The details page.

use crate::present::details;
use crate::present::limits;
use crate::present::metrics::sheets;
use crate::present::page::Present;
use crate::present::pieces::Piece;
use crate::state::State;
use crate::state::layer::Metric;
use crate::state::page::{DetailsPage, Page, Subject};
use source::FocusKind;
use view::PartitionView;

impl Present for DetailsPage {
    fn crumbs(&self, _title: &str, _before: Option<&Page>) -> Vec<String> {
        let (thing, aspect) = match &self.subject {
            Subject::Queue(path) => (path.to_string(), "details"),
            Subject::Access(path) => (path.to_string(), "access"),
            Subject::App(row) => (row.id.to_string(), "details"),
            Subject::Why(row) => (row.id.to_string(), "why here"),
            Subject::Node(id) => (id.to_string(), "details"),
            Subject::Account(account) => (limits::title(account), "details"),
            Subject::Health(_) => ("Health".to_owned(), ""),
            Subject::Partitions => ("Partitions".to_owned(), ""),
            Subject::Info => ("This console".to_owned(), ""),
            Subject::Event(record) => (record.object.to_string(), "event"),
            Subject::History(None) => ("History".to_owned(), ""),
            Subject::History(Some(path)) => (path.to_string(), "history"),
            Subject::Entry(entry) => (format!("{} {}", entry.action, entry.object), "details"),
            Subject::Simulated(run) => (run.name.clone(), "simulated"),
            Subject::Revision(number) => (format!("revision {number}"), ""),
            Subject::Compare(old, new) => (format!("revision {old} to {new}"), ""),
            Subject::Sides => ("Without and with the changes".to_owned(), ""),
        };
        vec![thing, aspect.to_owned()]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        Some(self.subject.clone())
    }

    fn focus(&self, _state: &State) -> FocusKind {
        match &self.subject {
            Subject::Queue(_)
            | Subject::Access(_)
            | Subject::History(_)
            | Subject::Partitions
            | Subject::Info
            | Subject::Simulated(_)
            | Subject::Sides
            | Subject::Event(_) => FocusKind::Queues,
            Subject::App(row) | Subject::Why(row) => FocusKind::App(row.id.clone()),
            Subject::Health(_) => FocusKind::Health,
            Subject::Node(id) => FocusKind::Node(id.clone()),
            Subject::Account(_) => FocusKind::Users,
            Subject::Entry(_) | Subject::Revision(_) | Subject::Compare(..) => FocusKind::Records,
        }
    }

    fn metrics(&self, state: &State) -> Option<(String, Vec<Metric>)> {
        Some(sheets::details(state, &self.subject))
    }

    fn sheet(&self, state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(details::lines(state, &self.subject, width))
    }
}
