//! The table of paths, matched exactly, or with a redirect to the canonical path.

use axum::http::Method;

use super::{Answer, Call, apps, cluster, config, dump, events, metrics, path, queues};

/// `HEAD` counts as `GET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
}

impl Verb {
    pub const fn methods(self) -> &'static str {
        match self {
            Self::Get => "GET, OPTIONS",
            Self::Post => "OPTIONS, POST",
        }
    }

    fn accepts(self, method: &Method) -> bool {
        match self {
            Self::Get => matches!(*method, Method::GET | Method::HEAD),
            Self::Post => *method == Method::POST,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    Clusters,
    Partitions,
    Queues,
    Queue,
    QueueApplications,
    QueueApplicationsByState,
    PartitionApplications,
    QueueApplication,
    Application,
    Nodes,
    Node,
    PlacementRules,
    Users,
    User,
    Groups,
    Group,
    Config,
    ValidateConf,
    NodeUtilizations,
    NodeUtilization,
    StateDump,
    EventBatch,
    EventStream,
    Health,
    AppHistory,
    ContainerHistory,
    Metrics,
}

use Endpoint as E;

/// Paths; a part that starts with a colon is a parameter.
const ROUTES: [(&str, Endpoint); 28] = [
    ("/ws/v1/clusters", E::Clusters),
    ("/ws/v1/partitions", E::Partitions),
    ("/ws/v1/partition/:partition/queues", E::Queues),
    ("/ws/v1/partition/:partition/queue/:queue", E::Queue),
    ("/ws/v1/partition/:partition/queue/:queue/applications", E::QueueApplications),
    ("/ws/v1/partition/:partition/queue/:queue/applications/:state", E::QueueApplicationsByState),
    ("/ws/v1/partition/:partition/queue/:queue/application/:application", E::QueueApplication),
    ("/ws/v1/partition/:partition/applications/:state", E::PartitionApplications),
    ("/ws/v1/partition/:partition/application/:application", E::Application),
    ("/ws/v1/partition/:partition/nodes", E::Nodes),
    ("/ws/v1/partition/:partition/node/:node", E::Node),
    ("/ws/v1/partition/:partition/placementrules", E::PlacementRules),
    ("/ws/v1/partition/:partition/usage/users", E::Users),
    ("/ws/v1/partition/:partition/usage/user/:user", E::User),
    ("/ws/v1/partition/:partition/usage/groups", E::Groups),
    ("/ws/v1/partition/:partition/usage/group/:group", E::Group),
    ("/ws/v1/config", E::Config),
    ("/ws/v1/validate-conf", E::ValidateConf),
    ("/ws/v1/scheduler/node-utilizations", E::NodeUtilizations),
    ("/ws/v1/scheduler/node-utilization", E::NodeUtilization),
    ("/ws/v1/events/batch", E::EventBatch),
    ("/ws/v1/events/stream", E::EventStream),
    ("/ws/v1/scheduler/healthcheck", E::Health),
    ("/ws/v1/history/apps", E::AppHistory),
    ("/ws/v1/history/containers", E::ContainerHistory),
    ("/ws/v1/metrics", E::Metrics),
    ("/metrics", E::Metrics),
    ("/debug/fullstatedump", E::StateDump),
];

/// Paths of older releases, and their new paths.
const MOVED: [(&str, &str); 2] = [("/ws/v1/fullstatedump", "/debug/fullstatedump"), ("/ws/v1/stack", "/debug/stack")];

impl Endpoint {
    pub const fn verb(self) -> Verb {
        if matches!(self, Self::ValidateConf) { Verb::Post } else { Verb::Get }
    }

    /// Whether it counts against an address's budget.
    pub const fn is_expensive(self) -> bool {
        matches!(self, Self::ValidateConf | Self::StateDump)
    }

    /// Whether the answer may be large enough for another thread.
    pub fn is_heavy(self, call: &Call) -> bool {
        match self {
            Self::Queue => call.query("subtree").is_some(),
            Self::Queues
            | Self::QueueApplications
            | Self::QueueApplicationsByState
            | Self::PartitionApplications
            | Self::Partitions
            | Self::Nodes
            | Self::Users
            | Self::Groups
            | Self::Config
            | Self::ValidateConf
            | Self::NodeUtilizations
            | Self::NodeUtilization
            | Self::EventBatch
            | Self::Health
            | Self::Metrics
            | Self::StateDump => true,
            _ => false,
        }
    }

    pub fn answer(self, call: &Call) -> Answer {
        match self {
            Self::Clusters => cluster::clusters(call),
            Self::Partitions => cluster::partitions(call),
            Self::Queues => queues::tree(call),
            Self::Queue => queues::one(call),
            Self::QueueApplications => apps::of_queue(call),
            Self::QueueApplicationsByState => apps::of_queue_by_state(call),
            Self::PartitionApplications => apps::of_partition(call),
            Self::QueueApplication => apps::one_of_queue(call),
            Self::Application => apps::one(call),
            Self::Nodes => cluster::nodes(call),
            Self::Node => cluster::node(call),
            Self::PlacementRules => cluster::placement_rules(call),
            Self::Users => cluster::users(call),
            Self::User => cluster::user(call),
            Self::Groups => cluster::groups(call),
            Self::Group => cluster::group(call),
            Self::Config => config::show(call),
            Self::ValidateConf => config::validate(call),
            Self::NodeUtilizations => cluster::node_utilizations(call),
            Self::NodeUtilization => cluster::node_utilization(call),
            Self::StateDump => dump::dump(call),
            Self::EventBatch => events::batch(call),
            Self::EventStream => Err(super::RequestError::not_found("Stream")),
            Self::Health => events::health(call),
            Self::AppHistory => events::app_history(call),
            Self::ContainerHistory => events::container_history(call),
            Self::Metrics => metrics::metrics(call),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum RouteMatch {
    Endpoint(Endpoint, Vec<String>),
    Redirect(String),
    Options(Verb),
    OtherMethod(Verb),
    Nothing,
}

/// An empty part matches a parameter.
pub(super) fn find(method: &Method, path: &str) -> RouteMatch {
    let exact = ROUTES.iter().find_map(|(pattern, endpoint)| Some((*endpoint, matched(pattern, path)?)));
    let exact = exact.map(|(endpoint, parameters)| match endpoint.verb() {
        verb if verb.accepts(method) => RouteMatch::Endpoint(endpoint, parameters),
        verb if *method == Method::OPTIONS => RouteMatch::Options(verb),
        verb => RouteMatch::OtherMethod(verb),
    });
    if let Some(found) = exact {
        return found;
    }
    if let Some((_, to)) = MOVED.iter().find(|(from, _)| *from == path) {
        return match *method {
            Method::GET | Method::HEAD => RouteMatch::Redirect((*to).to_owned()),
            Method::OPTIONS => RouteMatch::Options(Verb::Get),
            _ => RouteMatch::OtherMethod(Verb::Get),
        };
    }
    meant(method, path).map_or(RouteMatch::Nothing, RouteMatch::Redirect)
}

fn matched(pattern: &str, path: &str) -> Option<Vec<String>> {
    let mut parameters = Vec::new();
    let mut parts = path.split('/');
    for wanted in pattern.split('/') {
        let part = parts.next()?;
        if wanted.starts_with(':') {
            parameters.push(part.to_owned());
        } else if part != wanted {
            return None;
        }
    }
    parts.next().is_none().then_some(parameters)
}

/// For a trailing slash, doubled slashes, dots, or another case.
fn meant(method: &Method, path: &str) -> Option<String> {
    let taken = || ROUTES.iter().filter(|(_, endpoint)| endpoint.verb().accepts(method));
    if let Some(shorter) = path.strip_suffix('/')
        && taken().any(|(pattern, _)| matched(pattern, shorter).is_some())
    {
        return Some(shorter.to_owned());
    }
    let cleaned = path::cleaned(path);
    taken().find_map(|(pattern, _)| {
        let parts: Vec<&str> = cleaned.split('/').collect();
        let wanted: Vec<&str> = pattern.split('/').collect();
        let fits = |(wanted, part): (&&str, &&str)| {
            if wanted.starts_with(':') { !part.is_empty() } else { wanted.eq_ignore_ascii_case(part) }
        };
        let same = parts.len() == wanted.len() && wanted.iter().zip(&parts).all(fits);
        let repaired =
            wanted.iter().zip(&parts).map(|(wanted, part)| if wanted.starts_with(':') { part } else { wanted });
        let repaired = repaired.copied().collect::<Vec<_>>().join("/");
        (same && repaired != path).then_some(repaired)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> RouteMatch {
        find(&Method::GET, path)
    }

    #[test]
    fn paths_lead_to_endpoints() {
        assert_eq!(get("/ws/v1/clusters"), RouteMatch::Endpoint(E::Clusters, vec![]));
        let parameters = vec!["default".to_owned(), "root.a".to_owned(), "active".to_owned()];
        let path = "/ws/v1/partition/default/queue/root.a/applications/active";
        assert_eq!(get(path), RouteMatch::Endpoint(E::QueueApplicationsByState, parameters));
        assert_eq!(get("/ws/v1/partition//queues"), RouteMatch::Endpoint(E::Queues, vec![String::new()]));
        assert_eq!(find(&Method::HEAD, "/ws/v1/clusters"), RouteMatch::Endpoint(E::Clusters, vec![]));
        for path in ["/", "", "/ws/v1", "/ws/v1/nothing", "/ws/v1/partition/default", "/debug/stack", "/debug/pprof/"] {
            assert_eq!(get(path), RouteMatch::Nothing, "{path}");
        }
    }

    #[test]
    fn other_methods_are_answered_with_those_that_there_are() {
        assert_eq!(find(&Method::POST, "/ws/v1/partitions"), RouteMatch::OtherMethod(Verb::Get));
        assert_eq!(find(&Method::GET, "/ws/v1/validate-conf"), RouteMatch::OtherMethod(Verb::Post));
        assert_eq!(find(&Method::OPTIONS, "/ws/v1/validate-conf"), RouteMatch::Options(Verb::Post));
        assert_eq!(find(&Method::OPTIONS, "/ws/v1/none"), RouteMatch::Nothing);
    }

    #[test]
    fn what_is_nearly_right_is_redirected() {
        let redirects = [
            ("/ws/v1/partitions/", "/ws/v1/partitions"),
            ("/WS/v1/Partitions", "/ws/v1/partitions"),
            ("/ws//v1/./clusters/", "/ws/v1/clusters"),
            ("/ws/v1/Partition/Default/Queue/Root.A", "/ws/v1/partition/Default/queue/Root.A"),
            ("/ws/v1/partition/default/queue/root.a/", "/ws/v1/partition/default/queue/root.a"),
            ("/ws/v1/fullstatedump", "/debug/fullstatedump"),
        ];
        for (path, to) in redirects {
            assert_eq!(get(path), RouteMatch::Redirect(to.to_owned()), "{path}");
        }
        assert_eq!(
            find(&Method::POST, "/ws/v1/validate-conf/"),
            RouteMatch::Redirect("/ws/v1/validate-conf".to_owned())
        );
        assert_eq!(find(&Method::POST, "/ws/v1/partitions/"), RouteMatch::Nothing);
    }
}
