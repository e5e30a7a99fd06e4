//! Selects the columns of a list for a screen width.

use crate::present::table::{Chosen, Col, total};
use crate::state::State;
use crate::state::column::{Column, ColumnChoice};

/// The width of the first column, the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// The width of the longest name.
    pub want: u16,
    /// Other columns are dropped for it.
    pub least: u16,
}

impl Names {
    /// The names may use a quarter of `width`, at least `least`.
    pub fn new<C>(widest: u16, title: &Col<C>, width: u16, least: u16) -> Self {
        let sorted = u16::try_from(title.title.len()).unwrap_or(0) + 1;
        let want = widest.max(sorted);
        Self { want, least: want.min(least.max(width / 4)) }
    }
}

fn fit<C>(mut columns: Vec<Col<C>>, width: u16, names: Names) -> Vec<Col<C>> {
    let others = total(&columns) - columns.first().map_or(0, |first| first.width + first.gap);
    let space = width.saturating_sub(others + 2);
    let Some(first) = columns.first_mut() else { return columns };
    (first.gap, first.width) = (0, space.min(names.want));
    let mut spare = space - first.width;
    loop {
        let mut growing: Vec<&mut Col<C>> =
            columns.iter_mut().skip(1).filter(|column| column.width < column.most).collect();
        let step = u16::try_from(growing.len()).unwrap_or(u16::MAX);
        if step == 0 || step > spare {
            return columns;
        }
        growing.iter_mut().for_each(|column| column.width += 1);
        spare -= step;
    }
}

/// The first plan with `least` columns for the names; otherwise the last.
pub fn choose<C>(plans: impl IntoIterator<Item = Vec<Col<C>>>, width: u16, widest: u16, least: u16) -> Chosen<C> {
    let (mut last, mut all) = (Vec::new(), 0);
    for plan in plans {
        let Some(first) = plan.first() else { continue };
        let names = Names::new(widest, first, width, least);
        all = all.max(plan.iter().filter(|column| column.has_text()).count());
        last = fit(plan, width, names);
        if last.first().is_some_and(|first| first.width >= names.least) {
            break;
        }
    }
    let hidden = all.saturating_sub(last.iter().filter(|column| column.has_text()).count());
    Chosen { columns: last, hidden }
}

/// The widths of a list's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// The width of the longest name.
    pub widest: u16,
    /// Other columns are dropped for it.
    pub least: u16,
}

/// The user's columns, all in wide mode, otherwise the first plan that fits. Names are first; `cell` gives screen
/// columns.
pub fn arrange<C: Column, Cell: Copy + PartialEq>(
    state: &State,
    width: u16,
    plans: impl IntoIterator<Item = Vec<Col<Cell>>>,
    cell: impl Fn(C) -> Option<Col<Cell>>,
    space: Space,
) -> Chosen<Cell> {
    let mut plans = plans.into_iter().peekable();
    let own: Option<Vec<(Option<u16>, C)>> = match chosen_columns(state) {
        Some(chosen) => {
            let of = |name: &str| C::ALL.iter().copied().find(|column| column.name() == name);
            Some(chosen.iter().filter_map(|choice| Some((choice.width, of(&choice.name)?))).collect())
        }
        None if state.wide => Some(C::ALL.iter().map(|column| (None, *column)).collect()),
        None => None,
    };
    let (Some(own), Some(first)) = (own, plans.peek().and_then(|plan| plan.first().copied())) else {
        return choose(plans, width, space.widest, space.least);
    };
    let col = |(wide, column): (Option<u16>, C)| {
        let col = cell(column).filter(|col| col.what != first.what)?;
        Some(wide.map_or(col, |wide| Col { width: wide.max(1), most: wide.max(1), ..col }))
    };
    let mut others: Vec<Col<Cell>> = own.into_iter().filter_map(col).collect();
    let all = others.len();
    if state.wide {
        others.drain(..state.first_column.min(all.saturating_sub(1)));
    }
    let names = Names::new(space.widest, &first, width, space.least);
    while !others.is_empty() && total(&others) + names.least + 2 > width {
        others.pop();
    }
    let hidden = all - others.len();
    Chosen { columns: fit(std::iter::once(first).chain(others).collect(), width, names), hidden }
}

/// The user's columns for the list on the screen.
pub fn chosen_columns(state: &State) -> Option<&[ColumnChoice]> {
    state.columns.get(state.page().name()).map(Vec::as_slice)
}
