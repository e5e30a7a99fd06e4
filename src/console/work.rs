//! What the console wants done that takes time or touches the world outside, and what came of it. The update asks for it
//! ([`super::model::Model::work`]), the runtime has it done beside the draw loop, and the outcome comes back as an action.

use std::path::PathBuf;
use std::sync::Arc;

use super::editor::{Checked, Job};
use super::model::placement::WantedFile;
use crate::view::View;
use crate::view::act::{Act, Done, Order, Refusal};

/// Something to be done.
#[derive(Clone, Debug)]
pub enum Work {
    /// Read a configuration that a person named.
    Read(WantedFile),
    /// Look at an edited configuration.
    Check(Box<Job>),
    /// Have a text edited in the person's own editor.
    Edit(String),
    /// Have an order carried out.
    Order(Order),
    /// Put a text into the terminal's clipboard.
    Copy(String),
    /// Write a file anew.
    Write {
        /// Which; one that is there already is left alone.
        file: PathBuf,
        /// What.
        text: String,
        /// What that is, in words: `14 queues`.
        what: String,
    },
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A configuration that was asked for: its name, and a cluster with it in force or why there is none.
    Read(String, Result<Arc<View>, String>),
    /// What an edited configuration would mean.
    Checked(Box<Checked>),
    /// The text as it came out of the person's own editor.
    Edited(Result<String, String>),
    /// An order was carried out or refused; what it was about.
    Ordered(Box<Act>, Result<Done, Refusal>),
    /// A file was written: what it is now called and what is in it; or why not.
    Written(Result<String, String>),
}
