//! Reading a configuration that a person names in the console.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::model::placement::WantedFile;
use crate::config::{self, Reading, Source};
use crate::view::View;

/// A cluster with the configuration of a file in force. Waits for the file: not to be called where frames are drawn.
///
/// # Errors
/// Why there is none: the file cannot be read, or every fault in it.
pub fn read(wanted: &WantedFile) -> Result<Arc<View>, String> {
    let limit = config::yaml::LARGEST as u64 + 1;
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(Path::new(&wanted.name));
    opened
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| format!("cannot be read: {error}"))?;
    let Reading { config, faults } = config::read_file(&bytes, config::DEFAULT_POLICY_GROUP, wanted.profile);
    let told = || Source::new(&wanted.name, &String::from_utf8_lossy(&bytes)).render_all(&faults);
    View::of_config(Arc::new(config.ok_or_else(told)?), wanted.profile)
}
