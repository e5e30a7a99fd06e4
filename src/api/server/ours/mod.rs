//! Part II of `rest.md`: our own verbs, under `/kornsole/v1`.
//!
//! A request is matched in [`route`], whoever asks is known by his token in `who`, a changing verb that was sent before is answered
//! from `remember`, and then it is read or acted upon. What changes something is an order to the engine, which checks every right
//! itself; nothing here decides who may do what.
//!
//! Invariants:
//! - every answer is JSON and has a request id; every refusal has the shape of E2;
//! - no CORS headers, and a body must have the content type it should: no page in a browser can drive this;
//! - what a client can make grow (bodies, remembered answers, failed addresses) has an upper bound;
//! - a token is never logged.

mod act;
mod attempt;
mod body;
mod config;
mod events;
mod history;
pub mod old;
mod openapi;
mod permit;
mod read;
mod remember;
pub mod route;
mod who;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use tokio::sync::watch;

use self::attempt::Unknown;
use self::remember::Remembered;
use self::route::{Found, Route, Verb};
use self::who::{Failures, Who};
use super::budget::{Budget, Claim, Sent};
use super::listen::Streaming;
use super::{Limits, reply};
use crate::api::auth::Tokens;
use crate::api::convert::{Wall, ours as convert};
use crate::api::dto::{json, ours as dto};
use crate::config::settings::EventConfig;
use crate::engine::Host;
use crate::model::{Acl, Profile};
use crate::view::act::{Code, Done, Order, Refusal};

/// What identifies a request to its log.
const REQUEST_ID: HeaderName = HeaderName::from_static("kornsole-request-id");

/// How part II is set up.
#[derive(Debug)]
pub struct OwnOptions {
    /// Who may use it; without tokens nobody can change anything.
    pub tokens: Option<Tokens>,
    /// Nothing is shown without a token.
    pub require_token: bool,
    /// Nothing can be changed, by nobody.
    pub read_only: bool,
    /// Who is in the scheduler ACL, besides the owner of the process.
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
}

/// What all handlers of part II see.
pub struct Ours {
    engine: Arc<dyn Host>,
    wall: Wall,
    options: OwnOptions,
    failures: Failures,
    remembered: Remembered,
    unknown: Unknown,
    requests: AtomicU64,
    /// Bodies that are being read or worked on.
    bodies: Arc<Budget>,
    /// Answers that are not taken yet.
    answers: Arc<Budget>,
    /// Who listens to events.
    listeners: events::Listeners,
    /// Whether streams of events come to their end.
    ending: watch::Sender<bool>,
}

impl Ours {
    /// Part II on a scheduler.
    pub fn new(engine: Arc<impl Host + 'static>, wall: Wall, options: OwnOptions) -> Arc<Self> {
        let (failures, remembered, unknown) = Default::default();
        let (listeners, ending) = (events::Listeners::new(&options.events), watch::channel(false).0);
        let (bodies, answers) = (Budget::of(options.limits.bodies), Budget::of(options.limits.answers));
        let requests = AtomicU64::new(0);
        Arc::new(Self {
            engine,
            wall,
            options,
            failures,
            remembered,
            unknown,
            requests,
            bodies,
            answers,
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
    /// What is wrong with the file; the tokens are as they were.
    pub fn reload_tokens(&self) -> Result<(), String> {
        self.options.tokens.as_ref().map_or(Ok(()), Tokens::reload)
    }

    /// Lets a request for part I in: everybody, or whoever has a token.
    ///
    /// # Errors
    /// What is answered to the others.
    pub(super) fn admit(&self, request: &Request) -> Result<(), Box<Response>> {
        if !self.options.require_token {
            return Ok(());
        }
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
        who::has_token(self, request.headers(), peer)
            .map_err(|refusal| Box::new(refused(self, &refusal, &self.request_id())))
    }

    /// Puts an order into the ledger that was refused before it came to the scheduler.
    async fn refused(&self, who: &Who, order: Order, refusal: Refusal) -> Refusal {
        who.is_entered_now();
        let (tell, told) = tokio::sync::oneshot::channel();
        let answer = move |outcome| {
            // Whoever asked may have gone; the entry stands all the same.
            let _ = tell.send(outcome);
        };
        self.engine.refuse(who.actor.clone(), order, refusal, Box::new(answer));
        told.await.ok().and_then(Result::err).unwrap_or_else(Refusal::stopped)
    }

    /// What came of an order.
    async fn perform(&self, who: &Who, order: Order) -> Result<Done, Refusal> {
        who.is_entered_now();
        let (tell, told) = tokio::sync::oneshot::channel();
        let answer = move |outcome| {
            // Whoever asked may have gone; the order stands all the same.
            let _ = tell.send(outcome);
        };
        self.engine.perform(who.actor.clone(), order, Box::new(answer));
        told.await.unwrap_or_else(|_| Err(Refusal::stopped()))
    }
}

/// All routes of part II, below its prefix.
pub fn routes(ours: Arc<Ours>) -> Router {
    Router::new().fallback(answer).with_state(ours)
}

/// One request as a handler sees it.
struct Asked {
    ours: Arc<Ours>,
    who: Who,
    route: &'static Route,
    /// The parameters of the path, in their order.
    parameters: Vec<String>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Sent,
    /// The connection, which wants to know when it carries a stream.
    connection: Option<Arc<Streaming>>,
}

impl Asked {
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

/// What is answered.
#[derive(Clone, Debug)]
struct Reply {
    status: StatusCode,
    body: Bytes,
    kind: &'static str,
    etag: Option<String>,
}

impl Reply {
    const JSON: &'static str = "application/json; charset=utf-8";

    fn ok<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::with(StatusCode::OK, value)
    }

    fn with<T: Serialize + ?Sized>(status: StatusCode, value: &T) -> Self {
        Self { status, body: json::to_bytes(value).into(), kind: Self::JSON, etag: None }
    }

    fn refused(ours: &Ours, refusal: &Refusal, request_id: &str) -> Self {
        let status = match (refusal.code, refusal.details.kind.as_deref()) {
            (Code::BadRequest, Some("method")) => StatusCode::METHOD_NOT_ALLOWED,
            (Code::BadRequest, Some("media type")) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            (code, _) => StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        };
        let told = convert::refusal(refusal, &ours.wall, request_id);
        Self::with(status, &dto::OwnError { status_code: status.as_u16(), ..told })
    }

    /// The response, once there is room for it.
    fn within(self, ours: &Ours, peer: IpAddr) -> Result<Response, Refusal> {
        let room = reply::room(&ours.answers, peer, self.body.len());
        let claim = room.map_err(|()| Refusal::new(Code::Unavailable, "not now", reply::NO_ROOM))?;
        Ok(self.into_response(claim))
    }

    fn into_response(self, claim: Option<Claim>) -> Response {
        let mut response = reply::held(self.status, HeaderValue::from_static(self.kind), self.body, claim);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(Ok(etag)) = self.etag.map(|etag| HeaderValue::from_str(&format!("\"{etag}\""))) {
            headers.insert(header::ETAG, etag);
        }
        response
    }
}

/// Answers a request, whatever it is.
async fn answer(State(ours): State<Arc<Ours>>, request: Request) -> Response {
    let request_id = ours.request_id();
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let mut response = match routed(&ours, parts, body, &request_id).await {
        Ok(response) => response,
        Err(refusal) => refused(&ours, &refusal, &request_id),
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

fn refused(ours: &Ours, refusal: &Refusal, request_id: &str) -> Response {
    let mut response = Reply::refused(ours, refusal, request_id).into_response(None);
    let headers = response.headers_mut();
    match refusal.code {
        Code::Unauthenticated => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Code::RateLimited => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        _ => {}
    }
    response
}

async fn routed(ours: &Arc<Ours>, parts: Parts, body: Body, request_id: &str) -> Result<Response, Refusal> {
    let (route, parameters) = match route::find(&parts.method, parts.uri.path()) {
        Found::Route(route, parameters) => (route, parameters),
        Found::OtherMethod => return Err(body::wrong("method", format!("{} is not taken here", parts.method))),
        Found::Nothing => return Err(Refusal::not_found("endpoint", parts.uri.path())),
    };
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
    let query = route::query(parts.uri.query().unwrap_or_default());
    let who = match who::of(ours, &parts.headers, peer, route) {
        Ok(who) => who.in_request(request_id),
        Err(refusal) => {
            let nobody = who::nobody(peer).in_request(request_id);
            return Err(ours.enter(&nobody, route, &parameters, refusal).await);
        }
    };
    let from = reply::peer(&parts.extensions);
    let body = match body::read(ours, route, from, &parts.headers, body).await {
        Ok(body) => body,
        Err(refusal) => return Err(ours.enter(&who, route, &parameters, refusal).await),
    };
    let connection = parts.extensions.get::<Arc<Streaming>>().cloned();
    let (ours, headers) = (Arc::clone(ours), parts.headers);
    let asked = Asked { ours, who, route, parameters, query, headers, body, connection };
    if route.verb == Verb::EventStream {
        return events::stream(&asked);
    }
    if !route.changes() {
        return handle(&asked).await?.within(&asked.ours, from);
    }
    let key = asked.header("idempotency-key").map(str::to_owned);
    match remember::once(&asked, key.as_deref(), parts.uri.path()).await {
        Ok(reply) => reply.within(&asked.ours, from),
        Err(refusal) if asked.is_dry_run() => Err(refusal),
        Err(refusal) => Err(asked.ours.enter(&asked.who, route, &asked.parameters, refusal).await),
    }
}

/// Answers a request that passed everything before.
async fn handle(asked: &Asked) -> Result<Reply, Refusal> {
    match asked.route.verb {
        Verb::Server => Ok(read::server(asked)),
        Verb::Whoami => Ok(read::whoami(asked)),
        Verb::OpenApi => Ok(Reply::ok(&openapi::document())),
        Verb::PartitionPermissions => read::permissions(asked),
        Verb::Draining => read::draining(asked),
        Verb::Events => events::list(asked),
        Verb::Permissions => permit::checks(asked).await,
        Verb::Placement => read::placement(asked).await,
        Verb::ConfigGet => config::get(asked),
        Verb::ConfigValidate => config::validate(asked).await,
        Verb::ConfigDiff => config::diff(asked).await,
        Verb::ConfigPut => config::put(asked).await,
        Verb::ConfigHistory => history::list(asked),
        Verb::ConfigRevision => history::one(asked).await,
        Verb::ConfigRollback => history::roll_back(asked).await,
        Verb::Audit => history::audit(asked),
        Verb::NotYet => Err(Refusal::new(
            Code::NotSupported,
            format!("not served yet: {}", asked.route.summary.to_lowercase()),
            "see `features` of /kornsole/v1/server for what is",
        )),
        // Answered before, since it does not end.
        Verb::EventStream => Err(Refusal::not_found("endpoint", "")),
        _ => act::act(asked).await,
    }
}
