//! Errors of requests to an API server, in words.

use std::fmt;

use kube::client::AuthError;

use super::Who;
use super::bounds::Unreached;
use super::plugin::PluginFault;

/// A certificate from the future usually means a wrong clock.
const CLOCK: &str = "; check the clock of this machine";
/// Message of an API server for a terminating namespace; its status is that of a missing right.
const TERMINATING: &str = "because it is being terminated";

/// A request in terms of RBAC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Asked {
    /// `get`, `list`, `create`, `patch`, `delete`.
    pub verb: &'static str,
    /// API group; empty for the core.
    pub group: &'static str,
    /// Resource, with its subresource after a `/`.
    pub resource: &'static str,
    /// Namespace; `None` for cluster-scoped resources, or for all.
    pub namespace: Option<String>,
    /// Name of a single object.
    pub name: Option<String>,
}

impl Asked {
    /// Creates a request for the core group.
    pub fn core(verb: &'static str, resource: &'static str, namespace: Option<&str>) -> Self {
        Self { verb, group: "", resource, namespace: namespace.map(str::to_owned), name: None }
    }

    /// Restricts the request to one object.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// Formats a rule for a Role or a ClusterRole.
    pub fn rule(&self) -> String {
        let names = match &self.name {
            // Objects to create have no name yet, and rules for single pods and nodes are useless.
            Some(name)
                if !matches!(self.resource, "pods" | "pods/portforward" | "pods/log" | "nodes")
                    && (self.verb != "create" || self.resource.contains('/')) =>
            {
                format!("resourceNames: [{name:?}], ")
            }
            _ => String::new(),
        };
        format!("- {{apiGroups: [{:?}], resources: [{}], {names}verbs: [{}]}}", self.group, self.resource, self.verb)
    }

    fn kind(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("a Role in {namespace}"),
            None => "a ClusterRole".to_owned(),
        }
    }
}

impl fmt::Display for Asked {
    /// `get services/proxy yunikorn-service in namespace yunikorn`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace}"),
            None => Ok(()),
        }
    }
}

/// A failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KubeFault {
    /// `None` without an answer.
    pub status: Option<u16>,
    pub(super) message: String,
    /// The rule that would allow it.
    pub rule: Option<String>,
    /// The original error.
    pub technical: String,
}

impl KubeFault {
    /// Creates a fault without a status.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Creates the fault of a failed request.
    pub fn of(error: kube::Error, asked: &Asked, who: Option<&Who>) -> Self {
        match error {
            kube::Error::Api(status) => Self::answered(status.code, &status.message, asked, who),
            kube::Error::Auth(error) => Self::new(credentials(&error)),
            kube::Error::UpgradeConnection(error) => {
                let message = format!("cannot {asked}: the API server rejects the upgrade to a websocket");
                Self { status: Some(400), technical: error.to_string(), ..Self::new(message) }
            }
            error => {
                let technical = causes(&error);
                if let Some(plugin) = plugin(&error) {
                    return Self { technical, ..Self::new(plugin) };
                }
                let all = std::iter::successors(Some(&error as &(dyn std::error::Error + 'static)), |one| one.source());
                let place = all.filter_map(|cause| cause.downcast_ref::<Unreached>()).next();
                let message = match place {
                    Some(unreached) => {
                        let why = std::error::Error::source(unreached).map(causes).unwrap_or_default();
                        let Unreached { server, context, .. } = unreached;
                        let clock = if ["NotValidYet", "not valid yet"].iter().any(|words| why.contains(words)) {
                            CLOCK
                        } else {
                            ""
                        };
                        format!("cannot reach the API server {server} of context {context}: {why}{clock}")
                    }
                    None => format!("cannot reach the API server: {technical}"),
                };
                Self { technical, ..Self::new(message) }
            }
        }
    }

    /// Creates the fault of a rejection.
    pub fn answered(status: u16, reported: &str, asked: &Asked, who: Option<&Who>) -> Self {
        let named = who.map(|who| who.user.clone()).or_else(|| user_in(reported));
        let user = named.map_or_else(|| "the user of this context".to_owned(), |user| format!("user {user}"));
        let (message, rule) = match status {
            401 => (format!("401: the API server does not accept the credentials of this context (to {asked})"), None),
            403 if reported.contains(TERMINATING) => (
                format!(
                    "403: cannot {asked}: the namespace is being deleted; create it again, or use another namespace"
                ),
                None,
            ),
            403 => {
                let rule = asked.rule();
                let message =
                    format!("403: {user} may not {asked}; this rule in {} would allow it:  {rule}", asked.kind());
                (message, Some(rule))
            }
            404 => (format!("404: {asked}: not found"), None),
            _ => (format!("{status}: cannot {asked}: {reported}"), None),
        };
        Self { status: Some(status), message, rule, technical: reported.to_owned() }
    }

    /// Returns true for a 403 that an RBAC rule could fix.
    pub fn is_forbidden(&self) -> bool {
        self.status == Some(403) && self.rule.is_some()
    }

    /// Returns true for a 404.
    pub fn is_missing(&self) -> bool {
        self.status == Some(404)
    }

    /// Returns true for a 409.
    pub fn is_conflict(&self) -> bool {
        self.status == Some(409)
    }
}

impl fmt::Display for KubeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for KubeFault {}

fn user_in(reported: &str) -> Option<String> {
    let rest = reported.split_once("User \"")?.1;
    rest.split_once('"').map(|(user, _)| user.to_owned())
}

fn credentials(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecRun { cmd, out } => {
            let reported = String::from_utf8_lossy(&out.stderr);
            let reported = reported.split_whitespace().collect::<Vec<_>>().join(" ");
            let reported = if reported.is_empty() {
                "it printed no reason".to_owned()
            } else {
                reported.chars().take(300).collect()
            };
            let program = program(cmd).unwrap_or_else(|| "of this context".to_owned());
            format!("the credential plugin {program} failed with {}: {reported}", out.status)
        }
        AuthError::ReadTokenFile(error, file) => format!("{}: the token cannot be read: {error}", file.display()),
        AuthError::InvalidBearerToken(_) => "the token of this context has invalid characters".to_owned(),
        other => format!("the credentials of this context cannot be used: {other}"),
    }
}

/// Without variables, which may be secrets.
fn program(printed: &str) -> Option<String> {
    let mut rest = printed.trim_start();
    loop {
        let quote = rest.find('"')?;
        let mut end = quote + 1;
        let mut escaped = false;
        for c in rest[end..].chars() {
            if c == '"' && !escaped {
                break;
            }
            escaped = c == '\\' && !escaped;
            end += c.len_utf8();
        }
        if quote == 0 {
            return rest.get(1..end).map(str::to_owned);
        }
        rest = rest.get(end + 1..)?.trim_start();
    }
}

/// Returns a failed exec plugin among the causes of an error.
fn plugin(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let all = std::iter::successors(Some(error), |error| error.source());
    let mut named = all.filter_map(|cause| {
        let own = cause.downcast_ref::<PluginFault>().map(ToString::to_string);
        own.or_else(|| cause.downcast_ref::<AuthError>().map(credentials))
    });
    named.next()
}

/// Formats an error with its causes in one line.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    let mut words: Vec<String> = Vec::new();
    for cause in all.map(ToString::to_string) {
        if !words.iter().any(|before| before.contains(&cause)) {
            words.push(cause);
        }
    }
    words.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_who_what_where_and_the_rule() {
        let asked = Asked::core("get", "services/proxy", Some("yunikorn")).named("yunikorn-service:yunikorn-core");
        let reported = "services \"x\" is forbidden: User \"ann\" cannot get resource \"services/proxy\"";
        let fault = KubeFault::answered(403, reported, &asked, None);
        assert_eq!(
            fault.to_string(),
            "403: user ann may not get services/proxy yunikorn-service:yunikorn-core in namespace yunikorn; this rule in a Role in \
             yunikorn would allow it:  - {apiGroups: [\"\"], resources: [services/proxy], resourceNames: \
             [\"yunikorn-service:yunikorn-core\"], verbs: [get]}"
        );
        assert!(fault.is_forbidden());
    }

    #[test]
    fn a_failed_plugin_is_named_without_its_environment() {
        let mut command = std::process::Command::new("/bin/x y");
        command.env("KUBERNETES_EXEC_INFO", "{\"spec\": \"secret\"}").arg("--token");
        assert_eq!(program(&format!("{command:?}")).as_deref(), Some("/bin/x y"));
        assert_eq!(program("\"aws\" \"eks\"").as_deref(), Some("aws"));
        assert_eq!(program(""), None);
    }

    #[test]
    fn a_rule_for_what_is_created_names_no_object() {
        let asked = Asked::core("create", "configmaps", Some("yunikorn")).named("yunikorn-configs");
        assert_eq!(asked.rule(), "- {apiGroups: [\"\"], resources: [configmaps], verbs: [create]}");
    }
}
