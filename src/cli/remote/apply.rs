//! `kornsole apply`, and the confirmation of a configuration change.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rustix::termios::{QueueSelector, tcflush};

use super::act::{configured_json, connect, escape_lines, report};
use super::effects::{Effects, Texts};
use super::show::lines;
use super::{Ended, ServerArgs, exit, print};
use crate::cli::inputs::Unread;
use crate::cli::{inputs, printed};
use config::input::Found;
use config::{AllowedRemoval, Removal};
use source::remote::once::Once;
use view::act::{Act, ChangeLine, Configured, Done, FoundFault, Order, Refusal};

/// The maximum number of changes that are listed before the question.
const MOST_LISTED: usize = 20;

/// The arguments of `kornsole apply`.
#[derive(Args, Clone, Debug)]
pub struct ApplyArgs {
    /// Queue configuration, in any form that `check` reads; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The options of the change
    #[command(flatten)]
    pub change: ChangeArgs,
    /// The server to call
    #[command(flatten)]
    pub server: ServerArgs,
}

/// The options of all configuration changes.
#[derive(Args, Clone, Debug, Default)]
pub struct ChangeArgs {
    /// Checksum of the configuration to replace [default: the active one]
    #[arg(long, value_name = "CHECKSUM")]
    pub base: Option<String>,
    /// Show the effects only
    #[arg(long)]
    pub dry_run: bool,
    /// Do not request confirmation; required without a terminal
    #[arg(long)]
    pub yes: bool,
    /// Reason, recorded in the audit
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// The queues that it may remove
    #[command(flatten)]
    pub allowed: AllowedRemovalArgs,
}

/// The queues that a new configuration may remove.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct AllowedRemovalArgs {
    /// Accept an empty configuration, which removes every queue
    #[arg(long)]
    pub allow_empty: bool,
    /// Accept the removal of N queues
    ///
    /// kornsole rejects a configuration that removes more than half of the queues or every queue of a partition.
    #[arg(long, value_name = "N")]
    pub allow_removal: Option<usize>,
}

impl From<AllowedRemovalArgs> for AllowedRemoval {
    fn from(args: AllowedRemovalArgs) -> Self {
        Self { empty: args.allow_empty, queues: args.allow_removal }
    }
}

/// `kornsole apply`: applies a configuration, or shows the effects.
pub fn apply(args: &ApplyArgs) -> ExitCode {
    let run = || -> Result<(), Ended> {
        // An unreadable file is reported without contacting the server.
        if args.file != Path::new("-")
            && let Some(Err(Unread::Input(message))) = inputs::each(&args.file, config::DEFAULT_POLICY_GROUP).pop()
        {
            return Err(Ended { message, code: 1 });
        }
        let mut once = connect(&args.server)?;
        let now = once.configuration()?;
        let group = now.as_ref().map_or(config::DEFAULT_POLICY_GROUP, |now| now.policy_group.as_str());
        let file = inputs::one(&args.file, group).map_err(|message| Ended { message, code: 1 })?;
        // A kornsole server keeps a manifest; other schedulers get only the configuration.
        let whole = now.as_ref().is_some_and(|now| now.text != now.queues && now.config_map.is_none());
        let text = if whole { file.text.to_string() } else { file.queues().to_owned() };
        let name = file.name.display().to_string();
        let act = |base| Act::Configure { text: text.clone(), base, dry_run: true };
        let found = file.found.as_ref().filter(|_| !whole);
        let old = now.as_ref().map(|now| if whole { &now.text } else { &now.queues });
        let texts = old.map(|old| Texts { old, new: &text });
        change(&mut once, &args.change, args.server.client.json, &Sent { name: &name, found, act: &act, texts })
    };
    exit(run())
}

pub(super) struct Sent<'s> {
    pub name: &'s str,
    /// The configuration that is sent, if the text of that name only has it inside.
    pub found: Option<&'s Found>,
    /// The texts to compare, where they are known here.
    pub texts: Option<Texts<'s>>,
    pub act: &'s dyn Fn(Option<String>) -> Act,
}

/// A rejection for the command line, with all errors of the text and their locations.
fn refused(sent: &Sent<'_>, refusal: Refusal) -> Ended {
    let name = sent.name;
    let line = |fault: &FoundFault| {
        let FoundFault { at, severity, code, message, .. } = fault;
        let outer = sent.found.map_or(*at, |found| found.places.outer(*at));
        let inner = match sent.found.filter(|found| !found.places.keeps_lines()) {
            Some(found) => format!(" (line {} of {})", at.line, found.key),
            None => String::new(),
        };
        format!("\n{name}:{}:{}: {severity}[{code}]: {message}{inner}", outer.line, outer.column)
    };
    let faults: String = refusal.details.faults.iter().map(line).collect();
    let mut ended = Ended::from(refusal);
    ended.message.push_str(&escape_lines(&faults));
    ended
}

/// Changes a configuration: requests the effects, shows them, asks for confirmation, and applies it to the same base.
///
/// # Errors
/// The server or the user rejects it, or a confirmation is impossible.
pub(super) fn change(once: &mut Once, args: &ChangeArgs, json: bool, sent: &Sent<'_>) -> Result<(), Ended> {
    if !args.dry_run && !args.yes && !std::io::stdin().is_terminal() {
        let message = "cannot ask for confirmation without a terminal; use --yes, or --dry-run to see the effects";
        return Err(Ended { message: message.to_owned(), code: 2 });
    }
    let base = match &args.base {
        Some(base) => Some(base.clone()),
        None => {
            // On Kubernetes the scheduler's answer has another form than the ConfigMap.
            let of_map = once.cluster().is_some();
            let now = once.configuration()?.filter(|now| !of_map || now.config_map.is_some());
            now.map(|now| now.checksum.clone())
        }
    };
    let allowed = AllowedRemoval::from(args.allowed);
    let order = |act| Order::new(act, args.reason.as_str()).allowing(allowed);
    let mut order = order((sent.act)(base));
    if args.dry_run || !args.yes {
        let would = once.act(&order).map_err(|refusal| refused(sent, refusal))?;
        let Done::Configured(previewed) = &would else { return Err(Refusal::stopped().into()) };
        let effects = sent.texts.and_then(|texts| Effects::of(once, texts));
        if args.dry_run {
            print(&previewed_text(previewed, effects.as_ref(), &report(&would, false), json))?;
            warn_of(&previewed.removal, allowed);
            return Ok(());
        }
        if previewed.checksum != previewed.previous {
            show(previewed, effects.as_ref(), &report(&would, false));
            order.allowed = confirmed(previewed, allowed)?;
        }
    }
    order.act = order.act.for_real();
    let refusal = match once.act(&order) {
        Ok(done) => return print(&report(&done, json)).map(|_| ()),
        Err(refusal) => refusal,
    };
    if let Some(text) = refusal.details.put_back.clone().filter(|_| !args.yes && std::io::stdin().is_terminal()) {
        super::note_on_stderr(&escape_lines(&format!("error: {refusal}")));
        if ["y", "yes"].contains(&answer("restore the previous text in the ConfigMap? [y/N] ")?.as_str()) {
            return put_back(once, json, text);
        }
        return Err(Ended { message: "the ConfigMap is unchanged".to_owned(), code: 1 });
    }
    Err(refused(sent, refusal))
}

/// Restores the active text in the ConfigMap.
fn put_back(once: &mut Once, json: bool, text: String) -> Result<(), Ended> {
    let base = Some(config::checksum(text.as_bytes()));
    let act = Act::Configure { text, base, dry_run: false };
    let done = once.act(&Order::new(act, "restored: it did not become active"))?;
    print(&report(&done, json)).map(|_| ())
}

/// Warns if a dry run would be rejected.
fn warn_of(removal: &Removal, allowed: AllowedRemoval) {
    if !removal.passes(allowed) {
        super::note_on_stderr(&format!(
            "warning: the configuration would be rejected: {removal}; {}",
            removal.how_to_allow()
        ));
    }
}

fn previewed_text(would: &Configured, effects: Option<&Effects>, report: &str, json: bool) -> String {
    if !json {
        return format!("{report}{}", effects.map(Effects::text).unwrap_or_default());
    }
    let mut value = configured_json(would);
    if let Some(effects) = effects {
        effects.add_to(&mut value);
    }
    lines([value])
}

fn show(would: &Configured, effects: Option<&Effects>, report: &str) {
    if let Some(effects) = effects {
        return super::note_on_stderr(&format!("{}{}", report, effects.text().trim_end()));
    }
    let line = |change: &ChangeLine| {
        let place = change.queue.as_ref().map_or_else(|| change.partition.clone(), ToString::to_string);
        let value = |value: &Option<String>| value.as_deref().unwrap_or("nothing").to_owned();
        match (&change.from, &change.to) {
            (None, None) => format!("  {place}: {} {}\n", change.key, change.what.name()),
            (from, to) => format!("  {place}: {} {} -> {}\n", change.key, value(from), value(to)),
        }
    };
    let mut text: String = would.changes.iter().take(MOST_LISTED).map(line).collect();
    if would.changes.len() > MOST_LISTED {
        text.push_str(&format!("  and {} more changes\n", would.changes.len() - MOST_LISTED));
    }
    super::note_on_stderr(&format!("{}{}", escape_lines(&text), report.trim_end()));
}

/// Asks for confirmation; a large removal requires the number of removed queues. Returns the allowed removal.
fn confirmed(would: &Configured, allowed: AllowedRemoval) -> Result<AllowedRemoval, Ended> {
    let no = || Ended { message: "not confirmed; nothing was done".to_owned(), code: 1 };
    if would.removal.passes(allowed) {
        let yes = ["y", "yes"].contains(&answer("apply it? [y/N] ")?.as_str());
        return if yes { Ok(allowed) } else { Err(no()) };
    }
    let (removal, count) = (&would.removal, would.removal.queues);
    let typed = answer(&format!("{removal}. To confirm, type the number of removed queues: "))?;
    if typed != count.to_string() {
        return Err(no());
    }
    Ok(AllowedRemoval { empty: removal.empty, queues: Some(count) })
}

pub(super) fn answer(question: &str) -> Result<String, Ended> {
    let (stdin, mut err) = (std::io::stdin(), printed::err());
    // Keys that were typed before the question do not answer it: computing the effects can take seconds. Other input is
    // used.
    let _ = tcflush(&stdin, QueueSelector::IFlush);
    err.write_all(question.as_bytes()).and_then(|()| err.flush())?;
    let mut line = String::new();
    stdin.lock().read_line(&mut line)?;
    Ok(line.trim().to_lowercase())
}
