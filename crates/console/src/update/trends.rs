//! The trends page.

use crate::present::arrange::chosen_columns;
use crate::present::{trend_cells, trends};
use crate::state::command::TrendCommand;
use crate::state::page::Page;
use crate::state::trends::{KnownTrends, SPANS, TrendsPage};
use crate::state::{Grade, State};
use crate::update::stack::push;
use crate::update::{overview, past};
use model::{Time, VCORE};
use view::trends::{Layout, Measure, Subject, SubjectKind, Value};

/// Whether the screen needs the trends.
pub fn reads(state: &State) -> bool {
    let chosen = || chosen_columns(state).is_some_and(|all| all.iter().any(|one| one.name == trend_cells::COLUMN));
    let has_column = matches!(state.page(), Page::Queues(_) | Page::Nodes(_) | Page::Users(_));
    matches!(state.page(), Page::Trends(_)) || has_column && (state.wide || chosen()) || overview::is_open(state)
}

/// Takes the trends.
pub fn take(state: &mut State, known: KnownTrends) {
    state.cluster.trends = known;
    state.redraw();
}

/// Opens the trends; on the page, selects a value.
pub fn open(state: &mut State, wanted: Option<&str>) {
    let of = trends::subject(state);
    let wanted = wanted.map(str::trim).filter(|text| !text.is_empty());
    let value = match wanted.map(|text| read(&of, text)).transpose() {
        Ok(value) => value,
        Err(why) => return state.report(Grade::Refusal, why),
    };
    if let (Page::Trends(page), Some(value)) = (state.page_mut(), &value) {
        page.value = value.clone();
        return;
    }
    if !matches!(state.page(), Page::Trends(_)) {
        let value = value.unwrap_or_else(|| Value::amount(of.kind(), Measure::Use, VCORE));
        push(state, Page::Trends(TrendsPage::new(of, value)));
    }
}

fn read(of: &Subject, text: &str) -> Result<Value, String> {
    let kind = of.kind().word();
    let starts = |kind: SubjectKind| text.split('.').next() == Some(kind.word());
    let whole = if SubjectKind::ALL.into_iter().any(starts) { text.to_owned() } else { format!("{kind}.{text}") };
    let value: Value = whole.parse().map_err(|why: view::trends::UnknownValue| why.to_string())?;
    match value.of == of.kind() {
        true => Ok(value),
        false => Err(format!("{value} is a value of a {}, and this page shows the {of}", value.of.word())),
    }
}

/// Runs a command of the page.
pub fn run(state: &mut State, id: TrendCommand) {
    let Page::Trends(page) = state.page() else { return };
    let changed = change(state, page.clone(), id);
    if let (Some(changed), Page::Trends(page)) = (changed, state.page_mut()) {
        *page = changed;
    }
    if id == TrendCommand::TrendMoment {
        to_moment(state);
    }
}

fn change(state: &State, mut page: TrendsPage, id: TrendCommand) -> Option<TrendsPage> {
    let trend_chart = trends::trend_chart(state, &page);
    let at = |step: usize| trend_chart.as_ref().map(|trend_chart| trend_chart.first.at(step));
    let (cursor, last) =
        trend_chart.as_ref().map_or((0, 0), |one| (one.cursor, one.first.metrics.len().saturating_sub(1)));
    let (from, to) = trends::span(state, &page);
    match id {
        TrendCommand::TrendEarlier if cursor == 0 => shift(state, &mut page, true),
        TrendCommand::TrendEarlier => page.cursor = at(cursor - 1),
        TrendCommand::TrendLater if cursor >= last => shift(state, &mut page, false),
        TrendCommand::TrendLater => page.cursor = at(cursor + 1),
        TrendCommand::TrendPageEarlier => shift(state, &mut page, true),
        TrendCommand::TrendPageLater => shift(state, &mut page, false),
        TrendCommand::TrendOldest => {
            let make = trends::rings(state)
                .and_then(|rings| view::trends::Ring::ALL.into_iter().filter_map(|ring| rings.oldest(ring)).min());
            let make = make?;
            (page.end, page.cursor) = (Some((make + page.length()).min(state.cluster.at)), Some(make));
        }
        TrendCommand::TrendNow => (page.end, page.cursor) = (None, None),
        TrendCommand::ZoomIn | TrendCommand::ZoomOut => {
            let here = at(cursor);
            let span = if id == TrendCommand::ZoomIn { page.span.checked_sub(1)? } else { page.span + 1 };
            page.span = Some(span).filter(|span| *span < SPANS.len())?;
            zoom(state, &mut page, here.filter(|_| cursor < last), (from, to));
        }
        TrendCommand::NextValue => page.value = step(state, &page, Some(&page.value), 1)?,
        TrendCommand::PreviousValue => page.value = step(state, &page, Some(&page.value), -1)?,
        TrendCommand::SecondValue => page.second = step(state, &page, page.second.as_ref(), 1),
        TrendCommand::NoSecondValue => page.second = None,
        TrendCommand::NextMark | TrendCommand::PreviousMark => {
            let later = id == TrendCommand::NextMark;
            let beyond = |column: &usize| if later { *column > cursor } else { *column < cursor };
            let columns = trend_chart.iter().flat_map(|one| &one.marks).map(|(column, _)| *column).filter(beyond);
            page.cursor = at(if later { columns.min()? } else { columns.max()? });
        }
        TrendCommand::TrendMoment => page.end = page.end.or(Some(state.cluster.at)),
    }
    Some(page)
}

fn shift(state: &State, page: &mut TrendsPage, earlier: bool) {
    let (half, now) = (page.length() / 2, state.cluster.at);
    let end = page.end.unwrap_or(now);
    let next =
        if earlier { (end - half).max(Time::ZERO + page.length().min(now.since(Time::ZERO))) } else { end + half };
    page.end = (next < now).then_some(next);
    let cursor = page.cursor.unwrap_or(now);
    page.cursor = if earlier { Some(cursor - half) } else { Some(cursor + half).filter(|cursor| *cursor < now) };
}

fn zoom(state: &State, page: &mut TrendsPage, cursor: Option<Time>, (from, to): (Time, Time)) {
    let Some(cursor) = cursor else { return };
    let whole = to.since(from).as_secs_f64().max(1.0);
    let right = page.length().mul_f64(to.since(cursor).as_secs_f64() / whole);
    let end = cursor + right;
    page.end = (end < state.cluster.at).then_some(end);
    page.cursor = Some(cursor);
}

fn step(state: &State, page: &TrendsPage, from: Option<&Value>, by: isize) -> Option<Value> {
    let usual = Layout { resources: [VCORE.into(), model::MEMORY.into()].into() };
    let layout = trends::rings(state).and_then(|rings| rings.layout()).unwrap_or(&usual);
    let values = layout.values(page.of.kind());
    let Some(from) = from else { return values.into_iter().find(|value| *value != page.value) };
    let at = values.iter().position(|value| value == from).unwrap_or_default();
    let next = at.checked_add_signed(by).unwrap_or(values.len() - 1) % values.len();
    values.into_iter().nth(next)
}

/// Travels in time if the source has a past.
fn to_moment(state: &mut State) {
    let Page::Trends(page) = state.page() else { return };
    let Some(trend_chart) = trends::trend_chart(state, page) else { return };
    let marked = trend_chart.marks.iter().find(|(column, _)| *column == trend_chart.cursor).map(|(_, mark)| mark.at);
    let at = marked.unwrap_or_else(|| trend_chart.first.at(trend_chart.cursor));
    if at >= state.cluster.past.live {
        return state.report(Grade::Refusal, "the cursor is at the present: move it back with left");
    }
    past::go_to(state, at);
}
