//! Records: revisions of the configuration (E5) and the audit (E11).

use std::sync::Arc;

use axum::body::Bytes;

use super::permission_checks::shortfall;
use super::read::{in_background, invalid};
use super::{NativeRequest, Reply, body};
use ::config::{self, Config};
use view::act::{Act, ChangeLine, Code, Configured, Done, Order, Refusal};
use view::audit::{AuditQuery, Revision};
use wire::convert::{audit as convert, native};
use wire::dto::audit as dto;

const SOME: usize = 50;
const MOST: usize = 1000;

fn limit(request: &NativeRequest) -> Result<usize, Refusal> {
    Ok(number(request, "limit")?.map_or(SOME, |limit| usize::try_from(limit).unwrap_or(MOST)).clamp(1, MOST))
}

fn number(request: &NativeRequest, name: &str) -> Result<Option<u64>, Refusal> {
    let read = |text: &str| text.parse().map_err(|_| body::wrong("query", format!("{name}: {text:?} is not a number")));
    request.query(name).map(read).transpose()
}

/// The revisions without texts, newest first.
pub(super) fn list(request: &NativeRequest) -> Result<Reply, Refusal> {
    let audit_log = request.native.engine.audit_log();
    let current = audit_log.revisions(None, 1).first().map(|newest| newest.number);
    let revisions = audit_log.revisions(number(request, "before")?, limit(request)?);
    let message = |revision: &Arc<Revision>| convert::revision(revision, current, &request.native.wall);
    Ok(Reply::ok(&dto::Revisions { revisions: revisions.iter().map(message).collect() }))
}

pub(super) async fn one(request: &NativeRequest) -> Result<Reply, Refusal> {
    let revision = find(request, request.parameter(0))?;
    if let Some(other) = request.query("diff") {
        let other = find(request, other)?;
        return compare(request, &other, &revision).await;
    }
    let etag = Some(revision.checksum.clone());
    if request.flag("raw") {
        let body = Bytes::from(text(&revision)?.to_string());
        return Ok(Reply { status: axum::http::StatusCode::OK, body, kind: "application/yaml; charset=utf-8", etag });
    }
    text(&revision)?;
    Ok(Reply {
        etag,
        ..Reply::ok(&convert::old_configuration(&revision, &request.native.options.policy_group, &request.native.wall))
    })
}

fn find(request: &NativeRequest, name: &str) -> Result<Arc<Revision>, Refusal> {
    let number = name.parse().map_err(|_| Refusal::not_found("revision", name))?;
    request.native.engine.audit_log().revision(number).ok_or_else(|| Refusal::not_found("revision", name))
}

fn text(revision: &Revision) -> Result<&Arc<str>, Refusal> {
    let missing = || Refusal::not_found("text of revision", &revision.number.to_string());
    revision.text.as_ref().ok_or_else(missing)
}

async fn compare(request: &NativeRequest, old: &Revision, new: &Revision) -> Result<Reply, Refusal> {
    let (profile, group) = (request.native.options.profile, request.native.options.policy_group.clone());
    let texts = (Arc::clone(text(old)?), Arc::clone(text(new)?));
    let work = move || {
        let read = |text: &str| -> Result<Config, Refusal> {
            let read = config::read_file(text.as_bytes(), &group, profile);
            read.config.ok_or_else(|| invalid(&read.faults))
        };
        Ok(config::diff(&read(&texts.0)?, &read(&texts.1)?))
    };
    let diff = in_background(request, work).await??;
    let touched = diff.touches().into_iter().map(|(partition, queue)| (partition.to_owned(), queue));
    let done = Configured {
        checksum: new.checksum.clone(),
        previous: old.checksum.clone(),
        changes: diff.changes.iter().map(ChangeLine::from).collect(),
        touches: touched.collect(),
        outside: diff.touches_partitions(),
        ..Configured::default()
    };
    let missing = shortfall(request, &done);
    Ok(Reply::ok(&native::config_diff(&done, missing, Vec::new())))
}

pub(super) async fn roll_back(request: &NativeRequest) -> Result<Reply, Refusal> {
    let dto::Rollback { revision, reason } = body::json(&request.body.bytes)?;
    let base = request.header("if-match").map(|value| value.trim().trim_matches('"').to_owned());
    let reason = reason.or_else(|| request.header("kornsole-reason").map(str::to_owned)).unwrap_or_default();
    let act = Act::Rollback { revision, base, dry_run: request.flag("dryRun") };
    let order = Order::new(act, reason).allowing(body::allowed_removal(request)?);
    let outcome = request.native.perform(&request.who, order).await;
    let code = outcome.as_ref().err().map_or("OK", |refusal| refusal.code.name());
    tracing::info!(user = request.who.actor.user(), act = "roll the configuration back", revision, code, "order");
    match outcome? {
        Done::Configured(done) => {
            let in_force = if done.dry_run { done.previous.clone() } else { done.checksum.clone() };
            Ok(Reply { etag: Some(in_force), ..Reply::ok(&native::configured(&done)) })
        }
        _ => Err(Refusal::new(Code::Unavailable, "unexpected response of the scheduler", "")),
    }
}

/// The audit, newest first. Callers outside of the scheduler ACL see only their own entries (E1).
pub(super) fn audit(request: &NativeRequest) -> Result<Reply, Refusal> {
    let actor = &request.who.actor;
    let only = (!actor.scheduler_admin).then(|| actor.user().to_owned());
    let wanted = |name: &str| request.query(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let user = wanted("user");
    let hidden = only.as_ref().is_some_and(|only| user.as_ref().is_some_and(|user| user != only));
    let query = AuditQuery {
        before: number(request, "before")?,
        limit: if hidden { 0 } else { limit(request)? },
        user: only.clone().or(user),
        action: wanted("action"),
        object: wanted("object"),
    };
    let entries = request.native.engine.audit_log().entries(&query);
    let entries = entries.iter().map(|entry| convert::audit_entry(entry, &request.native.wall)).collect();
    Ok(Reply::ok(&dto::Audit { entries, only }))
}
