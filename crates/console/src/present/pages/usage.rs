//! The usage page.

use std::time::Duration;

use crate::present::format;
use crate::present::lists::usage;
use crate::present::page::Present;
use crate::present::pages::facts::{count, filter, sort};
use crate::present::pieces::{Piece, dim, piece};
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::column::{self, UsageColumn};
use crate::state::page::{Account, Page, Subject};
use crate::state::usage::UsagePage;
use crate::theme::{Role, Symbols};
use model::{AppId, QueuePath};
use view::used::{UsageBy, Used};
use view::{PartitionView, Side};

fn lasted(from: i64, to: i64) -> String {
    format::duration(Duration::from_nanos(u64::try_from(to.saturating_sub(from)).unwrap_or(0)))
}

fn gaps(used: &Used) -> String {
    let stopped = used.gaps.iter().map(|gap| gap.to.saturating_sub(gap.from).max(0)).fold(0, i64::saturating_add);
    match used.gaps.len() {
        0 => String::new(),
        number => format!("{}, {}", format::count(number as u64, "gap"), lasted(0, stopped)),
    }
}

impl Present for UsagePage {
    fn crumbs(&self, title: &str, before: Option<&Page>) -> Vec<String> {
        let of =
            [self.question.queue.as_ref().map(ToString::to_string), self.question.user.as_deref().map(str::to_owned)];
        let by = format!("by {}", self.question.by.name());
        match before {
            // The opening page shows the rest.
            Some(Page::Usage(_)) => of.into_iter().flatten().last().into_iter().chain([by]).collect(),
            _ => std::iter::once(title.to_owned()).chain(of.into_iter().flatten()).chain([by]).collect(),
        }
    }

    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "row")];
        if let Some(used) = self.used() {
            facts.push(vec![dim(format!("counted {}", format::duration(used.counted)))]);
            let gaps = gaps(used);
            facts.extend((!gaps.is_empty()).then(|| vec![piece(Role::Warning, gaps)]));
            facts.extend((!used.notes.is_empty()).then(|| vec![piece(Role::Warning, "incomplete")]));
        }
        facts.push(vec![dim("period "), piece(Role::Text, self.question.period.name())]);
        facts
    }

    fn subject(&self, _state: &State, part: &PartitionView) -> Option<Subject> {
        let name = &self.list.rows.get(self.list.cursor.index)?.name;
        let account = |side| Subject::Account(Account { side, name: name.clone() });
        match self.question.by {
            UsageBy::Queue | UsageBy::Tree => Some(Subject::Queue(QueuePath::new(name))),
            UsageBy::User => Some(account(Side::User)),
            UsageBy::Group if !name.is_empty() => Some(account(Side::Group)),
            UsageBy::Application => part.app_by_id(&AppId::from(&**name)).cloned().map(Subject::App),
            UsageBy::Group | UsageBy::Priority => None,
        }
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(usage::table(state, self, width))
    }

    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        Some(usage::fields(self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        let used = self.used()?;
        let row = self.list.rows.get(self.list.cursor.index)?;
        Some(usage::why(used, row, (column::at::<UsageColumn>(column)?, self.question.by), &gaps(used)))
    }
}
