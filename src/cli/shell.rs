//! `kornsole completions` and `kornsole man`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use super::fail;

/// The arguments of `kornsole completions`.
#[derive(Args, Clone, Debug)]
pub struct CompletionsArgs {
    /// Shell that reads the script
    pub shell: Shell,
}

/// Prints completions: `kornsole completions bash > …/completions/kornsole`.
pub fn completions(mut command: clap::Command, args: &CompletionsArgs) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "kornsole", &mut text);
    #[cfg(target_os = "linux")]
    if let Ok(script) = String::from_utf8(std::mem::take(&mut text)) {
        text = super::local::extend_completions(args.shell, script).into_bytes();
    }
    print(&text)
}

/// Prints the manual page, one section for each command: `kornsole man | man -l -`.
pub fn man(command: clap::Command) -> ExitCode {
    let mut text = Vec::new();
    let mut command = command;
    command.build();
    let pages = std::iter::once(&command)
        .chain(command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help"));
    for page in pages.cloned() {
        if let Err(error) = clap_mangen::Man::new(page).render(&mut text) {
            return fail(&format!("cannot create the manual page: {error}"), 1);
        }
    }
    print(&text)
}

fn print(text: &[u8]) -> ExitCode {
    match io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(&format!("cannot write the output: {error}"), 1)
        }
        _ => ExitCode::SUCCESS,
    }
}
