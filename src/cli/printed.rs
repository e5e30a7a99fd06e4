//! What comes from outside on its way to a terminal: no character of it moves the cursor, changes a color, or turns the direction of writing.
//!
//! Every text that a command prints goes through [`safe`]: tables, messages, and JSON, which stays the same JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out_and_json_stays_the_same() {
        assert_eq!(safe("a\u{1b}[2J\u{7}\u{9b}\u{202e}b\nc\r"), "a\\u001b[2J\\u0007\\u009b\\u202eb\nc\\u000d");
        assert!(matches!(safe("plain \u{fc}\ntext\n"), Cow::Borrowed(_)));
        let json = serde_json::json!({"a": "\u{9b}\u{202e}\u{e0001}\u{7f}"});
        let printed = json.to_string();
        let back: serde_json::Value = serde_json::from_str(&safe(&printed)).unwrap();
        assert_eq!(back, json);
    }
}
