use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::Command as Process;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{ChildKiller, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};

pub const DEADLINE: Duration = Duration::from_secs(60);
pub const ENTERS_ALTERNATE: &str = "\x1b[?1049h";
pub const LEAVES_ALTERNATE: &str = "\x1b[?1049l";

/// The output of the program so far.
pub struct Seen {
    pub emulator: vt100::Parser,
    pub raw: Vec<u8>,
}

/// A terminal with a program in it.
pub struct Terminal {
    pub id: u32,
    killer: Box<dyn ChildKiller + Send + Sync>,
    ended: Receiver<ExitStatus>,
    pub master: Box<dyn MasterPty + Send>,
    /// The terminal's settings must be readable after the program exits.
    _slave: Box<dyn SlavePty + Send>,
    keyboard: Box<dyn Write + Send>,
    pub seen: Arc<(Mutex<Seen>, Condvar)>,
    /// The terminal's settings before the start.
    pub before: String,
}

impl Terminal {
    /// Starts the binary in a terminal of 100 × 30.
    pub fn kornsole(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(arguments);
        for (name, value) in environment {
            command.env(name, value);
        }
        let own = environment.iter().find(|(name, _)| *name == "XDG_CONFIG_HOME").map(|(_, dir)| *dir);
        let dir = own.unwrap_or(concat!(env!("CARGO_TARGET_TMPDIR"), "/pty-settings"));
        command.env("XDG_CONFIG_HOME", dir);
        starts_on_queues(dir);
        Self::start(command)
    }

    pub fn start(mut command: CommandBuilder) -> Self {
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let name = command.get_env("PTY_TERM").map(std::ffi::OsStr::to_owned);
        command.env("TERM", name.unwrap_or_else(|| "xterm-256color".into()));
        if command.get_env("NO_COLOR").is_none_or(|value| value != "1") {
            command.env_remove("NO_COLOR");
        }
        let pair = native_pty_system().openpty(size(100, 30)).expect("there is a pseudoterminal");
        let before = settings(&*pair.master);
        let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
        let keyboard = pair.master.take_writer().expect("the terminal can be written to");
        let seen = Arc::new((Mutex::new(Seen { emulator: emulator(100, 30), raw: Vec::new() }), Condvar::new()));
        let message = Arc::clone(&seen);
        let mut child = pair.slave.spawn_command(command).expect("the binary starts");
        let (id, killer) = (child.process_id().expect("it runs"), child.clone_killer());
        let (sender, ended) = channel();
        std::thread::spawn(move || sender.send(child.wait().expect("it is our child")));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let mut seen = message.0.lock().expect("nobody panicked with it");
                seen.emulator.process(&bytes[..count]);
                seen.raw.extend_from_slice(&bytes[..count]);
                message.1.notify_all();
            }
        });
        Self { id, killer, ended, master: pair.master, _slave: pair.slave, keyboard, seen, before }
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keyboard.flush().expect("the terminal takes keys");
    }

    /// Waits until a condition on the output is true.
    pub fn until(&self, what: &str, is_met: impl Fn(&Seen) -> bool) {
        let (lock, changed) = &*self.seen;
        let seen = lock.lock().expect("nobody panicked with it");
        let (seen, timeout) =
            changed.wait_timeout_while(seen, DEADLINE, |seen| !is_met(seen)).expect("nobody panicked with it");
        let screen = seen.emulator.screen().contents();
        drop(seen);
        assert!(!timeout.timed_out(), "{what} did not come; the screen is\n{screen}");
    }

    pub fn until_text(&self, text: &str) {
        self.until(text, |seen| seen.emulator.screen().contents().contains(text));
    }

    pub fn look<T>(&self, at: impl FnOnce(&Seen) -> T) -> T {
        at(&self.seen.0.lock().expect("nobody panicked with it"))
    }

    pub fn screen_text(&self) -> String {
        self.look(|seen| seen.emulator.screen().contents())
    }

    pub fn signal(&self, name: &str) {
        let status =
            Process::new("kill").args([format!("-{name}"), self.id.to_string()]).status().expect("there is kill");
        assert!(status.success());
    }

    /// Returns whether `ps` reports the process as stopped.
    pub fn is_stopped(&self) -> bool {
        let message =
            Process::new("ps").args(["-o", "stat=", "-p", &self.id.to_string()]).output().expect("there is ps");
        String::from_utf8_lossy(&message.stdout).trim_start().starts_with('T')
    }

    /// Waits for the exit of the program.
    pub fn end(&self) -> ExitStatus {
        let ended = self.ended.recv_timeout(DEADLINE);
        ended.unwrap_or_else(|_| panic!("it does not end; the screen is\n{}", self.screen_text()))
    }

    /// Waits until the screen, the cursor, and the line settings are restored.
    pub fn until_whole(&self) {
        self.until("the main screen with a cursor", |seen| {
            let screen = seen.emulator.screen();
            !screen.alternate_screen() && !screen.hide_cursor() && contains(&seen.raw, ENTERS_ALTERNATE)
        });
        wait_for("the settings of before", || settings(&*self.master) == self.before);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.killer.kill();
    }
}

pub fn emulator(columns: u16, lines: u16) -> vt100::Parser {
    vt100::Parser::new(side(lines), side(columns), 0)
}

pub fn side(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).expect("a terminal has cells")
}

pub fn size(columns: u16, lines: u16) -> PtySize {
    PtySize { rows: lines, cols: columns, pixel_width: 0, pixel_height: 0 }
}

pub fn settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a terminal has settings"))
}

pub fn contains(raw: &[u8], text: &str) -> bool {
    count(raw, text) > 0
}

pub fn count(raw: &[u8], text: &str) -> usize {
    raw.windows(text.len()).filter(|bytes| *bytes == text.as_bytes()).count()
}

/// Waits until a condition outside of the screen is true.
pub fn wait_for(what: &str, is_met: impl Fn() -> bool) {
    let started_at = Instant::now();
    while !is_met() {
        assert!(started_at.elapsed() < DEADLINE, "{what}: did not come");
        std::thread::yield_now();
    }
}

/// A demo that has shown its first rows.
pub fn demo(environment: &[(&str, &str)]) -> Terminal {
    let terminal = Terminal::kornsole(&["demo", "--seed", "42", "--ahead", "0s"], environment);
    terminal.until_text("tenant-a");
    terminal.until("active applications", |seen| !seen.emulator.screen().contents().contains(" 0 alloc/s"));
    terminal
}

fn starts_on_queues(dir: &str) {
    let own = std::path::Path::new(dir).join("kornsole");
    std::fs::create_dir_all(&own).expect("the folder of the tests can be written");
    let file = own.join("settings.toml");
    if !file.exists() {
        std::fs::write(file, "start = \"queues\"\n").expect("the folder of the tests can be written");
    }
}
