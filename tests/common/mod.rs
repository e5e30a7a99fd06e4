//! Helpers for several test binaries, which declare this module by its path.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

mod dir;
mod program;
mod screen;
pub mod share;

use std::sync::Arc;

use model::{Identity, Resource};
use source::{About, SourcePlace};
use view::act::{Act, Actor, PartitionAct};

pub use dir::TestDir;
pub use program::{Program, kornsole_command, post, post_for_head, serve_command};
pub use screen::{shows, shows_not};

/// Resources with only vcore, in millicores.
pub fn millicores(vcore: i64) -> Resource {
    [("vcore", vcore)].into_iter().collect()
}

/// A user whose only group has the same name.
pub fn user(name: &str) -> Actor {
    Actor::from(Identity::new(name, [name]))
}

/// An act in partition `default`.
pub fn within(act: PartitionAct) -> Act {
    Act::within(&Arc::from("default"), act)
}

/// Kills an application in any queue.
pub fn kill(app: &str) -> Act {
    within(PartitionAct::Kill { app: app.into(), expect_queue: None })
}

/// Moves an application from any queue.
pub fn move_to(app: &str, to: &str) -> Act {
    within(PartitionAct::Move { app: app.into(), to: to.into(), expect_queue: None, dry_run: false })
}

/// The description of a source in this process.
pub fn about(name: &str) -> About {
    About { place: SourcePlace::Embedded, name: name.to_owned(), notes: Vec::new() }
}
