//! The findings of a shadow: decisions that disagree, the newest first.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::ShadowColumn;
use crate::state::shadow::ShadowPage;
use crate::theme::Role;
use view::shadowed::{ShadowDifference, ShadowRates, ShadowSheet};

/// The unit of a column.
pub const fn unit(column: ShadowColumn) -> Unit {
    match column {
        ShadowColumn::Time => Unit::Moment,
        _ => Unit::Words,
    }
}

/// Namespace and name, or the UID.
pub fn pod(row: &ShadowDifference) -> &str {
    if row.pod.is_empty() { row.ask.as_str() } else { &row.pod }
}

fn local(row: &ShadowDifference) -> String {
    match &row.local {
        None => String::new(),
        Some((_, ask, node)) if *ask == row.ask => node.to_string(),
        Some((app, _, node)) => format!("{app} on {node}"),
    }
}

/// The value of a column.
pub fn value(row: &ShadowDifference, column: ShadowColumn) -> Value<'_> {
    match column {
        ShadowColumn::Time => Value::moment(row.at),
        ShadowColumn::Verdict => Value::text(row.verdict.as_str()),
        ShadowColumn::Queue => Value::text(row.queue.to_string()),
        ShadowColumn::Pod => Value::text(pod(row)),
        ShadowColumn::Application => Value::text(row.app.as_str()),
        ShadowColumn::Node => Value::text(row.node.as_ref().map(ToString::to_string).unwrap_or_default()),
        ShadowColumn::Local => Value::text(local(row)),
        ShadowColumn::Rule => Value::text(row.rule.as_str()),
        ShadowColumn::Cause => Value::text(row.cause.as_str()),
    }
}

/// The list as typed values.
pub fn fields(page: &ShadowPage) -> Fields<'_> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |row| value(row, column))
    })
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a ShadowPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let widest = page.list.widest;
    let space = Space { widest: widest[0], least: 8 };
    let columns = arrange(state, width, plans(widest), |column| Some(own(column, widest)), space);
    let len = page.list.rows.len();
    let sorted = move |column: ShadowColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(row) = page.list.rows.get(index) {
            cell(pen, state, row, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match &page.answer {
        None => vec!["loading the shadow results".to_owned()],
        Some(Err(why)) => why.lines().map(str::to_owned).collect(),
        Some(Ok(sheet)) if sheet.differences.is_empty() => match sheet.total.decisions {
            0 => vec!["no decisions of the scheduler yet".to_owned()],
            number => vec![format!("{} decisions, all agree", format::count(number, "decision"))],
        },
        Some(Ok(_)) => vec![format!("the filter {} hides all {}", page.list.filter, page.list.total)],
    };
    table.or_reported(words)
}

fn plans(widest: [u16; 3]) -> impl Iterator<Item = Vec<Col<ShadowColumn>>> {
    use ShadowColumn as C;
    (0..4).map(move |step| {
        let mut columns = vec![own(C::Time, widest), own(C::Verdict, widest)];
        if step < 3 {
            columns.push(left(C::Queue, "QUEUE", widest[0].clamp(8, if step < 1 { 32 } else { 16 })));
        }
        columns.push(left(C::Pod, "POD", widest[1].clamp(8, if step < 1 { 40 } else { 20 })));
        if step < 2 {
            columns.push(own(C::Node, widest));
            columns.push(own(C::Local, widest));
        }
        columns.push(left(C::Cause, "CAUSE", if step < 1 { 30 } else { 16 }).up_to(200));
        columns
    })
}

fn own(column: ShadowColumn, [queue, pod, _]: [u16; 3]) -> Col<ShadowColumn> {
    use ShadowColumn as C;
    match column {
        C::Time => left(C::Time, "TIME", 8),
        C::Verdict => left(C::Verdict, "VERDICT", 9),
        C::Queue => left(C::Queue, "QUEUE", queue.clamp(8, 60)),
        C::Pod => left(C::Pod, "POD", pod.clamp(8, 60)),
        C::Application => left(C::Application, "APPLICATION", 20),
        C::Node => left(C::Node, "NODE", 10),
        C::Local => left(C::Local, "KORNSOLE", 16),
        C::Rule => left(C::Rule, "RULE", 18),
        C::Cause => left(C::Cause, "CAUSE", 30).up_to(200),
    }
}

fn cell(pen: &mut Writer, state: &State, row: &ShadowDifference, what: ShadowColumn, slot: Slot) {
    use ShadowColumn as C;
    let (value, symbols) = (value(row, what), pen.symbols());
    match (what, &value) {
        (C::Time, _) => pen.cell(slot, &[dim(format::when(row.at, state.cluster.past.live))]),
        (C::Verdict, _) => {
            let role = match row.verdict.as_str() {
                "illegal" => Role::Error,
                "unsettled" => Role::Dim,
                _ => Role::Warning,
            };
            pen.cell(slot, &[piece(role, row.verdict.clone())]);
        }
        (C::Queue | C::Pod | C::Application | C::Node, Value::Text(name)) => {
            pen.name(slot.x, slot.width, name, Role::Text);
        }
        (_, Value::Nothing) => pen.cell(slot, &[dim(symbols.nothing)]),
        (_, value) => pen.cell(slot, &[plain(value.shown(unit(what), symbols))]),
    }
}

/// A percentage with two decimals; `-` if unknown.
pub fn percent(part: Option<f64>) -> String {
    part.map_or("-".to_owned(), |part| format!("{:.2} %", part * 100.0))
}

fn rates(rates: &ShadowRates) -> String {
    let settled = rates.decisions - rates.unsettled.min(rates.decisions);
    let (agreement, legality) = (percent(rates.agreement), percent(rates.legality));
    format!(
        "agreement {agreement}, legality {legality} of {settled}; {} unsettled, {} missed",
        rates.unsettled, rates.missed
    )
}

/// The explanation of a cell.
pub fn why(sheet: &ShadowSheet, row: &ShadowDifference, column: ShadowColumn) -> String {
    use ShadowColumn as C;
    match column {
        C::Time => "the time of the decision; for a missed one, the time since kornsole would have made it".to_owned(),
        C::Verdict => match row.verdict.as_str() {
            "node" => "kornsole allocates the same pod next, on a node with a better score; the selected node fits too",
            "order" => "kornsole allows the pod there, and allocates another pod first",
            "illegal" => "kornsole forbids it",
            "missed" => "kornsole would have made a decision that the scheduler has not made for a long time",
            _ => "the data is not sufficient to decide; it is not counted",
        }
        .to_owned(),
        C::Queue => match sheet.queues.iter().find(|(queue, _)| *queue == row.queue) {
            Some((queue, counts)) => format!("{queue}: {}", rates(counts)),
            None => "the leaf of its application".to_owned(),
        },
        C::Pod => format!("its UID is {}; enter goes to its application", row.ask),
        C::Application => "the application of the pod; enter goes there".to_owned(),
        C::Node => "the node that the scheduler selected".to_owned(),
        C::Local => "the decision of kornsole: the node, and the application of another pod that is first".to_owned(),
        C::Rule => "the rule by which kornsole forbids it".to_owned(),
        C::Cause => "the reason why kornsole decides differently".to_owned(),
    }
}
