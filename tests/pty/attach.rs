use std::process::Command as Process;

use super::terminal::{Seen, Terminal, wait_for};
use crate::common::{Program, TestDir};

fn terminate(mut server: Program) {
    server.signal("TERM");
    let id = server.child.id().to_string();
    wait_for("the end of the server", || {
        let message = Process::new("ps").args(["-o", "stat=", "-p", &id]).output().expect("there is ps");
        message.stdout.is_empty() || message.stdout.starts_with(b"Z")
    });
    assert!(server.child.wait().expect("it is our child").success());
}

fn color(seen: &Seen, word: &str) -> Option<vt100::Color> {
    let screen = seen.emulator.screen();
    let (line, column) = screen.rows(0, 100).enumerate().filter_map(|(at, row)| Some((at, row.find(word)?))).last()?;
    let row = screen.rows(0, 100).nth(line)?;
    let column = row[..column].chars().count();
    Some(screen.cell(u16::try_from(line).ok()?, u16::try_from(column).ok()?)?.fgcolor())
}

#[test]
fn an_attached_console_acts_within_its_permissions_and_reports_an_unreachable_server() {
    let test_dir = TestDir::new();
    let dir = test_dir.display().to_string();
    let (tokens, token) = (format!("{dir}/tokens.yaml"), format!("{dir}/token"));
    let made = Process::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(["token", "new", "--user", "ann", "--group", "ann", "--file", &tokens])
        .output()
        .expect("the binary runs");
    std::fs::write(&token, made.stdout).expect("written");
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("made private");
    let server = Program::serve(&["--workload", "tests/scenarios/tenants.yaml", "--tokens", &tokens]);
    let arguments = ["attach", &server.url(), "--token-file", &token, "--color", "true"];
    let mut terminal = Terminal::kornsole(&arguments, &[("XDG_CONFIG_HOME", &dir)]);
    for word in ["REMOTE", "ann", "etl", "ml", "web"] {
        terminal.until_text(word);
    }

    terminal.press("2");
    terminal.until_text("train");
    terminal.press("/nightly\r");
    terminal.until("one application", |seen| !seen.emulator.screen().contents().contains("train"));
    // Commands are disabled until the user of the token is known.
    terminal.until_text("K kill");
    // The decision can arrive before the access lists; then the dialog names the server.
    loop {
        terminal.press("K");
        terminal.until_text("Kill nightly?");
        terminal.until("by what it is allowed", |seen| seen.emulator.screen().contents().contains("Allowed by the "));
        if terminal.screen_text().contains("adminacl of root.a (user ann).") {
            break;
        }
        terminal.press("\x1b");
        terminal.until("the list", |seen| !seen.emulator.screen().contents().contains("Kill nightly?"));
    }
    terminal.press("y");
    terminal.until_text("killed nightly: 3 allocations released");

    terminal.press("/\x15train\r");
    terminal.until_text("filter train");
    terminal.until_text("root.b.ml");
    terminal.until("off", |seen| !seen.emulator.screen().contents().contains("K kill"));
    terminal.press("K");
    terminal.until_text("train: needs admin access on root.b.ml or a parent");
    assert!(!terminal.screen_text().contains("Kill train?"), "{}", terminal.screen_text());

    let bright = terminal.look(|seen| color(seen, "train")).expect("it is shown");
    terminate(server);
    terminal.until("the age of the data", |seen| seen.emulator.screen().contents().contains(" OLD "));
    terminal.until_text("refuses the connection");
    terminal.until("the data, dimmed", |seen| color(seen, "train").is_some_and(|now| now != bright));
    terminal.press(":quit\r");
    assert_eq!(terminal.end().exit_code(), 0, "nothing would be lost");
    terminal.until_whole();
}
