//! Before `kornsole kill`: what it would do is shown and asked about, and the owners of pods are suspended where that is wanted.

use std::io::IsTerminal as _;

use super::act::{KillArgs, connect, escape_lines};
use super::apply::answer;
use super::{Ended, note_on_stderr};
use model::AppId;
use source::remote::once::Once;
use view::act::Refusal;
use view::kubernetes::{Chain, OwnerObject};

/// Asks, and suspends owners. Gives the connection to kill by.
///
/// # Errors
/// Somebody says no, or there is nobody to ask; an owner cannot be suspended.
pub(super) fn before(args: &KillArgs) -> Result<Once, Ended> {
    if !args.yes && !std::io::stdin().is_terminal() {
        let message = "cannot ask for confirmation without a terminal; use --yes".to_owned();
        return Err(Ended { message, code: 2 });
    }
    let mut once = connect(&args.order.server)?;
    if args.yes && !args.suspend_owners {
        return Ok(once);
    }
    let mut owners: Vec<(AppId, Vec<OwnerObject>)> = Vec::new();
    for id in &args.ids {
        let app = AppId::from(id.as_str());
        let (mut lines, chains) = once.kill_preview(&args.order.partition, &app)?;
        let found = suspendable(&chains);
        if args.suspend_owners {
            lines.extend(found.iter().map(|owner| format!("{} is suspended first", owner.words())));
            if found.is_empty() {
                lines.push("no owner of its pods can be suspended".to_owned());
            }
        }
        let text: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        note_on_stderr(escape_lines(&text).trim_end());
        owners.push((app, found));
    }
    let what = if let [one] = args.ids.as_slice() { one.clone() } else { format!("these {}", args.ids.len()) };
    if !args.yes && !["y", "yes"].contains(&answer(&format!("kill {what}? This cannot be undone. [y/N] "))?.as_str()) {
        return Err(Ended { message: "not confirmed; nothing was done".to_owned(), code: 1 });
    }
    for (app, owners) in owners.into_iter().filter(|(_, owners)| args.suspend_owners && !owners.is_empty()) {
        suspend(&mut once, args, &app, owners)?;
    }
    Ok(once)
}

/// What can be suspended of the owners and is not.
fn suspendable(chains: &[Chain]) -> Vec<OwnerObject> {
    let mut owners: Vec<OwnerObject> = chains.iter().flat_map(Chain::suspendable).cloned().collect();
    owners.retain(|owner| owner.suspended != Some(true));
    owners.sort();
    owners.dedup();
    owners
}

/// Suspends owners, and says how that is undone. One that cannot be suspended would make the pods again, so nothing is killed then.
fn suspend(once: &mut Once, args: &KillArgs, app: &AppId, owners: Vec<OwnerObject>) -> Result<(), Ended> {
    let done = once.suspend(&args.order.partition, app, owners, &args.order.reason).map_err(|refusal: Refusal| {
        let ended = Ended::from(refusal);
        Ended { message: format!("{}; no application was killed", ended.message), ..ended }
    })?;
    let mut failed = Vec::new();
    for one in done {
        let OwnerObject { namespace, name, .. } = &one.owner;
        match &one.why_not {
            None => note_on_stderr(&escape_lines(&format!(
                "{} is suspended; to undo: kubectl -n {namespace} patch {} {} --type=merge -p '{{\"spec\":{{\"suspend\":false}}}}'",
                one.owner.words(),
                name.kind.to_lowercase(),
                name.name
            ))),
            Some(why) => failed.push(format!("{}: {why}", one.owner.words())),
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Ended { message: format!("{}; no application was killed", failed.join("; ")), code: 1 })
}
