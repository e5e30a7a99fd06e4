//! The terminal's window is closed while the console draws: the console exits normally.

use std::io::Read as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use portable_pty::{CommandBuilder, ExitStatus, PtySize, native_pty_system};

use super::terminal::{DEADLINE, ENTERS_ALTERNATE};

fn closed_after(command: CommandBuilder, bytes: usize) -> ExitStatus {
    let size = PtySize { rows: 40, cols: 140, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("there is a pseudoterminal");
    let mut child = pair.slave.spawn_command(command).expect("the binary starts");
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
    let (mut seen, mut piece) = (Vec::new(), [0; 4096]);
    let entered = |seen: &[u8]| String::from_utf8_lossy(seen).contains(ENTERS_ALTERNATE);
    while seen.len() < bytes || !entered(&seen) {
        let count = output.read(&mut piece).expect("the program still runs");
        assert!(count > 0, "it ended before: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
    }
    drop((output, pair.master));
    let (mut killer, (sender, ended)) = (child.clone_killer(), channel());
    std::thread::spawn(move || sender.send(child.wait().expect("it is our child")));
    ended.recv_timeout(DEADLINE + Duration::from_secs(20)).unwrap_or_else(|_| {
        let _ = killer.kill();
        panic!("the program goes on without a terminal")
    })
}

fn demo(ignoring: bool) -> CommandBuilder {
    let program = env!("CARGO_BIN_EXE_kornsole");
    // A program that ignores the signal notices the failed write.
    let ignore = if ignoring { "trap '' HUP; " } else { "" };
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", &format!("{ignore}exec '{program}' demo --speed 1000")]);
    command.env("TERM", "xterm-256color");
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    command
}

#[test]
fn a_terminal_that_is_closed_while_it_is_drawn_on_ends_the_console_cleanly() {
    for bytes in [1, 3_000, 9_000, 20_000] {
        for ignoring in [false, true] {
            let ended = closed_after(demo(ignoring), bytes);
            assert!(ended.success(), "after {bytes} bytes, the signal ignored: {ignoring}: {ended:?}");
        }
    }
}
