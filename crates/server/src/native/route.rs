//! The table of native routes, used by the router, the OpenAPI document, and the tests.

use axum::http::Method;
use percent_encoding::percent_decode_str;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::escape::malformed;
use wire::convert::placement::Answer;
use wire::dto::{Validation, audit, native as dto};

/// The handler of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "see the summary of each route")]
pub enum Verb {
    Server,
    Whoami,
    OpenApi,
    PartitionPermissions,
    Permissions,
    Kill,
    Move,
    Bulk,
    ConfigGet,
    ConfigValidate,
    ConfigDiff,
    ConfigPut,
    ConfigHistory,
    ConfigRevision,
    ConfigRollback,
    Audit,
    Placement,
    WhatIf,
    Submit,
    Ask,
    Release,
    Remove,
    AddNode,
    UpdateNode,
    DrainNode,
    ResumeNode,
    RemoveNode,
    Draining,
    Quotas,
    Usage,
    Shadow,
    Alerts,
    Silence,
    EndSilence,
    Explain,
    Waiting,
    Fairness,
    Cleanup,
    Pause,
    Resume,
    Events,
    EventStream,
    NotYet,
}

/// Adds a type's schema to a document and returns a reference.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The kind of a body.
#[derive(Clone, Copy, Debug)]
pub enum BodyKind {
    /// The route has no body.
    None,
    /// A JSON object of this type; may be missing if all fields are optional.
    Json(SchemaOf),
    /// A queue configuration.
    Yaml,
}

/// One row of the table of routes.
#[derive(Debug)]
pub struct Route {
    /// The method in capitals, for example `POST`.
    pub method: &'static str,
    /// The path after the prefix; a part in braces is a parameter.
    pub path: &'static str,
    /// The handler of the route.
    pub verb: Verb,
    /// The description in one line.
    pub summary: &'static str,
    /// The body of the request.
    pub body: BodyKind,
    /// The schema of the answer, if it is one JSON document.
    pub response: Option<SchemaOf>,
    /// Whether it requires a token.
    pub token: bool,
    changes: bool,
}

impl Route {
    const fn gives<T: JsonSchema>(self) -> Self {
        Self { response: Some(SchemaGenerator::subschema_for::<T>), ..self }
    }

    /// Whether it changes something: then it rejects read-only tokens and supports idempotency keys.
    pub const fn changes(&self) -> bool {
        self.changes
    }

    /// Whether it is expensive, because a configuration is parsed and compared.
    pub const fn is_expensive(&self) -> bool {
        matches!(
            self.verb,
            Verb::ConfigValidate | Verb::ConfigDiff | Verb::Permissions | Verb::Placement | Verb::WhatIf
        )
    }

    /// Maximum size of its body, in bytes.
    pub const fn body_limit(&self) -> usize {
        match (self.body, self.verb) {
            (BodyKind::None, _) => 0,
            (BodyKind::Yaml, _) | (_, Verb::Permissions | Verb::Placement | Verb::WhatIf) => 4 << 20,
            _ => 256 << 10,
        }
    }
}

const fn get(path: &'static str, verb: Verb, summary: &'static str) -> Route {
    Route { method: "GET", path, verb, summary, body: BodyKind::None, response: None, token: true, changes: false }
}

const fn open(route: Route) -> Route {
    Route { token: false, ..route }
}

const fn ask(path: &'static str, verb: Verb, summary: &'static str, body: BodyKind) -> Route {
    Route { method: "POST", path, verb, summary, body, response: None, token: true, changes: false }
}

const fn change(path: &'static str, verb: Verb, summary: &'static str, body: BodyKind) -> Route {
    Route { method: "POST", path, verb, summary, body, response: None, token: true, changes: true }
}

const fn with(method: &'static str, route: Route) -> Route {
    Route { method, ..route }
}

const fn json<T: JsonSchema>() -> BodyKind {
    BodyKind::Json(SchemaGenerator::subschema_for::<T>)
}

use BodyKind::{None as Nothing, Yaml};

/// All routes in `/kornsole/v1`.
pub static ROUTES: [Route; 42] = [
    open(get("/server", Verb::Server, "Get the version and features of the server")).gives::<dto::ServerInfo>(),
    open(get("/whoami", Verb::Whoami, "Get the user of the token")).gives::<dto::Whoami>(),
    open(get("/openapi.json", Verb::OpenApi, "This document")),
    get("/partition/{partition}/permissions", Verb::PartitionPermissions, "Get your access to each queue")
        .gives::<dto::Permissions>(),
    ask("/permissions", Verb::Permissions, "Check whether actions are allowed, with reasons", json::<dto::Checks>())
        .gives::<dto::CheckResults>(),
    change(
        "/partition/{partition}/application/{application}/kill",
        Verb::Kill,
        "Kill an application",
        json::<dto::Kill>(),
    )
    .gives::<dto::KilledApplication>(),
    change(
        "/partition/{partition}/application/{application}/move",
        Verb::Move,
        "Move an application",
        json::<dto::Move>(),
    )
    .gives::<dto::MovedApplication>(),
    change(
        "/partition/{partition}/applications/action",
        Verb::Bulk,
        "Kill or move many applications",
        json::<dto::BulkAction>(),
    )
    .gives::<dto::BulkResults>(),
    get("/partition/{partition}/application/{application}/explain", Verb::Explain, "Explain why an application waits")
        .gives::<dto::Explained>(),
    get("/partition/{partition}/explain", Verb::Waiting, "Explain all pending requests").gives::<dto::Waiting>(),
    get("/config", Verb::ConfigGet, "Get the active configuration").gives::<dto::ConfigState>(),
    ask("/config/validate", Verb::ConfigValidate, "Check a configuration", Yaml).gives::<Validation>(),
    ask("/config/diff", Verb::ConfigDiff, "Preview a configuration: changes, effects, and access", Yaml)
        .gives::<dto::ConfigDiff>(),
    with("PUT", change("/config", Verb::ConfigPut, "Replace the configuration", Yaml)).gives::<dto::AppliedConfig>(),
    get("/config/history", Verb::ConfigHistory, "List earlier configurations").gives::<audit::Revisions>(),
    get("/config/history/{revision}", Verb::ConfigRevision, "Get an earlier configuration").gives::<dto::ConfigState>(),
    change("/config/rollback", Verb::ConfigRollback, "Load an earlier configuration", json::<audit::Rollback>())
        .gives::<dto::AppliedConfig>(),
    ask(
        "/partition/{partition}/placement",
        Verb::Placement,
        "Preview the placement of a submission",
        json::<dto::PlacementQuestion>(),
    )
    .gives::<Answer>(),
    ask("/whatif", Verb::WhatIf, "Try changes on a copy of the state", json::<dto::WhatIf>())
        .gives::<dto::WhatIfResult>(),
    change("/partition/{partition}/applications", Verb::Submit, "Submit an application", json::<dto::Submit>())
        .gives::<dto::SubmittedApplication>(),
    change(
        "/partition/{partition}/application/{application}/asks",
        Verb::Ask,
        "Add resource requests",
        json::<Vec<dto::Ask>>(),
    )
    .gives::<dto::AddedAsks>(),
    with(
        "DELETE",
        change(
            "/partition/{partition}/application/{application}/allocation/{key}",
            Verb::Release,
            "Release an allocation or a pending request",
            Nothing,
        ),
    )
    .gives::<dto::ReleasedAllocation>(),
    change(
        "/partition/{partition}/application/{application}/remove",
        Verb::Remove,
        "Remove an application",
        json::<dto::OnlyReason>(),
    )
    .gives::<dto::KilledApplication>(),
    change("/partition/{partition}/nodes", Verb::AddNode, "Register a node", json::<dto::NodeBody>())
        .gives::<dto::NodeChange>(),
    with(
        "PUT",
        change("/partition/{partition}/node/{node}", Verb::UpdateNode, "Change a node", json::<dto::NodeBody>()),
    )
    .gives::<dto::NodeChange>(),
    change(
        "/partition/{partition}/node/{node}/drain",
        Verb::DrainNode,
        "Make a node unschedulable",
        json::<dto::OnlyReason>(),
    )
    .gives::<dto::NodeChange>(),
    change(
        "/partition/{partition}/node/{node}/resume",
        Verb::ResumeNode,
        "Make a node schedulable",
        json::<dto::OnlyReason>(),
    )
    .gives::<dto::NodeChange>(),
    with("DELETE", change("/partition/{partition}/node/{node}", Verb::RemoveNode, "Decommission a node", Nothing))
        .gives::<dto::NodeChange>(),
    get("/partition/{partition}/fairness", Verb::Fairness, "Compare usage of queues with their guarantees")
        .gives::<dto::Fairness>(),
    get("/partition/{partition}/draining", Verb::Draining, "List draining queues and what blocks them")
        .gives::<dto::DrainingQueues>(),
    get(
        "/partition/{partition}/quotas",
        Verb::Quotas,
        "List queues above their maximum, with the time and victims of enforcement",
    )
    .gives::<dto::ExceededQuotas>(),
    change("/partition/{partition}/cleanup", Verb::Cleanup, "Run the cleanup of queues once", json::<dto::Cleanup>())
        .gives::<dto::CleanupResult>(),
    change(
        "/scheduler/pause",
        Verb::Pause,
        "Pause the scheduler: no cycles, no timers, its clock stops",
        json::<dto::OnlyReason>(),
    )
    .gives::<dto::Paused>(),
    change("/scheduler/resume", Verb::Resume, "Resume the scheduler", json::<dto::OnlyReason>()).gives::<dto::Paused>(),
    get("/usage", Verb::Usage, "Get usage over time: ?by=queue,user&from=&to=").gives::<dto::UsageReport>(),
    open(get("/shadow", Verb::Shadow, "Compare a shadow with the scheduler that it watches"))
        .gives::<dto::ShadowReport>(),
    get("/alerts", Verb::Alerts, "List firing and pending alerts, and silences").gives::<dto::Alerts>(),
    change("/alerts/silences", Verb::Silence, "Silence alerts for a time", json::<dto::SilenceOrder>())
        .gives::<dto::Silence>(),
    with("DELETE", change("/alerts/silences/{silence}", Verb::EndSilence, "End a silence early", Nothing))
        .gives::<dto::Silence>(),
    get("/audit", Verb::Audit, "List the audit: user, operation, and result").gives::<audit::Audit>(),
    get("/events", Verb::Events, "List events with their ids").gives::<dto::Events>(),
    get("/events/stream", Verb::EventStream, "Stream events, one JSON object per line"),
];

/// The result of a route lookup.
pub enum RouteMatch {
    /// A route with the parameters of the path.
    Route(&'static Route, Vec<String>),
    /// The path has other methods.
    OtherMethod,
    /// No route has this path.
    Nothing,
}

/// Finds the route of a path after the prefix.
pub fn find(method: &Method, path: &str) -> RouteMatch {
    // HEAD is answered like GET without the body.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let mut known = false;
    for route in &ROUTES {
        if let Some(parameters) = matches(route.path, path) {
            if route.method == method.as_str() {
                return RouteMatch::Route(route, parameters);
            }
            known = true;
        }
    }
    if known { RouteMatch::OtherMethod } else { RouteMatch::Nothing }
}

/// The methods of a path, for the header `Allow`.
pub fn allowed(path: &str) -> String {
    let here = ROUTES.iter().filter(|route| matches(route.path, path).is_some());
    let mut methods: Vec<&str> = here.map(|route| route.method).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.join(", ")
}

/// Each part is decoded individually, so `%2F` is not a separator.
fn matches(pattern: &str, path: &str) -> Option<Vec<String>> {
    let mut parts = path.split('/');
    let mut parameters = Vec::new();
    for wanted in pattern.split('/') {
        let part = parts.next()?;
        if wanted.starts_with('{') {
            parameters.push(decoded(part).filter(|part| !part.is_empty())?);
        } else if wanted != part {
            return None;
        }
    }
    parts.next().is_none().then_some(parameters)
}

/// Malformed pairs are omitted.
pub fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| decoded(pair).is_some());
    pairs.flat_map(|pair| form_urlencoded::parse(pair.as_bytes()).into_owned()).collect()
}

/// Decodes a text; `None` for a malformed escape or invalid UTF-8.
fn decoded(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    malformed(text).is_none().then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_matched_part_by_part() {
        let found = |method: Method, path: &str| match find(&method, path) {
            RouteMatch::Route(route, parameters) => format!("{:?} {parameters:?}", route.verb),
            RouteMatch::OtherMethod => "other method".to_owned(),
            RouteMatch::Nothing => "nothing".to_owned(),
        };
        assert_eq!(found(Method::POST, "/partition/default/application/a%2Fb/kill"), r#"Kill ["default", "a/b"]"#);
        assert_eq!(found(Method::GET, "/partition/default/application/a/kill"), "other method");
        assert_eq!(found(Method::PUT, "/config"), "ConfigPut []");
        for nothing in ["", "/", "/config/", "/partition//draining", "/server/x", "/partition/%zz/draining"] {
            assert_eq!(found(Method::GET, nothing), "nothing", "{nothing}");
        }
        assert_eq!(query("a=1&b&c=x+y%21"), [("a", "1"), ("b", ""), ("c", "x y!")].map(|(k, v)| (k.into(), v.into())));
    }

    #[test]
    fn no_two_routes_are_the_same() {
        for (at, route) in ROUTES.iter().enumerate() {
            let same = |other: &Route| other.method == route.method && other.path == route.path;
            assert_eq!(ROUTES.iter().position(same), Some(at), "{}", route.path);
        }
    }
}
