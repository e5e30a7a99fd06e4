//! The transfer types of part II of `rest.md`: our own verbs, under `/kornsole/v1`. What a client sends is in [`asked`], what it is told in
//! [`answered`].
//!
//! What a client sends is read strictly: a key that is not known is refused, so that a misspelt option never goes unnoticed. Points in
//! time are nanoseconds since 1970.

mod answered;
mod asked;
mod map;

pub use answered::*;
pub use asked::*;
