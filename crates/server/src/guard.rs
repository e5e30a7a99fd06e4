//! Layers for all requests: a timeout, panic handling, and compression.

use std::any::Any;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use tower_http::compression::{CompressionLayer, CompressionLevel};

use super::reply;

/// Minimum size of a compressed body, in bytes (`rest.md` section 1).
const WORTH_COMPRESSING: u64 = 1400;

/// Answers within a timeout, even after a panic.
pub(super) async fn guarded(
    within: Duration,
    answer: impl Future<Output = Result<Response, Infallible>>,
) -> Result<Response, Infallible> {
    match tokio::time::timeout(within, caught(answer)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(panic)) => Ok(panicked(&*panic)),
        Err(_) => Ok(reply::error(StatusCode::SERVICE_UNAVAILABLE, "the response timed out")),
    }
}

/// The panic hook has reported the panic.
pub(super) fn panicked(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text");
    tracing::error!(panic = text, "a handler panicked");
    reply::error(StatusCode::INTERNAL_SERVER_ERROR, "this is a defect of the server; its log has the details")
}

async fn caught<T>(future: impl Future<Output = T>) -> Result<T, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Marks an answer to a request that accepts gzip; never an event stream.
#[derive(Clone, Copy)]
pub(super) struct Compressible;

pub(super) fn compression() -> CompressionLayer<LargeEnough> {
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(LargeEnough)
}

#[derive(Clone, Copy)]
pub(super) struct LargeEnough;

impl tower_http::compression::Predicate for LargeEnough {
    fn should_compress<B: axum::body::HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        let size = response.body().size_hint().exact();
        response.extensions().get::<Compressible>().is_some() && size.is_some_and(|size| size >= WORTH_COMPRESSING)
    }
}

/// Whether a request lists gzip with any parameter except exactly `q=0`.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let listed = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|value| value.split(',')).any(|entry| {
        let (coding, parameter) = entry.split_once(';').unwrap_or((entry, ""));
        coding.trim().eq_ignore_ascii_case("gzip") && parameter.trim() != "q=0"
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_one_answer_and_no_more() {
        use axum::routing::{any, get};
        use tower::ServiceExt as _;
        let router = axum::Router::new()
            .route(
                "/panics",
                any(|| async {
                    if true {
                        panic!("on purpose")
                    }
                }),
            )
            .route("/waits", get(std::future::pending::<()>))
            .route("/lives", get(|| async { "yes" }));
        let ask = |path: &str| {
            let request = axum::http::Request::get(path).body(axum::body::Body::empty()).unwrap();
            guarded(Duration::from_millis(50), router.clone().oneshot(request))
        };
        for _ in 0..3 {
            let answer = ask("/panics").await.unwrap();
            assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
            let body = axum::body::to_bytes(answer.into_body(), 1000).await.unwrap();
            assert!(!String::from_utf8_lossy(&body).contains("on purpose"), "what went wrong is for the log");
            assert_eq!(ask("/waits").await.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(ask("/lives").await.unwrap().status(), StatusCode::OK);
        }
    }

    #[test]
    fn gzip_is_taken_unless_it_is_exactly_refused() {
        let accepts = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            accepts_gzip(&headers)
        };
        for yes in ["gzip", "deflate, gzip", "gzip;q=0.5", "gzip;q=0.0", "GZIP", "br , gzip ; q=1"] {
            assert!(accepts(yes), "{yes}");
        }
        for no in ["", "deflate", "gzip;q=0", "gzip ; q=0", "x-gzip", "*"] {
            assert!(!accepts(no), "{no}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
