//! Reads files from the command line and reports their errors.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use crate::cli::inputs;
use crate::cli::inputs::ConfigFile;
use crate::cli::progress::Progress;
use ::config::{self, Config, Fault, Reading, Severity, Source};
use ::scenario::{self, ConfigSource, Scenario};
use model::Profile;

/// `-` is standard input. Fails with name and reason.
pub fn bytes(file: &Path) -> Result<Vec<u8>, String> {
    let read = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    read.map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// The most bytes of a cluster or a scenario that is unpacked.
pub const LARGE: u64 = 1 << 30;
/// The most bytes of what a person writes.
pub const SMALL: u64 = 16 << 20;

/// The bytes of a file, unpacked if it is packed with gzip or zstd: at most `largest` of them.
///
/// # Errors
/// Why it cannot be read, with its name: it is too large when unpacked, for example.
pub fn unpacked(file: &Path, largest: u64) -> Result<Vec<u8>, String> {
    let packed = bytes(file)?;
    if let Some(name) = ::config::input::unread_packing(&packed) {
        return Err(format!("cannot read {}: {name} data; unpack the {name} file first", file.display()));
    }
    if !::config::input::is_packed(&packed) {
        return Ok(packed);
    }
    let mut unpacked = Vec::new();
    let read = ::config::input::unpacking(&packed[..], largest).and_then(|mut from| from.read_to_end(&mut unpacked));
    read.map(|_| unpacked).map_err(|why| format!("cannot read {}: {why}", file.display()))
}

/// The faults of a text as a person reads them, each with its source line.
pub fn fault_report(name: &Path, bytes: &[u8], faults: &[Fault]) -> String {
    let text = String::from_utf8_lossy(bytes);
    Source::new(&name.to_string_lossy(), &text).render_all(faults)
}

/// Fails with every error, formatted.
pub fn parsed(name: &Path, text: &str, profile: Profile) -> Result<Arc<Config>, String> {
    let Reading { config, faults } = config::read(text, profile);
    config.map(Arc::new).ok_or_else(|| fault_report(name, text.as_bytes(), &faults))
}

/// A scenario with its configuration.
pub struct ScenarioInput {
    /// The scenario of the file.
    pub scenario: Scenario,
    /// The configuration that applies.
    pub config: Reading,
    /// The errors of the configuration, formatted; empty without errors.
    pub report: String,
    /// `None` if it is in the scenario.
    pub file: Option<ConfigFile>,
}

/// Reads a scenario and its configuration, by default its own.
///
/// # Errors
/// Errors of the scenario, or an unreadable file. Errors of the configuration are in the result.
pub fn scenario(
    file: &Path,
    config: Option<&Path>,
    policy_group: &str,
    profile: Profile,
) -> Result<ScenarioInput, String> {
    let bytes = unpacked(file, LARGE)?;
    let mut progress = Progress::of(file, bytes.len());
    let scenario::Reading { scenario, faults } = scenario::read_bytes_with(&bytes, &mut |read| progress.show(read));
    progress.clear();
    let scenario = scenario.ok_or_else(|| fault_report(file, &bytes, &faults))?;
    if let Some(config) = config {
        return with_file(scenario, config, policy_group, profile);
    }
    match &scenario.config {
        None => {
            let name = file.display();
            Err(format!(
                "{name}: error[SCN-011]: the scenario has no queue configuration\n  = write `config: |` with one, or \
                    `configFile:` with its name, or use --config FILE"
            ))
        }
        Some(ConfigSource::Text(text)) => {
            let config = text.read(profile);
            let report = refused(file, &bytes, &config);
            Ok(ScenarioInput { scenario, config, report, file: None })
        }
        Some(ConfigSource::File { path, at }) => {
            let config = file.parent().unwrap_or(Path::new("")).join(path);
            let at = *at;
            with_file(scenario, &config, policy_group, profile).map_err(|why| {
                let fault = Fault {
                    code: "SCN-012",
                    severity: Severity::Error,
                    at,
                    path: "configFile".to_owned(),
                    message: why,
                    hint: "the path is relative to the directory of the scenario file".to_owned(),
                };
                fault_report(file, &bytes, &[fault])
            })
        }
    }
}

fn with_file(scenario: Scenario, file: &Path, policy_group: &str, profile: Profile) -> Result<ScenarioInput, String> {
    let file = inputs::one(file, policy_group)?;
    let config = file.read(profile);
    let report = if config.is_valid() { String::new() } else { file.report(&config.faults) };
    Ok(ScenarioInput { scenario, config, report, file: Some(file) })
}

fn refused(name: &Path, bytes: &[u8], config: &Reading) -> String {
    if config.is_valid() { String::new() } else { fault_report(name, bytes, &config.faults) }
}
