//! The second line: where one is at the left; how the list is sorted and filtered, and how long it is, at the right.
//!
//! ```text
//!  Queues › root.tenants.tenant-a.etl › etl-1                      sort age ▲   filter k1 hides 6   2 asks
//! ```
//!
//! When narrow, the sort goes first, then the filter (its text is in the list of what is hidden), then the beginning of the path.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::console::draw::pen::Pen;
use crate::console::present::format;
use crate::console::present::limits;
use crate::console::present::pieces;
use crate::console::present::pieces::{Piece, dim, piece, plain};
use crate::console::present::text;
use crate::console::present::words::draining;
use crate::console::state::State;
use crate::console::state::column::Column;
use crate::console::state::page::{Account, AccountPage, AppPage, AppsPage, Listing, Page, Subject};
use crate::console::theme::Role;
use crate::view::{QueueRow, Side};

/// Draws the second line.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let crumbs = crumbs(state);
    let crumb_width: usize = crumbs.iter().map(|crumb| text::width(&text::escape(crumb)) + 3).sum();
    let room = usize::from(area.width).saturating_sub(2);
    let facts = facts(pen, state);
    let mut right: Vec<Piece> = Vec::new();
    for fact in facts.into_iter().rev() {
        let wide = pieces::width(&fact) + 3;
        if pieces::width(&right) + wide + crumb_width.min(room * 2 / 5) > room {
            break;
        }
        if !right.is_empty() {
            right.insert(0, plain("   "));
        }
        right.splice(0..0, fact);
    }
    let right_width = u16::try_from(pieces::width(&right)).unwrap_or(0);
    pen.pieces_right(area.right().saturating_sub(right_width + 1), area.y, right_width, &right);
    let left = area.width.saturating_sub(right_width + 4);
    trail(pen, Rect { x: area.x + 1, width: left, ..area }, &crumbs);
}

/// The crumbs that fit: the last one whole, the end of the one before it, and all when there is room for all.
fn trail(pen: &mut Pen<'_>, area: Rect, crumbs: &[String]) {
    let wide = |crumb: &String| text::width(&text::escape(crumb));
    let room = usize::from(area.width);
    let all: usize = crumbs.iter().map(|crumb| wide(crumb) + 3).sum();
    let last = crumbs.last().map_or(0, wide);
    let rest = room.saturating_sub(last + 3);
    let from = match crumbs.len() {
        len if all <= room + 3 || len < 2 => 0,
        len if rest >= 8 => len - 2,
        len => len - 1,
    };
    let shown = &crumbs[from..];
    let mut x = area.x;
    for (at, crumb) in shown.iter().enumerate() {
        if at > 0 {
            x += pen.pieces(x, area.y, 3, &[plain(" "), dim(pen.signs().crumb), plain(" ")]);
        }
        let here = at + 1 == shown.len();
        let most =
            if here || all <= room + 3 { area.right().saturating_sub(x) } else { u16::try_from(rest).unwrap_or(0) };
        x += pen.path(x, area.y, most, crumb, if here { Role::Title } else { Role::Dim });
    }
}

/// Where one is, from the widest to the nearest.
fn crumbs(state: &State) -> Vec<String> {
    // Pages of the first row stand for themselves; what is opened from the queues stands behind them.
    let first = match state.pages.get(1) {
        Some(Page::Apps(page)) if page.scope.is_none() => 1,
        Some(Page::Nodes(_) | Page::Users(_) | Page::Placement(_)) => 1,
        _ => 0,
    };
    let mut crumbs = Vec::new();
    for (at, page) in state.pages.iter().enumerate().skip(first) {
        crumbs.push(match page {
            Page::Queues(_) => "Queues".to_owned(),
            Page::Apps(page) if page.draining => "Draining".to_owned(),
            Page::Apps(page) => page.scope.as_ref().map_or_else(|| "Applications".to_owned(), ToString::to_string),
            Page::App(page) => page.id.to_string(),
            Page::Nodes(_) => "Nodes".to_owned(),
            Page::Node(page) => page.id.to_string(),
            Page::Users(_) => "Users & groups".to_owned(),
            Page::Account(page) => account(&page.account),
            Page::Details(page) => match (&page.subject, at) {
                (Subject::Queue(path) | Subject::Access(path), _) => path.to_string(),
                (Subject::App(row) | Subject::Why(row), _) => row.id.to_string(),
                (Subject::Node(id), _) => id.to_string(),
                (Subject::Account(of), _) => account(of),
                (Subject::Health(_), _) => "Health".to_owned(),
                (Subject::Partitions, _) => "Partitions".to_owned(),
                (Subject::Info, _) => "This console".to_owned(),
                (Subject::Event(record), _) => record.object.to_string(),
                (Subject::History(None), _) => "History".to_owned(),
                (Subject::History(Some(path)), _) => path.to_string(),
                (Subject::Entry(entry), _) => format!("{} {}", entry.action, entry.object),
                (Subject::Revision(number), _) => format!("revision {number}"),
                (Subject::Compare(old, new), _) => format!("revision {old} to {new}"),
            },
            Page::Placement(_) => "Placement".to_owned(),
            Page::Config(_) => "Configuration".to_owned(),
            Page::Change(page) => page.queue.to_string(),
            Page::Events(_) => "Events".to_owned(),
            Page::Audit(_) => "Audit".to_owned(),
            Page::Revisions(_) => "History of configurations".to_owned(),
        });
        if let Page::App(page) = page
            && matches!(
                state.pages.get(at.wrapping_sub(1)),
                Some(Page::Queues(_)) | Some(Page::Apps(AppsPage { scope: None, .. }))
            )
            && let Some(row) = &page.row
        {
            crumbs.insert(crumbs.len() - 1, row.queue.to_string());
        }
        match page {
            Page::Details(page) => crumbs.push(
                match page.subject {
                    Subject::Why(_) => "why here",
                    Subject::Access(_) => "access",
                    Subject::History(Some(_)) => "history",
                    Subject::Health(_) | Subject::History(None) | Subject::Partitions | Subject::Info => "",
                    Subject::Event(_) => "event",
                    Subject::Revision(_) | Subject::Compare(..) => "",
                    _ => "details",
                }
                .to_owned(),
            ),
            Page::Change(page) => crumbs.push(page.kind.title().to_owned()),
            Page::Placement(page) => crumbs.extend(page.against.name().map(str::to_owned)),
            Page::Events(page) => crumbs.extend(page.about.as_ref().map(ToString::to_string)),
            Page::Config(page) => {
                let file = page.base.as_ref().and_then(|base| base.file.as_ref()).and_then(|file| file.file_name());
                crumbs.extend(file.map(|name| name.to_string_lossy().into_owned()));
            }
            _ => {}
        }
    }
    // A rejected application has no queue.
    crumbs.retain(|crumb| !crumb.is_empty());
    crumbs.dedup();
    crumbs
}

/// What is worth saying of the list, the least important first.
fn facts(pen: &Pen<'_>, state: &State) -> Vec<Vec<Piece>> {
    match state.page() {
        Page::Queues(page) => {
            let mut count = count(&page.list, "queue");
            if !page.list.filter.is_empty() {
                // Queues above those that match are shown, and not counted, as while the filter is written.
                let matched = page.list.rows.iter().filter(|line| line.matched).count();
                let all = format::count(page.list.total as u64, "queue");
                count = vec![plain(format!("{matched} of {all}")), dim(format!(", {} hidden", page.list.hidden()))];
            }
            if page.draining > 0 {
                count.push(piece(Role::StateDraining, format!(", {} draining", page.draining)));
            }
            vec![sort(pen, &page.list), filter(pen, &page.list), count]
        }
        Page::Apps(page) if page.draining => {
            let queues = state.cluster.part().map(draining).unwrap_or_default();
            let (view, now) = (&state.cluster.view, state.cluster.at);
            let since = |row: &Arc<QueueRow>| {
                let stuck = if view.is_stuck(row, now) { ", stuck" } else { "" };
                format!("{} {}{stuck}", row.path, format::duration(now.since(row.state_since)))
            };
            let mut message: Vec<String> = queues.iter().take(3).map(|row| since(row)).collect();
            if queues.len() > 3 {
                message.push(format!("{} more", queues.len() - 3));
            }
            let message = if message.is_empty() {
                dim("no queue drains")
            } else {
                piece(Role::StateDraining, message.join(", "))
            };
            vec![filter(pen, &page.list), count_apps(pen, state, page), vec![message]]
        }
        Page::Apps(page) => {
            let mut count = count_apps(pen, state, page);
            if page.ended {
                count.push(dim(", ended ones too"));
            }
            vec![sort(pen, &page.list), filter(pen, &page.list), count]
        }
        Page::App(page) => {
            let mut facts = vec![sort(pen, &page.list), filter(pen, &page.list)];
            facts.extend(of_app(state, page));
            facts
        }
        Page::Nodes(page) => vec![sort(pen, &page.list), filter(pen, &page.list), count(&page.list, "node")],
        Page::Node(page) => {
            let mut facts = vec![sort(pen, &page.list), filter(pen, &page.list)];
            let kept = page.row.as_ref().and_then(|row| crate::console::present::details::node::kept_for(row));
            facts.push(count(&page.list, "allocation"));
            facts.extend(kept.map(|kept| vec![piece(Role::StateWaiting, format!("reserved for {kept}"))]));
            facts
        }
        Page::Users(page) => {
            let count = count_of(&page.list, format!("{} users and groups", page.list.total));
            vec![sort(pen, &page.list), filter(pen, &page.list), count]
        }
        Page::Account(page) => vec![filter(pen, &page.list), waiting(page), binding(page)],
        Page::Details(_) => Vec::new(),
        Page::Placement(page) => crate::console::present::placement::facts(state, page),
        Page::Config(page) => crate::console::present::config_pane::facts(state, page),
        Page::Audit(page) => {
            let all = count(&page.list, "act");
            let mut facts = vec![sort(pen, &page.list), filter(pen, &page.list), all];
            facts.extend(crate::console::present::lists::audit::facts(state, page));
            facts
        }
        Page::Revisions(page) => {
            let mut facts = vec![sort(pen, &page.list), filter(pen, &page.list), count(&page.list, "revision")];
            facts.extend(crate::console::present::lists::revisions::facts(page));
            facts
        }
        Page::Change(page) => crate::console::present::change::facts(page),
        Page::Events(page) => {
            let follow = if page.follow { piece(Role::Good, "following") } else { dim("f follows") };
            vec![sort(pen, &page.list), filter(pen, &page.list), vec![follow], count(&page.list, "event")]
        }
    }
}

/// How many applications are marked, and how many of those are over.
fn marked(state: &State) -> Option<Piece> {
    Some(match crate::console::present::guard::bulk::counted(state) {
        (0, 0) => return None,
        (0, _) => piece(Role::Warning, ", what was marked is over"),
        (live, 0) => piece(Role::Accent, format!(", {live} marked")),
        (live, over) => piece(Role::Accent, format!(", {live} marked, {over} over")),
    })
}

/// A user or a group with what it is: `user sue`.
fn account(account: &Account) -> String {
    let name = limits::name(account.side, &account.name);
    if account.side == Side::Group && &*account.name == "*" {
        name
    } else {
        format!("{} {name}", limits::kind(account.side))
    }
}

fn waiting(page: &AccountPage) -> Vec<Piece> {
    match page.waiting {
        0 => vec![dim("nothing waits for it")],
        1 => vec![piece(Role::StateWaiting, "1 application waits")],
        more => vec![piece(Role::StateWaiting, format!("{more} applications wait"))],
    }
}

/// The queues whose limits let nothing more in.
fn binding(page: &AccountPage) -> Vec<Piece> {
    let Some(row) = &page.row else { return vec![dim("not in this partition")] };
    let full: Vec<String> = row
        .limits(page.account.side)
        .filter(|limit| limit.is_full())
        .map(|limit| limit.queue.name().to_owned())
        .collect();
    match full.len() {
        0 => vec![dim("no limit binds")],
        1 => vec![piece(Role::Danger, format!("{} binds", full[0]))],
        _ => vec![piece(Role::Danger, format!("{} bind", full.join(", ")))],
    }
}

/// The application that the page is about: how many of its asks are allocated, who submitted it, its state.
fn of_app(state: &State, page: &AppPage) -> Vec<Vec<Piece>> {
    let Some(row) = &page.row else { return vec![vec![dim("not in this partition")]] };
    let since = row.log.last().map_or(row.submitted, |change| change.at);
    let ended = row.state.is_ended();
    let age = state.cluster.at.since(if ended { row.finished.unwrap_or(since) } else { since });
    let allocated = row.asks.len().saturating_sub(row.pending_asks as usize);
    vec![
        vec![dim(format!("{allocated} of {}", format::count(row.asks.len() as u64, "ask")))],
        vec![plain(row.who.to_string())],
        vec![
            crate::console::present::lists::apps::state_piece(row.state),
            dim(format!(" {}{}", format::duration(age), if ended { " ago" } else { "" })),
        ],
    ]
}

fn sort<R, I, C: Column>(pen: &Pen<'_>, list: &Listing<R, I, C>) -> Vec<Piece> {
    let sign = if list.sort.descending { pen.signs().descending } else { pen.signs().ascending };
    vec![dim("sort "), plain(list.sort.column.name()), plain(" "), dim(sign)]
}

fn filter<R, I, C: Column>(pen: &Pen<'_>, list: &Listing<R, I, C>) -> Vec<Piece> {
    if list.filter.is_empty() {
        return vec![dim("filter "), dim(pen.signs().none)];
    }
    vec![dim("filter "), piece(Role::Accent, list.filter.clone())]
}

/// How many applications; an ellipsis stands for what is still being counted.
fn count_apps(pen: &Pen<'_>, state: &State, page: &AppsPage) -> Vec<Piece> {
    let (list, more) = (&page.list, pen.signs().ellipsis);
    let mut count = match (list.awaited, list.built.is_some()) {
        (false, _) => count(list, "application"),
        (true, false) => vec![dim(more), plain(" applications")],
        (true, true) => vec![dim(more), plain(format!(" of {}", format::count(list.total as u64, "application")))],
    };
    count.extend(marked(state));
    count
}

fn count<R, I, C: Column>(list: &Listing<R, I, C>, noun: &str) -> Vec<Piece> {
    count_of(list, format::count(list.total as u64, noun))
}

fn count_of<R, I, C: Column>(list: &Listing<R, I, C>, all: String) -> Vec<Piece> {
    if list.filter.is_empty() {
        return vec![plain(all)];
    }
    vec![plain(format!("{} of {all}", list.rows.len())), dim(format!(", {} hidden", list.hidden()))]
}
