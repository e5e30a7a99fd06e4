//! The `kornsole` binary: arguments in, exit code out. The library has everything else.

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    kornsole::cli::main()
}
