//! The scheduler configuration on the command line, and the flags that override it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::{fail, load};
use config::Settings;
use config::settings::template;
use engine::{DrainHook, Setup};
use model::Profile;

/// The arguments of every command that runs a scheduler.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsArgs {
    /// Scheduler configuration, read at start; see --print-scheduler-keys
    #[arg(long, value_name = "FILE")]
    pub scheduler_config: Option<PathBuf>,
    /// Key of the scheduler configuration to set; overrides the file (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME")]
    pub policy_group: Option<String>,
    /// Print the active scheduler configuration with the origin of each value and exit
    #[arg(long)]
    pub print_scheduler_config: bool,
    /// Print all scheduler configuration keys with type, default, and meaning, and exit
    #[arg(long, conflicts_with = "print_scheduler_config")]
    pub print_scheduler_keys: bool,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, for example cleaner.interval=5s")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// The result of the arguments.
pub enum SettingsAction {
    /// Continue with these settings.
    Run(Box<Settings>),
    /// The requested text was printed, or cannot be printed.
    Ended(ExitCode),
}

impl SettingsArgs {
    /// Reads the file and applies the flags over it. `config` is the named queue configuration, `state` the state
    /// directory. Prints what the arguments request.
    pub fn read(&self, config: Option<&Path>, state: Option<&Path>) -> SettingsAction {
        self.read_over(&[], config, state)
    }

    /// Reads the same over the defaults of a command.
    pub fn read_over(
        &self,
        defaults: &[(&str, &str, &str)],
        config: Option<&Path>,
        state: Option<&Path>,
    ) -> SettingsAction {
        if self.print_scheduler_keys {
            return SettingsAction::Ended(print(&template()));
        }
        match self.settings(defaults, config, state) {
            Err((message, code)) => SettingsAction::Ended(fail(&message, code)),
            Ok(settings) if self.print_scheduler_config => SettingsAction::Ended(print(&settings.print())),
            Ok(settings) => SettingsAction::Run(Box::new(settings)),
        }
    }

    /// The settings, or the error with its exit code: 1 for the file, 2 for a flag.
    fn settings(
        &self,
        defaults: &[(&str, &str, &str)],
        config: Option<&Path>,
        state: Option<&Path>,
    ) -> Result<Settings, (String, u8)> {
        let mut settings = Settings::default();
        for (key, value, command) in defaults {
            settings.set(key, value, command).map_err(|why| (why, 2))?;
        }
        let mut bytes = Vec::new();
        let file = self.scheduler_config.as_deref();
        let mut faults = match file {
            None => Vec::new(),
            Some(file) => {
                bytes = load::bytes(file).map_err(|why| (why, 1))?;
                settings.read(file, &bytes)
            }
        };
        for (key, value) in &self.set {
            settings.set(key, value, &format!("--set {key}={value}")).map_err(|why| (why, 2))?;
        }
        for (key, path, flag) in [("queues.file", config, "--config"), ("state.folder", state, "--state")] {
            if let Some(path) = path {
                settings.set(key, &path.to_string_lossy(), flag).map_err(|why| (why, 2))?;
            }
        }
        if let Some(group) = &self.policy_group {
            settings.set("queues.policyGroup", group, "--policy-group").map_err(|why| (why, 2))?;
        }
        faults.extend(settings.check());
        faults.sort_by_key(|fault| (fault.at.line, fault.at.column));
        if faults.is_empty() {
            return Ok(settings);
        }
        Err((load::fault_report(file.unwrap_or(Path::new("command line")), &bytes, &faults), 1))
    }
}

/// The setup of the engine.
pub fn setup(settings: &Settings, profile: Profile) -> Setup {
    Setup { instance: instance(), ..Setup::by(profile, settings.config()) }
}

/// The name of this run of the scheduler: a random UUID (version 4). Without randomness it is the current time, which
/// still differs in each run.
fn instance() -> Arc<str> {
    let mut bytes = [0_u8; 16];
    if getrandom::getrandom(&mut bytes).is_err() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        bytes = now.as_nanos().to_be_bytes();
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Arc::from(parts.join("-"))
}

/// The drain hook in the settings.
pub fn hook(settings: &Settings) -> Option<DrainHook> {
    DrainHook::of(&settings.config().drain)
}

/// Prints a text to standard output, with escaped control characters.
pub fn print(text: &str) -> ExitCode {
    print_bytes(&super::printed::safe(text))
}

/// Prints a text unchanged.
pub fn print_bytes(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write the configuration: {error}"), 1),
    }
}
