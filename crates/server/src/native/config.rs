//! The configuration: read, validated, compared, and replaced (E5).

use std::sync::Arc;

use axum::body::Bytes;

use super::permission_checks::shortfall;
use super::read::{in_background, invalid};
use super::{NativeRequest, Reply, body};
use ::config::{self, Config, Reading};
use model::Profile;
use view::act::{Act, Actor, ChangeLine, Code, Done, Order, Refusal};
use view::{QuotaForecast, View};
use wire::convert::{self as yunikorn, native as convert};
use wire::dto;

pub(super) fn get(request: &NativeRequest) -> Result<Reply, Refusal> {
    let view = request.view();
    let configuration = view.configuration.as_ref();
    let configuration = configuration.ok_or_else(|| Refusal::not_found("configuration", "that was recorded"))?;
    let etag = Some(configuration.checksum.clone());
    if request.flag("raw") {
        let body = Bytes::from(configuration.text.to_string());
        return Ok(Reply { status: axum::http::StatusCode::OK, body, kind: "application/yaml; charset=utf-8", etag });
    }
    Ok(Reply { etag, ..Reply::ok(&convert::configuration(configuration, &request.native.wall)) })
}

/// Parses the submitted configuration outside of the client threads.
async fn read(request: &NativeRequest) -> Result<(String, Reading), Refusal> {
    let (profile, group) = (request.native.options.profile, request.native.options.policy_group.clone());
    let bytes = request.body.bytes.clone();
    let work = move || {
        let reading = config::read_file(&bytes, &group, profile);
        (String::from_utf8_lossy(&bytes).into_owned(), reading)
    };
    in_background(request, work).await
}

pub(super) async fn validate(request: &NativeRequest) -> Result<Reply, Refusal> {
    let (text, reading) = read(request).await?;
    Ok(Reply::ok(&dto::Validation {
        allowed: reading.is_valid(),
        checksum: config::checksum(text.as_bytes()),
        faults: yunikorn::faults(&reading.faults),
        ..dto::Validation::default()
    }))
}

pub(super) async fn diff(request: &NativeRequest) -> Result<Reply, Refusal> {
    let (text, reading) = read(request).await?;
    let Some(config) = reading.config else { return Err(invalid(&reading.faults)) };
    let mut done = dry_run(request, text).await?;
    let (view, profile) = (request.view(), request.native.options.profile);
    let at = view.at;
    let forecasts = in_background(request, move || preempted(&view, config, profile)).await?;
    for (partition, forecast) in &forecasts {
        let (place, sentence) =
            (convert::named(partition, &forecast.queue), forecast.sentence(at, ToString::to_string));
        let of = |change: &&mut ChangeLine| {
            let queue = change.queue.as_ref().map(|queue| convert::named(&change.partition, queue));
            queue.as_ref() == Some(&place) && change.key.starts_with("resources.max")
        };
        for change in done.changes.iter_mut().filter(of) {
            change.effect =
                "no new allocations until usage is below the maximum; allocations above it are preempted".to_owned();
        }
        done.what_happens.push(format!("{place}: {sentence}"));
    }
    let missing = shortfall(request, &done);
    let wall = &request.native.wall;
    let preempted = forecasts.iter().map(|(partition, forecast)| dto::native::PreviewedQuota {
        partition: partition.to_string(),
        quota: convert::quota_forecast(forecast, wall),
    });
    Ok(Reply::ok(&convert::config_diff(&done, missing, preempted.collect())))
}

fn preempted(view: &View, config: Config, profile: Profile) -> Vec<(Arc<str>, QuotaForecast)> {
    let Ok(loaded) = View::of_config(Arc::new(config), profile) else { return Vec::new() };
    let mut forecasts = Vec::new();
    for part in &view.partitions {
        let Some(then) = loaded.partitions.iter().find(|then| then.name == part.name) else { continue };
        let starts = part.quota_effects(view.at, then).starts;
        forecasts.extend(starts.into_iter().map(|one| (Arc::clone(&part.name), one)));
    }
    forecasts
}

/// The result of a configuration, without a check of the caller's rights.
pub(super) async fn dry_run(request: &NativeRequest, text: String) -> Result<view::act::Configured, Refusal> {
    let base = request.view().configuration.as_ref().map(|configuration| configuration.checksum.clone());
    let order = Order::from(Act::Configure { text, base, dry_run: true });
    let actor = Actor { scheduler_admin: true, read_only: None, ..request.who.actor.clone() };
    let who = super::caller::Caller { actor, ..super::caller::anonymous(None) };
    match request.native.perform(&who, order).await? {
        Done::Configured(done) => Ok(*done),
        _ => Err(Refusal::stopped()),
    }
}

pub(super) async fn put(request: &NativeRequest) -> Result<Reply, Refusal> {
    let base = request.header("if-match").map(|value| value.trim().trim_matches('"').to_owned());
    let done = replace(request, base).await?;
    let in_force = if done.dry_run { done.previous.clone() } else { done.checksum.clone() };
    Ok(Reply { etag: Some(in_force), ..Reply::ok(&convert::configured(&done)) })
}

/// Applies the submitted configuration in place of `base`.
pub(super) async fn replace(request: &NativeRequest, base: Option<String>) -> Result<view::act::Configured, Refusal> {
    // An invalid configuration never reaches the scheduler's thread.
    let (text, reading) = read(request).await?;
    let reason = request.header("kornsole-reason").unwrap_or_default().to_owned();
    let act = Act::Configure { text, base, dry_run: request.flag("dryRun") };
    let order = Order::new(act, reason).allowing(body::allowed_removal(request)?);
    if !reading.is_valid() {
        return Err(request.native.enter_refusal(&request.who, order, invalid(&reading.faults)).await);
    }
    let outcome = request.native.perform(&request.who, order).await;
    let code = outcome.as_ref().err().map_or("OK", |refusal| refusal.code.name());
    tracing::info!(user = request.who.actor.user(), act = "change the configuration", code, "order");
    match outcome? {
        Done::Configured(done) => Ok(*done),
        _ => Err(Refusal::new(Code::Unavailable, "unexpected response of the scheduler", "")),
    }
}
