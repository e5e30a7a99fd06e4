//! `kornsole local console`: the console for the daemon of this machine.
//!
//! The daemon serves the REST API on loopback when the first console requests it, and shows nothing without a token. A
//! client gets its token through the socket for the user that the kernel reports.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;

use super::{Ended, SocketArgs, ask, code, unexpected};
use crate::cli::fail;
use crate::cli::look::LookArgs;
use crate::cli::serve;
use client::{Target, Token};
use config::SchedulerConfig;
use engine::Engine;
use local::daemon::TokenSource;
use local::wire::{Reply, Request};
use model::{Identity, Profile};
use server::auth::{self, NewToken};
use server::{Options, Server};
use source::Remote;
use source::local::LocalMachine;
use source::remote::RemoteOptions;

/// The validity of a token: longer than a console stays open without a pause.
const VALID_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The maximum number of tokens of a user; the oldest is removed.
const MOST_OF_ONE: usize = 16;
/// The maximum number of tokens of all users; above it, new ones are rejected, because a user cannot remove others.
const MOST: usize = 4096;

/// The arguments of `kornsole local console`.
#[derive(Args, Clone, Debug, Default)]
pub struct ConsoleArgs {
    /// Disable all commands that change the scheduler
    #[arg(long)]
    pub read_only: bool,
    /// The appearance options
    #[command(flatten)]
    pub look: LookArgs,
    /// The socket of the daemon
    #[command(flatten)]
    pub daemon: SocketArgs,
}

/// Shows the console for the scheduler of this machine.
pub fn run(args: &ConsoleArgs) -> ExitCode {
    let (options, personal) = match args.look.read() {
        Ok(read) => read,
        Err(report) => return fail(&report.message, report.code),
    };
    code(attached(args).and_then(|remote| match console::run(Arc::new(remote), options, personal) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(Ended::refused(format!("{error:#}"))),
    }))
}

/// Shows the console for a running daemon, of this user or of the machine. `None` if none answers.
pub fn run_found(args: &ConsoleArgs) -> Option<ExitCode> {
    args.daemon.connect().is_ok().then(|| run(args))
}

/// Whether a daemon of this machine answers.
pub fn is_running() -> bool {
    SocketArgs::default().connect().is_ok()
}

fn attached(args: &ConsoleArgs) -> Result<LocalMachine, Ended> {
    let mut client = args.daemon.connect()?;
    let (Reply::Info(info), _) = ask(&mut client, &Request::Info)? else { return Err(unexpected()) };
    let (Reply::Endpoint { machine, url, token }, _) = ask(&mut client, &Request::Endpoint)? else {
        return Err(unexpected());
    };
    let refused = |why: &dyn std::fmt::Display| Ended::refused(why.to_string());
    let token = Token::new(&token).map_err(|why| refused(&why))?;
    let target = Target::new(&url).and_then(|target| target.with_token(token)).map_err(|why| refused(&why))?;
    let name = Some(format!("this machine, {machine}"));
    let options = RemoteOptions { read_only: args.read_only, name, ..RemoteOptions::default() };
    let (target, endpoint) = target.renewable();
    let remote = Remote::start(&target, options).map_err(|why| refused(&why))?;
    LocalMachine::new(args.daemon.path(), &info, remote, endpoint, args.read_only).map_err(|why| refused(&why))
}

/// The server starts with the first console.
pub(super) fn token_source(engine: &Arc<Engine>, config: &SchedulerConfig, dir: &Path) -> TokenSource {
    let (engine, tokens) = (Arc::downgrade(engine), dir.join("console-tokens"));
    // Tokens of an earlier daemon are for an obsolete address.
    let _ = std::fs::remove_file(&tokens);
    let mut options = Options::plain(([127, 0, 0, 1], 0).into(), Profile::Kornsole, config.event.clone());
    options.access.tokens = Some(tokens.clone());
    options.access.require_token = true;
    options.access.of_jobs = true;
    options.access.scheduler_acl = config.scheduler_acl.clone();
    options.access.owner = crate::cli::identity::of_process().user;
    options.policy_group.clone_from(&config.policy_group);
    let server: Mutex<Option<Server>> = Mutex::default();
    Box::new(move |who| {
        // One request at a time, because the limits are in the file.
        let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
        let token = given(&tokens, who)?;
        let running = match server.take() {
            Some(running) => running,
            None => {
                let engine = engine.upgrade().ok_or("the daemon is stopping")?;
                Server::start(options.clone(), engine).map_err(|why| why.to_string())?
            }
        };
        Ok((serve::url(server.insert(running)), token))
    })
}

fn given(file: &Path, who: &Identity) -> Result<String, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let until = i64::try_from((now + VALID_FOR).as_nanos()).ok();
    let known = auth::list(file)?;
    let own: Vec<_> = known.iter().filter(|token| token.identity.user == who.user).collect();
    let old = &own[..(own.len() + 1).saturating_sub(MOST_OF_ONE)];
    if known.len() - old.len() >= MOST {
        return Err(format!("too many consoles: the limit is {MOST} tokens of all users"));
    }
    for old in old {
        auth::revoke(file, &old.id)?;
    }
    let new = NewToken::make(who.clone(), until, false, "a console on this machine")?;
    auth::add(file, new.token)?;
    Ok(new.secret)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::DirBuilderExt as _;

    use super::*;

    #[test]
    fn a_user_with_many_consoles_logs_out_only_itself() {
        let dir = std::env::temp_dir().join(format!("kornsole-console-tokens-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&dir).unwrap();
        let file = dir.join("tokens.yaml");
        let (sue, bob) = (Identity::new("sue", ["staff"]), Identity::new("bob", ["staff"]));
        given(&file, &bob).unwrap();
        let bobs = auth::list(&file).unwrap()[0].id.clone();
        for _ in 0..250 {
            given(&file, &sue).unwrap();
        }
        let known = auth::list(&file).unwrap();
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(known.iter().any(|token| token.id == bobs), "bob is logged in");
        assert_eq!(known.iter().filter(|token| token.identity.user == "sue").count(), MOST_OF_ONE);
    }
}
