//! The line under the header while unsilenced alerts fire, in words and reversed.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::format;
use crate::present::text;
use crate::state::State;
use crate::theme::Role;
use alerts::Severity;

/// Draws the line unless the past or a what-if is shown.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    if area.height == 0 || state.cluster.past.shown.is_some() || state.cluster.trial.is_some() {
        return;
    }
    let Some(snapshot) = &state.cluster.alerts else { return };
    let on: Vec<_> = snapshot.on().filter(|alert| alert.severity > Severity::Info).collect();
    let Some(worst) = on.iter().map(|alert| alert.severity).max() else { return };
    let each = on.iter().map(|alert| format!("{}: {} {}", alert.rule, alert.subject, alert.text));
    let message = format!(" {}: {}", format::count(on.len() as u64, "alert"), each.collect::<Vec<_>>().join("; "));
    let keys = "! alerts ";
    let width = usize::from(area.width);
    let space = width.saturating_sub(keys.len() + 2);
    let mut line = text::cut(&text::escape(&message), space, pen.symbols().ellipsis).into_owned();
    let gap = width.saturating_sub(text::width(&line) + keys.len());
    line.push_str(&" ".repeat(gap));
    line.push_str(keys);
    pen.text(
        area.x,
        area.y,
        area.width,
        &line,
        if worst == Severity::Critical { Role::BadgeStale } else { Role::BadgeFrozen },
    );
}
