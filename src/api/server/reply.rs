//! Answers as HTTP responses: content types, CORS, the shape of errors.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::api::dto::{self, json};

/// JSON, as upstream writes the type.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=UTF-8");
/// The configuration.
pub(super) const YAML: HeaderValue = HeaderValue::from_static("application/x-yaml; charset=UTF-8");
/// What the router says by itself.
pub(super) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Metrics.
pub(super) const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
/// Redirects.
pub(super) const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The largest piece in which a body is handed to the connection.
const PIECE: usize = 64 << 10;

/// A response of a type.
pub(super) fn response(status: StatusCode, kind: HeaderValue, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::new(Pieces(Bytes::from(body))));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// An error in upstream's shape (`rest.md` section 3).
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

/// A body that is whole in memory, handed over piece by piece: whoever compresses or writes it lets others have their turn
/// between them.
struct Pieces(Bytes);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.0.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.0.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}
