//! HTTP requests and answers.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Method, Response, StatusCode, Url, redirect};
use serde::de::DeserializeOwned;

use super::answer::{content_type, date_of, endpoint, is_foreign_like, leads_to, parsed};
use super::elements::Elements;
use super::endpoint::Endpoint;
use super::fault::{ErrorBody, Fault};
use super::lines::Lines;
use super::problem::{self, Problem};
use super::target::{Target, TargetFault, causes};
use cluster::kube::Cluster;

/// The old and new path of the state dump (`rest.md` 5.17).
const DUMP: (&str, &str) = ("ws/v1/fullstatedump", "debug/fullstatedump");
/// Maximum size of an error text, in bytes.
const ERROR: usize = 64 << 10;

/// Timeouts of each phase, and maximum sizes of answers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the connection is open, including TLS.
    pub connect: Duration,
    /// From the request to the answer's header.
    pub header: Duration,
    /// Between two parts of an answer.
    pub idle: Duration,
    /// For a whole answer.
    pub whole: Duration,
    /// Bytes of an unpacked answer that is read as a whole.
    pub body: usize,
    /// Bytes of an unpacked answer that is read by element.
    pub list: usize,
    /// Bytes of an element.
    pub element: usize,
    /// Idle connections that are kept.
    pub retained: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            header: Duration::from_secs(15),
            idle: Duration::from_secs(15),
            whole: Duration::from_secs(120),
            body: 256 << 20,
            list: 2 << 30,
            element: 64 << 20,
            retained: 8,
        }
    }
}

/// An answer with its timing.
#[derive(Clone, Debug)]
pub struct ClientResponse<T> {
    /// The answer's value.
    pub value: T,
    /// From the request to the answer's header.
    pub rtt: Duration,
    /// From the request to the end of the answer.
    pub took: Duration,
    /// The server's clock, in seconds.
    pub date: Option<SystemTime>,
}

impl<T> ClientResponse<T> {
    /// Replaces the value.
    pub fn with<U>(self, value: U) -> ClientResponse<U> {
        ClientResponse { value, rtt: self.rtt, took: self.took, date: self.date }
    }
}

/// Sends requests to one target. Cheap to clone; connections are shared.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    endpoint: Option<Endpoint>,
    limits: Limits,
    cluster: Option<(Arc<Cluster>, HeaderMap)>,
}

impl Client {
    /// Fails if TLS or the resolver cannot start.
    pub fn new(target: &Target, limits: Limits) -> Result<Self, TargetFault> {
        // Fails only if a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let failed = |error: &reqwest::Error| TargetFault::Client(causes(error));
        let mut headers = target.headers.clone();
        if let Some(token) = target.token.as_ref().and_then(super::Token::header) {
            headers.insert(AUTHORIZATION, token);
        }
        if let Some(who) = target.seen_as() {
            let value = format!("{}:{}", who.user, who.groups.join(","));
            let value = HeaderValue::from_str(&value).map_err(|_| TargetFault::Header("Kornsole-As".to_owned()))?;
            headers.insert("kornsole-as", value);
        }
        let cluster = target.cluster.clone().map(|cluster| (cluster, headers.clone()));
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("kornsole/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(limits.connect)
            .tcp_keepalive(Duration::from_secs(30))
            .pool_max_idle_per_host(limits.retained)
            .pool_idle_timeout(Duration::from_secs(90));
        if let (Some(address), Some(host)) = (target.found_at, target.base.host_str()) {
            builder = builder.resolve(host, address);
        }
        if target.is_loopback() {
            // A proxy must not see requests to this machine.
            builder = builder.no_proxy();
        }
        builder = if target.is_tls() {
            let mut authorities = Vec::new();
            for pem in &target.authorities {
                authorities.extend(reqwest::Certificate::from_pem_bundle(pem).map_err(|error| failed(&error))?);
            }
            builder.tls_certs_merge(authorities)
        } else {
            // The system's certificates may be missing.
            builder.tls_certs_only([])
        };
        if let Some(pem) = &target.certificate {
            builder = builder.identity(reqwest::Identity::from_pem(pem).map_err(|error| failed(&error))?);
        }
        let http = builder.build().map_err(|error| failed(&error))?;
        Ok(Self { http, base: target.base.clone(), endpoint: target.endpoint.clone(), limits, cluster })
    }

    /// The cluster that requests pass through.
    pub fn cluster(&self) -> Option<&Arc<Cluster>> {
        self.cluster.as_ref().map(|(cluster, _)| cluster)
    }

    /// Gets a whole document. `path` is relative and encoded ([`super::encode_once`], [`super::encode_twice`]).
    ///
    /// # Errors
    /// Any error of the request.
    pub async fn get(&self, path: &str) -> Result<ClientResponse<Vec<u8>>, Fault> {
        self.whole(Method::GET, path, HeaderMap::new(), None).await
    }

    /// Gets the configuration as text.
    ///
    /// # Errors
    /// Any error of the request.
    pub async fn text(&self, path: &str) -> Result<ClientResponse<Vec<u8>>, Fault> {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/x-yaml, text/plain"))]);
        self.whole(Method::GET, path, headers, None).await
    }

    async fn whole(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<ClientResponse<Vec<u8>>, Fault> {
        let endpoint = endpoint(&method, path);
        let (response, started, rtt) = self.send(method, path, headers, body, self.limits.header).await?;
        let date = date_of(&response);
        let value = self.read(response, started, endpoint).await?;
        Ok(ClientResponse { value, rtt, took: started.elapsed(), date })
    }

    /// Gets and parses JSON.
    pub async fn json<T: DeserializeOwned>(&self, path: &str) -> Result<ClientResponse<T>, Fault> {
        let got = self.get(path).await?;
        let value = parsed(path, &got.value)?;
        Ok(got.with(value))
    }

    /// Sends a body and parses the answer.
    pub async fn send_json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<ClientResponse<T>, Fault> {
        let got = self.whole(method, path, headers, Some(body)).await?;
        parsed(path, &got.value).map(|value| got.with(value))
    }

    /// Gets a list of objects and passes each to `each` as it arrives.
    ///
    /// # Errors
    /// Any error of the request; some elements may already have been passed.
    pub async fn elements(
        &self,
        path: &str,
        mut each: impl FnMut(&[u8]) -> Result<(), String> + Send,
    ) -> Result<ClientResponse<usize>, Fault> {
        let (mut response, started, rtt) =
            self.send(Method::GET, path, HeaderMap::new(), None, self.limits.header).await?;
        let date = date_of(&response);
        let mut elements = Elements::new(self.limits.element);
        let unreadable = |why: String| Fault::Unreadable(format!("/{path}"), why);
        let mut first: Option<Vec<u8>> = None;
        let mut size = 0_usize;
        while let Some(chunk) = self.chunk(&mut response, started).await? {
            size = size.saturating_add(chunk.len());
            if size > self.limits.list {
                return Err(Fault::TooLarge(self.limits.list));
            }
            let first = first.get_or_insert_with(|| chunk[..chunk.len().min(256)].to_vec());
            elements.push(&chunk, &mut each).map_err(|why| match is_foreign_like(first) {
                true => Fault::Foreign(200, Fault::first_of(first), endpoint(&Method::GET, path)),
                false => unreadable(why),
            })?;
        }
        let value = elements.finish().map_err(unreadable)?;
        Ok(ClientResponse { value, rtt, took: started.elapsed(), date })
    }

    /// Opens a stream of lines; its header must arrive within `patience`.
    ///
    /// # Errors
    /// Any error of the request.
    pub async fn lines(&self, path: &str, patience: Duration) -> Result<Lines, Fault> {
        let (response, ..) = self.send(Method::GET, path, HeaderMap::new(), None, patience).await?;
        Ok(Lines::of(response))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
        patience: Duration,
    ) -> Result<(Response, Instant, Duration), Fault> {
        let started = Instant::now();
        let mut path = path;
        loop {
            let mut headers = headers.clone();
            if let Some(token) = self.endpoint.as_ref().and_then(Endpoint::header) {
                headers.insert(AUTHORIZATION, token);
            }
            headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
            let sending = self.dispatch(method.clone(), self.address(path)?, headers, body.clone());
            let response =
                tokio::time::timeout(patience, sending).await.map_err(|_| Fault::Slow("answer", patience))??;
            let status = response.status();
            if status.is_redirection() {
                // The only allowed redirect (rule 12): only the path is used.
                if path == DUMP.0 && leads_to(&response, &self.base(), DUMP.1) {
                    path = DUMP.1;
                    continue;
                }
                let to = response.headers().get(LOCATION).map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
                let to = to.unwrap_or_else(|| "nowhere".to_owned());
                return Err(Fault::Elsewhere(status.as_u16(), Fault::first_of(to.as_bytes())));
            }
            if !status.is_success() {
                return Err(self.refusal(response, (&method, path), started).await);
            }
            return Ok((response, started, started.elapsed()));
        }
    }

    async fn dispatch(
        &self,
        method: Method,
        address: Url,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<Response, Fault> {
        if let Some((cluster, own)) = &self.cluster {
            let mut all = own.clone();
            all.extend(headers);
            let path = match address.query() {
                Some(query) => format!("{}?{query}", address.path()),
                None => address.path().to_owned(),
            };
            let sent = cluster.send(method, &path, all, body.unwrap_or_default()).await;
            return sent.map_err(|fault| Fault::Cluster(Box::new(fault)));
        }
        let mut request = self.http.request(method, address).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        request.send().await.map_err(|error| self.fault(error))
    }

    fn base(&self) -> Cow<'_, Url> {
        self.endpoint.as_ref().map_or(Cow::Borrowed(&self.base), |endpoint| Cow::Owned(endpoint.address()))
    }

    fn address(&self, path: &str) -> Result<Url, Fault> {
        let whole = format!("{}{path}", self.base());
        Url::parse(&whole).map_err(|error| {
            Fault::Unreachable(Problem::new(format!("{whole} is not a valid address"), error.to_string()))
        })
    }

    async fn read(&self, mut response: Response, started: Instant, endpoint: String) -> Result<Vec<u8>, Fault> {
        let (limit, status) = (self.limits.body, response.status().as_u16());
        let html = content_type(&response).contains("html");
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk(&mut response, started).await? {
            if bytes.len() + chunk.len() > limit {
                return Err(Fault::TooLarge(limit));
            }
            bytes.extend_from_slice(&chunk);
        }
        if html || is_foreign_like(&bytes) {
            return Err(Fault::Foreign(status, Fault::first_of(&bytes), endpoint));
        }
        Ok(bytes)
    }

    async fn chunk(
        &self,
        response: &mut Response,
        started: Instant,
    ) -> Result<Option<impl AsRef<[u8]> + std::ops::Deref<Target = [u8]> + use<>>, Fault> {
        let left = self.limits.whole.saturating_sub(started.elapsed());
        let limit = self.limits.idle.min(left);
        match tokio::time::timeout(limit, response.chunk()).await {
            Err(_) if limit < self.limits.idle => Err(Fault::Slow("whole answer", self.limits.whole)),
            Err(_) => Err(Fault::Slow("next part of the response", self.limits.idle)),
            Ok(Err(error)) => Err(Fault::Cut(Problem::of("the response ended too early", error))),
            Ok(Ok(chunk)) => Ok(chunk),
        }
    }

    /// Converts a status other than 2xx (`rest.md` sections 1 and 3).
    async fn refusal(&self, mut response: Response, (method, path): (&Method, &str), started: Instant) -> Fault {
        let asked = endpoint(method, path);
        let status = response.status();
        let kind = content_type(&response);
        let mut body = Vec::new();
        // The status is enough.
        while let Ok(Some(chunk)) = self.chunk(&mut response, started).await {
            body.extend_from_slice(&chunk);
            if body.len() > ERROR {
                break;
            }
        }
        if let Some(reported) = ErrorBody::read(&body) {
            let reported = Box::new(ErrorBody { asked, ..reported });
            return if status == StatusCode::NOT_FOUND {
                Fault::Missing(reported)
            } else {
                Fault::Refused(status.as_u16(), reported)
            };
        }
        let plain = kind.starts_with("text/plain") || kind.is_empty();
        match status {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED if plain => {
                Fault::NoEndpoint(format!("/{}", path.split('?').next().unwrap_or(path)))
            }
            _ if is_foreign_like(&body) && status.is_client_error() && status != StatusCode::UNAUTHORIZED => {
                Fault::Foreign(status.as_u16(), Fault::first_of(&body), asked)
            }
            _ => {
                let message = if body.is_empty() {
                    status.canonical_reason().unwrap_or("no reason given").to_owned()
                } else {
                    Fault::first_of(&body)
                };
                Fault::Refused(status.as_u16(), Box::new(ErrorBody { message, asked, ..ErrorBody::default() }))
            }
        }
    }

    fn fault(&self, error: reqwest::Error) -> Fault {
        let base = self.base();
        let host = base.host_str().unwrap_or_default();
        if !error.is_connect() {
            return Fault::Cut(Problem::of(format!("{host} closed the connection before it answered"), error));
        }
        let report = match error.is_timeout() {
            true => format!("{host} did not answer within {:?}", self.limits.connect),
            false => problem::connecting(host, base.port_or_known_default(), &error),
        };
        Fault::Unreachable(Problem::of(report, error))
    }
}
