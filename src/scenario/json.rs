//! Writing JSON, one object after the other, without building a tree first.

use std::io;

use crate::model::Resource;

/// A text of JSON that grows. Commas come by themselves; brackets are the caller's to balance.
#[derive(Debug, Default)]
pub(super) struct Json {
    text: Vec<u8>,
}

impl Json {
    /// What is written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// Forgets what is written.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Ends a line.
    pub fn end_line(&mut self) {
        self.text.push(b'\n');
    }

    /// Opens an object or list where a value is due.
    pub fn open(&mut self, bracket: u8) {
        self.separate();
        self.text.push(bracket);
    }

    /// Opens an object or list as the value of a key.
    pub fn open_field(&mut self, key: &'static str, bracket: u8) {
        self.key(key);
        self.text.push(bracket);
    }

    /// Closes an object or list.
    pub fn close(&mut self, bracket: u8) {
        self.text.push(bracket);
    }

    /// A text where a value is due.
    pub fn text(&mut self, value: &str) -> io::Result<()> {
        self.separate();
        self.put(value)
    }

    /// A key with a text.
    pub fn text_field(&mut self, key: &'static str, value: &str) -> io::Result<()> {
        self.key(key);
        self.put(value)
    }

    /// A key with a whole number.
    pub fn number_field(&mut self, key: &'static str, value: i64) -> io::Result<()> {
        self.key(key);
        Ok(serde_json::to_writer(&mut self.text, &value)?)
    }

    /// A key with a bool.
    pub fn flag_field(&mut self, key: &'static str, value: bool) {
        self.key(key);
        self.text.extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// A key with a list of texts.
    pub fn list_field<'a>(&mut self, key: &'static str, values: impl Iterator<Item = &'a str>) -> io::Result<()> {
        self.open_field(key, b'[');
        for value in values {
            self.text(value)?;
        }
        self.close(b']');
        Ok(())
    }

    /// A key with a resource, without what is 0.
    pub fn resource_field(&mut self, key: &'static str, resource: &Resource) -> io::Result<()> {
        self.open_field(key, b'{');
        for (name, amount) in resource.iter().filter(|(_, amount)| *amount != 0) {
            self.separate();
            self.put(name)?;
            self.text.push(b':');
            serde_json::to_writer(&mut self.text, &amount)?;
        }
        self.close(b'}');
        Ok(())
    }

    /// A key; the names of keys are ours and need no escapes.
    fn key(&mut self, key: &'static str) {
        self.separate();
        self.text.push(b'"');
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\":");
    }

    fn separate(&mut self) {
        // A text ends with its quote, so a bracket or line break here is never part of one.
        if !matches!(self.text.last(), None | Some(b'{' | b'[' | b'\n')) {
            self.text.push(b',');
        }
    }

    fn put(&mut self, value: &str) -> io::Result<()> {
        if value.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
            return Ok(serde_json::to_writer(&mut self.text, value)?);
        }
        self.text.push(b'"');
        self.text.extend_from_slice(value.as_bytes());
        self.text.push(b'"');
        Ok(())
    }
}
