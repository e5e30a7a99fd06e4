//! The words of a command, which all indices of an array share.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Clones share the words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Arc<[String]>);

impl Words {
    /// Returns the size in bytes, without separators.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    /// Returns at most `most` bytes, with `…`.
    pub fn shortened(&self, most: usize) -> Self {
        let mut left = most;
        for (at, word) in self.0.iter().enumerate() {
            if word.len() > left {
                let cut = format!("{}…", &word[..word.floor_char_boundary(left)]);
                return self.0[..at].iter().cloned().chain([cut]).collect::<Vec<_>>().into();
            }
            left -= word.len();
        }
        self.clone()
    }
}

impl Deref for Words {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl From<Vec<String>> for Words {
    fn from(words: Vec<String>) -> Self {
        Self(words.into())
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer).map(Self::from)
    }
}
