//! Checks a theme: legible text, and meanings that do not depend on color.
//!
//! Legible is WCAG 2 level AA: 4.5 to 1 on the page and on the selected row, where both colors are known.

use ratatui::style::{Color, Modifier};

use crate::theme::catalog::Entry;
use crate::theme::color;
use crate::theme::role::Role;

/// The minimum contrast of text, WCAG 2 level AA.
pub const LEGIBLE: f64 = 4.5;

/// Shown nowhere else, so they need bold, underline, or reverse.
const BY_LOOK_ALONE: [Role; 3] = [Role::Match, Role::Fault, Role::FaultWarning];

const GROUNDS: [Role; 1] = [Role::Selection];

/// The problems of a theme, one sentence each.
pub fn check(entry: &Entry) -> Vec<String> {
    let mut wrong = Vec::new();
    for role in Role::ALL.into_iter().filter(|role| role.is_text()) {
        for ground in [Role::Page, Role::Selection] {
            if let Some(contrast) = contrast(entry, role, ground).filter(|contrast| *contrast < LEGIBLE) {
                let (role, ground) = (role.name(), ground.name());
                wrong.push(format!("{role} on {ground}: the contrast is {contrast:.2}, the minimum is {LEGIBLE}"));
            }
        }
    }
    let style = |role: Role| entry.styles[role as usize];
    let has = |color: Option<Color>| color.is_some_and(|color| color != Color::Reset);
    if has(style(Role::Page).bg) && !has(style(Role::Page).fg) {
        wrong.push("page has a background but no text color: the terminal's text color would be used".to_owned());
    }
    let marks = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED | Modifier::ITALIC;
    for role in BY_LOOK_ALONE {
        if !style(role).add_modifier.intersects(marks) {
            let name = role.name();
            wrong.push(format!("{name} differs by color alone: make it bold, underlined, reversed, or italic too"));
        }
    }
    for role in GROUNDS {
        let ground = style(role);
        let shows = has(ground.bg) && ground.bg != style(Role::Page).bg || ground.add_modifier.intersects(marks);
        if !shows {
            wrong.push(format!("{} is not visible: set a background color or reverse it", role.name()));
        }
    }
    wrong
}

/// `None` for a terminal color.
pub fn contrast(entry: &Entry, role: Role, ground: Role) -> Option<f64> {
    let style = |role: Role| entry.styles[role as usize];
    let known = |color: Option<Color>| color.filter(|color| *color != Color::Reset);
    let over = if ground == Role::Selection { known(style(ground).bg) } else { None };
    let bg = over.or_else(|| known(style(role).bg)).or_else(|| known(style(Role::Page).bg)).or(entry.behind)?;
    let own_bg = known(style(role).bg).is_some();
    if own_bg && ground == Role::Selection {
        // Badges are outside of lists.
        return None;
    }
    let fg = known(style(ground).fg).filter(|_| ground == Role::Selection).or_else(|| known(style(role).fg))?;
    let (fg, bg) = (color::rgb(fg)?, color::rgb(bg)?);
    let dim = style(role).add_modifier.contains(Modifier::DIM);
    let fg = if dim { [0, 1, 2].map(|at: usize| fg[at].midpoint(bg[at])) } else { fg };
    Some(color::contrast(fg, bg))
}
