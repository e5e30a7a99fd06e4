//! `--record`: records the user's actions in a console as a tape.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use ratatui::layout::Size;

use console::Options;
use console::input::terminal_events::Mouse;
use console::shell::tap::{Input, Tap};
use console::state::State;
use console::tape::announced::reported_now;
use console::tape::record::{Did, Recorder, TapeStart};
use console::tape::{Against, announced};
use console::theme::Themes;
use model::{Profile, Time};
use view::act::Actor;

/// Writes a tape during a console session.
pub struct Recording {
    file: File,
    initial: TapeStart,
    recorder: Recorder,
}

impl Recording {
    /// Fails if the file exists or cannot be created, or the session cannot be recorded.
    pub fn new(path: &Path, against: &Against, who: &Actor, core: Profile, options: &Options) -> Result<Self, String> {
        let message = |why: String| format!("--record {}: {why}", path.display());
        let source = source(path, against).map_err(message)?;
        let (user, groups) = (&who.identity.user, who.identity.groups.join(","));
        let mut settings = vec![format!("As {user}:{groups}")];
        if who.scheduler_admin {
            settings.push("SchedulerAdmin true".to_owned());
        }
        if who.read_only.is_some() {
            settings.push("ReadOnly true".to_owned());
        }
        if core != Profile::default() {
            settings.push(format!("Core {core}"));
        }
        // The user's own theme is not available where the tape is played.
        let theme = options.theme.as_str();
        if Themes::shipped().get(theme).is_some() && theme != "dark" {
            settings.push(format!("Theme {theme}"));
        }
        if options.ascii {
            settings.push("Ascii true".to_owned());
        }
        // The user's input may be private.
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let file = file.map_err(|error| message(error.to_string()))?;
        let initial = TapeStart { source, settings, size: (80, 24) };
        let recorder = Recorder::new(&initial);
        Ok(Self { file, initial, recorder })
    }

    /// Writes complete lines. Errors are ignored, because the console must continue.
    fn flush(&mut self) {
        let _ = self.file.write_all(self.recorder.take().as_bytes());
    }
}

fn elapsed(at: Time) -> Duration {
    Duration::from_millis(at.as_millis())
}

impl Tap for Recording {
    fn start(&mut self, size: Size, state: &State) {
        self.initial.size = (size.width, size.height);
        self.recorder = Recorder::new(&self.initial);
        self.recorder.start(announced::reported_now(state));
        self.flush();
    }

    fn input(&mut self, input: &Input, at: Time) {
        let did = match input {
            Input::Key(key) => Did::Key(*key),
            Input::Mouse(Mouse::Click(at)) => Did::Click(at.x, at.y),
            Input::Mouse(Mouse::Wheel(turns)) => Did::Wheel(*turns),
            Input::Paste(text) => Did::Paste(text.clone()),
            Input::Size(size) => Did::Size(size.width, size.height),
        };
        self.recorder.did(&did, elapsed(at));
        self.flush();
    }

    fn shown(&mut self, state: &State) {
        self.recorder.reported(reported_now(state));
    }

    fn end(&mut self, at: Time, left: bool) {
        self.recorder.end(elapsed(at), left);
        self.flush();
    }
}

/// The argument of `Source` in the tape: files are relative to it.
fn source(tape: &Path, against: &Against) -> Result<String, String> {
    let file = |file: &str| -> Result<String, String> {
        if file == "-" {
            return Err("cannot record a file from standard input; name a file".to_owned());
        }
        let next_to = relative(tape.parent().unwrap_or(Path::new("")), Path::new(file)).display().to_string();
        if next_to.contains('"') {
            Err(format!("{next_to}: the name contains a quotation mark"))
        } else {
            Ok(format!("\"{next_to}\""))
        }
    };
    Ok(match against {
        Against::Default => "default".to_owned(),
        Against::Server => "server".to_owned(),
        Against::Demo { seed } => format!("demo seed {seed}"),
        Against::Config(config) => format!("config {}", file(config)?),
        Against::Scenario(scenario, None) => format!("scenario {}", file(scenario)?),
        Against::Scenario(scenario, Some(config)) => format!("scenario {} config {}", file(scenario)?, file(config)?),
    })
}

/// Unchanged if a path cannot be resolved.
fn relative(dir: &Path, file: &Path) -> PathBuf {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let (Ok(dir), Ok(file)) = (fs::canonicalize(dir), fs::canonicalize(file)) else { return file.to_path_buf() };
    let shared = dir.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = dir.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}
