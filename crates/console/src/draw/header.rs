//! The header with the cluster.
//!
//! A badge before the name marks a frozen or outdated screen; the reason replaces the name.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::board;
use crate::present::format;
use crate::present::link::{Problem, problem};
use crate::present::meter::Meter;
use crate::present::pieces;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::text;
use crate::present::unknown;
use crate::state::{Cluster, State};
use crate::theme::Role;
use model::{Identity, MEMORY, VCORE};
use source::{Link, SourcePlace, StalePart};
use view::units::show_amount;

/// Draws the header in one or two lines.
pub fn draw(pen: &mut Pen<'_>, state: &State, area: Rect) {
    let who = vec![plain(who(&state.cluster.identity, usize::from(area.width)))];
    let who_width = pieces::width(&who).min(usize::from(area.width) / 3);
    let who_columns = u16::try_from(who_width).unwrap_or(0);
    pen.pieces_right(area.right() - 1 - who_columns, area.y, who_columns, &who);
    let space = area.width.saturating_sub(who_columns + 4);
    if area.height >= 2 {
        pen.pieces(area.x + 1, area.y, space, &source_pieces(pen, state, usize::from(space)));
        let metrics = fitting(pen, state, usize::from(area.width) - 2);
        pen.pieces(area.x + 1, area.y + 1, area.width - 2, &metrics);
        return;
    }
    if board::is_shown(state) && state.size.height >= 20 {
        // The gauges show the other values.
        let nodes = board::nodes(state, pen.symbols());
        let left = usize::from(space).saturating_sub(pieces::width(&nodes) + 2);
        let mut all = source_pieces(pen, state, left);
        all.push(plain("  "));
        all.extend(nodes);
        let at = board::at(state);
        if pieces::width(&all) + pieces::width(&at) <= usize::from(space) {
            all.extend(at);
        }
        pen.pieces(area.x + 1, area.y, space, &all);
        return;
    }
    // On one line the values follow the name (up to two fifths); they leave space for the enforcement badge without
    // meters, and for the reason of outdated data in their shortest form.
    let remaining = |words| usize::from(space).saturating_sub(pieces::width(&metrics(pen, state, 0, words)) + 3);
    let space_of_source = match problem(&state.cluster.link).is_some() || !state.cluster.stale.is_empty() {
        true => remaining(false),
        false if !is_enforced(&state.cluster) => remaining(true),
        false => usize::from(space) * 2 / 5,
    };
    let mut left = source_pieces(pen, state, space_of_source);
    left.push(plain("   "));
    let used = pieces::width(&left);
    left.extend(fitting(pen, state, usize::from(space).saturating_sub(used)));
    pen.pieces(area.x + 1, area.y, space, &left);
}

fn who(identity: &Identity, width: usize) -> String {
    let whole = identity.to_string();
    if text::width(&whole) <= width / 4 || identity.groups.len() < 2 {
        return whole;
    }
    format!("{} ({})", identity.user, format::count(identity.groups.len() as u64, "group"))
}

fn is_enforced(cluster: &Cluster) -> bool {
    cluster.about.place != SourcePlace::Machine { enforced: false }
}

fn source_pieces(pen: &Pen<'_>, state: &State, space: usize) -> Vec<Piece> {
    let cluster = &state.cluster;
    let mut pieces = vec![match cluster.about.place {
        SourcePlace::Embedded => piece(Role::BadgeEmbedded, " EMBEDDED "),
        SourcePlace::Remote => piece(Role::BadgeRemote, " REMOTE "),
        SourcePlace::Machine { .. } => piece(Role::BadgeEmbedded, " THIS MACHINE "),
        SourcePlace::Saved => piece(Role::BadgeFrozen, " SAVED "),
        SourcePlace::WhatIf => piece(Role::BadgeWhatIf, " WHAT IF "),
    }];
    if !is_enforced(cluster) {
        // The page `info` explains it.
        pieces.extend([plain(" "), piece(Role::BadgeFrozen, " CPU, MEM NOT ENFORCED ")]);
    }
    if let Some(since) = cluster.frozen {
        pieces.push(plain(" "));
        let age = format::duration(state.now.saturating_sub(since));
        pieces.push(piece(Role::BadgeFrozen, format!(" FROZEN {age} ")));
    }
    for (is, badge) in [(cluster.newest.paused, " PAUSED "), (cluster.read_only().is_some(), " READ ONLY ")] {
        if is {
            pieces.extend([plain(" "), piece(Role::BadgeFrozen, badge)]);
        }
    }
    if let Some(part) = oldest(&cluster.stale).filter(|_| cluster.link.is_live()) {
        let more = if cluster.stale.len() > 1 { ", and more" } else { "" };
        pieces.push(plain(" "));
        pieces.push(piece(Role::BadgeStale, format!(" {} OLD: {}{more} ", format::duration(part.age), part.what)));
    }
    let mut badges = pieces::width(&pieces);
    if let Some(Problem { badge, story, again }) = problem(&cluster.link) {
        pieces.push(plain(" "));
        pieces.push(piece(Role::BadgeStale, badge));
        pieces.push(plain("  "));
        let host = cluster.about.name.rsplit(", ").next().unwrap_or_default();
        let story = story.strip_prefix(host).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(&story);
        let left = space.saturating_sub(pieces::width(&pieces) + text::width(&again));
        pieces.push(piece(Role::Error, text::cut(&text::escape(story), left, pen.symbols().ellipsis).into_owned()));
        let again = if story.is_empty() || left == 0 { again.trim_start_matches(", ").to_owned() } else { again };
        pieces.push(piece(Role::Error, again));
        badges = pieces::width(&pieces).min(space);
    } else if let Link::Live { rtt: Some(rtt) } = &cluster.link {
        pieces.push(dim(format!(" {}ms", rtt.as_millis())));
        badges = pieces::width(&pieces);
    }
    let part = cluster.part().map_or_else(|| pen.symbols().none.to_owned(), |part| part.name.to_string());
    let partition = [dim("  "), dim(part)];
    let behind = pieces::width(&partition);
    // The host keeps a few letters while the partition is shown.
    let least = port(cluster).map_or(0, |(host, port)| text::width(port) + text::width(host).min(12) + 2);
    let behind = if badges + behind + least <= space { behind } else { 0 };
    pieces.push(plain("  "));
    let left = (space - behind).saturating_sub(pieces::width(&pieces));
    pieces.push(plain(name(cluster, left, pen.symbols().ellipsis)));
    cut_to(&mut pieces, space - behind, pen.symbols().ellipsis);
    if behind > 0 {
        pieces.extend(partition);
    }
    pieces
}

/// Seconds between parts that became outdated for the same reason.
const TOGETHER: u64 = 15;

/// Returns the oldest part. Of parts that became outdated together it is the first: pods are before the objects they
/// refer to.
fn oldest(stale: &[StalePart]) -> Option<&StalePart> {
    let oldest = stale.iter().map(|part| part.age.as_secs()).max()?;
    stale.iter().find(|part| part.age.as_secs() + TOGETHER >= oldest)
}

/// Cuts the host, not the port: on one machine the port identifies the scheduler.
fn name(cluster: &Cluster, space: usize, ellipsis: &str) -> String {
    let name = text::escape(&cluster.about.name).into_owned();
    match port(cluster) {
        Some((host, port)) if text::width(&name) > space && text::width(port) + 2 <= space => {
            format!("{}{port}", text::cut(&text::escape(host), space - text::width(port), ellipsis))
        }
        _ => name,
    }
}

/// The part before the port, and `:PORT`.
fn port(cluster: &Cluster) -> Option<(&str, &str)> {
    let name = &cluster.about.name;
    let at = name.rfind(':').filter(|_| cluster.about.place == SourcePlace::Remote)?;
    let (host, port) = name.split_at(at);
    port[1..].chars().all(|c| c.is_ascii_digit()).then_some((host, port))
}

fn cut_to(pieces: &mut Vec<Piece>, space: usize, ellipsis: &str) {
    let mut used = 0;
    for piece in pieces.iter_mut() {
        let shown = text::escape(&piece.text).into_owned();
        let cut = text::cut(&shown, space.saturating_sub(used), ellipsis).into_owned();
        used += text::width(&cut);
        piece.text = cut.into();
    }
    pieces.retain(|piece| !piece.text.is_empty());
}

fn fitting(pen: &Pen<'_>, state: &State, space: usize) -> Vec<Piece> {
    let forms = [(12, true), (10, true), (8, true), (6, true), (4, true), (0, true), (0, false)];
    let all = forms.map(|(meter, words)| metrics(pen, state, meter, words));
    let longest = all.iter().find(|pieces| pieces::width(pieces) <= space);
    longest.unwrap_or(&all[forms.len() - 1]).clone()
}

fn metrics(pen: &Pen<'_>, state: &State, meter: u16, words: bool) -> Vec<Piece> {
    let gap = || plain(if words { "  " } else { " " });
    let Some(part) = state.framed_part() else {
        return vec![dim(state.cluster.why_no_part())];
    };
    let mut pieces = vec![match state.cluster.unread.nodes && part.nodes.is_empty() {
        true => dim(format!("{} nodes", pen.symbols().none)),
        false => plain(format::count(part.nodes.len() as u64, "node")),
    }];
    for name in [VCORE, MEMORY] {
        let (used, all) = (board::used(part, name), part.capacity.get(name));
        let level = Meter { used, base: all, guaranteed: None };
        pieces.extend([gap(), dim(format!("{} ", format::resource_name(name)))]);
        let [lost_used, lost_all] = [true, false].map(|used| unknown::of_partition(part, used, name).is_some());
        if meter > 0 && !lost_used && !lost_all {
            pieces.extend(level.pieces(meter, pen.symbols()));
            pieces.push(plain(" "));
        }
        let shown =
            piece(if level.role() == Role::UsageNormal { Role::Text } else { level.role() }, show_amount(name, used));
        pieces.push(if lost_used { unknown::cell(pen.symbols()) } else { shown });
        let all = all.filter(|_| !lost_all).map(|all| show_amount(name, all));
        let none = if lost_all { pen.symbols().none } else { pen.symbols().nothing };
        let all = all.unwrap_or_else(|| none.to_owned());
        pieces.push(dim(if words { format!(" of {all}") } else { format!("/{all}") }));
    }
    pieces.extend([gap(), plain(format::rate(state.framed().allocation_rate))]);
    pieces.push(dim(if words { " alloc/s" } else { "/s" }));
    pieces
}
