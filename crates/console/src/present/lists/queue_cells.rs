//! Cells of the queue table.

use crate::present::format;
use crate::present::meter::Meter;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::theme::{Role, Symbols};
use model::{MEMORY, Priority, QueueState};
use std::borrow::Cow;
use view::units::show_amount;
use view::{PartitionView, QueueRow};

pub(super) fn short_age(age: std::time::Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..100 => format!("{seconds}s"),
        100..6_000 => format!("{}m", seconds / 60),
        6_000..360_000 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// The symbol and role of a state.
pub fn state_symbol(state: QueueState, symbols: &Symbols) -> (&'static str, Role) {
    match state {
        QueueState::Active => (symbols.active, Role::StateActive),
        QueueState::Draining => (symbols.draining, Role::StateDraining),
        QueueState::Stopped => (symbols.stopped, Role::StateStopped),
    }
}

pub(super) fn priority(row: &QueueRow, symbols: &Symbols) -> Vec<Piece> {
    let number = match format::priority(row.priority.current) {
        Some(number) => plain(number),
        None => dim(symbols.nothing),
    };
    let mut pieces = vec![number];
    let mut columns = 0;
    if row.priority.policy.is_fence() {
        pieces.push(piece(Role::PriorityFenced, symbols.fenced));
        columns += 1;
    }
    if row.priority.offset != 0 {
        let raised = row.priority.offset > 0;
        let role = if raised { Role::PriorityRaised } else { Role::PriorityLowered };
        pieces.push(piece(role, if raised { symbols.raised } else { symbols.lowered }));
        columns += 1;
    }
    if row.priority.current == Priority::MIN {
        for symbol in pieces.iter_mut().skip(1) {
            symbol.role = Role::Dim;
        }
    }
    pieces.push(plain(" ".repeat(2 - columns)));
    pieces
}

/// `!` marks a reached maximum.
pub(super) fn apps(row: &QueueRow, symbols: &Symbols) -> Vec<Piece> {
    let number = |count: u64| show_amount("", i64::try_from(count).unwrap_or(i64::MAX));
    let full = row.max_running.is_some_and(|max| row.running + row.allocating_accepted >= max);
    let running = match row.running {
        0 if row.app_count == 0 => dim(symbols.nothing),
        0 => dim("0"),
        running => plain(number(running)),
    };
    let (max, symbol) = match row.max_running {
        None => (symbols.nothing.to_owned(), " "),
        Some(max) => (number(max), if full { symbols.limit } else { " " }),
    };
    let pad = " ".repeat(4usize.saturating_sub(crate::present::text::width(&max) + 1));
    let running = if full { piece(Role::Danger, running.text) } else { running };
    vec![running, dim("/"), dim(max), piece(Role::Danger, symbol), plain(pad)]
}

pub(super) fn amount(resource: &model::Resource, name: &str, symbols: &Symbols) -> Piece {
    match resource.amount(name) {
        0 => dim(symbols.nothing),
        amount => plain(show_amount(name, amount)),
    }
}

pub(super) fn headroom(part: &PartitionView, row: &QueueRow, name: &str, symbols: &Symbols) -> Piece {
    match part.headroom(row).and_then(|space| space.get(name)) {
        None => dim(symbols.nothing),
        Some(space) if space <= 0 => piece(Role::Danger, show_amount(name, space)),
        Some(space) => plain(show_amount(name, space)),
    }
}

/// The usage of a resource, with its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    used: i64,
    guaranteed: Option<i64>,
    base: Option<i64>,
    own: bool,
}

impl Usage {
    /// The base is the own maximum, the smallest parent's, or the cluster.
    pub fn of(part: &PartitionView, row: &QueueRow, name: &str) -> Self {
        let own = row.max.as_ref().and_then(|max| max.get(name));
        let above = || part.effective_max(row, name).map(|(_, max)| max);
        Self {
            used: row.allocated.amount(name),
            guaranteed: row.guaranteed.as_ref().and_then(|guaranteed| guaranteed.get(name)),
            base: own.or_else(above).or_else(|| part.capacity.get(name)),
            own: own.is_some(),
        }
    }

    /// What is used.
    pub fn used(&self) -> i64 {
        self.used
    }

    /// The guaranteed quantity.
    pub fn guaranteed(&self) -> Option<i64> {
        self.guaranteed
    }

    /// What it is measured against.
    pub fn base(&self) -> Option<i64> {
        self.base
    }

    /// The usage in whole percent, rounded down.
    pub fn share(&self) -> Option<i64> {
        self.thousandths().map(|share| share / 10)
    }

    /// The same in thousandths, for sorting.
    pub fn thousandths(&self) -> Option<i64> {
        let base = self.base.filter(|base| *base > 0)?;
        Some(i64::try_from(i128::from(self.used) * 1_000 / i128::from(base)).unwrap_or(i64::MAX))
    }

    /// The meter, with guaranteed marked.
    pub fn meter(&self) -> Meter {
        Meter { used: self.used, base: self.base, guaranteed: self.guaranteed }
    }

    /// An inherited maximum is in parentheses.
    pub fn pieces(&self, name: &str, guarantee: bool, symbols: &Symbols) -> Vec<Piece> {
        let shown = |amount: Option<i64>| match amount {
            None | Some(0) => Cow::Borrowed(symbols.nothing),
            Some(amount) => Cow::Owned(show_amount(name, amount)),
        };
        let role = match self.meter().role() {
            Role::UsageNormal if self.used == 0 => Role::Dim,
            Role::UsageNormal => Role::Text,
            // Grave only for the own maximum.
            Role::UsageFull if !self.own => Role::UsageHigh,
            role => role,
        };
        let more = usize::from(name == MEMORY);
        let mut pieces = vec![piece(role, shown(Some(self.used)))];
        if guarantee {
            pieces.extend([dim("/"), dim(format!("{:>1$}", shown(self.guaranteed), 4 + more))]);
        }
        let max = self.base.map_or(Cow::Borrowed(symbols.nothing), |base| Cow::Owned(show_amount(name, base)));
        pieces.push(dim("/"));
        let full = self.own && self.meter().role() == Role::UsageFull;
        let (max, role) = match (self.own, self.base) {
            (false, Some(_)) => (format!("({max})"), Role::Dim),
            _ => (max.into_owned(), Role::Text),
        };
        let has_symbol = self.own || self.base.is_none();
        let space = 5 + more + usize::from(!has_symbol);
        pieces.push(piece(role, format!("{max:>space$}")));
        if has_symbol {
            pieces.push(piece(Role::Danger, if full { symbols.limit } else { " " }));
        }
        pieces
    }
}
