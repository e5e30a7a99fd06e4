//! Tests of the buffer.

use super::*;
use crate::input::editing::text_step;
use crate::state::key::Key;

fn typed(text: &str, keys: &str) -> Buffer {
    let mut buffer = Buffer::new(text);
    for key in Key::parse_all(keys).unwrap() {
        if let Some(step) = text_step(key) {
            buffer.apply(step);
        }
    }
    buffer
}

#[test]
fn a_text_is_the_same_until_it_is_changed() {
    for text in ["", "a", "a\n", "a\n\n", "a\r\nb\r\n", "a\r\nb\n", "\u{feff}a\n", "\ta: 東\u{0}\n"] {
        assert_eq!(Buffer::new(text).text(), text);
    }
}

#[test]
fn another_text_is_one_step_of_undo() {
    let mut buffer = Buffer::new("a\nb\n");
    buffer.replace("c\n");
    assert!(buffer.undo());
    assert_eq!(buffer.text(), "a\nb\n");
    assert!(buffer.redo());
    assert_eq!(buffer.text(), "c\n");
    assert!(buffer.undo());
    assert_eq!(buffer.text(), "a\nb\n");
}

#[test]
fn a_new_line_starts_where_yaml_requires_it() {
    for (before, keys, after) in [
        ("", "a:<ret>b", "a:\n  b"),
        ("  - name: x", "<end><ret>p", "  - name: x\n    p"),
        ("  - queues:", "<end><ret>-", "  - queues:\n      -"),
        ("    x", "<bs>", "    x"),
        ("    x", "<right><right><right><right><bs>y", "  yx"),
        ("   x", "<right><right><right><bs>", "  x"),
        ("a\r\nb", "<end><ret>c", "a\r\nc\r\nb"),
    ] {
        assert_eq!(typed(before, keys).text(), after, "{before:?} {keys}");
    }
}

#[test]
fn changes_are_undone_and_made_again() {
    let mut buffer = typed("a: 1\n", "<end>23");
    assert_eq!(buffer.text(), "a: 123\n");
    assert!(buffer.undo() && buffer.undo());
    assert_eq!(buffer.text(), "a: 1\n");
    assert!(buffer.redo());
    assert_eq!(buffer.text(), "a: 12\n");
    buffer.replace("all\nnew");
    assert_eq!(buffer.text(), "all\nnew");
    assert!(buffer.undo());
    while buffer.undo() {}
    assert_eq!(buffer.text(), "a: 1\n");
}

#[test]
fn the_cursor_reaches_any_line() {
    let mut buffer = Buffer::new(&"x\n".repeat(70_000));
    buffer.go(69_000, 1);
    assert_eq!(buffer.cursor(), (69_000, 1));
    buffer.go(usize::MAX, 9);
    assert_eq!(buffer.cursor(), (70_000, 0));
    buffer.step(-2);
    assert_eq!(buffer.cursor().0, 69_998);
}

#[test]
fn searching_wraps_around() {
    let mut buffer = Buffer::new("max: 1\nMax: 2\nguaranteed: max\n");
    assert_eq!(buffer.find("max", true, false), Some((1, 0)));
    buffer.go(2, 12);
    assert_eq!(buffer.find("max", true, false), Some((0, 0)));
    assert_eq!(buffer.find("max", false, false), Some((1, 0)));
    assert_eq!(buffer.find("Max", true, false), Some((1, 0)));
    assert_eq!(buffer.find("none", true, false), None);
    assert_eq!(buffer.find("", true, false), None);
}

#[test]
fn pasted_bytes_leave_no_controls() {
    let mut buffer = Buffer::new("");
    buffer.insert("a\r\nb\rc\u{1b}[2J\u{0}\td");
    assert_eq!(buffer.text(), "a\nb\nc[2J  d");
}

#[test]
fn pasted_tabs_are_an_indent() {
    let mut buffer = Buffer::new("");
    buffer.insert("queues:\n\t- name: a\n\t\tx: 1\n");
    assert_eq!(buffer.text(), "queues:\n  - name: a\n    x: 1\n");
}

#[test]
fn steps_within_a_line_are_those_of_a_shell() {
    for (before, keys, after) in [
        ("ab: cd", "<end><C-w>", "ab: "),
        ("ab: cd", "<C-k>", ""),
        ("ab: cd", "<end><C-u>x", "x"),
        ("ab\ncd", "<end><del>", "abcd"),
        ("ab\ncd", "<down><left><left>x", "axb\ncd"),
        ("ab cd", "<A-d>", " cd"),
        ("ab cd", "<C-right>x", "ab xcd"),
        ("ab", "<C-end>x<C-home>y", "yabx"),
    ] {
        assert_eq!(typed(before, keys).text(), after, "{before:?} {keys}");
    }
}
