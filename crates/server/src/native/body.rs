//! Request bodies: types, sizes, and strict JSON.

use std::net::IpAddr;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;

use super::route::{BodyKind, Route};
use super::{NativeApi, NativeRequest};
use crate::budget::{self, BodyError, RequestBody};
use config::AllowedRemoval;
use view::act::{Code, Details, Refusal};
use wire::dto::native::{ALLOW_EMPTY, ALLOW_REMOVAL};

pub(super) fn wrong(kind: &str, why: impl Into<String>) -> Refusal {
    let details = Details { kind: Some(kind.to_owned()), ..Details::default() };
    Refusal::new(Code::BadRequest, "the request is invalid", why).with(details)
}

/// Reads the body if the route has one.
///
/// # Errors
/// A wrong type, or a body that is too large or too slow.
pub(super) async fn read(
    native: &NativeApi,
    route: &Route,
    peer: IpAddr,
    headers: &HeaderMap,
    body: Body,
) -> Result<RequestBody, Refusal> {
    if matches!(route.body, BodyKind::None) {
        return Ok(RequestBody::nothing());
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let sent = whole(native, route.body_limit(), peer, body).await?;
    if kind.is_none() && sent.bytes.is_empty() {
        return Ok(sent);
    }
    let name = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (fits, wanted) = match route.body {
        BodyKind::Yaml => (
            ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"].contains(&name.as_str()),
            "application/yaml",
        ),
        _ => (name == "application/json", "application/json"),
    };
    if fits { Ok(sent) } else { Err(wrong("media type", format!("send `Content-Type: {wanted}`, not {name:?}"))) }
}

/// # Errors
/// More than `limit` bytes, or too slow.
pub(super) async fn whole(native: &NativeApi, limit: usize, peer: IpAddr, body: Body) -> Result<RequestBody, Refusal> {
    budget::read(&native.bodies, peer, body, limit, native.options.limits.body).await.map_err(|why| match why {
        BodyError::TooLarge => {
            let text = format!("the limit is {limit} bytes");
            Refusal::new(Code::TooLarge, "the body is too large", text)
        }
        BodyError::TooSlow => wrong("body", "the body timed out"),
        BodyError::Broken => wrong("body", "cannot read the body"),
        BodyError::Busy => Refusal::new(Code::Unavailable, "the server is busy", "too many requests are in progress"),
    })
}

/// Parses a body; an empty one is an empty object.
///
/// # Errors
/// Invalid JSON, an unknown key, or a value of a wrong type, with its location.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| wrong("body", error.to_string()))
}

/// The allowed removal of a configuration, from the request's headers.
///
/// # Errors
/// An invalid header value.
pub(super) fn allowed_removal(request: &NativeRequest) -> Result<AllowedRemoval, Refusal> {
    let empty = match request.header(ALLOW_EMPTY).map(str::trim) {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => return Err(wrong("header", format!("{ALLOW_EMPTY}: write true or false, not {other:?}"))),
    };
    let read = |text: &str| {
        let wrong = || wrong("header", format!("{ALLOW_REMOVAL}: write a number of queues, not {text:?}"));
        text.trim().parse().map_err(|_| wrong())
    };
    Ok(AllowedRemoval { empty, queues: request.header(ALLOW_REMOVAL).map(read).transpose()? })
}
