//! The YuniKorn API with its statuses, routing, and peculiarities (`rest.md` sections 1, 3, 4, 5, 10): `route` is the
//! table of paths.

mod apps;
mod cluster;
mod config;
mod dump;
mod events;
mod metrics;
mod path;
mod queues;
mod route;
mod stream;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;

use super::budget::{self, BodyError, RequestBody};
use super::guard::{self, Compressible};
use super::{Limits, Shared, reply, work_budget};
use model::Profile;
use route::{Endpoint, RouteMatch, Verb};
use stream::Caller;
pub(super) use stream::Streams;
use view::{PartitionView, View};
use wire::dto::json;

struct Reply {
    kind: HeaderValue,
    body: Vec<u8>,
    pages: bool,
}

impl Reply {
    fn json<T: serde::Serialize + ?Sized>(value: &T) -> Self {
        Self { kind: reply::JSON, body: json::to_bytes(value), pages: true }
    }

    fn of(kind: HeaderValue, body: Vec<u8>) -> Self {
        Self { kind, body, pages: true }
    }
}

#[derive(Debug)]
struct RequestError {
    status: StatusCode,
    message: String,
}

impl RequestError {
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("{what} not found"))
    }

    fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }
}

type Answer = Result<Reply, RequestError>;

struct Call {
    shared: Arc<Shared>,
    view: Arc<View>,
    /// The parameters of the path, in order, decoded once.
    parameters: Vec<String>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: RequestBody,
}

impl Call {
    fn parameter(&self, at: usize) -> &str {
        self.parameters.get(at).map_or("", String::as_str)
    }

    fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Finds the partition of the path, case-sensitively.
    fn partition(&self) -> Result<&PartitionView, RequestError> {
        let name = self.parameter(0);
        let found = self.view.partitions.iter().find(|partition| *partition.name == *name);
        found.ok_or_else(|| RequestError::not_found("Partition"))
    }
}

/// Answers all requests without a native route.
pub(super) async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let accepts_gzip = guard::accepts_gzip(request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let started = Instant::now();
    let pages = shared.options.access.allows_pages();
    let mut response = routed(shared, request).await;
    if !pages {
        reply::forbid_pages(response.headers_mut());
    }
    if accepts_gzip && response.headers().get(header::CONTENT_TYPE).is_some() {
        response.extensions_mut().insert(Compressible);
    }
    let (status, path) = (response.status().as_u16(), uri.path());
    tracing::debug!(%method, path, status, micros = started.elapsed().as_micros(), "answered");
    response
}

async fn routed(shared: Arc<Shared>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let Some(path) = path::decoded(parts.uri.path()) else {
        return reply::response(StatusCode::BAD_REQUEST, reply::TEXT, b"400 Bad Request\n".to_vec());
    };
    let (endpoint, parameters) = match route::find(&parts.method, &path) {
        RouteMatch::Endpoint(endpoint, parameters) => (endpoint, parameters),
        RouteMatch::Redirect(to) => return redirect(&parts.method, &parts.uri, &to),
        RouteMatch::Options(verb) => return options(verb),
        RouteMatch::OtherMethod(verb) => return other_method(verb),
        RouteMatch::Nothing => return nothing(),
    };
    // Removed in 1.9.0.
    if endpoint == Endpoint::NodeUtilization && shared.options.profile == Profile::V1_9_0 {
        return nothing();
    }
    if endpoint == Endpoint::EventStream {
        let caller = Caller::of(&mut parts);
        return stream::open(&shared, caller, &path::query(parts.uri.query().unwrap_or_default()));
    }
    let peer = reply::peer(&parts.extensions);
    if endpoint.is_expensive()
        && let Err(seconds) = shared.native.work.admit(peer)
    {
        let mut response =
            error(endpoint.verb(), RequestError::new(StatusCode::TOO_MANY_REQUESTS, work_budget::TOO_MUCH));
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        return response;
    }
    let body = match with_body(&shared, endpoint, peer, body).await {
        Ok(body) => body,
        Err(refused) => return error(endpoint.verb(), refused),
    };
    let query = path::query(parts.uri.query().unwrap_or_default());
    let view = shared.engine.published().view();
    let call = Call { view, parameters, query, headers: parts.headers, body, shared: Arc::clone(&shared) };
    let verb = endpoint.verb();
    match put_together(&shared, endpoint, call, peer).await {
        Ok(Ok(Reply { kind, body, pages })) => {
            let Ok(claim) = reply::space(&shared.answers, peer, body.len()) else {
                return error(verb, RequestError::new(StatusCode::SERVICE_UNAVAILABLE, reply::NO_SPACE));
            };
            let mut response = reply::with_claim(StatusCode::OK, kind, body.into(), claim);
            if pages {
                reply::allow_pages(response.headers_mut(), verb.methods());
            }
            response
        }
        Ok(Err(refused)) => error(verb, refused),
        Err(panicked) => panicked,
    }
}

/// Limits the parallelism of large answers.
async fn put_together(shared: &Arc<Shared>, endpoint: Endpoint, call: Call, peer: IpAddr) -> Result<Answer, Response> {
    if !endpoint.is_heavy(&call) {
        return Ok(endpoint.answer(&call));
    }
    let turns = if endpoint == Endpoint::StateDump { &shared.dump } else { &shared.heavy };
    // The semaphores are never closed.
    let _turn = turns.acquire().await;
    let native = Arc::clone(&shared.native);
    let timed = move || {
        let started_at = Instant::now();
        let answer = endpoint.answer(&call);
        if endpoint.is_expensive() {
            native.work.note(peer, started_at.elapsed());
        }
        answer
    };
    let answer = tokio::task::spawn_blocking(timed).await;
    answer.map_err(|error| match error.try_into_panic() {
        Ok(panic) => guard::panicked(&*panic),
        Err(_) => reply::error(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping"),
    })
}

async fn with_body(shared: &Shared, endpoint: Endpoint, peer: IpAddr, body: Body) -> Result<RequestBody, RequestError> {
    if endpoint.verb() == Verb::Get {
        return Ok(RequestBody::nothing());
    }
    let Limits { config_bytes: most, body: within, .. } = shared.options.limits;
    budget::read(&shared.bodies, peer, body, most, within).await.map_err(|why| match why {
        BodyError::TooLarge => {
            RequestError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body has more than {most} bytes"))
        }
        BodyError::TooSlow => RequestError::new(StatusCode::REQUEST_TIMEOUT, "the body timed out"),
        BodyError::Broken => RequestError::bad("cannot read the body"),
        BodyError::Busy => RequestError::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests are in progress"),
    })
}

fn error(verb: Verb, refused: RequestError) -> Response {
    let mut response = reply::error(refused.status, refused.message);
    reply::allow_pages(response.headers_mut(), verb.methods());
    response
}

fn nothing() -> Response {
    reply::response(StatusCode::NOT_FOUND, reply::TEXT, b"404 page not found\n".to_vec())
}

fn other_method(verb: Verb) -> Response {
    let mut response = reply::response(StatusCode::METHOD_NOT_ALLOWED, reply::TEXT, b"Method Not Allowed\n".to_vec());
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(verb.methods()));
    response
}

/// A preflight answer: 200 without a body.
fn options(verb: Verb) -> Response {
    let mut response = Response::new(Body::empty());
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(verb.methods()));
    reply::allow_pages(response.headers_mut(), verb.methods());
    response
}

fn redirect(method: &Method, uri: &Uri, path: &str) -> Response {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("{}{query}", path::encoded(path));
    let (status, name) = match *method {
        Method::GET | Method::HEAD => (StatusCode::MOVED_PERMANENTLY, "Moved Permanently"),
        _ => (StatusCode::TEMPORARY_REDIRECT, "Temporary Redirect"),
    };
    let Ok(location) = HeaderValue::from_str(&target) else { return nothing() };
    let shown = target.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;");
    let body = format!("<a href=\"{shown}\">{name}</a>.\n\n");
    let body = if matches!(*method, Method::GET) { body.into_bytes() } else { Vec::new() };
    let mut response = reply::response(status, reply::HTML, body);
    response.headers_mut().insert(header::LOCATION, location);
    response
}
