//! `kornsole open`: the read-only console for a saved state dump.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::look::LookArgs;
use super::{fail, identity, load, recent};
use source::Saved;

/// The arguments of `kornsole open`.
#[derive(Args, Clone, Debug)]
pub struct OpenArgs {
    /// State dump (/debug/fullstatedump), or a response of /ws/v1; - is standard input
    ///
    /// A response of /ws/v1 contains queues, nodes, applications, or usage.
    #[arg(value_name = "DUMP")]
    pub dump: PathBuf,
    /// The appearance options
    #[command(flatten)]
    pub look: LookArgs,
}

/// Shows the console for a dump.
pub fn run(args: &OpenArgs) -> ExitCode {
    let (options, personal) = match args.look.read() {
        Ok(read) => read,
        Err(report) => return fail(&report.message, report.code),
    };
    let name = args.dump.file_name().unwrap_or(args.dump.as_os_str()).to_string_lossy().into_owned();
    let read =
        load::unpacked(&args.dump, load::LARGE).and_then(|bytes| Saved::read(&name, &bytes, identity::of_process()));
    match read {
        Ok(saved) => {
            recent::opened("open", Some(&args.dump));
            match console::run(Arc::new(saved), options, personal) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => fail(&format!("{error:#}"), 1),
            }
        }
        Err(message) => fail(&message, 1),
    }
}
