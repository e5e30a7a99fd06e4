//! Connections to an API server that notice a silent loss, as after a NAT has dropped them.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{Request, Response, StatusCode, Uri};
use http_body_util::BodyExt as _;
use http_body_util::combinators::MapErr;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt as _};
use kube::config::Config;
use tokio::time::timeout;
use tower::util::{BoxCloneSyncService, BoxService};
use tower::{BoxError, ServiceBuilder, ServiceExt as _};

use super::access::CONNECT;
use super::plugin::{Credential, Plugin};

/// After this time without data, the other end is probed.
const IDLE: Duration = Duration::from_secs(4);
/// The time between two probes.
const PROBES: Duration = Duration::from_secs(2);
/// How many probes without an answer end a connection, where the system has no [`LOST`].
const MISSED: u32 = 2;
/// After this time without an answer to probes or data, the connection ends.
const LOST: Duration = Duration::from_secs(8);

type Answered = MapErr<Incoming, fn(hyper::Error) -> BoxError>;
type Sends = BoxService<Request<Body>, Response<Answered>, BoxError>;
type Connections = BoxCloneSyncService<Request<Body>, Response<Answered>, BoxError>;

fn tcp() -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_keepalive(Some(IDLE));
    tcp.set_keepalive_interval(Some(PROBES));
    tcp.set_keepalive_retries(Some(MISSED));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(LOST));
    tcp
}

/// What a client of this configuration sends its requests with, and the credentials of a plugin. The library's own client has no way to set options of its connections.
///
/// # Errors
/// Credentials or certificates of the configuration are invalid, or it names a proxy.
pub(super) fn builder(
    config: Config,
    plugin: Option<(Plugin, Credential)>,
) -> Result<ClientBuilder<Sends>, kube::Error> {
    if config.proxy_url.is_some() {
        // Its error names the proxy.
        ClientBuilder::try_from(config.clone())?;
    }
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from);
    let namespace = config.default_namespace.clone();
    let sends = match plugin {
        None => service.service(connections(&config)?).boxed(),
        Some((plugin, credential)) => {
            let connections = connections(&credential.configured(&config))?;
            let renewed = Renewed { config, plugin, current: Mutex::new((credential, connections)) };
            let renewed = Arc::new(renewed);
            service.service(tower::service_fn(move |request| Arc::clone(&renewed).send(request))).boxed()
        }
    };
    Ok(ClientBuilder::new(sends, namespace))
}

fn connections(config: &Config) -> Result<Connections, kube::Error> {
    let tls = config.rustls_https_connector_with_connector(tcp())?;
    let longest = config.connect_timeout.unwrap_or(CONNECT);
    let connector = tower::service_fn(move |server: Uri| {
        let tls = tls.clone();
        Box::pin(async move {
            let silent = || std::io::Error::from(std::io::ErrorKind::TimedOut);
            timeout(longest, tls.oneshot(server)).await.unwrap_or_else(|_| Err(silent().into()))
        }) as Pin<Box<dyn Future<Output = _> + Send>>
    });
    let client: Client<_, Body> = Client::builder(TokioExecutor::new()).build(connector);
    let answered = |response: Response<Incoming>| {
        response.map(|body| body.map_err(BoxError::from as fn(hyper::Error) -> BoxError))
    };
    Ok(BoxCloneSyncService::new(client.map_response(answered).map_err(BoxError::from)))
}

struct Renewed {
    config: Config,
    plugin: Plugin,
    current: Mutex<(Credential, Connections)>,
}

impl Renewed {
    async fn send(self: Arc<Self>, mut request: Request<Body>) -> Result<Response<Answered>, BoxError> {
        let credential = self.plugin.credential().await?;
        if let Some(token) = credential.header()? {
            request.headers_mut().insert(AUTHORIZATION, token);
        }
        let answer = self.connections(&credential)?.oneshot(request).await?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            self.plugin.reject(&credential).await;
        }
        Ok(answer)
    }

    /// A server checks the certificate with which a connection was opened, so a new one needs new connections.
    fn connections(&self, credential: &Credential) -> Result<Connections, kube::Error> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if !current.0.has_certificate_of(credential) {
            *current = (credential.clone(), connections(&credential.configured(&self.config))?);
        }
        Ok(current.1.clone())
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// The timer of the connection to a port, as the kernel shows it: its kind, and hundredths of a second.
    fn timer(port: u16) -> Option<(u8, u64)> {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let to = format!(":{port:04X}");
        table.lines().find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (kind, due) = fields.get(5)?.split_once(':')?;
            let open = fields[2].ends_with(&to) && fields[3] == "01";
            open.then(|| (u8::from_str_radix(kind, 16).unwrap(), u64::from_str_radix(due, 16).unwrap()))
        })
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_watch_without_data_is_probed_within_seconds() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let config = Config::new(format!("http://{address}").parse().unwrap());
        let client = builder(config, None).unwrap().build();
        let request = Request::get("/api/v1/pods?watch=true").body(Body::empty()).unwrap();
        let waits = tokio::spawn(async move { client.send(request).await.map(drop) });
        let (_stream, _) = listener.accept().await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        let (kind, due) = timer(address.port()).unwrap();
        // 2: a keepalive probe.
        assert!(kind == 2 && due <= 100 * IDLE.as_secs(), "timer {kind} in {due}/100 s");
        waits.abort();
    }
}
