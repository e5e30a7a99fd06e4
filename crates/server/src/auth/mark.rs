//! Activities that last as long as their token is valid.

use super::{Token, Tokens};

/// Identifies a token again.
#[derive(Clone)]
pub struct TokenMark([u8; 32]);

impl Token {
    /// Whether it has expired at `now`, in ns since 1970.
    pub fn is_over(&self, now: i64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// The mark that identifies it.
    pub fn mark(&self) -> TokenMark {
        TokenMark(self.hash)
    }
}

impl Tokens {
    /// Whether a token is neither revoked nor expired at `now`, in ns since 1970.
    pub fn is_valid(&self, mark: &TokenMark, now: i64) -> bool {
        self.of_hash(mark.0, now).is_some()
    }
}
