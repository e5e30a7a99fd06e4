//! Roles, styles and signs: how meaning looks.
//!
//! [`role`] is the table of roles, [`read`] reads a theme's file, [`shelf`] knows all themes and looks their colors up, [`check`] holds a
//! theme to what can be read and distinguished, [`color`] knows what terminals can show, [`signs`] are the drawn characters.
//!
//! Invariants:
//! - draw code names a [`Role`], never a color, and a field of [`Signs`], never a drawn character;
//! - a sign or a word has the meaning of each color, too: the theme `mono` has no color and loses nothing;
//! - every sign is one column wide, and has a twin in ASCII;
//! - a faulty theme is reported and never blocks: its faulty entries look as if they were not there;
//! - no IO: the texts of a person's themes are passed in.

pub mod check;
pub mod color;
pub mod read;
pub mod role;
pub mod shelf;
pub mod signs;

use ratatui::style::Style;

pub use color::Depth;
pub use role::Role;
pub use shelf::{ThemeFile, ThemeName, Themes};
pub use signs::{ASCII, DRAWN, SPOKEN, Signs};

/// Styles by role, and the signs.
#[derive(Clone, Debug)]
pub struct Theme {
    styles: [Style; Role::ALL.len()],
    /// The signs in use.
    pub signs: &'static Signs,
    /// Only ASCII may reach the screen.
    pub ascii: bool,
}

impl Theme {
    /// The theme of that name as a terminal of that depth can show it, with signs from ASCII only if requested. An unknown name gives the
    /// default theme.
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
        Self { styles, signs: if ascii { &ASCII } else { &DRAWN }, ascii }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

#[cfg(test)]
mod tests;
