//! Roles, styles, and symbols.
//!
//! Modules: [`role`] is the table of roles, [`read`] reads a theme file, [`catalog`] has all themes, [`check`] checks
//! legibility, [`color`] has terminal colors, [`symbols`] has the symbols.
//!
//! Invariants:
//! - drawing uses a [`Role`], never a color, and [`Symbols`], never a literal symbol;
//! - a symbol or word repeats the meaning of each color: the theme `mono` loses nothing;
//! - every symbol is one column wide and has an ASCII equivalent;
//! - a faulty theme is reported, and its faulty entries are ignored;
//! - no IO: the texts of themes are inputs.

pub mod catalog;
pub mod check;
pub mod color;
pub mod read;
pub mod role;
pub mod symbols;

use ratatui::style::Style;

pub use catalog::{ThemeFile, ThemeName, Themes};
pub use color::Depth;
pub use role::Role;
pub use symbols::{ASCII, DRAWN, SPOKEN, Symbols};

/// Styles by role, and symbols.
#[derive(Clone, Debug)]
pub struct Theme {
    styles: [Style; Role::ALL.len()],
    /// The signs in use.
    pub symbols: &'static Symbols,
    /// Only ASCII is allowed.
    pub ascii: bool,
}

impl Theme {
    /// An unknown name gives the default theme.
    pub fn new(themes: &Themes, name: &ThemeName, depth: Depth, ascii: bool) -> Self {
        let wanted = themes.get(name.as_str());
        let shipped = |name: &str| Themes::shipped().get(name).map(|entry| entry.styles);
        let styles = match (wanted, depth) {
            (_, Depth::None) => shipped("mono"),
            (Some(entry), Depth::Sixteen) if !entry.has_own_colors() => Some(entry.styles),
            (_, Depth::Sixteen) => shipped("ansi16"),
            (Some(entry), _) => Some(entry.styles),
            (None, _) => shipped(ThemeName::default().as_str()),
        };
        let mut styles = styles.unwrap_or([Style::new(); Role::ALL.len()]);
        if depth == Depth::Indexed {
            for style in &mut styles {
                style.fg = style.fg.map(color::nearest);
                style.bg = style.bg.map(color::nearest);
            }
        }
        Self { styles, symbols: if ascii { &ASCII } else { &DRAWN }, ascii }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

#[cfg(test)]
mod tests;
