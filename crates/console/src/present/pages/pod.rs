//! A pod.

use std::sync::Arc;

use crate::present::page::Present;
use crate::present::pieces::{Piece, dim, piece};
use crate::present::pod;
use crate::state::State;
use crate::state::page::{Page, Subject};
use crate::state::pod::{PodPage, PodPart};
use crate::theme::{Role, Symbols};
use model::{AppId, NodeId};
use source::FocusKind;
use view::PartitionView;

impl Present for PodPage {
    fn crumbs(&self, _title: &str, before: Option<&Page>) -> Vec<String> {
        let below = |app: &Arc<str>| matches!(before, Some(Page::App(page)) if page.id.as_str() == &**app);
        let app = self.row.app.as_ref().filter(|app| !below(app)).map(ToString::to_string);
        let part = match self.part {
            PodPart::Sheet => "pod",
            PodPart::Log => "log",
            PodPart::Text => "YAML",
        };
        app.into_iter().chain([self.row.full_name(), part.to_owned()]).collect()
    }

    fn facts(&self, state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut facts = Vec::new();
        if !self.find.is_empty() {
            facts.push(vec![dim("find "), piece(Role::Match, self.find.clone())]);
        }
        if self.gone {
            facts.push(vec![piece(Role::Warning, "gone")]);
        }
        if self.part == PodPart::Log {
            facts.extend(pod::log_facts(state, self));
        }
        facts
    }

    fn subject(&self, _state: &State, part: &PartitionView) -> Option<Subject> {
        let app = AppId::from(&**self.row.app.as_ref()?);
        part.app_by_id(&app).cloned().map(Subject::App)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        match (&self.row.app, &self.row.node) {
            (Some(app), _) => FocusKind::App(AppId::from(&**app)),
            (None, Some(node)) => FocusKind::Node(NodeId::from(&**node)),
            (None, None) => FocusKind::Queues,
        }
    }

    fn sheet(&self, state: &State, _width: usize) -> Option<Vec<Vec<Piece>>> {
        Some(pod::all(state, self))
    }
}
