//! Packed bytes, told by their first ones: gzip is unpacked up to a limit, other forms are refused by name.

use std::borrow::Cow;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;

use crate::fault::{Fault, Severity};
use crate::types::Place;
use crate::yaml::LARGEST;

/// The first bytes of forms that are not read, with their names.
const OTHERS: [(&[u8], &str); 5] = [
    (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
    (&[0xfd, b'7', b'z', b'X', b'Z'], "xz"),
    (b"BZh", "bzip2"),
    (b"PK\x03\x04", "zip"),
    (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
];

/// Whether bytes are packed with gzip.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// The bytes of a file; those of gzip unpacked, at most [`LARGEST`] of them.
///
/// # Errors
/// INP-002: they are packed in another form, the gzip data is corrupt, or too large when unpacked.
pub fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Fault> {
    if is_gzip(bytes) {
        return unpacked(bytes).map(Cow::Owned).map_err(|(message, hint)| fault(Place::default(), message, hint));
    }
    match OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        Some((_, name)) => {
            let hint = format!("unpack the {name} file first; kornsole unpacks gzip");
            Err(fault(Place::default(), format!("cannot read {name} data"), hint))
        }
        None => Ok(Cow::Borrowed(bytes)),
    }
}

/// The text of a value of `binaryData`: Base64 of gzip.
///
/// # Errors
/// Message and hint: it is no Base64, no gzip, too large, or not UTF-8.
pub fn packed_text(base64: &str) -> Result<String, (String, String)> {
    let plain: String = base64.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(plain);
    let bytes = bytes.map_err(|error| (format!("invalid Base64: {error}"), "encode the entry again".to_owned()))?;
    String::from_utf8(unpacked(&bytes)?).map_err(|_| ("the unpacked text is not UTF-8".to_owned(), String::new()))
}

/// The bytes of a workload; those of gzip unpacked, at most `largest` of them.
///
/// # Errors
/// A message with its remedy: the data is corrupt, or too large when unpacked.
pub fn unpack_workload(bytes: Vec<u8>, largest: usize) -> Result<Vec<u8>, String> {
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    unpacked_up_to(&bytes, largest).map_err(|(message, hint)| format!("{message}; {hint}"))
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, (String, String)> {
    unpacked_up_to(bytes, LARGEST)
}

fn unpacked_up_to(bytes: &[u8], largest: usize) -> Result<Vec<u8>, (String, String)> {
    let mut out = Vec::new();
    let limit = largest as u64 + 1;
    let read = MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut out);
    if out.len() > largest {
        let message = format!("the gzip data has more than {} MiB when unpacked", largest >> 20);
        return Err((message, "kornsole reads at most this size; split the file".to_owned()));
    }
    match read {
        Ok(_) => Ok(out),
        Err(error) => Err((format!("invalid gzip data: {error}"), "pack the text again with gzip".to_owned())),
    }
}

/// A fault of packed data.
pub(super) fn fault(at: Place, message: String, hint: String) -> Fault {
    Fault { code: "INP-002", severity: Severity::Error, at, path: String::new(), message, hint }
}
