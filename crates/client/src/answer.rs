//! Properties of an answer besides its body.

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, DATE, LOCATION};
use reqwest::{Method, Response, Url};
use serde::de::DeserializeOwned;

use super::fault::Fault;
use wire::dto::plain;

/// The content type in lowercase; empty if missing.
pub fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

/// The endpoint of a request in messages.
pub fn endpoint(method: &Method, path: &str) -> String {
    format!("{method} /{}", path.split('?').next().unwrap_or(path))
}

/// Whether a text starts like neither JSON nor YAML of a scheduler.
pub fn is_foreign_like(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'<')
}

/// Whether a redirect leads to a path on the same host.
pub fn leads_to(response: &Response, base: &Url, path: &str) -> bool {
    let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
    let to = to.and_then(|to| response.url().join(to).ok());
    to.is_some_and(|to| {
        let same = to.host_str() == base.host_str() && to.port_or_known_default() == base.port_or_known_default();
        same && to.path().ends_with(path)
    })
}

/// Parses an answer.
pub fn parsed<T: DeserializeOwned>(path: &str, bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|error| {
        let shown = if bytes.is_empty() {
            "it is empty".to_owned()
        } else {
            format!("{} (line {}, column {})", plain(&error), error.line(), error.column())
        };
        Fault::Unreadable(format!("/{path}"), shown)
    })
}

/// The time of the server's clock.
pub fn date_of(response: &Response) -> Option<SystemTime> {
    httpdate::parse_http_date(response.headers().get(DATE)?.to_str().ok()?).ok()
}
