//! Details of a user or a group.

use crate::present::blocker;
use crate::present::details::sheet::{Sheet, labeled, labeled_text, labelled_pieces};
use crate::present::format;
use crate::present::limits;
use crate::present::pieces::{Lines, dim, piece, plain};
use crate::present::place::Source;
use crate::state::State;
use crate::state::page::{Account, LineId, Page};
use crate::theme::{Role, Symbols};
use view::{LimitUse, QueueUsageRow};

/// The sheet of a user or a group.
pub fn sheet(state: &State, account: &Account, width: usize, symbols: &Symbols) -> Sheet {
    let title = vec![piece(Role::Title, limits::name(account.side, &account.name))];
    let kind = limits::kind(account.side);
    let Some(row) = state.cluster.part().and_then(|part| part.usage_of(account.side, &account.name)) else {
        return Sheet { title, what: vec![dim(format!("{kind} without active applications"))], ..Sheet::default() };
    };
    let groups = match state.page() {
        Page::Users(page) => page.groups_of(account).to_vec(),
        Page::Account(page) if page.account == *account => page.groups.clone(),
        _ => state.cluster.part().map_or_else(Vec::new, |part| limits::groups_of(part, account)),
    };
    let all = state.cluster.part().map_or_else(Vec::new, |part| limits::counting(part, (account.side, row), &groups));
    let source = Source::of(state);
    let mut left = Lines::new();
    let bind = state.cluster.part().map_or_else(Vec::new, |part| blocker::binding(part, account, &all));
    binding(&mut left, source, (account, &bind), width, symbols);
    waiting(&mut left, state, account, width);
    usage(&mut left, row.queues.first());
    let mut right = Lines::new();
    for (at, limit) in all.iter().enumerate() {
        let owner =
            if limit.side == account.side { String::new() } else { format!("{}, ", limits::owner(limit, true)) };
        let text = format!("{owner}{}", limits::place(limit, Some(source)));
        labeled_text(&mut right, if at == 0 { "limits" } else { "" }, &text, width, Role::Dim);
        labelled_pieces(&mut right, "", &[vec![plain("  ")], limits::use_pieces(limit, symbols)].concat(), width);
    }
    if all.is_empty() {
        labeled(&mut right, "limits", vec![dim(format!("none where this {kind} has applications"))]);
    }
    Sheet { title, what: vec![dim(kind)], left, right }
}

fn binding(
    lines: &mut Lines,
    source: Source<'_>,
    (account, bind): (&Account, &[LimitUse]),
    width: usize,
    symbols: &Symbols,
) {
    let mut label = "at limit";
    for limit in bind {
        let owner =
            if limit.side == account.side { String::new() } else { format!("{}, ", limits::owner(limit, true)) };
        labeled_text(lines, label, &format!("{owner}{}", limits::place(limit, Some(source))), width, Role::Danger);
        label = "";
        labelled_pieces(lines, "", &[vec![plain("  ")], limits::use_pieces(limit, symbols)].concat(), width);
        if !limit.limit.description.is_empty() {
            labeled_text(lines, "", &limit.limit.description, width, Role::Dim);
        }
    }
    if label == "at limit" {
        labeled(lines, label, vec![dim("no limit is reached")]);
    }
}

fn waiting(lines: &mut Lines, state: &State, account: &Account, width: usize) {
    let Page::Account(page) = state.page() else { return };
    if page.account != *account {
        return;
    }
    let apps = page.list.rows.iter().filter_map(|line| match &line.id {
        LineId::App(id) => Some(format!("{id} ({})", format::count(u64::from(line.asks), "request"))),
        LineId::Queue(_) | LineId::Group(..) => None,
    });
    let apps: Vec<String> = apps.take(8).collect();
    let more = if page.waiting > apps.len() { ", and more" } else { "" };
    let text = if apps.is_empty() { "nothing".to_owned() } else { format!("{}{more}", apps.join(", ")) };
    labeled_text(lines, "waits for it", &text, width, Role::Text);
}

fn usage(lines: &mut Lines, root: Option<&QueueUsageRow>) {
    let Some(root) = root else { return };
    let used = format::resource(&root.allocated);
    labeled(lines, "uses", vec![if used.is_empty() { dim("nothing") } else { plain(used) }]);
    let running = format::count(root.running.len() as u64, "application");
    labeled(lines, "runs", vec![plain(running), dim(format!(" of {} active", root.apps))]);
}
