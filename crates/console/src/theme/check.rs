//! Checks a theme for a person's needs: legible text, and meanings that do not depend on color.
//!
//! Legible is what WCAG 2 asks at level AA: 4.5 to 1 for text, on the page and on the row of the cursor. It is examined wherever both
//! colors are known; the terminal's own, and the sixteen that are its owner's to choose, are not.

use ratatui::style::{Color, Modifier};

use crate::theme::color;
use crate::theme::role::Role;
use crate::theme::shelf::Entry;

/// The least contrast of text, as WCAG 2 requests at level AA.
pub const LEGIBLE: f64 = 4.5;

/// Roles that say something which stands nowhere else on the screen, and so need more than a color: bold, underlined, reversed.
const BY_LOOK_ALONE: [Role; 3] = [Role::Match, Role::Fault, Role::FaultWarning];

/// Pairs of roles that nothing but their looks distinguishes, a row with the cursor and one without.
const GROUNDS: [Role; 1] = [Role::Selection];

/// What a person could not read or distinguish with a theme, a sentence each.
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

/// The contrast of a role's text on the page or on a selected row; `None` where a color is the terminal's own.
pub fn contrast(entry: &Entry, role: Role, ground: Role) -> Option<f64> {
    let style = |role: Role| entry.styles[role as usize];
    let known = |color: Option<Color>| color.filter(|color| *color != Color::Reset);
    // What is laid over a row takes its background, whatever the text had.
    let over = if ground == Role::Selection { known(style(ground).bg) } else { None };
    let bg = over.or_else(|| known(style(role).bg)).or_else(|| known(style(Role::Page).bg)).or(entry.behind)?;
    let own_bg = known(style(role).bg).is_some();
    if own_bg && ground == Role::Selection {
        // Badges stand outside of every list.
        return None;
    }
    let fg = known(style(ground).fg).filter(|_| ground == Role::Selection).or_else(|| known(style(role).fg))?;
    let (fg, bg) = (color::rgb(fg)?, color::rgb(bg)?);
    let dim = style(role).add_modifier.contains(Modifier::DIM);
    let fg = if dim { [0, 1, 2].map(|at: usize| fg[at].midpoint(bg[at])) } else { fg };
    Some(color::contrast(fg, bg))
}
