mod access;
mod apps;
mod configuration;
mod document;
mod explain;
mod look;
mod records;
mod whatif;
mod workload;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request};
use axum::routing::put;
use engine::Engine;
use model::acl::AclNames;
use model::{Acl, Profile};
use serde_json::{Value, json};
use server::Limits;
use server::auth::Tokens;
use server::native::{self, NativeApi, NativeOptions};
use tower::ServiceExt as _;
use wire::convert::Wall;

use crate::common::TestDir;
use crate::orders::stage::{CONFIG, Stage};

struct Api {
    router: Router,
    engine: Arc<Engine>,
    _dir: TestDir,
    tokens: Vec<(&'static str, String)>,
    peer: SocketAddr,
}

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

    fn with(change: impl FnOnce(&mut NativeOptions)) -> Self {
        let dir = TestDir::new();
        let tokens = vec![
            ("ann", dir.token("ann", "ann")),
            ("bob", dir.token("bob", "bob")),
            ("sue", dir.token("sue", "dev")),
            ("reader", dir.read_only_token("ann", "ann")),
            ("owner", dir.token("root", "root")),
            ("ops", dir.token("olga", "ops")),
        ];
        let mut options = NativeOptions {
            tokens: Some(Tokens::open(&dir.tokens()).unwrap()),
            of_jobs: false,
            require_token: false,
            read_only: false,
            standby: None,
            scheduler_acl: Acl::parse(" ops", AclNames::Portable).unwrap().acl,
            owner: "root".to_owned(),
            tls: false,
            profile: Profile::Kornsole,
            policy_group: "queues".to_owned(),
            events: config::Settings::default().config().event.clone(),
            limits: Limits::default(),
            alerts: None,
            shadow: None,
        };
        change(&mut options);
        let engine = Arc::new(Engine::start(Stage::new().core, 1.0).unwrap());
        let wall = Wall::new(std::time::UNIX_EPOCH, 1.0);
        let native = NativeApi::new(Arc::clone(&engine), wall, options);
        let old = put(native::legacy_config::replace_config).with_state(Arc::clone(&native));
        let router = Router::new().nest("/kornsole/v1", native::routes(native)).route(native::legacy_config::PATH, old);
        Self { router, engine, _dir: dir, tokens, peer: "127.0.0.1:5000".parse().unwrap() }
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
