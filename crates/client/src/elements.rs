//! Splits a large JSON list while it arrives. Only the current element is in memory, as bytes, to skip known ones.

/// Splits an arriving list.
#[derive(Debug)]
pub struct Elements {
    buffer: Vec<u8>,
    at: usize,
    start: usize,
    state: State,
    limit: usize,
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the list.
    Before,
    /// In the list, between elements; whether a comma must follow.
    Between { comma: bool },
    /// In an element, at this depth.
    Inside { depth: u32 },
    /// In a string of an element.
    Text { depth: u32 },
    /// After a backslash in a string.
    Escape { depth: u32 },
    /// In the word `null`, which means an empty list; the number of letters.
    Null(usize),
    /// After the list.
    After,
}

/// An error in a list.
pub type Wrong = String;

impl Elements {
    /// A splitter for elements of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), at: 0, start: 0, state: State::Before, limit, count: 0 }
    }

    /// Takes more of the list, and passes every complete element to `each`.
    ///
    /// # Errors
    /// Not a list of objects, an element that is too long, or an error of `each`.
    pub fn push(&mut self, chunk: &[u8], each: &mut dyn FnMut(&[u8]) -> Result<(), Wrong>) -> Result<(), Wrong> {
        self.buffer.extend_from_slice(chunk);
        while let Some(byte) = self.buffer.get(self.at).copied() {
            self.at += 1;
            self.state = match self.state {
                State::Text { depth } => match byte {
                    b'"' => State::Inside { depth },
                    b'\\' => State::Escape { depth },
                    _ => continue,
                },
                State::Escape { depth } => State::Text { depth },
                State::Inside { depth } => match byte {
                    b'"' => State::Text { depth },
                    b'{' | b'[' => State::Inside { depth: depth + 1 },
                    b'}' | b']' if depth > 1 => State::Inside { depth: depth - 1 },
                    b'}' => {
                        self.count += 1;
                        each(&self.buffer[self.start..self.at])?;
                        State::Between { comma: true }
                    }
                    _ => continue,
                },
                state if byte.is_ascii_whitespace() => state,
                State::Between { comma: true } if byte == b',' => State::Between { comma: false },
                State::Between { comma } if byte == b'{' && !(comma && self.count > 0) => {
                    self.start = self.at - 1;
                    State::Inside { depth: 1 }
                }
                State::Between { comma } if byte == b']' && (comma || self.count == 0) => State::After,
                State::Before if byte == b'[' => State::Between { comma: false },
                State::Before if byte == b'n' => State::Null(1),
                State::Null(seen) if b"null"[seen] == byte => {
                    if seen == 3 {
                        State::After
                    } else {
                        State::Null(seen + 1)
                    }
                }
                _ => return Err(self.wrong(byte)),
            };
        }
        self.forget()
    }

    /// Ends the input and returns the number of elements.
    ///
    /// # Errors
    /// The list is incomplete.
    pub fn finish(self) -> Result<usize, Wrong> {
        match self.state {
            State::After => Ok(self.count),
            _ => Err(format!("the list ends unexpectedly after {} elements", self.count)),
        }
    }

    fn forget(&mut self) -> Result<(), Wrong> {
        let inside = matches!(self.state, State::Inside { .. } | State::Text { .. } | State::Escape { .. });
        let done = if inside { self.start } else { self.at };
        self.buffer.drain(..done);
        self.at -= done;
        self.start = 0;
        if self.buffer.len() > self.limit {
            return Err(format!("element {} is longer than {} MiB", self.count + 1, self.limit >> 20));
        }
        Ok(())
    }

    fn wrong(&self, byte: u8) -> Wrong {
        let found = char::from(byte);
        match self.state {
            State::Before => format!("expected a list, found {found:?}"),
            State::After => format!("unexpected {found:?} after the list"),
            _ => format!("expected element {} of the list, found {found:?}", self.count + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn split(text: &[u8], size: usize) -> Result<Vec<Value>, Wrong> {
        let mut found = Vec::new();
        let mut elements = Elements::new(1 << 20);
        for chunk in text.chunks(size) {
            elements.push(chunk, &mut |bytes| {
                found.push(serde_json::from_slice(bytes).map_err(|error| error.to_string())?);
                Ok(())
            })?;
        }
        elements.finish().map(|count| {
            assert_eq!(count, found.len());
            found
        })
    }

    #[test]
    fn lists_are_taken_apart_wherever_they_are_cut() {
        let list = json!([{"a": "x]}\\\"{", "b": [1, {"c": []}]}, {}, {"ü": "\u{1f600}"}]);
        for text in [list.to_string(), format!(" {:#}\n", list)] {
            for size in 1..text.len() {
                assert_eq!(Value::from(split(text.as_bytes(), size).unwrap()), list);
            }
        }
        assert!(split(b"[]\n", 1).unwrap().is_empty());
        assert!(split(b"null\n", 2).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_whole_list_of_objects_is_reported() {
        for bad in [
            "",
            "[",
            "[{}",
            "[{},",
            "[{},]",
            "[,{}]",
            "[{}{}]",
            "{}",
            "[1]",
            "[{}] x",
            "nul",
            "nulx",
            "<html>",
            "[{\"a\":\"",
            "[{}]]",
        ] {
            assert!(split(bad.as_bytes(), 3).is_err(), "{bad}");
        }
        let mut small = Elements::new(10);
        assert!(small.push(b"[{\"a\":\"0123456789", &mut |_| Ok(())).is_err());
    }

    proptest! {
        #[test]
        fn what_is_cut_anywhere_gives_what_was_put_in(
            texts in prop::collection::vec(("\\PC*", any::<i64>()), 0..8), size in 1_usize..40,
        ) {
            let list: Vec<Value> = texts.iter().map(|(text, number)| json!({"t": text, "n": [number, {text: null}]})).collect();
            let text = Value::from(list.clone()).to_string();
            prop_assert_eq!(split(text.as_bytes(), size).unwrap(), list);
        }
    }
}
