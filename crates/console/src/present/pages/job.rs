//! The page of a local job.

use std::sync::Arc;

use crate::present::job;
use crate::present::page::Present;
use crate::present::pieces::Piece;
use crate::state::State;
use crate::state::job::JobPage;
use crate::state::page::{Page, Subject};
use source::FocusKind;
use view::PartitionView;

impl Present for JobPage {
    fn crumbs(&self, _title: &str, before: Option<&Page>) -> Vec<String> {
        let below = matches!(before, Some(Page::App(page)) if page.id == self.app);
        let app = (!below).then(|| self.app.to_string());
        app.into_iter().chain(["job".to_owned()]).collect()
    }

    fn subject(&self, _state: &State, part: &PartitionView) -> Option<Subject> {
        let ended = || part.ended.iter().rev().find(|row| row.id == self.app);
        part.app_by_id(&self.app).or_else(ended).map(Arc::clone).map(Subject::App)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::App(self.app.clone())
    }

    fn sheet(&self, state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(job::lines(state, self, width))
    }
}
