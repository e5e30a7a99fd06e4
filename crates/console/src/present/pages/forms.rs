//! The pages of placement, configuration, and queue forms.

use crate::present::metrics::sheets;
use crate::present::page::Present;
use crate::present::pieces::Piece;
use crate::present::{change, config_pane, placement};
use crate::state::State;
use crate::state::change::ChangePage;
use crate::state::config::ConfigPage;
use crate::state::layer::Metric;
use crate::state::page::{Page, Subject};
use crate::state::placement::PlacementPage;
use crate::theme::Symbols;
use view::PartitionView;

impl Present for PlacementPage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        std::iter::once(title).chain(self.against.name()).map(str::to_owned).collect()
    }

    fn is_standalone(&self) -> bool {
        true
    }

    fn facts(&self, state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        placement::facts(state, self)
    }

    fn metrics(&self, _state: &State) -> Option<(String, Vec<Metric>)> {
        Some(("the placement".to_owned(), sheets::placement()))
    }

    fn sheet(&self, state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(placement::lines(state, self, width))
    }
}

impl Present for ConfigPage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        let file = self.base.as_ref().and_then(|base| base.file.as_ref()).and_then(|file| file.file_name());
        let file = file.map(|name| name.to_string_lossy().into_owned());
        std::iter::once(title.to_owned()).chain(file).collect()
    }

    fn facts(&self, state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        config_pane::facts(state, self)
    }

    fn metrics(&self, _state: &State) -> Option<(String, Vec<Metric>)> {
        Some(("the configuration".to_owned(), sheets::config(self)))
    }
}

impl Present for ChangePage {
    fn crumbs(&self, _title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![self.queue.to_string(), self.kind.title().to_owned()]
    }

    fn facts(&self, _state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        change::facts(self)
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        Some(Subject::Queue(self.queue.clone()))
    }

    fn metrics(&self, _state: &State) -> Option<(String, Vec<Metric>)> {
        Some((format!("the form on {}", self.queue), sheets::change()))
    }

    fn sheet(&self, _state: &State, width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(change::lines(self, width))
    }
}
