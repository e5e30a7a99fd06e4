//! Replies and rejections of the native API as HTTP responses.

use std::net::IpAddr;

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

use super::NativeApi;
use crate::budget::Claim;
use crate::reply;
use view::act::{Code, Refusal};
use wire::convert::native as convert;
use wire::dto::{json, native as dto};

#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub status: StatusCode,
    pub body: Bytes,
    pub kind: &'static str,
    pub etag: Option<String>,
}

impl Reply {
    pub const JSON: &'static str = "application/json; charset=utf-8";

    pub fn ok<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::with(StatusCode::OK, value)
    }

    pub fn with<T: Serialize + ?Sized>(status: StatusCode, value: &T) -> Self {
        Self { status, body: json::to_bytes(value).into(), kind: Self::JSON, etag: None }
    }

    pub fn refused(native: &NativeApi, refusal: &Refusal, request_id: &str) -> Self {
        let status = match (refusal.code, refusal.details.kind.as_deref()) {
            (Code::BadRequest, Some("method")) => StatusCode::METHOD_NOT_ALLOWED,
            (Code::BadRequest, Some("media type")) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            (code, _) => StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        };
        let message = convert::refusal(refusal, &native.wall, request_id);
        Self::with(status, &dto::NativeError { status_code: status.as_u16(), ..message })
    }

    /// Creates the response when the budget allows it.
    pub fn within(self, native: &NativeApi, peer: IpAddr) -> Result<Response, Refusal> {
        let space = reply::space(&native.answers, peer, self.body.len());
        let claim = space.map_err(|()| Refusal::new(Code::Unavailable, "not now", reply::NO_SPACE))?;
        Ok(self.into_response(claim))
    }

    fn into_response(self, claim: Option<Claim>) -> Response {
        let mut response = reply::with_claim(self.status, HeaderValue::from_static(self.kind), self.body, claim);
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(Ok(etag)) = self.etag.map(|etag| HeaderValue::from_str(&format!("\"{etag}\""))) {
            headers.insert(header::ETAG, etag);
        }
        response
    }
}

/// Answers with a rejection, delayed after too many wrong tokens.
pub(super) async fn slowed(native: &NativeApi, refusal: &Refusal, request_id: &str) -> Response {
    if refusal.code == Code::RateLimited && refusal.details.wait.is_none() {
        native.failures.slow_down().await;
    }
    refused(native, refusal, request_id)
}

fn refused(native: &NativeApi, refusal: &Refusal, request_id: &str) -> Response {
    let mut response = Reply::refused(native, refusal, request_id).into_response(None);
    let headers = response.headers_mut();
    match refusal.code {
        Code::Unauthenticated => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Code::RateLimited => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(refusal.details.wait.unwrap_or(60)));
        }
        _ => {}
    }
    response
}
