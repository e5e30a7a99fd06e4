//! The nodes as a map: a sign for each, the higher and the warmer the fuller it is.
//!
//! ```text
//!  each node by the fuller of its cpu and memory
//!  ▁▁ little   ▇▇ most   ██ all   ○○ drained
//!
//!  ▆▆ ▇▇ ██ ▃▃ ▁▁ ·· ▅▅ ▆▆ …
//! ```
//!
//! In the order of the list. Where there are more nodes than room, one sign stands for several: for the fullest of them.

use ratatui::layout::Rect;

use crate::console::draw::pen::Pen;
use crate::console::present::lists::nodes::meter;
use crate::console::present::meter::Meter;
use crate::console::present::pieces::{dim, piece, plain};
use crate::console::state::State;
use crate::console::state::page::NodesPage;
use crate::console::theme::{Role, Signs};
use crate::model::{MEMORY, VCORE};
use crate::view::NodeRow;

/// The columns of a sign with the blank behind it.
const CELL: usize = 3;

/// Draws the map.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &NodesPage, area: Rect) {
    let (Some(part), false) = (state.cluster.part(), page.list.rows.is_empty()) else { return };
    let signs = pen.signs();
    let twice = |sign: &str, word: &str| format!("{sign}{sign} {word}   ");
    let legend = [
        piece(Role::UsageNormal, twice(signs.bars[0], "little")),
        piece(Role::UsageHigh, twice(signs.bars[6], "most")),
        piece(Role::UsageFull, twice(signs.bars[7], "all")),
        piece(Role::StateStopped, twice(signs.stopped, "drained")),
    ];
    pen.pieces(area.x, area.y + 1, area.width, &legend);
    let map = Rect { y: area.y + 3, height: area.height.saturating_sub(3), ..area };
    let in_line = usize::from(map.width) / CELL;
    let room = in_line * usize::from(map.height);
    if room == 0 {
        return;
    }
    let each = page.list.rows.len().div_ceil(room);
    let message = match each {
        1 => "each node by the fuller of its cpu and memory".to_owned(),
        _ => format!("{each} nodes a sign: the fullest of them, by cpu or memory"),
    };
    pen.pieces(area.x, area.y, area.width, &[dim(message)]);
    for (at, ids) in page.list.rows.chunks(each).enumerate() {
        let nodes = ids.iter().filter_map(|id| part.nodes.get(id));
        let Some(node) = nodes.max_by_key(|node| (node.schedulable, share(node))) else { continue };
        let (x, y) = (at % in_line * CELL, at / in_line);
        let cell = Rect {
            x: map.x + u16::try_from(x).unwrap_or(0),
            y: map.y + u16::try_from(y).unwrap_or(0),
            width: 2,
            height: 1,
        };
        let (sign, role) = sign(node, signs);
        pen.pieces(cell.x, cell.y, 2, &[piece(role, sign.repeat(2)), plain("")]);
        if page.list.cursor.index / each == at {
            pen.style(cell, Role::Selection);
        }
    }
}

/// The fuller of cpu and memory, in thousandths.
fn share(node: &NodeRow) -> i64 {
    [VCORE, MEMORY].into_iter().map(|name| share_of(&meter(node, name))).max().unwrap_or(0)
}

fn share_of(meter: &Meter) -> i64 {
    let base = i128::from(meter.base.unwrap_or(0));
    let share = (i128::from(meter.used) * 1000).checked_div(base).unwrap_or(0);
    i64::try_from(share.clamp(0, 1000)).unwrap_or(0)
}

/// The sign of a node, and how warm it is.
fn sign(node: &NodeRow, signs: &'static Signs) -> (&'static str, Role) {
    let share = share(node);
    let level = usize::try_from(share * 7 / 1000).unwrap_or(0).min(7);
    match share {
        _ if !node.schedulable => (signs.stopped, Role::StateStopped),
        0 => (signs.nothing, Role::Dim),
        1000 => (signs.bars[7], Role::UsageFull),
        800.. => (signs.bars[level], Role::UsageHigh),
        _ => (signs.bars[level], Role::UsageNormal),
    }
}
