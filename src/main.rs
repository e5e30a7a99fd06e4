//! The `kornsole` binary: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    kornsole::cli::main()
}
