//! A file of jobs, read once: a log line by line, any other format whole.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::form::{Form, LARGEST};
use config::input::{unpacking, unread_packing};
use forecast::simulate::input::{Reading, swf};
use model::Time;

/// The most bytes of a log, unpacked.
const LARGEST_LOG: u64 = 16 << 30;
const HEAD: usize = 64 << 10;
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Streamed {
    pub form: Form,
    pub reading: Reading,
    /// The text of a generator.
    pub text: String,
    /// The digest of the file as it is.
    pub digest: String,
}

/// Reads a file; `None`: the format is unknown. Of a log, the jobs that are submitted up to a time are kept.
pub(super) fn read(file: &Path, extension: &str, until: Option<Time>) -> io::Result<Option<Streamed>> {
    let source: Box<dyn Read> =
        if file == Path::new("-") { Box::new(io::stdin().lock()) } else { Box::new(File::open(file)?) };
    let mut digest = Sha256::new();
    let mut unpacked = BufReader::with_capacity(HEAD, unpacking(Digested(source, &mut digest), LARGEST_LOG)?);
    if unpacked.fill_buf()?.starts_with(MARK) {
        unpacked.consume(MARK.len());
    }
    let head = String::from_utf8_lossy(unpacked.fill_buf()?).into_owned();
    let name = super::read::named(file);
    let read = if Form::of(&head, extension) == Some(Form::Swf) {
        Some((Form::Swf, swf::read_from(&name, &mut unpacked, until)?, String::new()))
    } else {
        whole(&mut unpacked, &name, extension)?
    };
    io::copy(&mut unpacked, &mut io::sink())?;
    drop(unpacked);
    let digest = hex(digest);
    Ok(read.map(|(form, reading, text)| Streamed { form, reading, text, digest }))
}

fn whole(unpacked: &mut impl Read, name: &str, extension: &str) -> io::Result<Option<(Form, Reading, String)>> {
    let mut bytes = Vec::new();
    unpacked.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST {
        return Err(io::Error::other(format!("it has more than {} MiB; simulate a part of it", LARGEST >> 20)));
    }
    if let Some(name) = unread_packing(&bytes) {
        return Err(io::Error::other(format!("{name} data; unpack the {name} file first")));
    }
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("not UTF-8"))?;
    Ok(Form::read(name, extension, &text).map(|(form, reading)| (form, reading, text)))
}

pub(super) fn digest(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

struct Digested<'d, R>(R, &'d mut Sha256);

impl<R: Read> Read for Digested<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.update(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_and_line_ends_of_windows_change_nothing() {
        let log = "; MaxProcs: 8\n1 0 10 100 4 -1 -1 4 3600 -1 1 5 2 -1 1 0 -1 -1\n";
        let table = "JobID|User|Submit|Start|End|AllocCPUS\n1|ann|100|110|170|4\n";
        for (number, (text, form)) in [(log, Form::Swf), (table, Form::SacctTable)].into_iter().enumerate() {
            let file = std::env::temp_dir().join(format!("kornsole-marked-{}-{number}.txt", std::process::id()));
            std::fs::write(&file, format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
            let read = read(&file, "txt", None).unwrap().expect("a known format");
            std::fs::remove_file(file).unwrap();
            assert_eq!(
                (read.form, read.reading.faults.as_slice(), read.reading.workload.jobs.len()),
                (form, [].as_slice(), 1)
            );
        }
    }
}
