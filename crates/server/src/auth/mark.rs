//! What goes on for as long as the token holds that allowed it.

use super::{Token, Tokens};

/// By what a token is known again.
#[derive(Clone)]
pub struct TokenMark([u8; 32]);

impl Token {
    /// Whether it is over at `now`, in nanoseconds since 1970.
    pub fn is_over(&self, now: i64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// What it is known by.
    pub fn mark(&self) -> TokenMark {
        TokenMark(self.hash)
    }
}

impl Tokens {
    /// Whether a token that was found before is still one: neither revoked nor over at `now`, in nanoseconds since 1970.
    pub fn holds(&self, mark: &TokenMark, now: i64) -> bool {
        self.of_hash(mark.0, now).is_some()
    }
}
