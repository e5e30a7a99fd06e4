//! Bodies: their types, their sizes, and JSON that is read strictly.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;

use super::route::{BodyKind, Route};
use crate::view::act::{Code, Details, Refusal};

/// How long a whole body may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request that is not as it should be: `method`, `media type`, or where in its body.
pub(super) fn wrong(kind: &str, why: impl Into<String>) -> Refusal {
    let details = Details { kind: Some(kind.to_owned()), ..Details::default() };
    Refusal::new(Code::BadRequest, "the request is not as it should be", why).with(details)
}

/// The body of a request, if its route takes one.
///
/// # Errors
/// It is of another type, too large or too slow.
pub(super) async fn read(route: &Route, headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    if route.body == BodyKind::None {
        return Ok(Bytes::new());
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let bytes = bytes(route.body_limit(), body).await?;
    if kind.is_none() && bytes.is_empty() {
        return Ok(bytes);
    }
    let name = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (fits, wanted) = match route.body {
        BodyKind::Yaml => (
            ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"].contains(&name.as_str()),
            "application/yaml",
        ),
        _ => (name == "application/json", "application/json"),
    };
    if fits { Ok(bytes) } else { Err(wrong("media type", format!("send `Content-Type: {wanted}`, not {name:?}"))) }
}

/// A whole body, whatever its type.
///
/// # Errors
/// It has more than `limit` bytes, or is too slow.
pub(super) async fn bytes(limit: usize, body: Body) -> Result<Bytes, Refusal> {
    match tokio::time::timeout(PATIENCE, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_too_long(&error) => {
            let text = format!("at most {limit} bytes are taken here");
            Err(Refusal::new(Code::TooLarge, "the body is too large", text))
        }
        Ok(Err(_)) => Err(wrong("body", "the body could not be read")),
        Err(_) => Err(wrong("body", "the body took too long")),
    }
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            return true;
        }
        cause = error.source();
    }
    false
}

/// A body as a value; an empty one is an empty object.
///
/// # Errors
/// It is no JSON, has a key that is not known, or a value of another type; with its place.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let bytes = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| wrong("body", error.to_string()))
}
