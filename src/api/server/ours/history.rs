//! What was: the configurations that were in force (E5), and who did what (E11).

use std::sync::Arc;

use axum::body::Bytes;

use super::permit::lacks;
use super::read::{beside, invalid};
use super::{Asked, Reply, body};
use crate::api::convert::{ledger as convert, ours};
use crate::api::dto::ledger as dto;
use crate::config::{self, Config};
use crate::view::act::{Act, ChangeLine, Code, Configured, Done, Order, Refusal};
use crate::view::audit::{AuditQuery, Revision};

/// How many are told when nobody says how many.
const SOME: usize = 50;
/// The most that are told at once.
const MOST: usize = 1000;

/// How many are asked for.
fn limit(asked: &Asked) -> Result<usize, Refusal> {
    Ok(number(asked, "limit")?.map_or(SOME, |limit| usize::try_from(limit).unwrap_or(MOST)).clamp(1, MOST))
}

fn number(asked: &Asked, name: &str) -> Result<Option<u64>, Refusal> {
    let read = |text: &str| text.parse().map_err(|_| body::wrong("query", format!("{name}: {text:?} is no number")));
    asked.query(name).map(read).transpose()
}

/// The configurations that were in force, the newest first, without their texts.
pub(super) fn list(asked: &Asked) -> Result<Reply, Refusal> {
    let audit_log = asked.ours.engine.audit_log();
    let current = audit_log.revisions(None, 1).first().map(|newest| newest.number);
    let revisions = audit_log.revisions(number(asked, "before")?, limit(asked)?);
    let told = |revision: &Arc<Revision>| convert::revision(revision, current, &asked.ours.wall);
    Ok(Reply::ok(&dto::Revisions { revisions: revisions.iter().map(told).collect() }))
}

/// One of them, or what it changed against another one.
pub(super) async fn one(asked: &Asked) -> Result<Reply, Refusal> {
    let revision = find(asked, asked.parameter(0))?;
    if let Some(other) = asked.query("diff") {
        let other = find(asked, other)?;
        return compare(asked, &other, &revision).await;
    }
    let etag = Some(revision.checksum.clone());
    if asked.flag("raw") {
        let body = Bytes::from(text(&revision)?.to_string());
        return Ok(Reply { status: axum::http::StatusCode::OK, body, kind: "application/yaml; charset=utf-8", etag });
    }
    text(&revision)?;
    Ok(Reply {
        etag,
        ..Reply::ok(&convert::old_configuration(&revision, &asked.ours.options.policy_group, &asked.ours.wall))
    })
}

fn find(asked: &Asked, name: &str) -> Result<Arc<Revision>, Refusal> {
    let number = name.parse().map_err(|_| Refusal::not_found("revision", name))?;
    asked.ours.engine.audit_log().revision(number).ok_or_else(|| Refusal::not_found("revision", name))
}

fn text(revision: &Revision) -> Result<&Arc<str>, Refusal> {
    let missing = || Refusal::not_found("text of revision", &revision.number.to_string());
    revision.text.as_ref().ok_or_else(missing)
}

/// What is different in the second of two, and whether whoever asks may make such a change.
async fn compare(asked: &Asked, old: &Revision, new: &Revision) -> Result<Reply, Refusal> {
    let (profile, group) = (asked.ours.options.profile, asked.ours.options.policy_group.clone());
    let texts = (Arc::clone(text(old)?), Arc::clone(text(new)?));
    let work = move || {
        let read = |text: &str| -> Result<Config, Refusal> {
            let read = config::read_file(text.as_bytes(), &group, profile);
            read.config.ok_or_else(|| invalid(&read.faults))
        };
        Ok(config::diff(&read(&texts.0)?, &read(&texts.1)?))
    };
    let diff = beside(work).await??;
    let touched = diff.touches().into_iter().map(|(partition, queue)| (partition.to_owned(), queue));
    let done = Configured {
        checksum: new.checksum.clone(),
        previous: old.checksum.clone(),
        changes: diff.changes.iter().map(ChangeLine::from).collect(),
        touches: touched.collect(),
        outside: diff.touches_partitions(),
        ..Configured::default()
    };
    let missing = lacks(asked, &done);
    Ok(Reply::ok(&ours::config_diff(&done, missing)))
}

/// Brings one back.
pub(super) async fn roll_back(asked: &Asked) -> Result<Reply, Refusal> {
    let dto::Rollback { revision, reason } = body::json(&asked.body.bytes)?;
    let base = asked.header("if-match").map(|value| value.trim().trim_matches('"').to_owned());
    let reason = reason.or_else(|| asked.header("kornsole-reason").map(str::to_owned)).unwrap_or_default();
    let act = Act::Rollback { revision, base, dry_run: asked.flag("dryRun") };
    let outcome = asked.ours.perform(&asked.who, Order { act, reason }).await;
    let code = outcome.as_ref().err().map_or("OK", |refusal| refusal.code.name());
    tracing::info!(user = asked.who.actor.user(), act = "roll the configuration back", revision, code, "order");
    match outcome? {
        Done::Configured(done) => {
            let in_force = if done.dry_run { done.previous.clone() } else { done.checksum.clone() };
            Ok(Reply { etag: Some(in_force), ..Reply::ok(&ours::configured(&done)) })
        }
        _ => Err(Refusal::new(Code::Unavailable, "the scheduler answered something else", "")),
    }
}

/// Who did what, the newest first. Who is not in the scheduler ACL sees what he did himself (E1).
pub(super) fn audit(asked: &Asked) -> Result<Reply, Refusal> {
    let actor = &asked.who.actor;
    let only = (!actor.scheduler_admin).then(|| actor.user().to_owned());
    let wanted = |name: &str| asked.query(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let user = wanted("user");
    let hidden = only.as_ref().is_some_and(|only| user.as_ref().is_some_and(|user| user != only));
    let query = AuditQuery {
        before: number(asked, "before")?,
        limit: if hidden { 0 } else { limit(asked)? },
        user: only.clone().or(user),
        action: wanted("action"),
        object: wanted("object"),
    };
    let entries = asked.ours.engine.audit_log().entries(&query);
    let entries = entries.iter().map(|entry| convert::audit_entry(entry, &asked.ours.wall)).collect();
    Ok(Reply::ok(&dto::Audit { entries, only }))
}
