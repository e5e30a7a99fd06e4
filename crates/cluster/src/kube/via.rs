//! The ways to a scheduler in a cluster.

use reqwest::Url;

/// How requests get to the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// By port-forward to its pod.
    PortForward,
    /// By the API server's proxy to its Service.
    Proxy,
    /// By an address of its own, an ingress for example; everything else is done by the API server.
    Url(Url),
}

impl Via {
    /// The way in a word: `port-forward`, `proxy`, `url`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::PortForward => "port-forward",
            Self::Proxy => "proxy",
            Self::Url(_) => "url",
        }
    }

    /// Reads what `--via` takes.
    ///
    /// # Errors
    /// It is neither a way nor an address.
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
