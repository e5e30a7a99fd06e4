//! Errors of a request, described for users.

use std::fmt;

use serde_json::Value;

use super::Problem;
use cluster::kube::KubeFault;

const SHOWN: usize = 60;

/// Why there is no usable answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// No listener, an unknown name, or a TLS error.
    Unreachable(Problem),
    /// A timeout: the phase and the limit.
    Slow(&'static str, std::time::Duration),
    /// The answer was truncated.
    Cut(Problem),
    /// The answer exceeds the limit in bytes.
    TooLarge(usize),
    /// The release has no such endpoint (a 404 in text).
    NoEndpoint(String),
    /// The object does not exist (a 404 in JSON).
    Missing(Box<ErrorBody>),
    /// The server rejects the request: status and message.
    Refused(u16, Box<ErrorBody>),
    /// The answer is not from YuniKorn: status, first characters, and the endpoint.
    Foreign(u16, String, String),
    /// A redirect: status and destination.
    Elsewhere(u16, String),
    /// Invalid JSON: the request, and the error with its location.
    Unreadable(String, String),
    /// An unsupported old release (`rest.md` section 8).
    TooOld(String),
    /// The cluster's API server rejects requests, or the scheduler is not found in the cluster.
    Cluster(Box<KubeFault>),
}

/// An error object (`rest.md` sections 3 and E2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorBody {
    /// One line for users with the error and its location.
    pub message: String,
    /// The remedy; may be the same line.
    pub description: String,
    /// The code of the native API.
    pub code: Option<String>,
    /// The details of the native API.
    pub details: Option<Value>,
    /// The method and path of the request; empty if unknown.
    pub asked: String,
}

impl ErrorBody {
    /// Parses an error object; `None` if it is none.
    pub fn read(body: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(body).ok()?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        value.get("status_code")?.as_u64()?;
        Some(Self {
            message: text("message"),
            description: text("description"),
            code: value.get("code").and_then(Value::as_str).map(str::to_owned),
            details: value.get("details").filter(|details| !details.is_null()).cloned(),
            asked: String::new(),
        })
    }

    /// The endpoint, for an error that does not describe the operation itself.
    fn endpoint(&self, status: u16) -> String {
        let is_described = self.code.is_some() && status < 500;
        if is_described || self.asked.is_empty() { String::new() } else { format!(" (answer to {})", self.asked) }
    }
}

impl fmt::Display for ErrorBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message.is_empty(), self.description.is_empty() || self.description == self.message) {
            (true, true) => f.write_str("no reason given"),
            (true, false) => f.write_str(&self.description),
            (false, true) => f.write_str(&self.message),
            (false, false) => write!(f, "{}: {}", self.message, self.description),
        }
    }
}

impl Fault {
    /// The code of the native API, if present.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Missing(reported) | Self::Refused(_, reported) => reported.code.as_deref(),
            _ => None,
        }
    }

    /// Whether the server will answer the same request in the same way.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::NoEndpoint(_) | Self::Missing(_) => true,
            Self::Refused(status, _) => (400..500).contains(status) && *status != 429,
            _ => false,
        }
    }

    /// Whether only this request failed.
    pub fn is_about_this(&self) -> bool {
        match self {
            Self::Slow(..)
            | Self::Cut(_)
            | Self::TooLarge(_)
            | Self::NoEndpoint(_)
            | Self::Missing(_)
            | Self::Foreign(..)
            | Self::Unreadable(..) => true,
            Self::Refused(status, _) => *status != 401,
            Self::Unreachable(_) | Self::Elsewhere(..) | Self::TooOld(_) | Self::Cluster(_) => false,
        }
    }

    /// Whether a retry needs another user or address.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Refused(status, _) => matches!(status, 401 | 403),
            Self::Elsewhere(..) | Self::TooOld(_) => true,
            Self::Cluster(fault) => matches!(fault.status, Some(401 | 403)),
            _ => false,
        }
    }

    /// Whether a final error may resolve: an expired token is renewed, and a starting API server has not read its
    /// roles.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }

    /// Whether the request did not reach the server.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Cluster(_))
    }

    /// The libraries' own message for the details; may be empty.
    pub fn technical(&self) -> &str {
        match self {
            Self::Unreachable(problem) | Self::Cut(problem) => problem.technical(),
            Self::Cluster(fault) => &fault.technical,
            _ => "",
        }
    }

    /// The start of a foreign answer in one line.
    pub fn first_of(body: &[u8]) -> String {
        let text = String::from_utf8_lossy(&body[..body.len().min(4 * SHOWN)]);
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) | Self::Cut(why) => why.fmt(f),
            Self::TooOld(why) => f.write_str(why),
            Self::Cluster(fault) => fault.fmt(f),
            Self::Slow(phase, limit) => write!(f, "no {phase} within {limit:?}"),
            Self::TooLarge(limit) => write!(f, "the response is larger than {} MiB", limit >> 20),
            Self::NoEndpoint(path) => write!(f, "this release has no {path}"),
            Self::Missing(reported) => write!(f, "{reported}{}", reported.endpoint(404)),
            Self::Refused(401, reported) => write!(f, "401: {reported}; use --token-file or KORNSOLE_TOKEN"),
            Self::Refused(status, reported) => write!(f, "{status}: {reported}{}", reported.endpoint(*status)),
            Self::Foreign(status, first, asked) if first.is_empty() => {
                write!(f, "not a YuniKorn server: status {status} with an empty body (answer to {asked})")
            }
            Self::Foreign(status, first, asked) => {
                write!(f, "not a YuniKorn server: status {status} with {first:?} (answer to {asked})")
            }
            Self::Elsewhere(status, to) => {
                write!(f, "status {status} redirects to {to}; kornsole does not follow redirects; use that address")
            }
            Self::Unreadable(path, why) => write!(f, "invalid response from {path}: {why}"),
        }
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_object_is_read_with_or_without_the_keys_of_part_two() {
        let plain =
            ErrorBody::read(br#"{"status_code":404,"message":"Queue not found","description":"Queue not found"}"#);
        assert_eq!(plain.unwrap().to_string(), "Queue not found");
        let own_body =
            br#"{"status_code":403,"message":"sue may not kill a","description":"needs admin access on root.b",
            "code":"ACL_DENIED","details":{"queue":"root.b"}}"#;
        let own_body = Fault::Refused(403, Box::new(ErrorBody::read(own_body).unwrap()));
        assert_eq!(own_body.to_string(), "403: sue may not kill a: needs admin access on root.b");
        assert_eq!(own_body.code(), Some("ACL_DENIED"));
        let asked = "GET /ws/v1/partitions".to_owned();
        let broken = ErrorBody { message: "out of order".to_owned(), asked, ..ErrorBody::default() };
        let broken = Fault::Refused(500, Box::new(broken)).to_string();
        assert_eq!(broken, "500: out of order (answer to GET /ws/v1/partitions)");
        assert!(ErrorBody::read(b"<html>").is_none());
        assert!(ErrorBody::read(br#"{"message":"x"}"#).is_none());
    }

    #[test]
    fn a_foreign_answer_is_shown_in_one_safe_line() {
        let page = b"<!DOCTYPE html>\n<html>\x1b[31m  <head><title>Sign in to the corporate proxy, please</title>";
        let shown = Fault::Foreign(200, Fault::first_of(page), "GET /ws/v1/config".to_owned()).to_string();
        assert!(
            shown.starts_with("not a YuniKorn server: status 200 with \"<!DOCTYPE html> <html> [31m <head>"),
            "{shown}"
        );
        assert!(!shown.contains('\u{1b}') && shown.chars().count() < 140, "{shown}");
    }
}
