//! Reading a queue configuration: text → tree → as written → checked → as the scheduler takes it.

use std::borrow::Cow;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::fault::{Fault, Faults};
use super::types::{Config, Place};
use super::{build, check, decode, yaml};
use model::Profile;

/// The default configuration (`config.md` section 12): what an empty file means.
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

/// The warning about a text that is empty or has comments only.
const EMPTY_TEXT: &str = "CFG-010";

/// What reading a text gave.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The configuration; only there when no fault is an error.
    pub config: Option<Config>,
    /// Every fault and warning, by place.
    pub faults: Vec<Fault>,
}

impl Reading {
    /// Whether the text is a valid configuration.
    pub fn is_valid(&self) -> bool {
        self.config.is_some()
    }

    /// Whether the text is empty or has comments only, so that the default configuration holds.
    pub fn is_of_empty_text(&self) -> bool {
        says_nothing(&self.faults)
    }
}

/// Whether these are the faults of a text that is empty or has comments only.
pub fn says_nothing(faults: &[Fault]) -> bool {
    faults.iter().any(|fault| fault.code == EMPTY_TEXT)
}

/// Reads a queue configuration by the rules of `profile`. Never fails: what is wrong is in the faults.
pub fn read(text: &str, profile: Profile) -> Reading {
    let mut faults = Faults::new(profile);
    let config = read_into(text, &mut faults);
    Reading { config, faults: faults.into_sorted() }
}

/// Reads bytes, which may be no text at all.
pub fn read_bytes(bytes: &[u8], profile: Profile) -> Reading {
    let mut faults = Faults::new(profile);
    let config = yaml::decode(bytes, &mut faults).and_then(|text| read_into(text, &mut faults));
    Reading { config, faults: faults.into_sorted() }
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
    let mut file = decode::file(node, faults)?;
    check::check(&mut file, faults);
    if faults.has_errors() {
        return None;
    }
    let profile = faults.profile();
    let partitions = file.partitions.into_iter().map(|raw| build::partition(raw, profile)).collect();
    Some(Config { partitions, checksum: checksum(text.as_bytes()) })
}

/// The checksum of a configuration text (`config.md` section 13), over the text without the one that it carries.
pub fn checksum(text: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(without_checksum(text));
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        // Writing to a text cannot fail.
        let _written = write!(hex, "{byte:02X}");
        hex
    })
}

/// A text without the checksum that it carries: what follows the first `checksum: `, at most 64 bytes of it, is taken out
/// wherever it stands.
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

/// The checksum that a text carries, by which it names the text that it was made from; `None` without one.
pub fn carried_checksum(text: &[u8]) -> Option<String> {
    let value = carried(text)?.get(KEY.len()..)?;
    Some(String::from_utf8_lossy(value).trim().to_owned())
}

const KEY: &[u8] = b"checksum: ";

/// The key and its value, where a text carries its checksum.
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
