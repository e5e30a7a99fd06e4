//! The trends page.

use crate::present::page::Present;
use crate::present::pieces::{Piece, dim, plain};
use crate::present::trends;
use crate::state::State;
use crate::state::layer::Metric;
use crate::state::page::{Account, Page, Subject};
use crate::state::trends::TrendsPage;
use crate::theme::Symbols;
use source::FocusKind;
use view::trends::{Series, Subject as Of, Value};
use view::{PartitionView, Side};

impl Present for TrendsPage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![self.of.to_string(), title.to_owned()]
    }

    fn facts(&self, _state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
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

    fn metrics(&self, state: &State) -> Option<(String, Vec<Metric>)> {
        let trend_chart = trends::trend_chart(state, self)?;
        let shown = |value: &Value, series: Option<&Series>| {
            let metric = series.and_then(|series| series.metrics.get(trend_chart.cursor).copied().flatten());
            Metric {
                title: value.to_string(),
                shown: metric.map_or_else(String::new, |metric| value.show(metric.mean)),
                why: value.measure.means().to_owned(),
            }
        };
        let first = shown(&self.value, Some(&trend_chart.first));
        let second = self.second.as_ref().map(|second| shown(second, trend_chart.second.as_ref()));
        Some((self.of.to_string(), std::iter::once(first).chain(second).collect()))
    }

    fn sheet(&self, state: &State, _width: usize) -> Option<Vec<Vec<Piece>>> {
        let trend_chart = trends::trend_chart(state, self)?;
        Some(vec![trends::title(self, Some(&trend_chart)), trend_chart.reading(state, self), trends::footer(state)])
    }
}
