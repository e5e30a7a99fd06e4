//! The placement of an application, and the ACLs of a queue.

use std::sync::Arc;

use crate::present::details::sheet::{Sheet, gone, labeled, labeled_text};
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::place::Source;
use crate::present::walk;
use crate::state::State;
use crate::theme::{Role, Symbols};
use model::{Acl, QueuePath, QueueState};
use view::explain::AclKind;
use view::placement::access::Grant;
use view::placement::{RECOVERY_QUEUE, Record, access};
use view::{AppRow, PartitionView, QueueRow};

/// How an application was placed.
pub fn app(state: &State, row: &Arc<AppRow>, width: usize, symbols: &Symbols) -> Sheet {
    let part = state.cluster.part();
    let newer = part.and_then(|part| part.app(row.slot)).filter(|newer| newer.id == row.id);
    let row = newer.unwrap_or(row);
    let mut lines = Lines::new();
    labeled_text(&mut lines, "submitted by", &row.who.to_string(), width, Role::Text);
    let asked = if row.requested.is_empty() { "no queue" } else { &*row.requested };
    labeled_text(&mut lines, "requested", asked, width, Role::Text);
    for (at, (name, value)) in row.tags.iter().enumerate() {
        labeled_text(&mut lines, if at == 0 { "tags" } else { "" }, &format!("{name}={value}"), width, Role::Text);
    }
    lines.push(Vec::new());
    match &row.placement {
        Some(record) => arrived(&mut lines, row, record, part, width, symbols),
        None => {
            if let Some(message) = &row.message {
                labeled_text(&mut lines, "message", message, width, Role::Error);
            }
            lines.push(vec![dim("Its placement is unknown.")]);
        }
    }
    let what = vec![crate::present::lists::apps::state_piece(row.state)];
    Sheet { title: vec![piece(Role::Title, row.id.to_string())], what, left: lines, right: Lines::new() }
}

fn arrived(
    lines: &mut Lines,
    row: &AppRow,
    record: &Record,
    part: Option<&PartitionView>,
    width: usize,
    symbols: &Symbols,
) {
    // That time's template is unknown.
    let verdict = walk::verdict(&record.placement, None, width, symbols);
    lines.extend(verdict);
    let mut note = |text: String| labeled_text(lines, "note", &text, width, Role::Warning);
    if let Some(placed) = record.placement.placed()
        && placed.path != row.queue
    {
        note(format!("it was moved later, and is in {}", row.queue));
    }
    let same = part.is_none_or(|part| Arc::ptr_eq(&part.rules, &record.rules) || part.rules.same_as(&record.rules));
    if !same {
        note("these rules were replaced".to_owned());
    }
    lines.push(Vec::new());
    lines.extend(walk::lines(&record.lines(), width, symbols));
}

/// The rights with the granting queues (ACL-021, ACL-022).
pub fn access_to(state: &State, path: &QueuePath, width: usize, symbols: &Symbols) -> Sheet {
    let Some((part, row)) = state.cluster.part().and_then(|part| Some((part, part.queue_at(path)?))) else {
        return gone(path.to_string());
    };
    let source = Source::of(state);
    let mut lines = Lines::new();
    let mut note = |text: &str| labeled_text(&mut lines, "note", text, width, Role::Warning);
    if !row.leaf {
        note("a parent: accepts no applications; its lists apply to its children");
    }
    if let Some(draining) = part.path_up(row).find(|row| row.state == QueueState::Draining) {
        note(&format!("rejects applications: {} is draining", draining.path));
    }
    if path.as_str() == RECOVERY_QUEUE {
        note("users cannot submit here; forced applications without a matching rule are placed here");
    } else {
        who(&mut lines, (source, part), row, "may submit", &[AclKind::Submit, AclKind::Admin], width);
    }
    who(&mut lines, (source, part), row, "administers", &[AclKind::Admin], width);
    lines.push(Vec::new());
    let me = &state.cluster.identity;
    labeled_text(&mut lines, "you", &me.to_string(), width, Role::Text);
    for (label, grant) in
        [("  submit", access::submit(part, path.as_str(), me)), ("  admin", access::admin(part, path.as_str(), me))]
    {
        labeled(&mut lines, label, granted(grant, symbols));
    }
    let kind = if row.leaf { "leaf" } else { "parent" };
    let managed = if row.managed { "managed" } else { "dynamic" };
    let what = vec![dim(format!("access   {kind}, {managed}"))];
    Sheet { title: vec![piece(Role::Title, row.path.to_string())], what, left: lines, right: Lines::new() }
}

fn granted(grant: Option<Grant>, symbols: &Symbols) -> Vec<Piece> {
    match grant {
        Some(grant) => vec![piece(Role::Good, "yes"), plain(format!(", by {grant}"))],
        None => {
            vec![piece(Role::Error, format!("{} no", symbols.limit)), dim(", no access list on the path names you")]
        }
    }
}

fn who(
    lines: &mut Lines,
    (source, part): (Source<'_>, &PartitionView),
    row: &QueueRow,
    label: &str,
    kinds: &[AclKind],
    width: usize,
) {
    let mut label = label;
    let mut add = |lines: &mut Lines, text: &str| {
        labeled_text(lines, label, text, width, Role::Text);
        label = "";
    };
    let mut no_user = true;
    for queue in part.path_up(row) {
        for kind in kinds {
            let (acl, key) = match kind {
                AclKind::Submit => (&queue.settings.submit_acl, "submitacl"),
                AclKind::Admin => (&queue.settings.admin_acl, "adminacl"),
            };
            if acl.is_empty_list() {
                continue;
            }
            let place = queue.settings.at.and_then(|at| source.place(at));
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            no_user = false;
            add(lines, &format!("{}, by {key} of {}{place}", named(acl), queue.path));
        }
    }
    if no_user {
        add(lines, "no user: no queue of the path names users");
    }
}

fn named(acl: &Acl) -> String {
    if acl.all_users {
        return "all users".to_owned();
    }
    let groups = acl.groups.iter().map(|group| format!("group {group}"));
    acl.users.iter().cloned().chain(groups).collect::<Vec<_>>().join(", ")
}
