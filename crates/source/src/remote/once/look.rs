//! The lists of a remote; failed ones are reported.

use std::sync::Arc;

use super::{Once, Want, now};
use crate::remote::plan::Query;
use crate::remote::worker::no_capacity;
use client::Fault;
use view::{Side, View};
use wire::dto;

impl Once {
    /// Requests all `wants` for every partition. The list of partitions, ended applications, users, and groups that
    /// cannot be fetched are in [`Self::unanswered`]: nothing else depends on them.
    ///
    /// # Errors
    /// Returns an error if any other part cannot be fetched.
    pub fn look(&mut self, wants: &[Want]) -> Result<Arc<View>, Fault> {
        self.look_at(None, wants)
    }

    /// Fails without any data of the page; failures of `wants` are in [`Self::unanswered`].
    pub fn look_for(&mut self, page: Want, wants: &[Want]) -> Result<Arc<View>, Fault> {
        self.look_at(Some(page), wants)
    }

    /// The invalid values of the last call.
    pub fn unknown(&self) -> &[dto::Unknown] {
        &self.unknown
    }

    /// Why parts of the last call failed.
    pub fn unanswered(&self) -> &[String] {
        &self.reasons
    }

    /// Whether the users or groups of a partition are unknown, because their list failed in the last call.
    pub fn is_missing(&self, partition: &str, side: Side) -> bool {
        self.unanswered.iter().any(|query| match (query, side) {
            (Query::Users(of), Side::User) | (Query::Groups(of), Side::Group) => **of == *partition,
            _ => false,
        })
    }

    fn look_at(&mut self, page: Option<Want>, wants: &[Want]) -> Result<Arc<View>, Fault> {
        self.unknown.clear();
        self.unanswered.clear();
        self.reasons.clear();
        let remote = &self.remote;
        self.reasons.extend(self.doubt.iter().map(|why| format!("read as {remote}, but it may be kornsole: {why}")));
        self.look_at_partitions()?;
        // Without it, only limits and access lists are unknown.
        let _ = self.ask(Query::Config);
        for partition in self.remote_state.partition_names() {
            for want in std::iter::once(&Want::Queues).chain(wants.iter().filter(|want| **want != Want::Queues)) {
                let secondary = page.map_or(matches!(want, Want::Ended | Want::Users), |page| page != *want);
                self.look_at_lists(&partition, *want, secondary)?;
            }
        }
        self.remote_state.pass(now());
        let view = self.remote_state.take_view(now());
        Ok(view.unwrap_or_else(|| Arc::new(self.remote_state.view().clone())))
    }

    fn look_at_lists(&mut self, partition: &Arc<str>, want: Want, secondary: bool) -> Result<(), Fault> {
        let name = || Arc::clone(partition);
        let queries = match want {
            Want::Queues => vec![Query::Queues(name())],
            Want::Apps => vec![Query::Apps(name())],
            Want::Ended => vec![Query::Completed(name()), Query::Rejected(name())],
            Want::Nodes => vec![Query::Nodes(name())],
            Want::Users => vec![Query::Users(name()), Query::Groups(name())],
        };
        let (mut left, mut answered) = (queries.len(), secondary);
        for query in queries {
            left -= 1;
            match self.ask(query.clone()) {
                Ok(()) => answered = true,
                Err(fault) if fault.is_about_this() && (answered || left > 0) => self.note_unanswered(query, &fault),
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    /// Without the list, the capacity is unknown.
    fn look_at_partitions(&mut self) -> Result<(), Fault> {
        let fault = match self.without_list.take() {
            Some((named, fault)) => {
                self.remote_state.partitions(named);
                fault
            }
            None => match self.ask(Query::Partitions) {
                Err(fault) if fault.is_about_this() && !self.remote_state.partition_names().is_empty() => fault,
                answered => return answered,
            },
        };
        self.note_unanswered(Query::Partitions, &fault);
        let why = self.reasons.last().cloned().unwrap_or_default();
        self.unknown.extend(no_capacity(&self.remote_state, &why));
        Ok(())
    }

    fn note_unanswered(&mut self, query: Query, fault: &Fault) {
        self.reasons.push(format!("cannot fetch {}: {fault}", query.words()));
        self.unanswered.push(query);
    }
}
