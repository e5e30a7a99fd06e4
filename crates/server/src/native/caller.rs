//! Authentication by token, with limits for wrong ones (E1).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, header};

use super::NativeApi;
use super::route::{Route, Verb};
use crate::auth::TokenMark;
use crate::options::standby;
use model::Identity;
use view::act::{Actor, ActsFrom, Code, Details, Refusal};

/// An authenticated or anonymous caller.
pub(super) struct Caller {
    pub actor: Actor,
    pub authenticated: bool,
    pub expires: Option<i64>,
    pub mark: Option<TokenMark>,
    /// Whether the scheduler will add the request to the audit.
    pub entered: AtomicBool,
}

impl Caller {
    pub fn in_request(mut self, id: &str) -> Self {
        if let ActsFrom::Api { request, .. } = &mut self.actor.from {
            *request = Arc::from(id);
        }
        self
    }

    pub fn is_entered(&self) -> bool {
        self.entered.load(Ordering::Relaxed)
    }

    pub fn is_entered_now(&self) {
        self.entered.store(true, Ordering::Relaxed);
    }
}

/// Authenticates the caller of a request.
///
/// # Errors
/// A missing or invalid token, or too many wrong ones.
pub(super) fn of(
    native: &NativeApi,
    headers: &HeaderMap,
    peer: Option<SocketAddr>,
    route: &Route,
) -> Result<Caller, Refusal> {
    let who = authenticated(native, headers, peer)?;
    match who {
        Some(who) => looking_as(native, who, headers, route),
        None if route.token || (native.options.require_token && !matches!(route.verb, Verb::Server | Verb::Whoami)) => {
            Err(no_token())
        }
        None => Ok(anonymous(peer)),
    }
}

/// Checks for a valid token and returns its mark.
///
/// # Errors
/// A missing or invalid token, or too many wrong ones.
pub(super) fn has_token(
    native: &NativeApi,
    headers: &HeaderMap,
    peer: Option<SocketAddr>,
) -> Result<Option<TokenMark>, Refusal> {
    authenticated(native, headers, peer)?.map(|caller| caller.mark).ok_or_else(no_token)
}

fn no_token() -> Refusal {
    let text = "send a token: `Authorization: Bearer TOKEN`; `kornsole token new` creates one";
    Refusal::new(Code::Unauthenticated, "the caller is unknown", text)
}

pub(super) fn anonymous(peer: Option<SocketAddr>) -> Caller {
    Caller {
        actor: anonymous_actor(peer),
        authenticated: false,
        expires: None,
        mark: None,
        entered: AtomicBool::new(false),
    }
}

fn anonymous_actor(peer: Option<SocketAddr>) -> Actor {
    let actor = Actor { from: from(peer), ..Actor::from(Identity::default()) };
    actor.read_only("missing token")
}

fn from(peer: Option<SocketAddr>) -> ActsFrom {
    let address = peer.map_or_else(|| "unknown".to_owned(), |peer| peer.ip().to_string()).into();
    ActsFrom::Api { address, request: Arc::from("") }
}

/// `None` without a token.
fn authenticated(native: &NativeApi, headers: &HeaderMap, peer: Option<SocketAddr>) -> Result<Option<Caller>, Refusal> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let presented = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let token = presented.and_then(|token| native.options.tokens.as_ref()?.find(token, now()));
    let Some(token) = token else {
        // Only wrong tokens count: a valid one always passes, whatever others send from its address.
        if peer.is_some_and(|peer| native.failures.note(peer.ip(), presented.unwrap_or_default())) {
            let text = "too many invalid tokens from this address; a valid token is accepted, otherwise wait a minute";
            return Err(Refusal::new(Code::RateLimited, "the token is unknown, or was revoked", text));
        }
        let text = "the token is unknown, or was revoked";
        return Err(Refusal::new(Code::Unauthenticated, "the caller is unknown", text));
    };
    let admin = token.identity.user == native.options.owner || native.options.scheduler_acl.grants(&token.identity);
    let actor = Actor { from: from(peer), ..Actor::from(token.identity.clone()) }.scheduler_admin(admin);
    let standby = native.options.standby.as_ref().map(standby);
    let actor = match (native.options.read_only, token.read_only) {
        _ if standby.is_some() => actor.read_only(&standby.unwrap_or_default()),
        (true, _) => actor.read_only("this server is read-only"),
        (_, true) => actor.read_only("the token is read-only"),
        _ => actor,
    };
    let (expires, mark, entered) = (token.expires, Some(token.mark()), AtomicBool::new(false));
    Ok(Some(Caller { actor, authenticated: true, expires, mark, entered }))
}

/// Access ends within a second.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Waits until a token has expired or was revoked; forever without a token.
pub(crate) async fn lapsed(native: &NativeApi, mark: Option<&TokenMark>) {
    let Some((tokens, mark)) = native.options.tokens.as_ref().zip(mark) else { return std::future::pending().await };
    while tokens.is_valid(mark, now()) {
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

pub(crate) const LAPSED: &str = "the token has expired, or was revoked";

/// The wall clock in ns since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    i64::try_from(now).unwrap_or(i64::MAX)
}

/// Members of the scheduler ACL may impersonate others for reads, but never for changes.
fn looking_as(native: &NativeApi, who: Caller, headers: &HeaderMap, route: &Route) -> Result<Caller, Refusal> {
    let Some(value) = headers.get("kornsole-as") else { return Ok(who) };
    let refused = |text: String| Refusal::new(Code::AclDenied, "cannot view as another user", text);
    if !who.actor.scheduler_admin {
        let details = Details { scheduler_acl: true, ..Details::default() };
        return Err(refused("needs membership in the scheduler ACL".to_owned()).with(details));
    }
    if route.changes() {
        return Err(refused("Kornsole-As is read-only".to_owned()));
    }
    let identity = value.to_str().map_err(|_| "no text".to_owned()).and_then(Identity::parse);
    let identity = identity.map_err(|why| Refusal::new(Code::BadRequest, "Kornsole-As is invalid", why))?;
    let admin = identity.user == native.options.owner || native.options.scheduler_acl.grants(&identity);
    let actor = Actor { from: who.actor.from.clone(), ..Actor::from(identity) }.scheduler_admin(admin);
    Ok(Caller { actor, ..who })
}
