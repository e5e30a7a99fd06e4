//! Read-only requests: server, caller, permissions, draining queues, explanations, and placement previews.

use std::sync::Arc;
use std::time::Instant;

use super::{NativeRequest, Reply, body};
use model::Profile;
use view::act::{Code, Details, FoundFault, Refusal};
use view::placement::Request;
use view::waiting::{Asked, Finding, Question};
use view::{PartitionView, View};
use wire::convert::{explain as explanations, native as convert, placement as placements};
use wire::dto::native as dto;

const FEATURES: [&str; 15] = [
    "kill",
    "move",
    "config",
    "placement",
    "explain",
    "fairness",
    "whatif",
    "workload",
    "draining",
    "quotas",
    "cleanup",
    "events",
    "audit",
    "usage",
    "alerts",
];

impl NativeRequest {
    pub(super) fn view(&self) -> Arc<View> {
        self.native.engine.published().view()
    }
}

/// Finds the partition of a path, case-sensitively.
pub(super) fn partition<'v>(view: &'v View, name: &str) -> Result<&'v PartitionView, Refusal> {
    let found = view.partitions.iter().find(|part| *part.name == *name);
    found.ok_or_else(|| Refusal::not_found("partition", name))
}

pub(super) fn server(request: &NativeRequest) -> Reply {
    let options = &request.native.options;
    let auth = match (&options.tokens, options.require_token) {
        (_, true) => "required",
        (Some(_), false) => "optional",
        (None, false) => "none",
    };
    Reply::ok(&dto::ServerInfo {
        product: "kornsole".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api: 1,
        core: options.profile.to_string(),
        compat: if options.profile == Profile::V1_9_0 { Profile::V1_9_0 } else { Profile::V1_8_0 }.to_string(),
        instance_uuid: request.native.engine.events().instance().to_string(),
        start_time: request.native.wall.start(),
        auth: auth.to_owned(),
        tls: options.tls,
        read_only: options.read_only || options.standby.is_some(),
        paused: request.view().paused,
        features: FEATURES
            .iter()
            .copied()
            .chain(options.shadow.is_some().then_some("shadow"))
            .map(str::to_owned)
            .collect(),
    })
}

pub(super) fn whoami(request: &NativeRequest) -> Reply {
    let who = &request.who;
    Reply::ok(&dto::Whoami {
        authenticated: who.authenticated,
        user: who.actor.identity.user.clone(),
        groups: who.actor.identity.groups.clone(),
        scheduler_admin: who.actor.scheduler_admin,
        read_only: who.actor.read_only.is_some(),
        token_expires: who.expires,
    })
}

pub(super) fn permissions(request: &NativeRequest) -> Result<Reply, Refusal> {
    let view = request.view();
    let part = partition(&view, request.parameter(0))?;
    Ok(Reply::ok(&convert::permissions(part, &request.who.actor.identity, request.who.actor.scheduler_admin)))
}

pub(super) fn draining(request: &NativeRequest) -> Result<Reply, Refusal> {
    let view = request.view();
    let part = partition(&view, request.parameter(0))?;
    Ok(Reply::ok(&convert::draining(&view, part, &request.native.wall)))
}

pub(super) async fn quotas(request: &NativeRequest) -> Result<Reply, Refusal> {
    let (view, name, wall) = (request.view(), request.parameter(0).to_owned(), request.native.wall);
    partition(&view, &name)?;
    in_background(request, move || Ok(Reply::ok(&convert::quotas(partition(&view, &name)?, view.at, &wall)))).await?
}

pub(super) async fn explain(request: &NativeRequest) -> Result<Reply, Refusal> {
    let of = Asked::App(request.parameter(1).into(), request.query("key").map(Into::into));
    explained(request, of).await
}

/// The causes of all pending requests, or those of a queue.
pub(super) async fn waiting(request: &NativeRequest) -> Result<Reply, Refusal> {
    let below = request.query("queue").filter(|queue| !queue.is_empty());
    explained(request, Asked::Waiting(below.map(|queue| queue.into()))).await
}

async fn explained(request: &NativeRequest, of: Asked) -> Result<Reply, Refusal> {
    let view = request.view();
    let part = partition(&view, request.parameter(0))?;
    let question = Question { partition: Arc::clone(&part.name), of };
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let answer = move |outcome| {
        let _ = sender.send(outcome);
    };
    request.native.engine.explain(question, Box::new(answer));
    let wall = &request.native.wall;
    Ok(match receiver.await.unwrap_or_else(|_| Err(Refusal::stopped()))? {
        Finding::App(found) => Reply::ok(&explanations::explained(&found, wall)),
        Finding::Waiting(found) => Reply::ok(&explanations::waiting(&found, wall)),
    })
}

pub(super) async fn fairness(request: &NativeRequest) -> Result<Reply, Refusal> {
    let (view, name) = (request.view(), request.parameter(0).to_owned());
    partition(&view, &name)?;
    let wall = request.native.wall;
    let work = move || {
        let part = partition(&view, &name)?;
        let rows = part.fairness(&view.history, view.at);
        Ok(Reply::ok(&explanations::fairness(&rows, &part.limits_used(), &wall)))
    };
    in_background(request, work).await?
}

pub(super) async fn placement(request: &NativeRequest) -> Result<Reply, Refusal> {
    let question: dto::PlacementQuestion = body::json(&request.body.bytes)?;
    let (profile, group) = (request.native.options.profile, request.native.options.policy_group.clone());
    let (view, name) = (request.view(), request.parameter(0).to_owned());
    partition(&view, &name)?;
    let work = move || {
        let view = match &question.config {
            None => view,
            Some(text) => tried(text, &group, profile)?,
        };
        let part = partition(&view, &name)?;
        let dto::PlacementQuestion { user, groups, queue, tags, .. } = &question;
        let admission = part.preview(&Request { queue, user, groups, tags }, None);
        Ok(Reply::ok(&placements::Answer::of(part, &admission)))
    };
    in_background(request, work).await?
}

/// Runs work outside of the client threads, with limited parallelism.
///
/// # Errors
/// The server is stopping.
pub(super) async fn in_background<T: Send + 'static>(
    request: &NativeRequest,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    let (native, peer) = (Arc::clone(&request.native), request.peer);
    let timed = move || {
        let started_at = Instant::now();
        let done = work();
        native.work.note(peer, started_at.elapsed());
        done
    };
    in_background_untimed(timed).await
}

/// Like [`in_background`], for work that measures its own time.
///
/// # Errors
/// The server is stopping.
pub(super) async fn in_background_untimed<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|error| match error.try_into_panic() {
        // The panic layer answers it.
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Refusal::stopped(),
    })
}

/// A view with only a configuration.
fn tried(text: &str, group: &str, profile: model::Profile) -> Result<Arc<View>, Refusal> {
    let read = config::read_file(text.as_bytes(), group, profile);
    let config = read.config.ok_or_else(|| invalid(&read.faults))?;
    View::of_config(Arc::new(config), profile)
        .map_err(|why| Refusal::new(Code::ConfigInvalid, "the configuration cannot be loaded", why))
}

pub(super) fn invalid(faults: &[config::Fault]) -> Refusal {
    let first = faults.iter().find(|fault| fault.severity == config::Severity::Error);
    let first = first.map(ToString::to_string).unwrap_or_default();
    let details = Details { faults: faults.iter().map(FoundFault::from).collect(), ..Details::default() };
    Refusal::new(Code::ConfigInvalid, "the configuration is not valid", first).with(details)
}
