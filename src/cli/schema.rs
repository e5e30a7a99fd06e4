//! `kornsole schema`: a JSON Schema of the queue configuration, for editors.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;

use super::predicted::PredictedCore;
use super::{fail, printed};

/// The arguments of `kornsole schema`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "For a YAML language server, add this line at the top of a configuration:\n  \
                        # yaml-language-server: $schema=queues.schema.json")]
pub struct SchemaArgs {
    /// The format as this core reads it
    #[command(flatten)]
    pub core: PredictedCore,
}

/// Prints the schema.
pub fn run(args: &SchemaArgs) -> ExitCode {
    match writeln!(printed::out(), "{:#}", config::schema(args.core.profile())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write the schema: {error}"), 1),
    }
}
