//! `kornsole token new|list|revoke`: tokens of the REST API (`rest.md` E1).

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};

use super::fail;
use config::properties::parse_duration;
use model::Identity;
use server::auth::{self, NewToken};
use wire::dto::time::rfc3339;

/// The arguments of `kornsole token`.
#[derive(Args, Clone, Debug)]
pub struct TokenArgs {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum TokenCommand {
    /// Create a token, print it once, and store its hash
    New(NewArgs),
    /// List the tokens of a file, without their secrets
    List(FileArgs),
    /// Remove a token from a file
    Revoke {
        /// Token ID, from `kornsole token list`
        id: String,
        #[command(flatten)]
        file: FileArgs,
    },
}

#[derive(Args, Clone, Debug)]
struct FileArgs {
    /// File with tokens; the option --tokens of a server reads it
    #[arg(long, value_name = "FILE", default_value = "tokens.yaml")]
    file: PathBuf,
}

#[derive(Args, Clone, Debug)]
struct NewArgs {
    /// User of the token
    #[arg(long, value_name = "NAME")]
    user: String,
    /// Groups of the user, the primary group first [default: a group with the user name]
    #[arg(long = "group", value_name = "NAME", value_delimiter = ',')]
    groups: Vec<String>,
    /// Lifetime, for example 720h [default: no expiry]
    #[arg(long, value_name = "DURATION", value_parser = span)]
    expires: Option<Duration>,
    /// Allow no changes with this token
    #[arg(long)]
    read_only: bool,
    /// Purpose of the token
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    #[command(flatten)]
    file: FileArgs,
}

fn span(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "expected a duration, for example 30m, 24h, or 720h".to_owned())
}

/// Runs the command.
pub fn run(args: &TokenArgs) -> ExitCode {
    let outcome = match &args.command {
        TokenCommand::New(new) => make(new),
        TokenCommand::List(file) => list(file),
        TokenCommand::Revoke { id, file } => {
            auth::revoke(&file.file, id).map(|token| format!("{} of {} is revoked\n", token.id, token.identity))
        }
    };
    match outcome {
        Ok(text) => {
            // The reader may have closed the pipe.
            let _ = super::printed::out().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => fail(&why, 1),
    }
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}

fn make(args: &NewArgs) -> Result<String, String> {
    let NewArgs { user, groups, expires, read_only, note, file } = args;
    if user.is_empty() {
        return Err("missing user; use --user NAME".to_owned());
    }
    let groups = if groups.is_empty() { vec![user.clone()] } else { groups.clone() };
    let nanos = |span: &Duration| now().saturating_add(i64::try_from(span.as_nanos()).unwrap_or(i64::MAX));
    let identity = Identity { user: user.clone(), groups };
    let NewToken { secret, token } = NewToken::make(identity, expires.as_ref().map(nanos), *read_only, note)?;
    auth::add(&file.file, token)?;
    Ok(format!("{secret}\n"))
}

fn list(args: &FileArgs) -> Result<String, String> {
    let mut text = String::new();
    for token in auth::list(&args.file)? {
        let expires = match token.expires {
            Some(at) if token.is_over(now()) => format!("  expired {}", rfc3339(at)),
            Some(at) => format!("  until {}", rfc3339(at)),
            None => String::new(),
        };
        let read_only = if token.read_only { "  read only" } else { "" };
        let note = if token.note.is_empty() { String::new() } else { format!("  {}", token.note) };
        text += &format!("{}  {}{read_only}{expires}{note}\n", token.id, token.identity);
    }
    Ok(text)
}
