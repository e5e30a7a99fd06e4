//! Linear mode in a terminal: plain text without control sequences.

use super::terminal::{Seen, Terminal, contains, count, settings};

fn linear(arguments: &[&str], environment: &[(&str, &str)]) -> Terminal {
    let terminal = Terminal::kornsole(arguments, environment);
    terminal.until_text("queues> ");
    terminal
}

/// Only a running application requires a confirmation.
fn until_something_runs(terminal: &mut Terminal) {
    for read in 1.. {
        terminal.press("apps\n");
        let pages = |seen: &Seen| count(&seen.raw, "Page: Applications; ");
        terminal.until("the applications", |seen| pages(seen) == read && seen.raw.ends_with(b"applications> "));
        if terminal.look(|seen| count(&seen.raw, "Page: Applications; 0 applications")) < read {
            return;
        }
    }
}

fn ends_untouched(terminal: &Terminal) {
    assert!(terminal.end().success(), "{}", terminal.screen_text());
    assert_eq!(settings(&*terminal.master), terminal.before);
    terminal.look(|seen| assert!(!contains(&seen.raw, "\x1b"), "{}", String::from_utf8_lossy(&seen.raw)));
}

#[test]
fn a_terminal_gets_lines_and_a_prompt_and_is_never_taken() {
    let mut terminal = linear(&["demo", "--linear"], &[]);
    until_something_runs(&mut terminal);
    terminal.press("nodes\n");
    terminal.until_text("Page: Nodes; ");
    terminal.until_text("nodes> ");
    terminal.press("quit\n");
    ends_untouched(&terminal);
}

#[test]
fn a_dumb_terminal_gets_linear_mode_with_a_sentence() {
    let mut terminal = linear(&["demo"], &[("PTY_TERM", "dumb")]);
    terminal.until("the sentence", |seen| contains(&seen.raw, "TERM=dumb: this terminal cannot draw"));
    terminal.press("quit!\n");
    ends_untouched(&terminal);
}

#[test]
fn an_interrupt_ends_it() {
    let mut terminal = linear(&["demo", "--linear"], &[]);
    terminal.press("\x03");
    ends_untouched(&terminal);
}
