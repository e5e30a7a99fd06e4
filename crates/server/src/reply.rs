//! HTTP responses: content types, CORS, and the form of errors.

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

/// JSON with YuniKorn's content type.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=UTF-8");
pub(super) const YAML: HeaderValue = HeaderValue::from_static("application/x-yaml; charset=UTF-8");
pub(super) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
pub(super) const METRICS_1_9: HeaderValue =
    HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
pub(super) const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
pub(super) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Maximum piece of a body for the connection, in bytes.
const PIECE: usize = 64 << 10;

pub(super) fn response(status: StatusCode, kind: HeaderValue, body: Vec<u8>) -> Response {
    with_claim(status, kind, body.into(), None)
}

/// A response whose body has a claim on a budget until it is read.
pub(super) fn with_claim(status: StatusCode, kind: HeaderValue, body: Bytes, claim: Option<Claim>) -> Response {
    let mut response = Response::new(Body::new(Pieces { rest: body, _claim: claim }));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Claims memory for an answer; small ones need no claim.
///
/// # Errors
/// This address, or all together, have too many unread answers.
pub(super) fn space(answers: &Arc<Budget>, peer: IpAddr, bytes: usize) -> Result<Option<Claim>, ()> {
    if bytes <= PIECE {
        return Ok(None);
    }
    answers.claim(peer, bytes).map(Some).ok_or(())
}

pub(super) fn peer(extensions: &Extensions) -> IpAddr {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

pub(super) const NO_SPACE: &str = "too many responses are queued";

/// YuniKorn's form (`rest.md` section 3).
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

pub(super) fn forbid_pages(headers: &mut HeaderMap) {
    for name in [
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        header::ACCESS_CONTROL_ALLOW_METHODS,
    ] {
        headers.remove(name);
    }
}

/// `None` for a valid request; HTTP/1.0 may omit the host. Otherwise, a proxy and this server could assume different
/// hosts.
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

/// Compression and writes yield to other tasks between pieces.
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
