//! Part II of the REST API, request by request, on a running engine.

mod access;
mod apps;
mod configuration;
mod document;
mod look;
mod records;
mod workload;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request};
use axum::routing::put;
use kornsole::api::auth::{self, NewToken, Tokens};
use kornsole::api::convert::Wall;
use kornsole::api::server::Limits;
use kornsole::api::server::ours::{self, Ours, OwnOptions};
use kornsole::engine::Engine;
use kornsole::model::acl::AclNames;
use kornsole::model::{Acl, Identity, Profile};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::orders::stage::{CONFIG, Stage};

/// A server with tokens for ann, bob, sue, a reader of ann's, and the owner.
struct Api {
    router: Router,
    engine: Arc<Engine>,
    folder: PathBuf,
    tokens: Vec<(&'static str, String)>,
    peer: SocketAddr,
}

impl Drop for Api {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What came back.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    #[track_caller]
    fn is(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{:#}", self.body);
        self
    }
}

impl Api {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut OwnOptions)) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kornsole-ours-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tokens.yaml");
        let mut tokens = Vec::new();
        for (name, user, groups, read_only) in [
            ("ann", "ann", vec!["ann"], false),
            ("bob", "bob", vec!["bob"], false),
            ("sue", "sue", vec!["dev"], false),
            ("reader", "ann", vec!["ann"], true),
            ("owner", "root", vec!["root"], false),
            ("ops", "olga", vec!["ops"], false),
        ] {
            let new = NewToken::make(Identity::new(user, groups), None, read_only, "").unwrap();
            auth::add(&file, new.token).unwrap();
            tokens.push((name, new.secret));
        }
        let mut options = OwnOptions {
            tokens: Some(Tokens::open(&file).unwrap()),
            require_token: false,
            read_only: false,
            scheduler_acl: Acl::parse(" ops", AclNames::Portable).unwrap().acl,
            owner: "root".to_owned(),
            tls: false,
            profile: Profile::Kornsole,
            policy_group: "queues".to_owned(),
            events: kornsole::config::Settings::default().config().event.clone(),
            limits: Limits::default(),
        };
        change(&mut options);
        let engine = Arc::new(Engine::start(Stage::new().core, 1.0).unwrap());
        let wall = Wall::new(std::time::UNIX_EPOCH, 1.0);
        let ours = Ours::new(Arc::clone(&engine), wall, options);
        let old = put(ours::old::replace_config).with_state(Arc::clone(&ours));
        let router = Router::new().nest("/kornsole/v1", ours::routes(ours)).route(ours::old::PATH, old);
        Self { router, engine, folder, tokens, peer: "127.0.0.1:5000".parse().unwrap() }
    }

    fn token(&self, who: &str) -> String {
        let known = self.tokens.iter().find(|(name, _)| *name == who);
        known.map_or_else(|| who.to_owned(), |(_, token)| token.clone())
    }

    async fn send(&self, who: &str, line: &str, headers: &[(&str, &str)], body: Body) -> Answer {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder().method(method).uri(if path.starts_with("/ws/") {
            path.to_owned()
        } else {
            format!("/kornsole/v1{path}")
        });
        if !who.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token(who)));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.extension(ConnectInfo(self.peer)).body(body).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::String(text));
        assert!(headers.contains_key("kornsole-request-id"));
        assert!(!headers.keys().any(|name| name.as_str().starts_with("access-control")), "no page may drive this");
        Answer { status, headers, body }
    }

    async fn get(&self, who: &str, path: &str) -> Answer {
        self.send(who, &format!("GET {path}"), &[], Body::empty()).await
    }

    async fn json(&self, who: &str, line: &str, body: Value) -> Answer {
        self.send(who, line, &[("content-type", "application/json")], body.to_string().into()).await
    }

    async fn yaml(&self, who: &str, line: &str, headers: &[(&str, &str)], text: &str) -> Answer {
        let headers = [headers, &[("content-type", "application/yaml")]].concat();
        self.send(who, line, &headers, text.to_owned().into()).await
    }
}

const KILL: &str = "POST /partition/default/application/etl/kill";
const MOVE: &str = "POST /partition/default/application/etl/move";
