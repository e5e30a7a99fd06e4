//! The configuration: read, validated, compared, replaced (E5).

use axum::body::Bytes;

use super::permit::lacks;
use super::read::{beside, invalid};
use super::{Asked, Reply};
use crate::api::convert::{self as upstream, ours as convert};
use crate::api::dto;
use crate::config::{self, Reading};
use crate::view::act::{Act, Actor, Code, Done, Order, Refusal};

/// The configuration in force, as JSON or bare.
pub(super) fn get(asked: &Asked) -> Result<Reply, Refusal> {
    let view = asked.view();
    let configuration = view.configuration.as_ref();
    let configuration = configuration.ok_or_else(|| Refusal::not_found("configuration", "that was written down"))?;
    let etag = Some(configuration.checksum.clone());
    if asked.flag("raw") {
        let body = Bytes::from(configuration.text.to_string());
        return Ok(Reply { status: axum::http::StatusCode::OK, body, kind: "application/yaml; charset=utf-8", etag });
    }
    Ok(Reply { etag, ..Reply::ok(&convert::configuration(configuration, &asked.ours.wall)) })
}

/// Reads what was sent, beside the threads that talk to clients.
async fn read(asked: &Asked) -> Result<(String, Reading), Refusal> {
    let (profile, group) = (asked.ours.options.profile, asked.ours.options.policy_group.clone());
    let bytes = asked.body.bytes.clone();
    let work = move || {
        let reading = config::read_file(&bytes, &group, profile);
        (String::from_utf8_lossy(&bytes).into_owned(), reading)
    };
    beside(work).await
}

/// Whether a configuration is valid, with every fault.
pub(super) async fn validate(asked: &Asked) -> Result<Reply, Refusal> {
    let (text, reading) = read(asked).await?;
    Ok(Reply::ok(&dto::Validation {
        allowed: reading.is_valid(),
        checksum: config::checksum(text.as_bytes()),
        faults: upstream::faults(&reading.faults),
        ..dto::Validation::default()
    }))
}

/// What a configuration would change.
pub(super) async fn diff(asked: &Asked) -> Result<Reply, Refusal> {
    let (text, reading) = read(asked).await?;
    if !reading.is_valid() {
        return Err(invalid(&reading.faults));
    }
    let done = foreseen(asked, text).await?;
    let missing = lacks(asked, &done);
    Ok(Reply::ok(&convert::config_diff(&done, missing)))
}

/// What a configuration would lead to if whoever asks had every right.
pub(super) async fn foreseen(asked: &Asked, text: String) -> Result<crate::view::act::Configured, Refusal> {
    let base = asked.view().configuration.as_ref().map(|configuration| configuration.checksum.clone());
    let order = Order::from(Act::Configure { text, base, dry_run: true });
    let actor = Actor { scheduler_admin: true, read_only: None, ..asked.who.actor.clone() };
    let who = super::who::Who { actor, ..super::who::nobody(None) };
    match asked.ours.perform(&who, order).await? {
        Done::Configured(done) => Ok(*done),
        _ => Err(Refusal::stopped()),
    }
}

/// Brings a configuration into force.
pub(super) async fn put(asked: &Asked) -> Result<Reply, Refusal> {
    let base = asked.header("if-match").map(|value| value.trim().trim_matches('"').to_owned());
    let done = replace(asked, base).await?;
    let in_force = if done.dry_run { done.previous.clone() } else { done.checksum.clone() };
    Ok(Reply { etag: Some(in_force), ..Reply::ok(&convert::configured(&done)) })
}

/// Brings what was sent into force in the place of `base`.
pub(super) async fn replace(asked: &Asked, base: Option<String>) -> Result<crate::view::act::Configured, Refusal> {
    // What is not valid never gets to the scheduler's thread.
    let (text, reading) = read(asked).await?;
    let reason = asked.header("kornsole-reason").unwrap_or_default().to_owned();
    let order = Order { act: Act::Configure { text, base, dry_run: asked.flag("dryRun") }, reason };
    if !reading.is_valid() {
        return Err(asked.ours.refused(&asked.who, order, invalid(&reading.faults)).await);
    }
    let outcome = asked.ours.perform(&asked.who, order).await;
    let code = outcome.as_ref().err().map_or("OK", |refusal| refusal.code.name());
    tracing::info!(user = asked.who.actor.user(), act = "change the configuration", code, "order");
    match outcome? {
        Done::Configured(done) => Ok(*done),
        _ => Err(Refusal::new(Code::Unavailable, "the scheduler answered something else", "")),
    }
}
