//! The two processes of an attempt: `local-run` supervises it, and others after it (`line`); `local-start
//! FOLDER [HOOK]` becomes its command or a hook.
//!
//! They bypass the command line, whose parsing costs more than their work. `kornsole-job` is a small program with only
//! these two ([`super::helper`]).

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use super::hook::Hook;
use super::{launch, supervise};

pub(super) const RUN: &str = "local-run";
pub(super) const START: &str = "local-start";
/// A build without a line ([`super::line`]) does not know this word, and is not used.
pub(super) const VERSION: &str = "line-version";

/// Runs a process of a job; `None` for other arguments.
///
/// # Errors
/// The reason and the exit status. A started attempt does not return.
pub fn of_a_job(arguments: impl Iterator<Item = OsString>) -> Option<Result<(), (String, u8)>> {
    let words: Vec<OsString> = arguments.skip(1).take(4).collect();
    match words.as_slice() {
        [command] if command == RUN => Some(supervise::run().map_err(|why| (why, 1))),
        [command, dir, hook @ ..] if command == START => {
            let hook = hook.first().map(|name| name.to_str().and_then(Hook::by_name).ok_or(name)).transpose();
            Some(Err(match hook {
                Ok(hook) => {
                    let (why, status) = launch::run(Path::new(dir), hook);
                    (format!("kornsole: {why}"), status)
                }
                Err(name) => (format!("kornsole: unknown hook {name:?}"), 2),
            }))
        }
        [command] if command == VERSION => Some(match writeln!(io::stdout(), "{}", env!("CARGO_PKG_VERSION")) {
            Ok(()) => Ok(()),
            Err(why) => Err((why.to_string(), 1)),
        }),
        _ => None,
    }
}
