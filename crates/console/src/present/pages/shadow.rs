//! The page of a shadow's findings.

use crate::present::lists::shadow;
use crate::present::page::Present;
use crate::present::pages::facts::{count, filter, sort};
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column;
use crate::state::page::Subject;
use crate::state::shadow::ShadowPage;
use crate::theme::{Role, Symbols};
use view::PartitionView;
use view::shadowed::ShadowSheet;

/// How many spans are shown: four hours.
const SPANS: usize = 24;

fn over_time(sheet: &ShadowSheet, symbols: &Symbols) -> String {
    let rates = sheet.spans.iter().rev().take(SPANS).rev().map(|span| span.rates.agreement);
    let cell = |rate: Option<f64>| match rate {
        Some(rate) => symbols.bars[((rate * 8.0).ceil() as usize).clamp(1, 8) - 1],
        None => symbols.nothing,
    };
    rates.map(cell).collect()
}

impl Present for ShadowPage {
    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "difference")];
        let Some(sheet) = self.found() else { return facts };
        let total = &sheet.total;
        let (same, other) = total.preemptions;
        if same + other > 0 {
            facts.push(vec![dim("same victims "), plain(format!("{same} of {}", same + other))]);
        }
        if total.missed > 0 {
            facts.push(vec![dim("missed "), piece(Role::Warning, total.missed.to_string())]);
        }
        if total.unsettled > 0 {
            facts.push(vec![dim("unsettled "), plain(total.unsettled.to_string())]);
        }
        let over_time = over_time(sheet, symbols);
        if !over_time.is_empty() {
            facts.push(vec![dim("by ten minutes "), plain(over_time)]);
        }
        if let Some(legality) = total.legality {
            let role = if legality < 1.0 { Role::Error } else { Role::Good };
            facts.push(vec![dim("legality "), piece(role, shadow::percent(Some(legality)))]);
        }
        let of = total.decisions - total.unsettled.min(total.decisions);
        facts.push(vec![
            dim("agreement "),
            piece(Role::Accent, shadow::percent(total.agreement)),
            dim(format!(" of {of}")),
        ]);
        facts
    }

    fn subject(&self, _state: &State, part: &PartitionView) -> Option<Subject> {
        let row = self.list.rows.get(self.list.cursor.index)?;
        part.app_by_id(&row.app).cloned().map(Subject::App)
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(shadow::table(state, self, width))
    }

    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        Some(shadow::fields(self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        let row = self.list.rows.get(self.list.cursor.index)?;
        Some(shadow::why(self.found()?, row, column::at(column)?))
    }
}
