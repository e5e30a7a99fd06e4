//! Usage over time, in core-hours, GiB-hours, and unit-hours.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::meter::Meter;
use crate::present::pieces::{Slot, dim, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::UsageColumn;
use crate::state::usage::UsagePage;
use crate::theme::Role;
use model::{MEMORY, VCORE};
use view::used::{UsageBy, Used, UsedAmounts, UsedRow};

const BAR: u16 = 8;

/// The unit of a column.
pub const fn unit(column: UsageColumn) -> Unit {
    match column {
        UsageColumn::Name | UsageColumn::Other => Unit::Words,
        UsageColumn::Share => Unit::Share,
        _ => Unit::Hours,
    }
}

fn hours(amounts: &UsedAmounts, name: &str) -> i64 {
    let seconds = u128::from(amounts.get(name).copied().unwrap_or(0));
    let whole = match name {
        VCORE => 1_000,
        MEMORY => 1 << 30,
        _ => 1,
    } * 3_600;
    i64::try_from((seconds * 1_000 + whole / 2) / whole).unwrap_or(i64::MAX)
}

fn shared(used: &Used) -> &'static str {
    if used.total.allocated.contains_key(VCORE) { VCORE } else { MEMORY }
}

fn share(used: &Used, row: &UsedRow) -> i64 {
    let of = |row: &UsedRow| u128::from(row.allocated.get(shared(used)).copied().unwrap_or(0));
    match of(&used.total) {
        0 => 0,
        all => i64::try_from((of(row) * 1_000 + all / 2) / all).unwrap_or(i64::MAX),
    }
}

/// The value of a column.
pub fn value<'a>(used: &Used, row: &'a UsedRow, column: UsageColumn) -> Value<'a> {
    use UsageColumn as C;
    let hours = |amounts: &UsedAmounts, name: &str| Value::Metric(hours(amounts, name));
    match column {
        C::Waited | C::MemoryWaited | C::Borrowed | C::MemoryBorrowed | C::Guaranteed | C::MemoryGuaranteed
            if used.only_allocated =>
        {
            Value::Nothing
        }
        C::Cpu => hours(&row.allocated, VCORE),
        C::Memory => hours(&row.allocated, MEMORY),
        C::Other => Value::text(others(&row.allocated)),
        C::Name => Value::text(if row.name.is_empty() { "-" } else { &*row.name }),
        C::Share => Value::Metric(share(used, row)),
        C::Waited => hours(&row.waited, VCORE),
        C::MemoryWaited => hours(&row.waited, MEMORY),
        C::Borrowed => hours(&row.borrowed, VCORE),
        C::MemoryBorrowed => hours(&row.borrowed, MEMORY),
        C::Guaranteed => hours(&row.guaranteed, VCORE),
        C::MemoryGuaranteed => hours(&row.guaranteed, MEMORY),
    }
}

fn others(amounts: &UsedAmounts) -> String {
    let others = amounts.keys().filter(|name| ![VCORE, MEMORY].contains(&name.as_str()));
    let texts: Vec<String> = others.map(|name| format!("{name} {}", Unit::hours(hours(amounts, name)))).collect();
    texts.join(", ")
}

/// The list as typed values.
pub fn fields(page: &UsagePage) -> Fields<'_> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        let (row, used) = (page.list.rows.get(row), page.used());
        row.zip(used).map_or(Value::Nothing, |(row, used)| value(used, row, column))
    })
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a UsagePage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let (widest, by) = (page.list.widest[0], page.question.by);
    let space = Space { widest, least: 10 };
    let columns = arrange(state, width, plans(by, widest), |column| Some(own(column, by, widest)), space);
    let len = page.list.rows.len();
    let sorted = move |column: UsageColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some((row, used)) = page.list.rows.get(index).zip(page.used()) {
            cell(pen, used, row, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match &page.answer {
        None => vec!["loading".to_owned()],
        Some(Err(why)) => why.lines().map(str::to_owned).collect(),
        Some(Ok(used)) if used.rows.is_empty() => vec!["no usage and no waits in this time".to_owned()],
        Some(Ok(_)) => vec![format!("the filter {} hides all {}", page.list.filter, page.list.total)],
    };
    table.or_reported(words)
}

fn plans(by: UsageBy, widest: u16) -> impl Iterator<Item = Vec<Col<UsageColumn>>> {
    use UsageColumn as C;
    // In the order of dropping.
    const LEAST: [(UsageColumn, usize); 6] = [
        (C::MemoryWaited, 1),
        (C::MemoryBorrowed, 1),
        (C::Other, 2),
        (C::Guaranteed, 3),
        (C::Borrowed, 5),
        (C::Waited, 6),
    ];
    let guaranteed = matches!(by, UsageBy::Queue | UsageBy::Tree);
    (0..7).map(move |step| {
        let name = left(C::Name, title(by), if step < 4 { widest.clamp(10, 40) } else { 10 }).up_to(widest);
        let all = [C::Cpu, C::Memory, C::Share, C::Waited, C::Borrowed, C::Guaranteed, C::MemoryWaited];
        let all = all.into_iter().chain([C::MemoryBorrowed, C::Other]);
        let all = all.filter(|column| guaranteed || *column != C::Guaranteed);
        let retained = all.filter(|column| LEAST.iter().all(|(left_out, from)| left_out != column || step < *from));
        std::iter::once(name).chain(retained.map(|column| own(column, by, widest))).collect()
    })
}

const fn title(by: UsageBy) -> &'static str {
    match by {
        UsageBy::Queue | UsageBy::Tree => "QUEUE",
        UsageBy::User => "USER",
        UsageBy::Group => "GROUP",
        UsageBy::Priority => "PRIORITY",
        UsageBy::Application => "APPLICATION",
    }
}

fn own(column: UsageColumn, by: UsageBy, widest: u16) -> Col<UsageColumn> {
    use UsageColumn as C;
    match column {
        C::Name => left(C::Name, title(by), widest.clamp(10, 80)),
        C::Cpu => right(C::Cpu, "CPU H", 10),
        C::Memory => right(C::Memory, "MEM H", 10),
        C::Other => left(C::Other, "OTHER H", 20),
        C::Share => left(C::Share, "SHARE", BAR + 5),
        C::Waited => right(C::Waited, "WAITED", 9),
        C::MemoryWaited => right(C::MemoryWaited, "MEM WAITED", 10),
        C::Borrowed => right(C::Borrowed, "BORROWED", 9),
        C::MemoryBorrowed => right(C::MemoryBorrowed, "MEM BORROWED", 12),
        C::Guaranteed => right(C::Guaranteed, "GUARANTEED", 10),
        C::MemoryGuaranteed => right(C::MemoryGuaranteed, "MEM GUARANTEED", 14),
    }
}

fn cell(pen: &mut Writer, used: &Used, row: &UsedRow, what: UsageColumn, slot: Slot) {
    use UsageColumn as C;
    let (value, symbols) = (value(used, row, what), pen.symbols());
    match (what, &value) {
        (C::Name, Value::Text(name)) => {
            pen.name(slot.x, slot.width, name, Role::Text);
        }
        (C::Share, Value::Metric(share)) => {
            let meter = Meter { used: *share, base: Some(1_000), guaranteed: None };
            let mut pieces = meter.pieces(BAR, symbols);
            // Never a warning.
            pieces.iter_mut().filter(|one| one.role != Role::UsageEmpty).for_each(|one| one.role = Role::UsageNormal);
            pieces.push(plain(format!(" {:>4}", format::percent(*share))));
            pen.cell(slot, &pieces);
        }
        (_, Value::Nothing | Value::Metric(0)) => pen.cell(slot, &[dim(symbols.nothing)]),
        (_, value) => pen.cell(slot, &[plain(value.shown(unit(what), symbols))]),
    }
}

/// The explanation of a column.
pub fn why(used: &Used, row: &UsedRow, (column, by): (UsageColumn, UsageBy), gaps: &str) -> String {
    use UsageColumn as C;
    let total = |name: &str| Unit::hours(hours(&used.total.allocated, name));
    let exact = |amounts: &UsedAmounts, name: &str, unit: &str| {
        format!("{} {unit} seconds", amounts.get(name).copied().unwrap_or(0))
    };
    let vcore = |amounts: &UsedAmounts| exact(amounts, VCORE, "vcore-thousandth");
    let bytes = |amounts: &UsedAmounts| exact(amounts, MEMORY, "byte");
    match column {
        C::Name => {
            let kind = by.name();
            let notes: String = used.notes.iter().map(|note| format!("; {note}")).collect();
            let gaps = if gaps.is_empty() { "without a gap".to_owned() } else { format!("with {gaps}") };
            let remark = row.remark.iter().map(|remark| format!("; {remark}")).collect::<String>();
            format!("a {kind}; it was counted {gaps}{remark}{notes}")
        }
        C::Cpu => format!("core hours, with placeholders; {} of {} in total", vcore(&row.allocated), total(VCORE)),
        C::Memory => format!("GiB hours; {} of {} in total", bytes(&row.allocated), total(MEMORY)),
        C::Other => "hours of other resources".to_owned(),
        C::Share => format!("the share of the {} of all rows", if shared(used) == VCORE { "cpu" } else { "memory" }),
        C::Waited => format!("pending core hours; {}", vcore(&row.waited)),
        C::MemoryWaited => format!("pending GiB hours; {}", bytes(&row.waited)),
        C::Borrowed | C::MemoryBorrowed if by == UsageBy::Tree => {
            "hours above the guarantee of the queue".to_owned()
        }
        C::Borrowed | C::MemoryBorrowed => {
            "its hourly share of the usage above the guarantee of the nearest parent with a guarantee; if no parent has a guarantee: all usage".to_owned()
        }
        C::Guaranteed | C::MemoryGuaranteed if !matches!(by, UsageBy::Queue | UsageBy::Tree) => {
            "only queues have guarantees".to_owned()
        }
        C::Guaranteed => format!("guaranteed core hours of the queue; {}", vcore(&row.guaranteed)),
        C::MemoryGuaranteed => format!("guaranteed GiB hours of the queue; {}", bytes(&row.guaranteed)),
    }
}
