//! The pages of applications, and of one.

use std::sync::Arc;

use crate::present::format;
use crate::present::guard::bulk;
use crate::present::lists::{apps, asks};
use crate::present::metrics::apps as metrics;
use crate::present::page::Present;
use crate::present::pages::facts::{count_read, filter, sort};
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::subject;
use crate::present::table::Table;
use crate::present::unknown;
use crate::present::value::Fields;
use crate::present::words::{draining, in_state_for};
use crate::state::State;
use crate::state::column;
use crate::state::page::{AppPage, AppsPage, Page, Subject};
use crate::theme::{Role, Symbols};
use source::FocusKind;
use view::{AppRow, PartitionView, QueueRow};

impl AppsPage {
    fn row(&self, part: &PartitionView) -> Option<Arc<AppRow>> {
        subject::app_at(part, self.list.rows.get(self.list.cursor.index)?)
    }

    fn count(&self, state: &State, symbols: &Symbols) -> Vec<Piece> {
        let (list, more) = (&self.list, symbols.ellipsis);
        let mut pieces = match (list.awaited, list.built.is_some()) {
            (false, _) => count_read(state.cluster.unread.apps, list, "application", symbols),
            (true, false) => vec![dim(more), plain(" applications")],
            (true, true) => vec![dim(more), plain(format!(" of {}", format::count(list.total as u64, "application")))],
        };
        pieces.extend(marked(state));
        pieces
    }

    fn drains(state: &State) -> Piece {
        let queues = state.cluster.part().map(draining).unwrap_or_default();
        let (view, now) = (&state.cluster.view, state.cluster.at);
        let since = |row: &Arc<QueueRow>| {
            let stuck = if view.is_stuck(row, now) { ", stuck" } else { "" };
            format!("{} {}{stuck}", row.path, in_state_for(row, now))
        };
        let mut message: Vec<String> = queues.iter().take(3).map(|row| since(row)).collect();
        if queues.len() > 3 {
            message.push(format!("{} more", queues.len() - 3));
        }
        if message.is_empty() { dim("no draining queues") } else { piece(Role::StateDraining, message.join(", ")) }
    }
}

fn marked(state: &State) -> Option<Piece> {
    Some(match bulk::counted(state) {
        (0, 0) => return None,
        (0, _) => piece(Role::Warning, ", marked ones ended"),
        (live, 0) => piece(Role::Accent, format!(", {live} marked")),
        (live, over) => piece(Role::Accent, format!(", {live} marked, {over} over")),
    })
}

impl Present for AppsPage {
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        let scope = self.scope.as_ref().map_or_else(|| title.to_owned(), ToString::to_string);
        vec![if self.draining { "Draining".to_owned() } else { scope }]
    }

    fn is_standalone(&self) -> bool {
        self.scope.is_none()
    }

    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut count = self.count(state, symbols);
        if self.draining {
            return vec![filter(symbols, &self.list), count, vec![Self::drains(state)]];
        }
        if self.ended {
            count.push(dim(", ended ones too"));
        }
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count]
    }

    fn subject(&self, _state: &State, part: &PartitionView) -> Option<Subject> {
        self.row(part).map(Subject::App)
    }

    fn focus(&self, state: &State) -> FocusKind {
        let part = state.cluster.part();
        let leaf = |path: &&_| part.and_then(|part| part.queue_at(path)).is_some_and(|row| row.leaf);
        FocusKind::Apps(self.scope.as_ref().filter(leaf).cloned())
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(apps::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(apps::fields(state, self))
    }

    fn why(&self, state: &State, part: &PartitionView, column: usize) -> Option<String> {
        let (row, column) = (self.row(part)?, column::at(column)?);
        let lost = unknown::of_app(part, &row, column).map(unknown::why);
        Some(lost.unwrap_or_else(|| metrics::why(state, part, &row, column)))
    }
}

impl Present for AppPage {
    fn crumbs(&self, _title: &str, before: Option<&Page>) -> Vec<String> {
        let from_all = matches!(before, Some(Page::Queues(_)) | Some(Page::Apps(AppsPage { scope: None, .. })));
        let queue = self.row.as_ref().filter(|_| from_all).map(|row| row.queue.to_string());
        queue.into_iter().chain([self.id.to_string()]).collect()
    }

    fn facts(&self, state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        let mut facts = vec![sort(symbols, &self.list), filter(symbols, &self.list)];
        let Some(row) = &self.row else {
            facts.push(vec![dim("not in this partition")]);
            return facts;
        };
        let since = row.log.last().map_or(row.submitted, |change| change.at);
        let ended = row.state.is_ended();
        let age = state.cluster.at.since(if ended { row.finished.unwrap_or(since) } else { since });
        let allocated = row.asks.len().saturating_sub(row.pending_asks as usize);
        facts.extend([
            vec![dim(format!("{allocated} of {}", format::count(row.asks.len() as u64, "request")))],
            vec![plain(row.who.to_string())],
            vec![
                apps::state_piece(row.state),
                dim(format!(" {}{}", format::duration(age), if ended { " ago" } else { "" })),
            ],
        ]);
        facts
    }

    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        self.row.clone().map(Subject::App)
    }

    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::App(self.id.clone())
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(asks::table(state, self, width))
    }

    fn fields<'a>(&'a self, state: &'a State) -> Option<Fields<'a>> {
        Some(asks::fields(state, self))
    }

    fn why(&self, state: &State, part: &PartitionView, column: usize) -> Option<String> {
        Some(metrics::why_ask(state, part, self.row.as_ref()?, subject::ask(self)?, column::at(column)?))
    }
}
