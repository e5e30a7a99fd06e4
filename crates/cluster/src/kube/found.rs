//! How the scheduler of a cluster was found.

use std::fmt;

use super::Via;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The namespace of the scheduler; empty if unknown, which only an address of its own allows.
    pub namespace: String,
    /// The Service that the scheduler answers at; empty if an address of its own is used and no Service was found.
    pub service: String,
    /// Its pod, where requests go to the pod.
    pub pod: Option<String>,
    /// The way that was taken.
    pub via: Via,
    /// Why not the other.
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
