//! The words of the tape language, and the keys.

use crate::state::key::{Code, Key};

/// The words other than keys, in documentation order.
pub const WORDS: [&str; 21] = [
    "Source",
    "Set",
    "Type",
    "Copy",
    "Paste",
    "Click",
    "ScrollUp",
    "ScrollDown",
    "Sleep",
    "Advance",
    "Settle",
    "Wait",
    "Expect",
    "Refute",
    "Snapshot",
    "Screenshot",
    "Server",
    "Say",
    "Hide",
    "Show",
    "Ended",
];

/// What can be set.
pub const SETTINGS: [&str; 16] = [
    "Width",
    "Height",
    "Theme",
    "Color",
    "Ascii",
    "As",
    "SchedulerAdmin",
    "ReadOnly",
    "Dashboard",
    "Core",
    "Served",
    "Jobs",
    "Alerts",
    "TypingSpeed",
    "PlaybackSpeed",
    "WaitTimeout",
];

/// What a tape can run against.
pub const SOURCES: [&str; 5] = ["demo", "scenario", "config", "default", "server"];

/// A remote scheduler has its own settings, and its user is in the address.
pub const OF_OWN_SCHEDULER: [&str; 5] = ["Set As", "Set SchedulerAdmin", "Set Core", "Set Served", "Set Jobs"];

/// Unsupported VHS words, and why.
const NOT_OWN: [(&str, &str); 4] = [
    ("Output", "use options of the command: `--cast FILE`, `--svg FILE`, `--text FILE`"),
    ("Require", "only kornsole is required"),
    ("Env", "a tape does not use the environment"),
    ("Insert", "unknown key"),
];

/// No shell exists, and pictures have one style.
const FOREIGN_SETTINGS: [&str; 16] = [
    "Shell",
    "FontSize",
    "FontFamily",
    "LetterSpacing",
    "LineHeight",
    "Framerate",
    "LoopOffset",
    "Padding",
    "Margin",
    "MarginFill",
    "WindowBar",
    "WindowBarSize",
    "WindowTitle",
    "BorderRadius",
    "CursorBlink",
    "WaitPattern",
];

/// The named keys.
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

/// Why a VHS word is unsupported.
pub fn not_own(word: &str) -> Option<&'static str> {
    NOT_OWN.iter().find(|(known, _)| *known == word).map(|(_, why)| *why)
}

/// Whether a VHS setting has no meaning here.
pub fn is_foreign_setting(name: &str) -> bool {
    FOREIGN_SETTINGS.contains(&name)
}

/// The name of a key without modifiers: `Enter`, `F5`.
pub fn name_of(code: Code) -> Option<String> {
    match code {
        Code::F(number) => Some(format!("F{number}")),
        code => KEYS.iter().find(|(_, known)| *known == code).map(|(name, _)| (*name).to_owned()),
    }
}

/// `Enter`, `F5`, `Ctrl+x`, `Alt+Enter`, `Shift+Tab`.
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

/// A key only with a modifier; otherwise `Type` types it.
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
