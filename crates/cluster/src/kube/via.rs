//! The paths to a scheduler in a cluster.

use reqwest::Url;

/// How requests reach the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// By port-forward to its pod.
    PortForward,
    /// By the API server's proxy to its Service.
    Proxy,
    /// A direct address, for example an ingress; other requests go to the API server.
    Url(Url),
}

impl Via {
    /// `port-forward`, `proxy`, or `url`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PortForward => "port-forward",
            Self::Proxy => "proxy",
            Self::Url(_) => "url",
        }
    }

    /// Parses `--via`.
    ///
    /// # Errors
    /// It is neither a path nor an address.
    pub fn read(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is invalid; use port-forward, proxy, or an address such as https://HOST/PATH");
        match text {
            "port-forward" => Ok(Self::PortForward),
            "proxy" => Ok(Self::Proxy),
            _ => {
                let url = Url::parse(text).map_err(|_| wrong())?;
                let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
                let usable = matches!(url.scheme(), "http" | "https") && url.has_host() && plain;
                usable.then_some(Self::Url(url)).ok_or_else(wrong)
            }
        }
    }
}
