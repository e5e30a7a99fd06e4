//! The `kornsole` binary: arguments in, exit code out. Everything else is in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    kornsole::cli::main()
}
