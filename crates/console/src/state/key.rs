//! Keys, their names, and a notation for tests.

use std::fmt;

/// Shift is part of the character, or of [`Code::BackTab`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The key without modifiers.
    pub code: Code,
    /// Control was held.
    pub ctrl: bool,
    /// Alt was held.
    pub alt: bool,
}

/// The keys that the console distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the key of that name")]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// The first name of a code is displayed.
const NAMES: [(&str, Code); 20] = [
    ("enter", Code::Enter),
    ("ret", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("shift-tab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("bs", Code::Backspace),
    ("del", Code::Delete),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("space", Code::Char(' ')),
    ("lt", Code::Char('<')),
    ("gt", Code::Char('>')),
    ("minus", Code::Char('-')),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false }
    }

    /// `a`, `G`, `enter`, `ctrl-c`, `alt-b`, `F5`
    pub fn parse(name: &str) -> Option<Self> {
        let (mut ctrl, mut alt, mut rest) = (false, false, name);
        loop {
            if let Some(short) = rest.strip_prefix("ctrl-").or_else(|| rest.strip_prefix("C-")) {
                (ctrl, rest) = (true, short);
            } else if let Some(short) = rest.strip_prefix("alt-").or_else(|| rest.strip_prefix("A-")) {
                (alt, rest) = (true, short);
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) => Code::Char(c),
            _ => match NAMES.iter().find(|(known, _)| *known == rest) {
                Some((_, code)) => *code,
                None => Code::F(rest.strip_prefix('F')?.parse().ok().filter(|n| (1..=12).contains(n))?),
            },
        };
        Some(Self { code, ctrl, alt })
    }

    /// Parses a sequence: `/eng<ret>jd`, `<C-c>`.
    ///
    /// # Errors
    /// The part that is not a key.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let mut keys = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            if c != '<' {
                keys.push(Self::plain(Code::Char(c)));
                continue;
            }
            let (name, after) = rest.split_once('>').ok_or_else(|| format!("<{rest}"))?;
            keys.push(Self::parse(name).ok_or_else(|| format!("<{name}>"))?);
            rest = after;
        }
        Ok(keys)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        match self.code {
            Code::Char(' ') => f.write_str("space"),
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "F{n}"),
            code => f.write_str(NAMES.iter().find(|(_, known)| *known == code).map_or("?", |(name, _)| name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_names() {
        for name in ["a", "G", "enter", "esc", "ctrl-c", "alt-b", "pgdn", "space", "shift-tab", "F5", "-", "?"] {
            assert_eq!(Key::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Key::parse("entr"), None);
        assert_eq!(Key::parse("F13"), None);
        assert_eq!(Key::parse(""), None);
    }

    #[test]
    fn reads_sequences() {
        let keys = Key::parse_all("/e<ret><C-c><lt>").unwrap();
        assert_eq!(keys.iter().map(Key::to_string).collect::<Vec<_>>(), ["/", "e", "enter", "ctrl-c", "<"]);
        assert_eq!(Key::parse_all("a<nope>"), Err("<nope>".to_owned()));
    }
}
