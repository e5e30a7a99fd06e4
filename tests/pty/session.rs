use std::path::Path;
use std::process::Command as Process;

use super::terminal::{ENTERS_ALTERNATE, Seen, Terminal, contains, demo, settings, side, size, wait_for};
use crate::common::TestDir;

#[test]
fn the_dashboard_is_the_first_page() {
    let dir = format!("{}/pty-overview", env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(format!("{dir}/kornsole")).expect("the folder of the tests can be written");
    std::fs::write(format!("{dir}/kornsole/settings.toml"), "").expect("the folder of the tests can be written");
    let mut terminal = Terminal::kornsole(&["demo", "--color", "true"], &[("XDG_CONFIG_HOME", &dir)]);
    terminal.until_text("Cluster");
    terminal.until_text("WAITING");
    terminal.until("what needs attention", |seen| seen.emulator.screen().contents().contains("1 of "));
    terminal.press(":quit!\r");
    assert!(terminal.end().success());
}

#[test]
fn the_demo_changes_and_accepts_keys() {
    let mut terminal = demo(&[]);
    assert_ne!(settings(&*terminal.master), terminal.before, "keys come one by one");
    let first = terminal.screen_text();
    terminal.until("another screen", |seen| seen.emulator.screen().contents() != first);
    assert!(terminal.look(|seen| seen.emulator.screen().alternate_screen()));

    terminal.press("3");
    terminal.until_text("Nodes");
    terminal.press("?");
    terminal.until_text("Help");
    terminal.press("\x1b");
    terminal.until("the help gone", |seen| !seen.emulator.screen().contents().contains("Help"));
    terminal.press("1");
    terminal.until_text("Queues");
}

#[test]
fn another_size_is_drawn_at_once() {
    let terminal = demo(&[]);
    for (columns, lines) in [(140, 45), (60, 15), (100, 30)] {
        terminal
            .seen
            .0
            .lock()
            .expect("nobody panicked with it")
            .emulator
            .screen_mut()
            .set_size(side(lines), side(columns));
        terminal.master.resize(size(columns, lines)).expect("the terminal takes a size");
        terminal.until("the whole width, with the hints in the last line", |seen| {
            let rows: Vec<String> = seen.emulator.screen().rows(0, columns).collect();
            let used = rows.iter().map(|row| row.trim_end().chars().count()).max().unwrap_or(0);
            rows.last().is_some_and(|row| row.contains("help")) && used + 2 >= usize::from(columns)
        });
    }
}

#[test]
fn quitting_leaves_the_terminal_whole() {
    let mut terminal = demo(&[]);
    terminal.press("q");
    assert_eq!(terminal.end().exit_code(), 0);
    terminal.until_whole();
}

#[test]
fn signals_leave_the_terminal_whole() {
    for signal in ["TERM", "HUP", "INT"] {
        let terminal = demo(&[]);
        terminal.signal(signal);
        terminal.end();
        terminal.until_whole();
    }
}

#[test]
fn suspending_restores_the_terminal_and_resumes() {
    let mut terminal = demo(&[]);
    for stop in ["\x1a", "TSTP"] {
        if stop == "TSTP" {
            terminal.signal(stop)
        } else {
            terminal.press(stop)
        }
        terminal.until_whole();
        wait_for("a stopped process", || terminal.is_stopped());
        let seen = terminal.look(|seen| seen.raw.len());
        terminal.signal("CONT");
        terminal.until("the alternate screen again", |now| {
            let screen = now.emulator.screen();
            contains(&now.raw[seen..], ENTERS_ALTERNATE)
                && screen.alternate_screen()
                && screen.contents().contains("tenant-a")
        });
        terminal.press("?");
        terminal.until_text("Help");
        terminal.press("\x1b");
        terminal.until("the help gone", |seen| !seen.emulator.screen().contents().contains("Help"));
    }
}

fn style_numbers(raw: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(raw);
    let sequences = text.split("\x1b[").skip(1);
    let ended = sequences.filter_map(|sequence| {
        let end = sequence.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        sequence[end..].starts_with('m').then(|| sequence[..end].to_owned())
    });
    ended.flat_map(|numbers| numbers.split(';').filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// 39 and 49 are the terminal's default.
fn is_color(number: u32) -> bool {
    matches!(number, 30..=38 | 40..=48 | 90..=97 | 100..=107)
}

#[test]
fn no_color_has_no_colors_and_the_selection_stays_visible() {
    let colors = |terminal: &Terminal| terminal.look(|seen| style_numbers(&seen.raw).into_iter().any(is_color));
    assert!(colors(&demo(&[])), "with colours this test would differ");

    let mut terminal = demo(&[("NO_COLOR", "1")]);
    let reversed = |seen: &Seen, line: u16| {
        let screen = seen.emulator.screen();
        (0..100).filter(|column| screen.cell(line, *column).is_some_and(vt100::Cell::inverse)).count()
    };
    let selected = |seen: &Seen| (2..30).find(|line| reversed(seen, *line) > 90);
    terminal.until("a selected row", |seen| selected(seen).is_some());
    let first = terminal.look(selected);
    terminal.press("j");
    terminal.until("the row below selected", |seen| selected(seen).is_some() && selected(seen) != first);
    terminal.press("?");
    terminal.until_text("Help");
    assert!(!colors(&terminal), "a colour in spite of NO_COLOR");
}

fn edit(file: &Path, text: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, text).expect("the folder can be written to");
    std::fs::rename(&new, file).expect("it can be renamed");
}

#[test]
fn an_edited_configuration_drains_removes_and_restores_on_the_screen() {
    let dir = TestDir::new();
    let (config, workload) = (dir.join("queues.yaml"), dir.join("workload.yaml"));
    let with = |queues: &str| {
        format!("partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues: [{queues}]\n")
    };
    let all = with("{name: stays}, {name: busy}, {name: empty}");
    edit(&config, &all);
    let steps = "steps:\n- node: {id: n, capacity: {vcore: 4}}\n- submit: {app: one, queue: root.busy, user: sue}\n- ask: {app: one, id: a, resource: {vcore: 1}}\n";
    edit(&workload, steps);
    let [config_name, workload_name] =
        [&config, &workload].map(|file| file.to_str().expect("its name is text").to_owned());
    // The cleaner runs every 10 s of scheduler time.
    let arguments = ["--config", &config_name, "--workload", &workload_name, "--speed", "40", "--allow-removal", "2"];
    let mut terminal = Terminal::kornsole(&arguments, &[]);
    let row = |seen: &Seen, queue: &str| {
        let screen = seen.emulator.screen().contents();
        screen
            .lines()
            .find(|line| line.split_whitespace().any(|word| word.trim_start_matches('▌') == queue))
            .map(str::to_owned)
    };
    let is = |seen: &Seen, queue: &str, symbol: char| row(seen, queue).is_some_and(|row| row.contains(symbol));
    terminal.until("all queues active", |seen| ["stays", "busy", "empty"].iter().all(|queue| is(seen, queue, '●')));

    edit(&config, &with("{name: stays}"));
    terminal.until("busy drains", |seen| is(seen, "busy", '◐'));
    terminal.until("the empty queue is gone", |seen| row(seen, "empty").is_none() && is(seen, "busy", '◐'));

    edit(&config, &with("{name: 'no good'}"));
    terminal.until_text("was rejected");
    terminal.press(":messages\r");
    terminal.until_text("error[CFG-030]");
    terminal.press("\x1b");
    terminal.until("the queues as before", |seen| is(seen, "busy", '◐') && is(seen, "stays", '●'));

    edit(&config, &all);
    terminal.until("all are back", |seen| ["stays", "busy", "empty"].iter().all(|queue| is(seen, queue, '●')));
    drop(terminal);
}

#[test]
fn what_does_not_read_draws_nothing() {
    let dir = env!("CARGO_TARGET_TMPDIR");
    let file = format!("{dir}/unreadable.yaml");
    std::fs::write(&file, "partitions: 3\n").expect("written");
    for (arguments, code, message) in [
        (vec!["--config", &file], 1, format!("{file}:1:13: error[CFG-")),
        (vec!["--config", "no/such/file.yaml"], 1, "error: cannot read no/such/file.yaml: ".to_owned()),
        (vec!["--config", "no/such/file.yaml"], 1, "`kornsole demo --print-config > queues.yaml`".to_owned()),
        (vec!["--workload", "no/such.yaml"], 1, "`kornsole demo --print-workload > scenario.yaml`".to_owned()),
        (vec!["--speed", "never"], 2, "--speed".to_owned()),
        (vec!["demo", "--seed", "x"], 2, "--seed".to_owned()),
        (vec!["dmeo"], 2, "dmeo".to_owned()),
    ] {
        let terminal = Terminal::kornsole(&arguments, &[]);
        let status = terminal.end();
        assert_eq!(status.exit_code(), code, "{arguments:?}: {}", terminal.screen_text());
        terminal.until("a word about it", |seen| contains(&seen.raw, &message));
        assert!(!terminal.look(|seen| contains(&seen.raw, ENTERS_ALTERNATE)), "{arguments:?} draws");
    }
}

#[test]
fn without_a_terminal_the_console_reports_it() {
    let output = Process::new(env!("CARGO_BIN_EXE_kornsole")).arg("demo").output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}
