//! Reading what a person names on the command line, and telling him what is wrong with it.

use std::path::Path;
use std::sync::Arc;

use crate::config::{self, Config, DEFAULT_CONFIG, Fault, Reading, Source};
use crate::model::Profile;

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// Why it cannot be read, with its name.
pub fn bytes(file: &Path) -> Result<Vec<u8>, String> {
    let read = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    read.map_err(|error| format!("{}: cannot be read: {error}", file.display()))
}

/// The faults of a text as a person reads them, each with its source line.
pub fn told(name: &Path, bytes: &[u8], faults: &[Fault]) -> String {
    let text = String::from_utf8_lossy(bytes);
    Source::new(&name.to_string_lossy(), &text).render_all(faults)
}

/// The queue configuration of a file, or the default one without a file.
///
/// # Errors
/// Every fault, rendered.
pub fn queue_config(file: Option<&Path>, profile: Profile) -> Result<Arc<Config>, String> {
    let Some(file) = file else {
        let reading = config::read(DEFAULT_CONFIG, profile);
        return reading.config.map(Arc::new).ok_or_else(|| "the default configuration does not read".to_owned());
    };
    let bytes = bytes(file)?;
    let Reading { config, faults } = config::read_file(&bytes, config::DEFAULT_POLICY_GROUP, profile);
    config.map(Arc::new).ok_or_else(|| told(file, &bytes, &faults))
}
