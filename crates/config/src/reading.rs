//! Reading a queue configuration: text → tree → raw → checked → built.

use std::borrow::Cow;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::fault::{Fault, Faults};
use super::types::{Config, Place};
use super::{allow, build, check, decode, yaml};
use model::Profile;

/// The default configuration for an empty file (`config.md` section 12).
pub const DEFAULT_CONFIG: &str = "\
partitions:
  - name: default
    placementrules:
      - name: tag
        value: namespace
        create: true
    queues:
      - name: root
        submitacl: '*'
";

const EMPTY_TEXT: &str = "CFG-010";

/// The result of reading a text.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The configuration; `None` if there are errors.
    pub config: Option<Config>,
    /// Every error and warning by location.
    pub faults: Vec<Fault>,
}

impl Reading {
    /// Whether the text is a valid configuration.
    pub fn is_valid(&self) -> bool {
        self.config.is_some()
    }

    /// Whether the text is empty, so that the default configuration applies.
    pub fn is_of_empty_text(&self) -> bool {
        is_empty_text(&self.faults)
    }
}

/// Whether these are the faults of a text without content.
pub fn is_empty_text(faults: &[Fault]) -> bool {
    faults.iter().any(|fault| fault.code == EMPTY_TEXT)
}

/// Never fails; errors are in the faults.
pub fn read(text: &str, profile: Profile) -> Reading {
    let mut faults = Faults::new(profile);
    let config = read_into(text, &mut faults);
    let mut faults = faults.into_sorted();
    allow::without_allowed(text, &mut faults);
    Reading { config, faults }
}

/// Reads bytes, which may be invalid text.
pub fn read_bytes(bytes: &[u8], profile: Profile) -> Reading {
    let mut faults = Faults::new(profile);
    match yaml::decode(bytes, &mut faults) {
        Some(text) => read(text, profile),
        None => Reading { config: None, faults: faults.into_sorted() },
    }
}

fn read_into(text: &str, faults: &mut Faults) -> Option<Config> {
    if text.len() > yaml::LARGEST {
        let _too_large = yaml::decode(text.as_bytes(), faults);
        return None;
    }
    let document = yaml::parse(text, faults)?;
    let Some(node) = document.root() else {
        let message = "the file is empty: the default configuration is used";
        let hint = "one partition with a root that all users may submit to, and placement by the tag `namespace`; if \
            it replaces another configuration, it removes every queue, and is rejected unless you allow this";
        faults.warning(EMPTY_TEXT, Place::default(), "", message, hint);
        let default = read(DEFAULT_CONFIG, faults.profile()).config?;
        return Some(Config { checksum: checksum(text.as_bytes()), ..default });
    };
    let mut file = decode::file(node, text, faults)?;
    check::check(&mut file, faults);
    if faults.has_errors() {
        return None;
    }
    let profile = faults.profile();
    let partitions = file.partitions.into_iter().map(|raw| build::partition(raw, profile)).collect();
    Some(Config { partitions, checksum: checksum(text.as_bytes()) })
}

/// Ignores the checksum in the text (`config.md` section 13).
pub fn checksum(text: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(without_checksum(text));
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _written = write!(hex, "{byte:02X}");
        hex
    })
}

/// Removes at most 64 bytes after the first `checksum: `.
pub fn without_checksum(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(cut) = carried(text) else { return Cow::Borrowed(text) };
    let (mut retained, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = find(rest, cut) {
        retained.extend_from_slice(&rest[..at]);
        rest = &rest[at + cut.len()..];
    }
    retained.extend_from_slice(rest);
    Cow::Owned(retained)
}

/// The checksum in a text, which identifies the text that it was made from.
pub fn carried_checksum(text: &[u8]) -> Option<String> {
    let value = carried(text)?.get(KEY.len()..)?;
    Some(String::from_utf8_lossy(value).trim().to_owned())
}

const KEY: &[u8] = b"checksum: ";

fn carried(text: &[u8]) -> Option<&[u8]> {
    const LENGTH: usize = 64;
    let at = find(text, KEY)?;
    let after = &text[at + KEY.len()..];
    let value = &after[..find(after, KEY).unwrap_or(after.len())];
    let end = value.iter().rposition(|b| *b != b'\n').map_or(0, |last| last + 1);
    Some(&text[at..at + KEY.len() + end.min(LENGTH)])
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
