//! The trends page.

use crate::present::page::Present;
use crate::present::pieces::{Piece, dim, plain};
use crate::present::trends;
use crate::state::State;
use crate::state::layer::Figure;
use crate::state::page::{Account, Page, Subject};
use crate::state::trends::TrendsPage;
use crate::theme::Signs;
use source::FocusKind;
use view::trends::{Series, Subject as Of, Value};
use view::{PartitionView, Side};

impl Present for TrendsPage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![self.of.to_string(), title.to_owned()]
    }

    fn facts(&self, _state: &State, _signs: &'static Signs) -> Vec<Vec<Piece>> {
        vec![vec![dim("span "), plain(view::drain::span(self.length()))]]
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        match &self.of {
            Of::Cluster => None,
            Of::Queue(path) => Some(Subject::Queue(path.clone())),
            Of::User(name) => Some(Subject::Account(Account { side: Side::User, name: name.clone() })),
            Of::Node(id) => Some(Subject::Node(id.clone())),
        }
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Apps(None)
    }

    fn figures(&self, state: &State) -> Option<(String, Vec<Figure>)> {
        let picture = trends::picture(state, self)?;
        let shown = |value: &Value, series: Option<&Series>| {
            let figure = series.and_then(|series| series.figures.get(picture.cursor).copied().flatten());
            Figure {
                title: value.to_string(),
                shown: figure.map_or_else(String::new, |figure| value.show(figure.mean)),
                why: value.measure.means().to_owned(),
            }
        };
        let first = shown(&self.value, Some(&picture.first));
        let second = self.second.as_ref().map(|second| shown(second, picture.second.as_ref()));
        Some((self.of.to_string(), std::iter::once(first).chain(second).collect()))
    }

    fn sheet(&self, state: &State, _width: usize) -> Option<Vec<Vec<Piece>>> {
        let picture = trends::picture(state, self)?;
        Some(vec![trends::title(self, Some(&picture)), picture.reading(state, self), trends::footer(state)])
    }
}
