//! Maps keys to editing steps, as in a shell.

use crate::state::editor::TextStep;
use crate::state::key::{Code, Key};
use crate::state::line_edit::{LineEdit, LineStep, Reach};

/// The step of a key in a one-line input.
pub fn line_step(key: Key) -> Option<LineStep> {
    use LineStep::{Insert, Move, Remove};
    Some(match (key.ctrl, key.alt, key.code) {
        (false, false, Code::Char(c)) if !c.is_control() => Insert(c),
        (false, false, Code::Backspace) | (true, false, Code::Char('h')) => Remove(Reach::Left),
        (false, false, Code::Delete) | (true, false, Code::Char('d')) => Remove(Reach::Right),
        (false, false, Code::Left) | (true, false, Code::Char('b')) => Move(Reach::Left),
        (false, false, Code::Right) | (true, false, Code::Char('f')) => Move(Reach::Right),
        (_, _, Code::Home) | (true, false, Code::Char('a')) => Move(Reach::Start),
        (_, _, Code::End) | (true, false, Code::Char('e')) => Move(Reach::End),
        (true, false, Code::Left) | (false, true, Code::Char('b')) => Move(Reach::WordLeft),
        (true, false, Code::Right) | (false, true, Code::Char('f')) => Move(Reach::WordRight),
        (true, false, Code::Char('w')) | (false, true, Code::Backspace | Code::Char('h')) => Remove(Reach::WordLeft),
        (false, true, Code::Char('d') | Code::Delete) => Remove(Reach::WordRight),
        (true, false, Code::Char('u')) => Remove(Reach::Start),
        (true, false, Code::Char('k')) => Remove(Reach::End),
        _ => return None,
    })
}

/// The step of a key in a text of several lines.
pub fn text_step(key: Key) -> Option<TextStep> {
    match (key.ctrl, key.alt, key.code) {
        (false, false, Code::Up) => Some(TextStep::Up),
        (false, false, Code::Down) => Some(TextStep::Down),
        (false, false, Code::Enter) => Some(TextStep::NewLine),
        _ => line_step(key).map(TextStep::InLine),
    }
}

/// Applies a key. Returns `false` if it has no meaning here.
pub fn edit(line: &mut LineEdit, key: Key) -> bool {
    let step = line_step(key);
    step.into_iter().for_each(|step| line.apply(step));
    step.is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    /// `|` is the cursor.
    fn edited(before: &str, keys: &str) -> String {
        let (left, right) = before.split_once('|').unwrap();
        let mut line = LineEdit::new(format!("{left}{right}"));
        right.graphemes(true).for_each(|_| line.apply(LineStep::Move(Reach::Left)));
        for key in Key::parse_all(keys).unwrap() {
            edit(&mut line, key);
        }
        format!("{}|{}", line.before(), &line.text()[line.before().len()..])
    }

    #[test]
    fn edits_as_a_shell_does() {
        for (before, keys, after) in [
            ("|", "abc", "abc|"),
            ("ab|c", "<bs>", "a|c"),
            ("a|bc", "<del>", "a|c"),
            ("東|京", "<bs>x", "x|京"),
            ("root.prod.etl|", "<C-w>", "|"),
            ("app queue one|", "<C-w>", "app queue |"),
            ("app queue|", "<C-left>", "app |queue"),
            ("ab|cd", "<C-u>", "|cd"),
            ("ab|cd", "<C-k>", "ab|"),
            ("ab|cd", "<home>x<end>y", "xabcdy|"),
            ("e\u{301}|", "<left>", "|e\u{301}"),
            ("|", "<bs><del><left><right>", "|"),
        ] {
            assert_eq!(edited(before, keys), after, "{before:?} {keys:?}");
        }
    }

    proptest! {
        #[test]
        fn the_cursor_stays_between_graphemes(start in "[aé東e\u{301}\u{200d}👩 ]{0,12}", keys in prop::collection::vec(0usize..14, 0..40)) {
            let all = ["<left>", "<right>", "<bs>", "<del>", "<home>", "<end>", "<C-left>", "<C-right>", "<C-w>",
                "a", "\u{301}", "東", "\u{200d}", "👩"];
            let mut line = LineEdit::new(start);
            for key in keys {
                edit(&mut line, Key::parse_all(all[key]).unwrap()[0]);
                let _ = line.before();
            }
        }
    }
}
