//! `PUT /ws/v1/config` for clients of YuniKorn 0.11 to 1.1 (`rest.md` section 6, E5): the text contains the checksum of
//! the configuration that it replaces, and every rejection is a 409 in YuniKorn's form. Large removals are rejected
//! here, too (CFG-120), and the same headers allow them.
//!
//! YuniKorn checked no rights. kornsole requires a token and the rights of the native operation.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;

use super::route::{self, RouteMatch};
use super::{NativeApi, NativeRequest, REQUEST_ID, body, caller, config as native, slowed};
use crate::reply;
use view::act::{Code, Refusal};

/// The path for old clients.
pub const PATH: &str = "/ws/v1/config";

/// Replaces the active configuration.
pub async fn replace_config(State(native): State<Arc<NativeApi>>, request: Request) -> Response {
    let request_id = native.request_id();
    let (parts, body) = request.into_parts();
    let mut response = match replaced(&native, parts, body, &request_id).await {
        // Plain text despite its content type, like in YuniKorn.
        Ok(()) => reply::response(StatusCode::OK, reply::JSON, b"the configuration is active".to_vec()),
        Err(refusal) => match conflict(&refusal) {
            Some(why) => reply::error(StatusCode::CONFLICT, why),
            None => slowed(&native, &refusal, &request_id).await,
        },
    };
    if let Ok(id) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The message for a rejection because of the configuration, not because of the caller.
fn conflict(refusal: &Refusal) -> Option<String> {
    match refusal.code {
        Code::ChecksumMismatch | Code::ChecksumRequired => Some("the base configuration has changed".to_owned()),
        Code::ConfigInvalid => Some(refusal.description.clone()),
        Code::NotDurable | Code::RemovalNotAllowed => Some(refusal.to_string()),
        _ => None,
    }
}

async fn replaced(native: &Arc<NativeApi>, parts: Parts, body: Body, request_id: &str) -> Result<(), Refusal> {
    let RouteMatch::Route(route, parameters) = route::find(&Method::PUT, "/config") else {
        return Err(Refusal::not_found("endpoint", PATH));
    };
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
    let who = match caller::of(native, &parts.headers, peer, route) {
        Ok(who) => who.in_request(request_id),
        Err(refusal) => {
            let anonymous = caller::anonymous(peer).in_request(request_id);
            return Err(native.enter(&anonymous, route, &parameters, refusal).await);
        }
    };
    if let Some(limited) = native.refused.check(&who.actor) {
        return Err(native.enter_first(&who, route, &parameters, limited).await);
    }
    // Old clients send any content type; browser pages cannot send the token.
    let from = reply::peer(&parts.extensions);
    let sent = match body::whole(native, route.body_limit(), from, body).await {
        Ok(sent) => sent,
        Err(refusal) => {
            native.charge(&who, route, 0);
            return Err(native.enter(&who, route, &parameters, refusal).await);
        }
    };
    let base = config::carried_checksum(&sent.bytes);
    let text = config::without_checksum(&sent.bytes).into_owned().into();
    let body = sent.with(text);
    let (native, query, headers) = (Arc::clone(native), Vec::new(), parts.headers);
    let request = NativeRequest { native, who, route, peer: from, parameters, query, headers, body, connection: None };
    let outcome = native::replace(&request, base).await.map(drop);
    outcome.inspect_err(|_| request.native.charge(&request.who, route, 0))
}
