//! The native API: the verbs of a kornsole server, under `/kornsole/v1`.
//!
//! A request is matched in [`route`], the caller is known by the token in `caller`, a changing verb that was sent before is answered
//! from `idempotency`, and then it is read or acted upon. What changes something is an order to the engine, which checks every right
//! itself; nothing here decides who may do what.
//!
//! Invariants:
//! - every answer is JSON and has a request id; every refusal has the shape of E2;
//! - no CORS headers, and a body must have the content type it should: no page in a browser can drive this;
//! - what a client can make grow (bodies, remembered answers, failed addresses) has an upper bound;
//! - a token is never logged.

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

/// What identifies a request to its log.
const REQUEST_ID: HeaderName = HeaderName::from_static("kornsole-request-id");

/// How the native API is set up.
#[derive(Debug)]
pub struct NativeOptions {
    /// Who may use it; without tokens no one can change anything.
    pub tokens: Option<Tokens>,
    /// Nothing is shown without a token.
    pub require_token: bool,
    /// Nothing can be changed, by no one.
    pub read_only: bool,
    /// Another process leads, and nothing can be changed here.
    pub standby: Option<Leader>,
    /// Applications are the jobs of a daemon, which alone submits, asks, releases and removes.
    pub of_jobs: bool,
    /// Who is in the scheduler ACL, in addition the owner of the process.
    pub scheduler_acl: Acl,
    /// The user who owns the process.
    pub owner: String,
    /// Whether connections are encrypted.
    pub tls: bool,
    /// Whose configurations are valid.
    pub profile: Profile,
    /// Which entry of a manifest is the queue configuration.
    pub policy_group: String,
    /// How many may listen to events; one user as many as elsewhere one address.
    pub events: EventConfig,
    /// For bodies, and for answers that are not taken yet.
    pub limits: Limits,
    /// The alerts, where they are evaluated.
    pub alerts: Option<Arc<Board>>,
    /// What a shadow found, where this is one.
    pub shadow: Option<ShadowSource>,
}

/// What all handlers of the native API see.
pub struct NativeApi {
    engine: Arc<dyn Host>,
    wall: Wall,
    options: NativeOptions,
    failures: TokenFailures,
    remembered: IdempotencyCache,
    unknown: UnknownCallers,
    refused: RefusedBudget,
    requests: AtomicU64,
    /// Bodies that are being read or worked on.
    bodies: Arc<Budget>,
    /// Answers that are not taken yet.
    answers: Arc<Budget>,
    /// What is worked out for each address.
    pub(super) work: WorkBudget,
    /// Whose what-ifs run.
    running: whatif::Running,
    /// Who listens to events.
    listeners: events::Listeners,
    /// Whether streams of events end.
    ending: watch::Sender<bool>,
}

impl NativeApi {
    /// The native API on a scheduler.
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

    /// Ends the streams of events: the server stops.
    pub(super) fn end_streams(&self) {
        self.ending.send_replace(true);
    }

    /// A number for a request that no other one of this process has.
    fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:x}-{number:06x}", self.wall.start())
    }

    /// Reads the tokens again.
    ///
    /// # Errors
    /// What is wrong with the file; the tokens are unchanged.
    pub fn reload_tokens(&self) -> Result<(), String> {
        self.options.tokens.as_ref().map_or(Ok(()), Tokens::reload)
    }

    /// Lets a request for the YuniKorn API in: everyone, or who has a token. Returns what the token is known by where one is needed.
    ///
    /// # Errors
    /// What is answered to the others.
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

    /// Whether something expensive is worked out for an address now.
    ///
    /// # Errors
    /// It has had too much of that.
    fn admit_work(&self, peer: IpAddr) -> Result<(), Refusal> {
        self.work.admit(peer).map_err(|seconds| {
            let details = Details { wait: Some(seconds), ..Details::default() };
            Refusal::new(Code::RateLimited, "not now", work_budget::TOO_MUCH).with(details)
        })
    }

    /// Puts an order into the ledger that was refused before it reached the scheduler.
    async fn enter_refusal(&self, who: &Caller, order: Order, refusal: Refusal) -> Refusal {
        who.is_entered_now();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let answer = move |outcome| {
            // The caller may have gone; the entry stands all the same.
            let _ = sender.send(outcome);
        };
        self.engine.refuse(who.actor.clone(), order, refusal, Box::new(answer));
        receiver.await.ok().and_then(Result::err).unwrap_or_else(Refusal::stopped)
    }

    /// Carries out an order, and waits for its result.
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
            // The caller may have gone; the order stands all the same.
            let _ = sender.send(outcome);
        };
        self.engine.perform(who.actor.clone(), order, Box::new(answer));
        receiver.await.unwrap_or_else(|_| Err(Refusal::stopped()))
    }
}

/// All routes of the native API, below its prefix.
pub fn routes(native: Arc<NativeApi>) -> Router {
    Router::new().fallback(answer).with_state(native)
}

/// One request as a handler sees it.
struct NativeRequest {
    native: Arc<NativeApi>,
    who: Caller,
    route: &'static Route,
    /// Where it comes from.
    peer: IpAddr,
    /// The parameters of the path, in their order.
    parameters: Vec<String>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: RequestBody,
    /// The connection, which needs to know when it carries a stream.
    connection: Option<Arc<Streaming>>,
}

impl NativeRequest {
    fn parameter(&self, at: usize) -> &str {
        self.parameters.get(at).map_or("", String::as_str)
    }

    /// The first value of a query parameter.
    fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it only asks what would happen, as far as that can be read.
    fn is_dry_run(&self) -> bool {
        let body = || serde_json::from_slice::<serde_json::Value>(&self.body.bytes).ok();
        self.flag("dryRun") || body().is_some_and(|body| body["dryRun"] == serde_json::Value::Bool(true))
    }

    /// Whether a query parameter is there and not `false`.
    fn flag(&self, name: &str) -> bool {
        self.query(name).is_some_and(|value| value != "false")
    }

    /// The value of a header, in any letters.
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
    }
}

/// Answers a request, whatever it is.
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
            let nobody = caller::nobody(peer).in_request(request_id);
            return Err(native.enter(&nobody, route, &parameters, refusal).await);
        }
    };
    let from = reply::peer(&parts.extensions);
    if route.changes()
        && let Some(held) = native.refused.check(&who.actor)
    {
        return Err(native.enter_first(&who, route, &parameters, held).await);
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

/// Answers a request that passed everything before.
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
        // Answered before, since it does not end.
        Verb::EventStream => Err(Refusal::not_found("endpoint", "")),
        _ => act::act(request).await,
    }
}
