//! The default profile of commands.
//!
//! A prediction uses the newest release; a scheduler of kornsole uses the default profile.

use clap::Args;

use super::inputs::ConfigFile;
use super::user_settings;
use ::config::{self, Severity};
use console::theme::Themes;
use model::Profile;
use scheduler::interface::switch_table::SWITCHES;

/// The `--core` of a command that predicts.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct PredictedCore {
    /// Release to decide like: kornsole, 1.5.1, 1.8.0, or 1.9.0
    ///
    /// A state directory, a dump, and a server have their own release. Default: `core` of your settings, otherwise 1.9.0.
    #[arg(long = "core", value_name = "PROFILE")]
    core: Option<Profile>,
}

impl PredictedCore {
    /// The profile of the command line, otherwise of the user's settings, otherwise the newest release.
    pub fn profile(self) -> Profile {
        self.core.unwrap_or_else(by_settings)
    }

    /// The profile of the command line, otherwise `other`.
    pub fn or(self, other: Profile) -> Profile {
        self.core.unwrap_or(other)
    }
}

/// The profile of predictions without an option. An invalid `core` is reported on standard error.
pub fn by_settings() -> Profile {
    let read = match user_settings::read(None, &Themes::shipped()) {
        Ok(file) => file.read,
        Err(_) => return Profile::NEWEST,
    };
    for fault in read.faults.iter().filter(|fault| fault.path == "core") {
        super::print_line(&format!(
            "warning: settings.toml:{}: {}; {} is used",
            fault.at.line,
            fault.message,
            Profile::NEWEST
        ));
    }
    read.settings.core.unwrap_or(Profile::NEWEST)
}

/// The line that names the profile of a result.
pub fn line(core: Profile) -> String {
    format!("core {core}")
}

/// Names the profile on standard error if standard output is for machines.
pub fn name_on_stderr(core: Profile) {
    super::print_line(&line(core));
}

/// `None` if it decides like a release.
pub fn start_notes(core: Profile, text: &str) -> Option<String> {
    if core != Profile::Kornsole {
        return None;
    }
    let newest = Profile::NEWEST;
    let faults = config::read(text, newest).faults;
    if let Some(fault) = faults.iter().find(|fault| fault.severity == Severity::Error) {
        return Some(format!("core {core}: YuniKorn {newest} rejects this configuration: {}", fault.message));
    }
    let apart = SWITCHES.iter().filter(|row| row.parts(core, newest)).count();
    Some(format!(
        "core {core}: YuniKorn {newest} also accepts this configuration, but decides differently in {apart} \
            cases; see `kornsole profiles --diff {core} {newest}`"
    ))
}

/// The releases that accept a configuration that `core` rejects, as a line; empty if none does.
pub fn taken_by(file: &ConfigFile, core: Profile) -> String {
    let accepts = |other: &Profile| *other != core && file.read(*other).is_valid();
    match Profile::RELEASES.into_iter().rev().find(accepts) {
        Some(other) => {
            format!(
                "{}: core {core} rejects it, YuniKorn {other} accepts it: use --core {other}\n",
                file.name.display()
            )
        }
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_has_precedence_over_the_settings() {
        for profile in Profile::ALL {
            assert_eq!(PredictedCore { core: Some(profile) }.profile(), profile);
        }
    }

    #[test]
    fn a_scheduler_reports_how_the_newest_release_differs() {
        let good = "partitions: [{queues: [{name: root, submitacl: '*'}]}]";
        let reported = start_notes(Profile::Kornsole, good).unwrap();
        assert!(
            reported.starts_with("core kornsole: YuniKorn 1.9.0 also accepts this configuration, but decides"),
            "{reported}"
        );
        let refused = "partitions: [{queues: [{name: 'a b', submitacl: '*'}]}]";
        let reported = start_notes(Profile::Kornsole, refused).unwrap();
        assert!(reported.starts_with("core kornsole: YuniKorn 1.9.0 rejects this configuration: "), "{reported}");
        assert_eq!(start_notes(Profile::V1_9_0, good), None);
    }
}
