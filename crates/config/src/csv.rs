//! CSV records with the position of every field (RFC 4180). Blank lines are skipped.
//!
//! The crate `csv` is not used: it accepts a misplaced quote as text, and reports no column of a field.
//!
//! Invariant: at most one record of at most `LONGEST` bytes is stored.

use std::io::{self, BufRead};

use crate::Place;

/// In bytes. A quote that is never closed would otherwise read the whole text.
const LONGEST: usize = 1 << 20;

/// A reader of records.
pub struct Csv<R> {
    input: R,
    line: u32,
    bytes: Vec<u8>,
}

/// One record; its capacity is reused for the next.
#[derive(Debug, Default)]
pub struct Record {
    line: u32,
    raw: String,
    /// With their start in `raw`. Only the first `len` are valid.
    fields: Vec<(String, usize)>,
    len: usize,
}

/// An error in a record; reading continues with the next line.
#[derive(Debug, PartialEq, Eq)]
pub struct CsvFault {
    /// The first invalid character.
    pub at: Place,
    /// What is wrong.
    pub message: String,
    /// The expected form.
    pub hint: &'static str,
}

impl Record {
    /// The number of fields.
    pub fn count(&self) -> usize {
        self.len
    }

    /// A field; empty if missing.
    pub fn get(&self, index: usize) -> &str {
        if index < self.len { &self.fields[index].0 } else { "" }
    }

    /// The start of a field; after the last one, the start of the record.
    pub fn place(&self, index: usize) -> Place {
        let start = if index < self.len { self.fields[index].1 } else { 0 };
        self.place_of(start)
    }

    fn place_of(&self, byte: usize) -> Place {
        let before = &self.raw[..byte];
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Place { line: self.line.saturating_add(number(lines)), column: number(column) }
    }

    fn field(&mut self, start: usize) -> &mut String {
        if self.len == self.fields.len() {
            self.fields.push(Default::default());
        }
        let (text, from) = &mut self.fields[self.len];
        self.len += 1;
        *from = start;
        text.clear();
        text
    }
}

impl<R: BufRead> Csv<R> {
    /// Creates a reader.
    pub fn new(input: R) -> Self {
        Self { input, line: 0, bytes: Vec::new() }
    }

    /// Reads a record: `None` at the end, otherwise whether it is valid.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn next(&mut self, record: &mut Record) -> io::Result<Option<Result<(), CsvFault>>> {
        record.raw.clear();
        record.len = 0;
        loop {
            match self.line(record)? {
                None => return Ok(None),
                Some(Err(fault)) => return Ok(Some(Err(fault))),
                Some(Ok(())) if record.raw.trim_ascii().is_empty() => record.raw.clear(),
                Some(Ok(())) => break,
            }
        }
        record.line = self.line;
        Ok(Some(self.fields(record)?))
    }

    fn line(&mut self, record: &mut Record) -> io::Result<Option<Result<(), CsvFault>>> {
        self.bytes.clear();
        let space = LONGEST.saturating_sub(record.raw.len()) as u64;
        io::Read::take(&mut self.input, space + 1).read_until(b'\n', &mut self.bytes)?;
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.line = self.line.saturating_add(1);
        let at = Place { line: self.line, column: 1 };
        if self.bytes.len() as u64 > space {
            while !self.bytes.ends_with(b"\n") && !self.bytes.is_empty() {
                self.bytes.clear();
                io::Read::take(&mut self.input, LONGEST as u64).read_until(b'\n', &mut self.bytes)?;
            }
            let message = format!("the record is longer than {LONGEST} bytes");
            return Ok(Some(Err(CsvFault { at, message, hint: "check for an unclosed quote" })));
        }
        Ok(Some(match std::str::from_utf8(&self.bytes) {
            Ok(text) => {
                let first = self.line == 1 && record.raw.is_empty();
                record.raw.push_str(if first { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text });
                Ok(())
            }
            Err(error) => {
                let good = String::from_utf8_lossy(&self.bytes[..error.valid_up_to()]);
                let column = u32::try_from(good.chars().count() + 1).unwrap_or(u32::MAX);
                let at = Place { column, ..at };
                Err(CsvFault { at, message: "not UTF-8".to_owned(), hint: "save the file as UTF-8" })
            }
        }))
    }

    fn fields(&mut self, record: &mut Record) -> io::Result<Result<(), CsvFault>> {
        let mut at = 0;
        loop {
            if record.raw[at..].starts_with('"') {
                match self.quoted(record, at)? {
                    Ok(end) => at = end,
                    Err(fault) => return Ok(Err(fault)),
                }
            } else {
                let rest = without_line_end(&record.raw[at..]);
                let end = at + rest.find(',').unwrap_or(rest.len());
                let quote = record.raw[at..end].find('"');
                if let Some(quote) = quote {
                    let at = record.place_of(at + quote);
                    let message = "unexpected quote in a field that does not start with a quote".to_owned();
                    let hint = "put the whole field in quotes, and write each quote inside it twice";
                    return Ok(Err(CsvFault { at, message, hint }));
                }
                let text = record.raw[at..end].to_owned();
                record.field(at).push_str(&text);
                at = end;
            }
            if !record.raw[at..].starts_with(',') {
                return Ok(Ok(()));
            }
            at += 1;
        }
    }

    /// Returns the end of the field.
    fn quoted(&mut self, record: &mut Record, start: usize) -> io::Result<Result<usize, CsvFault>> {
        let mut text = String::new();
        let mut at = start + 1;
        loop {
            let Some(quote) = record.raw[at..].find('"').map(|quote| at + quote) else {
                text.push_str(&record.raw[at..]);
                at = record.raw.len();
                match self.line(record)? {
                    Some(Ok(())) => continue,
                    Some(Err(fault)) => return Ok(Err(fault)),
                    None => {
                        let message = "the quote is not closed".to_owned();
                        let hint = "close it after the field";
                        return Ok(Err(CsvFault { at: record.place_of(start), message, hint }));
                    }
                }
            };
            text.push_str(&record.raw[at..quote]);
            at = quote + 1;
            if record.raw[at..].starts_with('"') {
                text.push('"');
                at += 1;
                continue;
            }
            let rest = without_line_end(&record.raw[at..]);
            if !rest.is_empty() && !rest.starts_with(',') {
                let message = "unexpected text after the closing quote of the field".to_owned();
                let hint = "write each quote inside a field twice";
                return Ok(Err(CsvFault { at: record.place_of(at), message, hint }));
            }
            record.field(start).push_str(&text);
            return Ok(Ok(at));
        }
    }
}

fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Vec<Result<Vec<String>, String>> {
        let mut csv = Csv::new(text);
        let mut record = Record::default();
        let mut all = Vec::new();
        while let Some(read) = csv.next(&mut record).unwrap() {
            all.push(match read {
                Ok(()) => Ok((0..record.count()).map(|at| record.get(at).to_owned()).collect()),
                Err(fault) => Err(format!("{}:{}: {}", fault.at.line, fault.at.column, fault.message)),
            });
        }
        all
    }

    fn good(text: &str) -> Vec<Vec<String>> {
        read(text.as_bytes()).into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn splits_fields() {
        assert_eq!(good("a,b\r\n\n1,\"x,\"\"y\"\"\n2\"\n"), [vec!["a", "b"], vec!["1", "x,\"y\"\n2"]]);
        assert_eq!(good("\u{feff}a,,\n"), [["a", "", ""]]);
        assert_eq!(good(""), Vec::<Vec<String>>::new());
        assert_eq!(good("\"\",é"), [["", "é"]]);
    }

    #[test]
    fn reports_the_location_of_an_error_and_continues() {
        let report = read(b"a,b\n\xc3\xa9\xc3\xa9,x\"y\n\"a\"b,c\nok,\xff\nok,ok\n\"open\nend");
        assert_eq!(
            report,
            [
                Ok(vec!["a".to_owned(), "b".to_owned()]),
                Err("2:5: unexpected quote in a field that does not start with a quote".to_owned()),
                Err("3:4: unexpected text after the closing quote of the field".to_owned()),
                Err("4:4: not UTF-8".to_owned()),
                Ok(vec!["ok".to_owned(), "ok".to_owned()]),
                Err("6:1: the quote is not closed".to_owned()),
            ]
        );
    }

    #[test]
    fn fields_have_locations() {
        let mut csv = Csv::new("x\n\"a\nb\",é,c\n".as_bytes());
        let mut record = Record::default();
        for _ in 0..2 {
            csv.next(&mut record).unwrap().unwrap().unwrap();
        }
        let places: Vec<_> = (0..4).map(|at| (record.place(at).line, record.place(at).column)).collect();
        assert_eq!(places, [(2, 1), (3, 4), (3, 6), (2, 1)]);
    }

    #[test]
    fn a_record_without_end_is_refused() {
        let mut text = b"a\n\"".to_vec();
        text.resize(3 * LONGEST, b'x');
        text.extend(b"\nb\n");
        let report = read(&text);
        assert_eq!(report.len(), 3);
        assert!(report[1].as_ref().is_err_and(|why| why.starts_with("2:1: the record is longer")), "{report:?}");
        assert_eq!(report[2], Ok(vec!["b".to_owned()]));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a,\"\n\ré ]{0,6}", 2..4), 1..5)) {
            let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\r\n";
            let text: String = rows.iter().map(line).collect();
            prop_assert_eq!(good(&text), rows);
        }

        #[test]
        fn nothing_panics(bytes in prop::collection::vec(prop::sample::select(&b"a,\"\n\r\xc3\xa9"[..]), 0..40)) {
            read(&bytes);
        }
    }
}
