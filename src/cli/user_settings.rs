//! User settings: file, arguments, and environment.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use console::shell::settings;
use console::shell::settings::Read;
use console::theme::Themes;

const FILE: &str = "settings.toml";
const DIR: &str = "kornsole";
/// Maximum size of the settings, in bytes.
const LARGEST: u64 = 1 << 20;

/// The user settings that were found.
#[derive(Clone, Debug, Default)]
pub struct UserSettingsFile {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// The settings and their errors.
    pub read: Read,
    /// The formatted errors; empty without errors.
    pub message: String,
}

/// The directory of settings, rules, and themes, default: `~/.config/kornsole`. `None` without `HOME`: looking the user
/// up could crash a static glibc binary because of NSS modules.
pub fn dir() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(etcetera::base_strategy::Xdg::new().ok()?.config_dir().join(DIR))
}

/// `settings.toml` in [`dir`].
pub fn default_file() -> Option<PathBuf> {
    Some(dir()?.join(FILE))
}

/// Reads the named file, or the optional [`default_file`].
///
/// # Errors
/// Why the named file cannot be read. Errors in its content are in the result.
pub fn read(named: Option<&Path>, themes: &Themes) -> Result<UserSettingsFile, String> {
    let Some(file) = named.map(Path::to_path_buf).or_else(default_file) else { return Ok(UserSettingsFile::default()) };
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&file).and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut bytes));
    let name = file.file_name().map_or_else(|| OsString::from(FILE), OsString::from).to_string_lossy().into_owned();
    let message = match opened {
        Ok(_) if bytes.len() as u64 > LARGEST => {
            Err(format!("{name}: larger than {LARGEST} bytes; the file is ignored"))
        }
        Ok(_) => String::from_utf8(bytes).map_err(|error| {
            let line = error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            format!("{name}:{line}: not UTF-8; the file is ignored")
        }),
        Err(error) if named.is_some() => return Err(format!("cannot read {}: {error}", file.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(UserSettingsFile::default()),
        Err(error) => Err(format!("cannot read {}: {error}", file.display())),
    };
    Ok(match message {
        Ok(text) => {
            let read = settings::read(&text, themes);
            let message = read.fault_report(&name, &text);
            UserSettingsFile { file: Some(file), read, message }
        }
        Err(message) => UserSettingsFile { file: Some(file), read: Read::default(), message },
    })
}
