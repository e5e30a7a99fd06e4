//! How the scheduler of a cluster was found.

use std::fmt;

use super::Via;

/// The result of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Empty if unknown, which only a direct address allows.
    pub namespace: String,
    /// Empty for a direct address without a Service.
    pub service: String,
    /// Its pod, for requests to the pod.
    pub pod: Option<String>,
    /// The selected path.
    pub via: Via,
    /// Why the other path was not used.
    pub why_not: Option<String>,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.via {
            Via::PortForward => write!(f, "by port-forward to the pod of {}/{}", self.namespace, self.service)?,
            Via::Proxy => write!(f, "by the service proxy to {}/{}", self.namespace, self.service)?,
            Via::Url(url) => write!(f, "by {url}, all other requests by the API server")?,
        }
        match &self.why_not {
            Some(why) => write!(f, ", because {why}"),
            None => Ok(()),
        }
    }
}
