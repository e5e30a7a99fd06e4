//! The address and the user of a client.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::endpoint::Endpoint;
use cluster::kube::Cluster;
use config::settings::is_this_machine;
use model::Identity;

/// A bearer token, which is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Parses a token, ignoring surrounding white space.
    ///
    /// # Errors
    /// Empty text or invalid characters.
    pub fn new(text: &str) -> Result<Self, TargetFault> {
        let text = text.trim();
        let plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
        if text.is_empty() || !text.chars().all(plain) {
            return Err(TargetFault::Token);
        }
        Ok(Self(text.to_owned()))
    }

    pub(super) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// The address of a scheduler, and the user.
#[derive(Clone, Debug)]
pub struct Target {
    /// The address; its path ends with `/` and precedes every endpoint.
    pub(super) base: Url,
    pub(super) token: Option<Token>,
    /// The impersonated identity (`Kornsole-As`).
    pub(super) acting_as: Option<Identity>,
    pub(super) headers: HeaderMap,
    /// Additional trusted authorities in PEM.
    pub(super) authorities: Vec<Vec<u8>>,
    pub(super) certificate: Option<Vec<u8>>,
    /// The host's address, without name resolution.
    pub(super) found_at: Option<SocketAddr>,
    pub(super) endpoint: Option<Endpoint>,
    /// The cluster as a proxy; the address is only a name.
    pub(super) cluster: Option<Arc<Cluster>>,
}

/// Why a target cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetFault {
    /// The address is invalid.
    #[error("{0:?} is not an address: {1}; write http://HOST:9080 or https://HOST/PATH")]
    Address(String, String),
    /// The address has a forbidden part.
    #[error("the address must have no {0}")]
    Part(&'static str),
    /// A token over plain HTTP to another machine (E1).
    #[error("a token is sent only over https or to the local machine; {0} is neither")]
    Plain(String),
    /// An empty token, or one with characters that are invalid in a header.
    #[error("the token is empty or invalid")]
    Token,
    /// An invalid header.
    #[error("{0:?} is not a header; write NAME: VALUE")]
    Header(String),
    /// A header that the client sets itself.
    #[error("the header {0} is set by kornsole itself{1}")]
    OwnHeader(String, &'static str),
    /// An invalid certificate.
    #[error("{0} has no valid PEM certificate: {1}")]
    Certificate(String, String),
    /// The HTTP client cannot start.
    #[error("cannot connect: {0}")]
    Client(String),
}

impl Target {
    /// `http://HOST:PORT`, `https://HOST/BASE/PATH`; default scheme: `http`. Fails with a user, a query, or a fragment.
    pub fn new(address: &str) -> Result<Self, TargetFault> {
        let whole = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        let bad = |why: String| TargetFault::Address(address.to_owned(), why);
        let mut base = Url::parse(whole.trim()).map_err(|error| bad(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(bad(format!("the scheme {} is not supported", base.scheme())));
        }
        if base.host_str().is_none_or(str::is_empty) {
            return Err(bad("it has no host".to_owned()));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(TargetFault::Part("user or password; use --token-file or KORNSOLE_TOKEN for a token"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(TargetFault::Part("query or fragment"));
        }
        let path = base.path().trim_end_matches('/');
        // Users often paste the address of an endpoint.
        let path = ["/ws/v1", "/ws", "/kornsole/v1"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
        let path = format!("{path}/");
        base.set_path(&path);
        let headers = HeaderMap::new();
        Ok(Self {
            base,
            token: None,
            acting_as: None,
            headers,
            authorities: Vec::new(),
            certificate: None,
            found_at: None,
            endpoint: None,
            cluster: None,
        })
    }

    /// Fails if neither https nor this machine (E1).
    pub fn with_token(mut self, token: Token) -> Result<Self, TargetFault> {
        self.secret_is_safe()?;
        self.token = Some(token);
        Ok(self)
    }

    /// Adds a door that can change the address and token later; `None` without a token.
    #[must_use]
    pub fn renewable(mut self) -> (Self, Option<Endpoint>) {
        self.endpoint = self.token.clone().map(|token| Endpoint::new(self.base.clone(), token));
        let endpoint = self.endpoint.clone();
        (self, endpoint)
    }

    /// Sets the host's address, instead of name resolution.
    #[must_use]
    pub fn found_at(mut self, address: SocketAddr) -> Self {
        self.found_at = Some(address);
        self
    }

    /// The scheduler of a cluster, with the cluster as a proxy.
    ///
    /// # Errors
    /// None is known, because the address is constant.
    pub fn of_cluster(cluster: Arc<Cluster>) -> Result<Self, TargetFault> {
        // The name means the scheduler in its pod and is never resolved.
        Ok(Self { cluster: Some(cluster), ..Self::new("http://localhost:9080")? })
    }

    /// The cluster of the scheduler, if it is used as a proxy.
    pub fn cluster(&self) -> Option<&Arc<Cluster>> {
        self.cluster.as_ref()
    }

    /// Impersonates an identity.
    #[must_use]
    pub fn seen_by(mut self, who: Option<Identity>) -> Self {
        self.acting_as = who;
        self
    }

    /// `NAME: VALUE`. Fails if invalid, the client's own, or a secret without encryption.
    pub fn with_header(mut self, header: &str) -> Result<Self, TargetFault> {
        let bad = || TargetFault::Header(header.split(':').next().unwrap_or_default().to_owned());
        let (name, value) = header.split_once(':').ok_or_else(bad)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
        match name.as_str() {
            "host" | "content-length" | "content-type" | "transfer-encoding" | "connection" | "accept-encoding" => {
                return Err(TargetFault::OwnHeader(name.to_string(), ""));
            }
            "kornsole-as" => return Err(TargetFault::OwnHeader(name.to_string(), "; --as sets it")),
            "authorization" | "cookie" | "proxy-authorization" => {
                self.secret_is_safe()?;
                value.set_sensitive(true);
            }
            _ => {}
        }
        self.headers.append(name, value);
        Ok(self)
    }

    /// Also trusts the authorities of a PEM file with this name.
    ///
    /// # Errors
    /// No certificate in the file.
    pub fn with_authorities(mut self, name: &str, pem: Vec<u8>) -> Result<Self, TargetFault> {
        let bad = |why: String| TargetFault::Certificate(name.to_owned(), why);
        let found = reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| bad(causes(&error)))?;
        if found.is_empty() {
            return Err(bad("it is missing".to_owned()));
        }
        self.authorities.push(pem);
        Ok(self)
    }

    /// Adds the client's certificate and key in PEM; `name` is the file's.
    ///
    /// # Errors
    /// Invalid certificate or key.
    pub fn with_certificate(mut self, name: &str, pem: Vec<u8>) -> Result<Self, TargetFault> {
        reqwest::Identity::from_pem(&pem).map_err(|error| TargetFault::Certificate(name.to_owned(), causes(&error)))?;
        self.certificate = Some(pem);
        Ok(self)
    }

    /// The address for display.
    pub fn shown(&self) -> String {
        if let Some(cluster) = &self.cluster {
            return format!("{}{}", cluster::kube::SCHEME, cluster.context().name);
        }
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    /// Host and port, for the header of a screen.
    pub fn host(&self) -> String {
        if let Some(cluster) = &self.cluster {
            return cluster.context().name.clone();
        }
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether a token is sent.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The impersonated identity, if any.
    pub fn seen_as(&self) -> Option<&Identity> {
        self.acting_as.as_ref()
    }

    pub(super) fn is_loopback(&self) -> bool {
        self.base.host_str().is_some_and(is_this_machine)
    }

    pub(super) fn is_tls(&self) -> bool {
        self.base.scheme() == "https"
    }

    fn secret_is_safe(&self) -> Result<(), TargetFault> {
        if self.is_tls() || self.is_loopback() { Ok(()) } else { Err(TargetFault::Plain(self.shown())) }
    }
}

pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    let mut message: Vec<String> = Vec::new();
    for cause in all.map(ToString::to_string) {
        // Some errors repeat their causes.
        if !message.iter().any(|before| before.contains(&cause)) {
            message.push(cause);
        }
    }
    message.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        for (written, shown) in [
            ("localhost:9080", "http://localhost:9080"),
            ("http://yk.example", "http://yk.example"),
            ("https://in.example/yunikorn/", "https://in.example/yunikorn"),
            ("http://yk:9889/ws/v1/", "http://yk:9889"),
            ("[::1]:9080", "http://[::1]:9080"),
        ] {
            assert_eq!(Target::new(written).unwrap().shown(), shown);
        }
        for bad in ["ftp://x", "http://", "http://u:p@x", "http://x?a=b", "http://x/#f", "http://[::1", ""] {
            assert!(Target::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_is_sent_over_tls_or_to_this_machine_only() {
        let token = || Token::new(" abc\n").unwrap();
        for good in ["https://x.example", "http://127.0.0.1:9080", "http://[::1]:1", "localhost:9080"] {
            assert!(Target::new(good).unwrap().with_token(token()).is_ok(), "{good}");
        }
        for bad in ["http://x.example", "http://10.0.0.1:9080", "http://localhost.example"] {
            let target = Target::new(bad).unwrap();
            assert!(matches!(target.clone().with_token(token()), Err(TargetFault::Plain(_))), "{bad}");
            assert!(matches!(target.with_header("Authorization: Basic eDp5"), Err(TargetFault::Plain(_))), "{bad}");
        }
        assert_eq!(format!("{:?}", token()), "Token");
        assert!(Token::new(" \n").is_err() && Token::new("a b").is_err());
    }

    #[test]
    fn headers_are_taken_but_for_our_own() {
        let target = || Target::new("https://x.example").unwrap();
        assert!(target().with_header("X-Forwarded-User: sue").is_ok());
        assert!(matches!(target().with_header("Kornsole-As: sue"), Err(TargetFault::OwnHeader(..))));
        assert!(matches!(target().with_header("Host: y"), Err(TargetFault::OwnHeader(..))));
        assert!(matches!(target().with_header("no colon"), Err(TargetFault::Header(_))));
        assert!(matches!(target().with_header("X: a\nb"), Err(TargetFault::Header(_))));
    }
}
