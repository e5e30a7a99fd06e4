//! The native API in `/kornsole/v1`.
//!
//! [`route`] matches a request, `caller` authenticates it, `idempotency` answers repeated changes. A change is an
//! operation for the engine, which checks all rights.
//!
//! Invariants:
//! - every answer is JSON with a request ID, every rejection as in E2;
//! - no CORS headers, and bodies need the correct content type, so browser pages cannot use this API;
//! - all data that clients can grow is bounded;
//! - tokens are never logged.

mod act;
mod alerts;
mod answer;
mod body;
mod caller;
mod config;
mod events;
mod history;
mod idempotency;
pub mod legacy_config;
mod openapi;
mod permission_checks;
mod read;
mod refused_attempts;
mod refused_budget;
pub mod route;
mod shadow;
mod stopwatch;
mod token_failures;
mod usage;
mod whatif;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use tokio::sync::watch;

use self::answer::{Reply, slowed};
use self::caller::Caller;
pub(super) use self::caller::{LAPSED, lapsed};
use self::idempotency::IdempotencyCache;
use self::refused_attempts::UnknownCallers;
use self::refused_budget::RefusedBudget;
use self::route::{Route, RouteMatch, Verb};
use self::token_failures::TokenFailures;
use super::budget::{Budget, RequestBody};
use super::listen::Streaming;
use super::work_budget::{self, WorkBudget};
use super::{Limits, reply};
use crate::auth::{TokenMark, Tokens};
use crate::options::Leader;
use ::alerts::alerting::Board;
use ::config::settings::EventConfig;
use engine::Host;
use model::{Acl, Profile};
use view::act::{Code, Details, Done, Order, Refusal};
use view::shadowed::ShadowSource;
use wire::convert::Wall;

const REQUEST_ID: HeaderName = HeaderName::from_static("kornsole-request-id");

/// The options of the native API.
#[derive(Debug)]
pub struct NativeOptions {
    /// The tokens; without them no changes are possible.
    pub tokens: Option<Tokens>,
    /// Whether everything requires a token.
    pub require_token: bool,
    /// Whether all changes are disabled.
    pub read_only: bool,
    /// The leader if this process is a read-only standby.
    pub standby: Option<Leader>,
    /// Whether applications are a daemon's jobs, which only the daemon may change.
    pub of_jobs: bool,
    /// The scheduler ACL, in addition to the owner of the process.
    pub scheduler_acl: Acl,
    /// The owner of the process.
    pub owner: String,
    /// Whether connections use TLS.
    pub tls: bool,
    /// The profile for configurations.
    pub profile: Profile,
    /// The entry of a manifest with the queue configuration.
    pub policy_group: String,
    /// The limits of event streams; one user counts like one address elsewhere.
    pub events: EventConfig,
    /// Limits of bodies and of unread answers.
    pub limits: Limits,
    /// The alerts, if evaluated.
    pub alerts: Option<Arc<Board>>,
    /// The results of a shadow, if this is one.
    pub shadow: Option<ShadowSource>,
}

/// The state of all handlers of the native API.
pub struct NativeApi {
    engine: Arc<dyn Host>,
    wall: Wall,
    options: NativeOptions,
    failures: TokenFailures,
    remembered: IdempotencyCache,
    unknown: UnknownCallers,
    refused: RefusedBudget,
    requests: AtomicU64,
    bodies: Arc<Budget>,
    /// Answers that clients have not read.
    answers: Arc<Budget>,
    /// Expensive work by address.
    pub(super) work: WorkBudget,
    running: whatif::Running,
    listeners: events::Listeners,
    ending: watch::Sender<bool>,
}

impl NativeApi {
    /// The native API for a scheduler.
    pub fn new(engine: Arc<impl Host + 'static>, wall: Wall, options: NativeOptions) -> Arc<Self> {
        let (failures, remembered, unknown, refused, running) = Default::default();
        let (listeners, ending) = (events::Listeners::new(&options.events), watch::channel(false).0);
        let (bodies, answers) = (Budget::of(options.limits.bodies), Budget::of(options.limits.answers));
        let (requests, work) = (AtomicU64::new(0), WorkBudget::of(options.limits.work));
        Arc::new(Self {
            engine,
            wall,
            options,
            failures,
            remembered,
            unknown,
            refused,
            requests,
            bodies,
            answers,
            work,
            running,
            listeners,
            ending,
        })
    }

    /// Ends the event streams because the server stops.
    pub(super) fn end_streams(&self) {
        self.ending.send_replace(true);
    }

    /// A request ID that is unique in this process.
    fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:x}-{number:06x}", self.wall.start())
    }

    /// Reads the tokens again.
    ///
    /// # Errors
    /// The tokens are unchanged.
    pub fn reload_tokens(&self) -> Result<(), String> {
        self.options.tokens.as_ref().map_or(Ok(()), Tokens::reload)
    }

    /// Checks access to the YuniKorn API; returns the mark of a required token.
    ///
    /// # Errors
    /// The answer.
    pub(super) async fn admit(&self, parts: (&HeaderMap, &Extensions)) -> Result<Option<TokenMark>, Box<Response>> {
        if !self.options.require_token {
            return Ok(None);
        }
        let (headers, extensions) = parts;
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
        match caller::has_token(self, headers, peer) {
            Ok(mark) => Ok(mark),
            Err(refusal) => Err(Box::new(slowed(self, &refusal, &self.request_id()).await)),
        }
    }

    /// Checks whether an address may start expensive work.
    ///
    /// # Errors
    /// The budget is exhausted.
    fn admit_work(&self, peer: IpAddr) -> Result<(), Refusal> {
        self.work.admit(peer).map_err(|seconds| {
            let details = Details { wait: Some(seconds), ..Details::default() };
            Refusal::new(Code::RateLimited, "not now", work_budget::TOO_MUCH).with(details)
        })
    }

    /// Records in the audit an operation that was rejected before the scheduler.
    async fn enter_refusal(&self, who: &Caller, order: Order, refusal: Refusal) -> Refusal {
        who.is_entered_now();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let answer = move |outcome| {
            // If the caller has disconnected, the entry remains.
            let _ = sender.send(outcome);
        };
        self.engine.refuse(who.actor.clone(), order, refusal, Box::new(answer));
        receiver.await.ok().and_then(Result::err).unwrap_or_else(Refusal::stopped)
    }

    async fn perform(&self, who: &Caller, order: Order) -> Result<Done, Refusal> {
        if self.options.of_jobs && act::is_of_a_resource_manager(&order.act) {
            let what = "applications are local jobs; only the job daemon can do this";
            let refusal = Refusal::new(Code::NotSupported, what, "use `kornsole submit` and `kornsole cancel`");
            return Err(self.enter_refusal(who, order, refusal).await);
        }
        if self.options.of_jobs && act::drains_without_reason(&order) {
            let why = "write a reason, which is shown for every pending job";
            let refusal = Refusal::new(Code::BadRequest, "cannot drain this machine: missing reason", why);
            return Err(self.enter_refusal(who, order, refusal).await);
        }
        who.is_entered_now();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let answer = move |outcome| {
            // If the caller has disconnected, the operation is still performed.
            let _ = sender.send(outcome);
        };
        self.engine.perform(who.actor.clone(), order, Box::new(answer));
        receiver.await.unwrap_or_else(|_| Err(Refusal::stopped()))
    }
}

/// All routes of the native API without its prefix.
pub fn routes(native: Arc<NativeApi>) -> Router {
    Router::new().fallback(answer).with_state(native)
}

struct NativeRequest {
    native: Arc<NativeApi>,
    who: Caller,
    route: &'static Route,
    peer: IpAddr,
    /// The parameters of the path, in order.
    parameters: Vec<String>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: RequestBody,
    /// The connection, which must know about a stream.
    connection: Option<Arc<Streaming>>,
}

impl NativeRequest {
    fn parameter(&self, at: usize) -> &str {
        self.parameters.get(at).map_or("", String::as_str)
    }

    fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is a dry run, as far as that can be parsed.
    fn is_dry_run(&self) -> bool {
        let body = || serde_json::from_slice::<serde_json::Value>(&self.body.bytes).ok();
        self.flag("dryRun") || body().is_some_and(|body| body["dryRun"] == serde_json::Value::Bool(true))
    }

    /// Whether a query parameter is present and not `false`.
    fn flag(&self, name: &str) -> bool {
        self.query(name).is_some_and(|value| value != "false")
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
    }
}

async fn answer(State(native): State<Arc<NativeApi>>, request: Request) -> Response {
    let request_id = native.request_id();
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let mut response = match routed(&native, parts, body, &request_id).await {
        Ok(response) => response,
        Err(refusal) => slowed(&native, &refusal, &request_id).await,
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED
        && let Ok(allowed) = HeaderValue::from_str(&route::allowed(&path))
    {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    if let Ok(id) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

async fn routed(native: &Arc<NativeApi>, parts: Parts, body: Body, request_id: &str) -> Result<Response, Refusal> {
    let (route, parameters) = match route::find(&parts.method, parts.uri.path()) {
        RouteMatch::Route(route, parameters) => (route, parameters),
        RouteMatch::OtherMethod => return Err(body::wrong("method", format!("{} is not accepted here", parts.method))),
        RouteMatch::Nothing => return Err(Refusal::not_found("endpoint", parts.uri.path())),
    };
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
    let query = route::query(parts.uri.query().unwrap_or_default());
    let who = match caller::of(native, &parts.headers, peer, route) {
        Ok(who) => who.in_request(request_id),
        Err(refusal) => {
            let anonymous = caller::anonymous(peer).in_request(request_id);
            return Err(native.enter(&anonymous, route, &parameters, refusal).await);
        }
    };
    let from = reply::peer(&parts.extensions);
    if route.changes()
        && let Some(limited) = native.refused.check(&who.actor)
    {
        return Err(native.enter_first(&who, route, &parameters, limited).await);
    }
    let tried = || query.iter().any(|(name, _)| ["dryRun", "diff"].contains(&name.as_str()));
    if route.is_expensive() || tried() {
        native.admit_work(from)?;
    }
    let body = match body::read(native, route, from, &parts.headers, body).await {
        Ok(body) => body,
        Err(refusal) => {
            native.charge(&who, route, 0);
            return Err(native.enter(&who, route, &parameters, refusal).await);
        }
    };
    let connection = parts.extensions.get::<Arc<Streaming>>().cloned();
    let (native, headers) = (Arc::clone(native), parts.headers);
    let request = NativeRequest { native, who, route, peer: from, parameters, query, headers, body, connection };
    if route.verb == Verb::EventStream {
        return events::stream(&request);
    }
    if !route.changes() {
        return handle(&request).await?.within(&request.native, from);
    }
    let key = request.header("idempotency-key").map(str::to_owned);
    match idempotency::once(&request, key.as_deref(), parts.uri.path()).await {
        Ok(reply) => reply.within(&request.native, from),
        Err(refusal) if request.is_dry_run() => Err(refusal),
        Err(refusal) => {
            request.native.charge(&request.who, route, request.body.bytes.len());
            Err(request.native.enter(&request.who, route, &request.parameters, refusal).await)
        }
    }
}

async fn handle(request: &NativeRequest) -> Result<Reply, Refusal> {
    match request.route.verb {
        Verb::Server => Ok(read::server(request)),
        Verb::Whoami => Ok(read::whoami(request)),
        Verb::OpenApi => Ok(Reply::ok(&openapi::document())),
        Verb::PartitionPermissions => read::permissions(request),
        Verb::Draining => read::draining(request),
        Verb::Usage => usage::usage(request).await,
        Verb::Shadow => shadow::shadow(request),
        Verb::Alerts => alerts::alerts(request),
        Verb::Silence => alerts::silence(request).await,
        Verb::EndSilence => alerts::end_silence(request).await,
        Verb::Quotas => read::quotas(request).await,
        Verb::Explain => read::explain(request).await,
        Verb::Waiting => read::waiting(request).await,
        Verb::Fairness => read::fairness(request).await,
        Verb::Events => events::list(request),
        Verb::Permissions => permission_checks::checks(request).await,
        Verb::Placement => read::placement(request).await,
        Verb::WhatIf => whatif::answer(request).await,
        Verb::ConfigGet => config::get(request),
        Verb::ConfigValidate => config::validate(request).await,
        Verb::ConfigDiff => config::diff(request).await,
        Verb::ConfigPut => config::put(request).await,
        Verb::ConfigHistory => history::list(request),
        Verb::ConfigRevision => history::one(request).await,
        Verb::ConfigRollback => history::roll_back(request).await,
        Verb::Audit => history::audit(request),
        Verb::NotYet => Err(Refusal::new(
            Code::NotSupported,
            format!("not available yet: {}", request.route.summary.to_lowercase()),
            "see `features` of /kornsole/v1/server",
        )),
        Verb::EventStream => Err(Refusal::not_found("endpoint", "")),
        _ => act::act(request).await,
    }
}
