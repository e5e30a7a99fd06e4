//! Before `kornsole kill`: effects, confirmation, and suspension of owners.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::act::{KillArgs, connect, escape_lines};
use super::apply::answer;
use super::{Ended, note_on_stderr};
use cluster::kube::Cluster;
use console::present::text::escape;
use model::AppId;
use source::remote::once::Once;
use view::act::{PodEnd, Reason, Refusal};
use view::kubernetes::{Chain, OwnerObject};

const FEW: usize = 5;
const PERIOD: Duration = Duration::from_millis(200);

/// A line on the terminal counts deleted pods.
pub(super) fn counted<T>(once: &mut Once, app: &str, run: impl FnOnce(&mut Once) -> T) -> T {
    let cluster = once.cluster().filter(|_| std::io::stderr().is_terminal());
    let Some(cluster) = cluster else { return run(once) };
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let line = scope.spawn(|| count(&cluster, app, &ended));
        let done = run(once);
        ended.store(true, Ordering::Relaxed);
        line.thread().unpark();
        done
    })
}

fn count(cluster: &Cluster, app: &str, ended: &AtomicBool) {
    let mut shown = false;
    while !ended.load(Ordering::Relaxed) {
        std::thread::park_timeout(PERIOD);
        let (done, all) = cluster.deletions().so_far();
        if all > 0 && done < all {
            // A terminal error must not stop the command.
            let _written = write!(std::io::stderr(), "\r\x1b[2Kdeleting pods of {}: {done} of {all}", escape(app));
            shown = true;
        }
    }
    if shown {
        let _written = write!(std::io::stderr(), "\r\x1b[2K");
    }
}

pub(super) fn each_pod(pods: &[(String, PodEnd)]) -> String {
    let lines: String = pods.iter().map(|(pod, end)| format!("  {pod}: {end}\n")).collect();
    escape_lines(&lines)
}

pub(super) fn by_outcome(pods: &[(String, PodEnd)]) -> String {
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for (_, end) in pods {
        *outcomes.entry(end.word()).or_default() += 1;
    }
    let pods = |count: usize| if count == 1 { "1 pod".to_owned() } else { format!("{count} pods") };
    let lines: String = outcomes.iter().map(|(word, count)| format!("  {}: {word}\n", pods(*count))).collect();
    escape_lines(&lines)
}

pub(super) fn each_reason(reasons: &[Reason]) -> String {
    reasons.iter().map(|reason| format!("\n  {}", reason.text)).collect()
}

/// The first reason of each code is an example.
pub(super) fn reasons_by_outcome(reasons: &[Reason]) -> String {
    if reasons.len() <= FEW {
        return each_reason(reasons);
    }
    let mut codes: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for reason in reasons {
        codes.entry(reason.code.name()).or_insert((0, &reason.text)).0 += 1;
    }
    codes.iter().map(|(code, (count, first))| format!("\n  {count} {code}, for example {first}")).collect()
}

/// Returns the connection for the kill. Fails if unconfirmed, or if an owner cannot be suspended.
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

fn suspendable(chains: &[Chain]) -> Vec<OwnerObject> {
    let mut owners: Vec<OwnerObject> = chains.iter().flat_map(Chain::suspendable).cloned().collect();
    owners.retain(|owner| owner.suspended != Some(true));
    owners.sort();
    owners.dedup();
    owners
}

/// An owner that cannot be suspended would recreate the pods, so nothing is killed then.
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
                "note: {} is suspended; to undo: kubectl -n {namespace} patch {} {} --type=merge -p '{{\"spec\":{{\"suspend\":false}}}}'",
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

#[cfg(test)]
mod tests {
    use super::*;
    use view::act::Code;

    #[test]
    fn five_hundred_pods_are_a_line_for_each_outcome() {
        let end = |number: usize| match number {
            0..3 => PodEnd::Gone,
            3 => PodEnd::Retained("DaemonSet".to_owned()),
            _ => PodEnd::Deleted,
        };
        let pods: Vec<(String, PodEnd)> = (0..500).map(|number| (format!("a/p-{number}"), end(number))).collect();
        assert_eq!(
            by_outcome(&pods),
            "  496 pods: deletion started\n  1 pod: not deleted: it belongs to a DaemonSet\n  3 pods: was already deleted\n"
        );
        assert_eq!(each_pod(&pods).lines().count(), 500);
        assert!(each_pod(&pods).starts_with("  a/p-0: was already deleted\n"));
    }

    #[test]
    fn many_reasons_of_a_refusal_are_a_line_for_each_code() {
        let reason = |number: usize| Reason {
            code: if number == 0 { Code::NotFound } else { Code::AclDenied },
            queue: None,
            text: format!("a/p-{number}: stays"),
        };
        let reasons: Vec<Reason> = (0..500).map(reason).collect();
        let text = reasons_by_outcome(&reasons);
        assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), 2, "{text}");
        assert!(text.contains("499 ACL_DENIED, for example a/p-1: stays"), "{text}");
        assert_eq!(reasons_by_outcome(&reasons[..2]), each_reason(&reasons[..2]));
    }
}
