use super::terminal::{Seen, Terminal, contains, demo};

fn editing(name: &str, editor: &str) -> Terminal {
    let file = format!("{}/{name}.yaml", env!("CARGO_TARGET_TMPDIR"));
    let text = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues: [{name: one}, {name: two}]\n";
    std::fs::write(&file, text).expect("the folder can be written to");
    let mut terminal = Terminal::kornsole(&["--config", &file], &[("EDITOR", editor), ("VISUAL", "")]);
    terminal.until_text("two");
    terminal.press("6");
    terminal.until_text("valid   active");
    terminal
}

fn shows(seen: &Seen, text: &str) -> bool {
    seen.emulator.screen().contents().contains(text)
}

#[test]
fn a_text_is_opened_in_the_editor_of_the_user_and_read_back() {
    let mut terminal = editing("edited", "sed -i s/two/three/");
    terminal.press("E");
    terminal.until("the edited text", |seen| shows(seen, "name: three") && shows(seen, "edited, not applied"));
    assert!(terminal.look(|seen| seen.emulator.screen().alternate_screen()), "the console is back on its screen");
    terminal.press("u");
    terminal.until("the restored text", |seen| shows(seen, "name: two") && shows(seen, "valid   active"));
}

#[test]
fn a_failing_editor_changes_nothing_and_is_reported() {
    let mut terminal = editing("failed", "false");
    terminal.press("E");
    terminal.until_text("the text is unchanged");
    assert!(terminal.look(|seen| shows(seen, "name: two") && !shows(seen, "edited, not applied")));
    let mut terminal = editing("failed-late", "sh -c 'echo mine > \"$1\"; exit 3' sh");
    terminal.press("E");
    terminal.until_text("your text is in");
    assert!(terminal.look(|seen| shows(seen, "name: two")));
}

#[test]
fn a_name_is_copied_through_the_terminal() {
    let mut terminal = demo(&[("TMUX", "")]);
    terminal.press("y");
    // `root` in base64.
    terminal.until("the sequence for the clipboard", |seen| contains(&seen.raw, "\x1b]52;c;cm9vdA=="));
    terminal.until_text("sent to the terminal's clipboard (OSC 52): root");
}
