//! Converts terminal events to keys and mouse actions.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::state::key::{Code, Key};

/// A mouse action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// The first button.
    Click(Position),
    /// The wheel, down or (negative) up.
    Wheel(isize),
}

/// `None` for releases and unknown keys.
pub fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let alt = event.modifiers.contains(KeyModifiers::ALT);
    let code = match event.code {
        KeyCode::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => Code::BackTab,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(n) => Code::F(n),
        _ => return None,
    };
    Some(Key { code, ctrl, alt })
}

/// The mouse action of a terminal event, if used.
pub fn mouse(event: MouseEvent) -> Option<Mouse> {
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Mouse::Click(Position { x: event.column, y: event.row })),
        MouseEventKind::ScrollDown => Some(Mouse::Wheel(1)),
        MouseEventKind::ScrollUp => Some(Mouse::Wheel(-1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names() {
        for (code, modifiers, name) in [
            (KeyCode::Char('G'), KeyModifiers::SHIFT, "G"),
            (KeyCode::Char('C'), KeyModifiers::CONTROL, "ctrl-c"),
            (KeyCode::Tab, KeyModifiers::SHIFT, "shift-tab"),
            (KeyCode::BackTab, KeyModifiers::SHIFT, "shift-tab"),
            (KeyCode::Char(' '), KeyModifiers::NONE, "space"),
            (KeyCode::Left, KeyModifiers::CONTROL, "ctrl-left"),
        ] {
            assert_eq!(key(KeyEvent::new(code, modifiers)).unwrap().to_string(), name);
        }
        let release = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(key(release), None);
    }
}
