//! The two processes of an attempt: `local-run` supervises it, and others after it ([`super::line`]); `local-start FOLDER [HOOK]` becomes its command or a
//! hook of it.
//!
//! The daemon and the supervisor start them by these words, which are no part of the command line: each job may start both, and reading a
//! command line costs more than all that they do. So does starting a large program. `kornsole-job` is a small one with nothing but these
//! two in it ([`super::helper`]); `kornsole` knows the words too, for where that one is not installed.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use super::hook::Hook;
use super::{launch, supervise};

/// Supervises the attempts that are named on its standard input.
pub(super) const RUN: &str = "local-run";
/// Becomes the command of an attempt, or a hook of it.
pub(super) const START: &str = "local-start";
/// Says of which release the program is. A build that knows no line ([`super::line`]) does not know this word, and is not used.
pub(super) const VERSION: &str = "line-version";

/// Does what the words of a process request, if they are those of a part of a job: `None` where something else was called.
///
/// # Errors
/// What went wrong, and the exit status for it. An attempt that is started becomes its command, and gives nothing.
pub fn of_a_job(arguments: impl Iterator<Item = OsString>) -> Option<Result<(), (String, u8)>> {
    let words: Vec<OsString> = arguments.skip(1).take(4).collect();
    match words.as_slice() {
        [command] if command == RUN => Some(supervise::run().map_err(|why| (why, 1))),
        [command, folder, hook @ ..] if command == START => {
            let hook = hook.first().map(|name| name.to_str().and_then(Hook::by_name).ok_or(name)).transpose();
            Some(Err(match hook {
                Ok(hook) => {
                    let (why, status) = launch::run(Path::new(folder), hook);
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
