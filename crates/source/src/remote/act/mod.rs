//! Orders to a kornsole server over the native API (`rest.md` E2, E4, E5, E8, E9).

pub mod cluster;
mod read;
mod write;

use std::fmt::Write as _;

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

pub use self::cluster::{checksum_of, entry, keep, seen_by};
use self::write::OrderRequest;
pub use self::write::add_reason;
use client::{Client, Fault};
use view::act::{Act, Code, Done, Order, Refusal};

/// Executes an order.
///
/// # Errors
/// Returns the rejection; without an answer, that the order may have been executed.
pub async fn perform(client: &Client, order: &Order) -> Result<Done, Refusal> {
    let OrderRequest { method, path, mut headers, body, read } = write::request(order);
    let key = key();
    let has_key = key.is_some();
    headers.extend(key.map(|key| (HeaderName::from_static("idempotency-key"), key)));
    let send = || client.send_json::<Value>(method.clone(), &path, headers.clone(), body.clone());
    let mut result = send().await;
    if has_key && matches!(result, Err(Fault::Slow(..) | Fault::Cut(_))) {
        // The idempotency key prevents a second execution.
        result = send().await;
    }
    let got = result.map_err(|fault| refusal(&order.act, &fault))?;
    read(&order.act, got.value).ok_or_else(|| {
        Refusal::new(Code::Unavailable, format!("the outcome is unknown: {}", order.act), "invalid response")
    })
}

fn key() -> Option<HeaderValue> {
    let mut bytes = [0_u8; 16];
    getrandom::getrandom(&mut bytes).ok()?;
    let text = bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    });
    HeaderValue::from_str(&text).ok()
}

/// Converts a failure to a rejection, with the words of the server.
pub fn refusal(act: &Act, fault: &Fault) -> Refusal {
    let cannot = || format!("cannot {act}");
    match fault {
        Fault::Missing(reported) | Fault::Refused(_, reported) => {
            let code = reported.code.as_deref().and_then(Code::named).unwrap_or(match fault {
                Fault::Missing(_) => Code::NotFound,
                Fault::Refused(401, _) => Code::Unauthenticated,
                Fault::Refused(403, _) => Code::AclDenied,
                Fault::Refused(429, _) => Code::RateLimited,
                Fault::Refused(400..500, _) => Code::BadRequest,
                _ => Code::Unavailable,
            });
            let message = if reported.message.is_empty() { cannot() } else { reported.message.clone() };
            let description = if reported.description == reported.message { "" } else { &reported.description };
            Refusal::new(code, message, description).with(read::details(reported))
        }
        Fault::Slow(..) | Fault::Cut(_) | Fault::TooLarge(_) | Fault::Unreadable(..) => {
            let why = format!("{fault}; the action may have been completed");
            Refusal::new(Code::Unavailable, format!("no answer: {act}"), why)
        }
        Fault::NoEndpoint(_) => Refusal::new(Code::NotSupported, cannot(), fault.to_string()),
        _ => Refusal::new(Code::Unavailable, cannot(), format!("{fault}; no change was made")),
    }
}
