//! What comes from outside on its way to a terminal: no character of it moves the cursor, changes a color, or turns the direction of writing.
//!
//! Every text that a command prints goes through [`safe`]: tables, messages, CSV, and JSON, which stays the same JSON. A file that a command
//! prints as a whole keeps its bytes in a pipe ([`document`]).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::IsTerminal as _;

use console::present::text::escape;

/// The text with every hidden character but the newline written as JSON escapes it: `\u001b`.
pub fn safe(text: &str) -> Cow<'_, str> {
    let whole = text.split('\n').all(|line| matches!(escape(line), Cow::Borrowed(_)));
    if whole {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let mut buffer = [0; 4];
        if c == '\n' || matches!(escape(c.encode_utf8(&mut buffer)), Cow::Borrowed(_)) {
            shown.push(c);
            continue;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            // A text takes every character.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    Cow::Owned(shown)
}

/// CSV, whose lines end with a carriage return and a newline.
pub fn csv(text: &str) -> String {
    text.split("\r\n").map(safe).collect::<Vec<_>>().join("\r\n")
}

/// A whole file, for example a configuration: as it is in a pipe or a file, and safe on a terminal.
pub fn document(text: &str) -> Cow<'_, str> {
    if std::io::stdout().is_terminal() { safe(text) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out_and_json_stays_the_same() {
        assert_eq!(safe("a\u{1b}[2J\u{7}\u{9b}\u{202e}b\nc\r"), "a\\u001b[2J\\u0007\\u009b\\u202eb\nc\\u000d");
        assert!(matches!(safe("plain \u{fc}\ntext\n"), Cow::Borrowed(_)));
        assert_eq!(csv("a,b\r\nc\r,\u{1b}\r\n"), "a,b\r\nc\\u000d,\\u001b\r\n");
        let json = serde_json::json!({"a": "\u{9b}\u{202e}\u{e0001}\u{7f}"});
        let printed = json.to_string();
        let back: serde_json::Value = serde_json::from_str(&safe(&printed)).unwrap();
        assert_eq!(back, json);
    }
}
