//! The words of the tape language: what each is, and the keys.

use crate::console::key::{Code, Key};

/// The words that are no keys, in the order of the documentation.
pub const WORDS: [&str; 10] =
    ["Source", "Set", "Type", "Sleep", "Advance", "Settle", "Expect", "Refute", "Snapshot", "Ended"];

/// What can be set.
pub const SETTINGS: [&str; 6] = ["Width", "Height", "Theme", "As", "ReadOnly", "Core"];

/// What a tape can run against.
pub const SOURCES: [&str; 4] = ["demo", "scenario", "config", "default"];

/// Words of VHS that are not played yet.
const NOT_YET: [&str; 12] = [
    "Output",
    "Require",
    "Hide",
    "Show",
    "Screenshot",
    "Wait",
    "Copy",
    "Paste",
    "Env",
    "ScrollUp",
    "ScrollDown",
    "Insert",
];

/// Settings of VHS that are not played yet, or mean nothing without a picture.
const SETTINGS_NOT_YET: [&str; 19] = [
    "Shell",
    "FontSize",
    "FontFamily",
    "LetterSpacing",
    "LineHeight",
    "TypingSpeed",
    "Framerate",
    "PlaybackSpeed",
    "LoopOffset",
    "Padding",
    "Margin",
    "MarginFill",
    "WindowBar",
    "WindowBarSize",
    "WindowTitle",
    "BorderRadius",
    "CursorBlink",
    "WaitTimeout",
    "WaitPattern",
];

/// The keys with a name.
pub const KEYS: [(&str, Code); 15] = [
    ("Enter", Code::Enter),
    ("Escape", Code::Esc),
    ("Tab", Code::Tab),
    ("Space", Code::Char(' ')),
    ("Backspace", Code::Backspace),
    ("Delete", Code::Delete),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Left", Code::Left),
    ("Right", Code::Right),
    ("PageUp", Code::PageUp),
    ("PageDown", Code::PageDown),
    ("Home", Code::Home),
    ("End", Code::End),
    ("F1", Code::F(1)),
];

/// Whether a word is VHS's and has no meaning here yet.
pub fn is_not_yet(word: &str) -> bool {
    // `Wait+Screen` is a form of `Wait`.
    NOT_YET.contains(&word.split('+').next().unwrap_or(word))
}

/// Whether a setting is VHS's and has no meaning here yet.
pub fn is_setting_not_yet(name: &str) -> bool {
    SETTINGS_NOT_YET.contains(&name)
}

/// The key of a word: `Enter`, `F5`, `Ctrl+x`, `Alt+Enter`, `Shift+Tab`. `None` for what names no key.
pub fn key(word: &str) -> Option<Key> {
    let (mut ctrl, mut alt, mut shift, mut rest) = (false, false, false, word);
    loop {
        let modifier = if let Some(after) = rest.strip_prefix("Ctrl+") {
            (&mut ctrl, after)
        } else if let Some(after) = rest.strip_prefix("Alt+") {
            (&mut alt, after)
        } else if let Some(after) = rest.strip_prefix("Shift+") {
            (&mut shift, after)
        } else {
            break;
        };
        (*modifier.0, rest) = (true, modifier.1);
    }
    let code = match (code(rest), shift) {
        (Some(Code::Tab), true) => Code::BackTab,
        (Some(_), true) => return None,
        (Some(code), false) => code,
        (None, _) => Code::Char(character(rest, ctrl, alt, shift)?),
    };
    Some(Key { code, ctrl, alt })
}

fn code(name: &str) -> Option<Code> {
    if let Some(number) = name.strip_prefix('F') {
        return number.parse().ok().filter(|n| (1..=12).contains(n) && !number.starts_with('0')).map(Code::F);
    }
    KEYS.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

/// A single character is a key only together with a modifier; alone it is typed with `Type`.
fn character(name: &str, ctrl: bool, alt: bool, shift: bool) -> Option<char> {
    let mut chars = name.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return None };
    match (ctrl, alt, shift) {
        (false, false, false) => None,
        (_, _, true) => Some(c.to_ascii_uppercase()),
        (true, ..) => Some(c.to_ascii_lowercase()),
        _ => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_by_name() {
        for (word, name) in [
            ("Enter", "enter"),
            ("Escape", "esc"),
            ("Space", "space"),
            ("PageDown", "pgdn"),
            ("F12", "F12"),
            ("Ctrl+C", "ctrl-c"),
            ("Ctrl+z", "ctrl-z"),
            ("Alt+b", "alt-b"),
            ("Alt+Enter", "alt-enter"),
            ("Ctrl+Alt+x", "ctrl-alt-x"),
            ("Shift+Tab", "shift-tab"),
            ("Shift+g", "G"),
        ] {
            assert_eq!(key(word).map(|key| key.to_string()).as_deref(), Some(name), "{word}");
        }
        for word in ["enter", "F0", "F13", "F05", "x", "Ctrl+", "Ctrl+xy", "Shift+Enter", "Meta+x", ""] {
            assert_eq!(key(word), None, "{word}");
        }
    }
}
