//! Appearance of the console: arguments, environment, and the themes in the user's directory.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::user_settings::{self, UserSettingsFile};
use crate::cli::simulate::simulator;
use console::shell::settings::Settings;
use console::theme::{Depth, ThemeFile, ThemeName, Themes};
use console::{Options, Personal};
use view::units;

/// The appearance of the console.
#[derive(Args, Clone, Debug, Default)]
pub struct LookArgs {
    /// Your settings for appearance and keys
    ///
    /// Default: $XDG_CONFIG_HOME/kornsole/settings.toml, if the file exists.
    #[arg(long = "settings", value_name = "FILE")]
    pub user_settings: Option<PathBuf>,
    /// Built-in theme, or NAME.toml in the directory themes next to your settings
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Colors: auto, never, 16, 256, or true
    ///
    /// The value auto uses NO_COLOR, COLORTERM, and TERM.
    #[arg(long, value_name = "WHICH", default_value = "auto", value_parser = colors)]
    pub color: Colors,
    /// Draw with ASCII symbols only
    #[arg(long)]
    pub ascii: bool,
    /// Print the console as lines of text, and read commands as words
    ///
    /// Linear mode is for screen readers, simple terminals, and pipes. The key `linear = true` of your settings has the same effect.
    #[arg(long)]
    pub linear: bool,
    /// Do not highlight changed cells
    #[arg(long)]
    pub calm: bool,
}

/// How many colors are requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// As many as the environment says.
    #[default]
    Auto,
    /// So many colors, whatever the terminal says of itself.
    Depth(Depth),
}

impl Colors {
    /// The color depth of this terminal.
    pub fn depth(self) -> Depth {
        match self {
            Self::Auto => Depth::of_terminal(|name| std::env::var(name).ok()),
            Self::Depth(depth) => depth,
        }
    }
}

/// Reads `--color`.
///
/// # Errors
/// The valid values, for an unknown name.
pub fn colors(text: &str) -> Result<Colors, String> {
    let known = || format!("auto, {}", Depth::NAMES.map(|(name, _)| name).join(", "));
    if text == "auto" { Ok(Colors::Auto) } else { Depth::parse(text).map(Colors::Depth).ok_or_else(known) }
}

impl LookArgs {
    /// Whether to use linear mode: requested, or because the terminal cannot draw.
    fn linear(&self, setting: Option<bool>) -> bool {
        if self.linear || setting.unwrap_or(false) {
            return true;
        }
        let dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb") && io::stdout().is_terminal();
        if dumb {
            super::print_line("TERM=dumb: this terminal cannot draw; using linear mode");
        }
        dumb
    }

    /// The appearance and the keys of the console, from the arguments, the environment, and the user's settings, in
    /// this order.
    ///
    /// # Errors
    /// The named settings cannot be read, or the named theme is invalid.
    pub fn read(&self) -> Result<(Options, Personal), Rejected> {
        let themes = Arc::new(Themes::with(own_themes()));
        let found = user_settings::read(self.user_settings.as_deref(), &themes);
        let UserSettingsFile { file, read, message: report } =
            found.map_err(|message| Rejected { message, code: 1 })?;
        let (settings, usual) = (read.settings, Options::default());
        units::choose(settings.units.unwrap_or_default());
        let theme = match &self.theme {
            Some(name) => named(&themes, name)?,
            None => settings.theme.unwrap_or(usual.theme),
        };
        let options = Options {
            theme,
            themes,
            depth: self.color.depth(),
            ascii: self.ascii || settings.ascii.unwrap_or(usual.ascii),
            linear: self.linear(settings.linear),
            mark_changes: !self.calm && settings.marks.unwrap_or(usual.mark_changes),
            refresh: settings.refresh.unwrap_or(usual.refresh),
            long: usual.long,
            mouse: settings.mouse.unwrap_or(usual.mouse),
        };
        let saved_dir = file.clone().or_else(user_settings::default_file).unwrap_or_default();
        let name = file.map(|file| file.display().to_string()).unwrap_or_default();
        let Settings { keymap, contexts, columns, views, own_commands, .. } = settings;
        let personal = Personal {
            keymap,
            file: name,
            faults: report,
            contexts,
            columns,
            views,
            saved_dir,
            start: settings.start.unwrap_or_default(),
            simulated: false,
            kubeconfig: Ok(Vec::new()),
            here: None,
            opener: None,
            simulator: Some(simulator(None)),
            own_commands,
        };
        Ok((options, personal))
    }
}

/// Why the console is not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The message for a person.
    pub message: String,
    /// The exit code: 1 for a file that cannot be read, 2 for wrong use.
    pub code: u8,
}

fn named(themes: &Themes, name: &str) -> Result<ThemeName, Rejected> {
    themes.get(name).map(|entry| entry.name.clone()).ok_or_else(|| {
        let report: String = themes.faults.iter().map(|report| format!("{}\n", report.trim_end())).collect();
        let message = format!("{report}--theme {name}: theme not found; available: {}", themes.names());
        Rejected { message, code: 2 }
    })
}

/// The directory of the user's themes: `$XDG_CONFIG_HOME/kornsole/themes`, by default in `~/.config`. `None` without a
/// home directory.
pub fn themes_dir() -> Option<PathBuf> {
    Some(user_settings::dir()?.join("themes"))
}

/// The user's themes by name; empty without the directory.
pub fn own_themes() -> Vec<ThemeFile> {
    let Some(entries) = themes_dir().and_then(|dir| fs::read_dir(dir).ok()) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files.truncate(MOST);
    files.iter().map(|file| theme_file(file)).collect()
}

const MOST: usize = 200;
/// The maximum size of a theme file, in bytes.
const LONGEST: u64 = 1 << 18;

/// A file that may be a theme.
pub fn theme_file(file: &Path) -> ThemeFile {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(LONGEST + 1).read_to_end(&mut bytes));
    let text = match read {
        Err(error) => Err(format!("cannot read the theme: {error}")),
        Ok(_) => String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            format!("line {line} is not UTF-8")
        }),
    };
    ThemeFile { name, file: file.display().to_string(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_by_name() {
        assert_eq!(colors("auto"), Ok(Colors::Auto));
        assert_eq!(colors("never"), Ok(Colors::Depth(Depth::None)));
        assert_eq!(colors("truecolor").unwrap_err(), "auto, never, 16, 256, true");
    }
}
