//! Answers as HTTP responses: content types, CORS, the shape of errors.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::budget::{Budget, Claim};
use wire::dto::{self, json};

/// JSON, as YuniKorn writes the type.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=UTF-8");
/// Of a configuration's text.
pub(super) const YAML: HeaderValue = HeaderValue::from_static("application/x-yaml; charset=UTF-8");
/// What the router says by itself.
pub(super) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Metrics.
/// The same as 1.9.0 says it.
pub(super) const METRICS_1_9: HeaderValue =
    HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
pub(super) const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
/// Of the body of a redirect.
pub(super) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The largest piece in which a body is passed to the connection.
const PIECE: usize = 64 << 10;

/// A response of a type.
pub(super) fn response(status: StatusCode, kind: HeaderValue, body: Vec<u8>) -> Response {
    held(status, kind, body.into(), None)
}

/// A response of a type, whose body has room in a budget until it is taken.
pub(super) fn held(status: StatusCode, kind: HeaderValue, body: Bytes, claim: Option<Claim>) -> Response {
    let mut response = Response::new(Body::new(Pieces { rest: body, _claim: claim }));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Room for an answer; none is needed for a small one.
///
/// # Errors
/// This address has so much to take already, or all together, that there is none now.
pub(super) fn room(answers: &Arc<Budget>, peer: IpAddr, bytes: usize) -> Result<Option<Claim>, ()> {
    if bytes <= PIECE {
        return Ok(None);
    }
    answers.claim(peer, bytes).map(Some).ok_or(())
}

/// Who is at the other end.
pub(super) fn peer(extensions: &Extensions) -> IpAddr {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// What is reported where there is no room.
pub(super) const NO_ROOM: &str = "too many answers are queued";

/// An error in YuniKorn's shape (`rest.md` section 3).
pub(super) fn error(status: StatusCode, message: impl Into<String>) -> Response {
    let message = message.into();
    let error = dto::ApiError {
        status_code: i32::from(status.as_u16()),
        description: message.clone(),
        message,
        ..dto::ApiError::default()
    };
    response(status, JSON, json::to_bytes(&error))
}

/// The headers that let a page in a browser read an answer.
pub(super) fn allow_pages(headers: &mut HeaderMap, methods: &'static str) {
    const ALLOWED: [(HeaderName, &str); 2] = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "X-Requested-With,Content-Type,Accept,Origin"),
    ];
    for (name, value) in ALLOWED {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
}

/// Takes the headers away that let a page in a browser read an answer.
pub(super) fn forbid_pages(headers: &mut HeaderMap) {
    for name in [
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        header::ACCESS_CONTROL_ALLOW_METHODS,
    ] {
        headers.remove(name);
    }
}

/// The answer to a request that names no host, or several; `None` to one that is as it should be. An HTTP/1.0 client need not name one.
/// Without this a proxy in front and this server may take the request for different hosts.
pub(super) fn wrong_host(version: Version, headers: &HeaderMap) -> Option<Response> {
    let why = match headers.get_all(header::HOST).iter().count() {
        0 if version == Version::HTTP_10 => return None,
        0 => "missing required Host header",
        1 => return None,
        _ => "too many Host headers",
    };
    let mut answer = response(StatusCode::BAD_REQUEST, TEXT, format!("400 Bad Request: {why}").into_bytes());
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    Some(answer)
}

/// A body that is whole in memory, passed on piece by piece: who compresses or writes it lets others have their turn
/// between them.
struct Pieces {
    rest: Bytes,
    _claim: Option<Claim>,
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
