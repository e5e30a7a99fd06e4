//! The audit of orders to a cluster, on this machine: `$XDG_STATE_HOME/kornsole/CONTEXT/audit.jsonl`, a line of JSON for each order.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::kube::Cluster;
use crate::view::act::{Actor, Done, Order, Refusal};
use crate::view::audit::action;

/// Notes an order and its result. An entry that cannot be written is in the log; the order stands.
pub fn note(cluster: &Cluster, actor: &Actor, order: &Order, outcome: &Result<Done, Refusal>) {
    let Some(file) = file(&cluster.context().name) else { return };
    let (result, why) = match outcome {
        Ok(_) if order.act.is_dry_run() => return,
        Ok(_) => ("done", String::new()),
        Err(refusal) => ("refused", refusal.to_string()),
    };
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let line = json!({
        "at": u64::try_from(at).unwrap_or(u64::MAX), "user": actor.identity.user, "groups": actor.identity.groups,
        "action": action(&order.act), "object": order.act.object(), "reason": order.reason, "outcome": result, "why": why,
        "server": cluster.context().server, "enforceAcl": cluster.enforces_acl(),
    });
    if let Err(error) = append(&file, &format!("{line}\n")) {
        tracing::warn!("{}: the audit cannot be written: {error}", file.display());
    }
}

fn append(file: &Path, line: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(file)?.write_all(line.as_bytes())
}

/// The file of a context, whose name may have characters that no file has.
fn file(context: &str) -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state")))?;
    Some(state.join("kornsole").join(folder_name(context)).join("audit.jsonl"))
}

fn folder_name(context: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '.') { c } else { '_' };
    let name: String = context.chars().map(safe).collect();
    // Neither the folder itself nor the one above.
    if name.chars().all(|c| c == '.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_with_slashes_stays_below_its_folder() {
        assert_eq!(folder_name("arn:aws:eks/prod"), "arn_aws_eks_prod");
        assert_eq!(folder_name(".."), "_..");
        assert_eq!(folder_name("me@x"), "me@x");
    }
}
