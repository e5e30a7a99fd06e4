//! `kornsole profiles`: the behavior profiles and their differing switches.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;

use super::{fail, printed};
use model::Profile;
use scheduler::interface::switch_table::{SWITCHES, SwitchRow};

/// The order of the profiles: the releases, then kornsole.
const ORDER: [Profile; 4] = [Profile::V1_5_1, Profile::V1_8_0, Profile::V1_9_0, Profile::Kornsole];

/// The arguments of `kornsole profiles`.
#[derive(Args, Clone, Debug)]
pub struct ProfilesArgs {
    /// Print only the differences between two profiles
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub diff: Option<Vec<Profile>>,
}

/// Prints the profiles, or where two of them differ.
pub fn run(args: &ProfilesArgs) -> ExitCode {
    let text = match args.diff.as_deref() {
        Some([from, to]) => difference(*from, *to),
        _ => list(),
    };
    match printed::out().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write the profiles: {error}"), 1),
    }
}

fn list() -> String {
    let mut text = String::new();
    for profile in ORDER {
        let what = match profile {
            Profile::Kornsole => {
                "the default of commands that schedule: 1.5.1 with its defects fixed, and the fixes of later releases"
                    .to_owned()
            }
            release => format!("as Apache YuniKorn {release}"),
        };
        let _written = writeln!(text, "{:10} {what}", profile.name());
    }
    let _written =
        writeln!(text, "\n{} switches; `kornsole profiles --diff 1.8.0 1.9.0` compares two releases.", SWITCHES.len());
    text
}

/// Where two profiles differ, switch by switch.
pub fn difference(from: Profile, to: Profile) -> String {
    let mut text = String::new();
    for row in SWITCHES.iter().filter(|row| row.parts(from, to)) {
        let _written =
            writeln!(text, "{} ({})\n  {from:9} {}\n  {to:9} {}", row.name, row.rule, row.of(from), row.of(to));
    }
    if text.is_empty() {
        text = format!("{from} and {to} make the same decisions\n");
    }
    text
}

/// The table of `docs/profiles.md`. `=` means: like the cell to its left.
pub fn table() -> String {
    let mut text =
        "| switch | rule | 1.5.1 | 1.8.0 | 1.9.0 | kornsole | test |\n|---|---|---|---|---|---|---|\n".to_owned();
    for row in SWITCHES {
        let _written =
            writeln!(text, "| `{}` | {} | {} | {} |", row.name.replace(", ", "`, `"), row.rule, cells(row), test(row));
    }
    text
}

fn cells(row: &SwitchRow) -> String {
    let mut left = "";
    let cells = ORDER.map(|profile| {
        let words = row.of(profile);
        if words == left {
            return "=";
        }
        left = words;
        words
    });
    cells.join(" | ")
}

fn test(row: &SwitchRow) -> String {
    let (file, function) = row.test.split_once("::").unwrap_or((row.test, ""));
    format!("[{function}](../{file})")
}
