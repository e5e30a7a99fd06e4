//! The scheduler of a context: its discovery, and the path of requests.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http_body_util::{BodyDataStream, BodyExt as _, Full, Limited};
use kube::Client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode, Url};
use tokio::sync::Mutex as AsyncMutex;

use super::access::CONNECT;
use super::bounds::{self, Bounds};
use super::find::{self, Place};
use super::found::Found;
use super::pipe::{self, PodClient};
use super::pods::Deletions;
use super::pulse::Pulse;
use super::{Asked, ContextInfo, Known, KubeFault, Via, Who, plugin};
use crate::Answer;
use view::act::ClusterRights;
use view::act::EnforceAcl;

const SAME_FAILURE: Duration = Duration::from_secs(1);
/// Only the address of the scheduler is known: nothing is written to a guessed namespace.
const NO_NAMESPACE: &str = "the namespace of the scheduler is unknown: Service yunikorn-service and ConfigMap yunikorn-configs not found; \
                            use k8s://CONTEXT/NAMESPACE";
const REFUSAL: usize = 64 << 10;

/// The user's settings of the connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Namespace of the scheduler.
    pub namespace: Option<String>,
    /// By default it is searched.
    pub service: Option<String>,
    /// Only this path.
    pub via: Option<Via>,
    /// Whether queue ACLs are checked first.
    pub enforce_acl: EnforceAcl,
}

enum Route {
    Forward(PodClient),
    Proxy(Place),
    Url(reqwest::Client, Url),
}

/// A cluster by a context of a kubeconfig.
pub struct Cluster {
    known: Known,
    context: ContextInfo,
    pub(super) wanted: Wanted,
    bounds: Bounds,
    client: AsyncMutex<Option<Client>>,
    failed: ArcSwapOption<(Instant, KubeFault)>,
    route: AsyncMutex<Option<Arc<Route>>>,
    found: ArcSwapOption<Found>,
    pub(super) who: ArcSwapOption<Who>,
    pub(super) unknown: ArcSwapOption<KubeFault>,
    pub(super) allowed: Mutex<HashMap<Asked, bool>>,
    pub(super) rights: ArcSwapOption<ClusterRights>,
    follows: AtomicBool,
    pub(super) deletions: Deletions,
    pub(super) pulse: Pulse,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("context", &self.context.name)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// Creates a cluster without any request.
    pub fn new(known: Known, context: ContextInfo, wanted: Wanted) -> Self {
        Self {
            known,
            context,
            wanted,
            bounds: Bounds::default(),
            client: AsyncMutex::default(),
            failed: ArcSwapOption::empty(),
            route: AsyncMutex::default(),
            found: ArcSwapOption::empty(),
            who: ArcSwapOption::empty(),
            unknown: ArcSwapOption::empty(),
            allowed: Mutex::default(),
            rights: ArcSwapOption::empty(),
            follows: AtomicBool::new(false),
            deletions: Deletions::default(),
            pulse: Pulse::default(),
        }
    }

    /// Limits of answers.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Returns the context.
    pub fn context(&self) -> &ContextInfo {
        &self.context
    }

    /// Returns the context, or in a pod the API server and the namespace.
    pub fn label(&self) -> String {
        self.known.label_of_this_pod().unwrap_or_else(|| self.context.name.clone())
    }

    /// `None` before the search.
    pub fn found(&self) -> Option<Arc<Found>> {
        self.found.load_full()
    }

    /// Created at the first use, in the caller's runtime.
    pub(super) async fn client(&self) -> Result<Client, KubeFault> {
        let mut retained = self.client.lock().await;
        if let Some(client) = &*retained {
            return Ok(client.clone());
        }
        // Concurrent waiters do not run the plugin again.
        if let Some(failed) = self.failed.load_full().filter(|failed| failed.0.elapsed() < SAME_FAILURE) {
            return Err(failed.1.clone());
        }
        let made = self.make_client().await;
        match &made {
            Ok(client) => *retained = Some(client.clone()),
            Err(fault) => self.failed.store(Some(Arc::new((Instant::now(), fault.clone())))),
        }
        made
    }

    async fn make_client(&self) -> Result<Client, KubeFault> {
        // Fails only if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config = self.known.config(&self.context.name).await?;
        let plugin = match plugin::of(&mut config, self.bounds.whole) {
            Some(plugin) => {
                let credential = plugin.credential().await.map_err(|fault| KubeFault::new(fault.to_string()))?;
                Some((plugin, credential))
            }
            None => None,
        };
        let asked = Asked::core("get", "services", None);
        bounds::client(config, plugin, &self.context.name, self.bounds)
            .map_err(|error| KubeFault::of(error, &asked, None))
    }

    pub(super) async fn config(&self) -> Result<kube::Config, KubeFault> {
        self.known.config(&self.context.name).await
    }

    pub(super) async fn namespace(&self) -> Result<String, KubeFault> {
        if self.found().is_none() {
            self.route().await?;
        }
        let found = self.found().ok_or_else(|| KubeFault::new("the scheduler was not found"))?;
        match found.namespace.as_str() {
            // The address is insufficient: invalid usage, not an unavailable scheduler.
            "" => Err(KubeFault { status: Some(400), ..KubeFault::new(NO_NAMESPACE) }),
            namespace => Ok(namespace.to_owned()),
        }
    }

    /// Returns the user, if known.
    pub fn user(&self) -> Option<Arc<Who>> {
        self.who.load_full()
    }

    /// Returns why the user is unknown.
    pub fn unknown(&self) -> Option<Arc<KubeFault>> {
        self.unknown.load_full()
    }

    /// Returns whether `adminacl` is checked first.
    pub fn enforce_acl(&self) -> EnforceAcl {
        self.wanted.enforce_acl
    }

    /// Sends a request; `path` starts with `/`.
    ///
    /// # Errors
    /// The scheduler cannot be found, or the API server rejects the request. A rejection by the scheduler is a
    /// response.
    pub fn send<'a>(
        &'a self,
        method: Method,
        path: &'a str,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Answer<'a, Result<Response, KubeFault>> {
        Box::pin(async move {
            let reads = method == Method::GET;
            let (route, fresh) = self.route().await?;
            let first = self.send_by(&route, method.clone(), path, headers.clone(), body.clone()).await;
            let Err(fault) = first else { return first };
            self.forget(&route).await;
            // A replaced pod is noticed only by a request. A request that may have had an effect is not repeated.
            if fresh || !reads || fault.status.is_some_and(|status| status != 404) {
                return Err(fault);
            }
            let (route, _) = self.route().await?;
            let second = self.send_by(&route, method, path, headers, body).await;
            if second.is_err() {
                self.forget(&route).await;
            }
            second
        })
    }

    async fn forget(&self, route: &Arc<Route>) {
        let mut retained = self.route.lock().await;
        if retained.as_ref().is_some_and(|retained| Arc::ptr_eq(retained, route)) {
            *retained = None;
        }
    }

    pub(super) async fn place(&self, client: &Client) -> Result<Place, KubeFault> {
        let own = self.context.namespace.as_deref().unwrap_or("default");
        let (namespace, service) = (self.wanted.namespace.as_deref(), self.wanted.service.as_deref());
        find::service(client, namespace, service, own).await
    }

    async fn route(&self) -> Result<(Arc<Route>, bool), KubeFault> {
        let mut retained = self.route.lock().await;
        if let Some(route) = &*retained {
            return Ok((Arc::clone(route), false));
        }
        let client = self.client().await?;
        let place = match (self.place(&client).await, &self.wanted.via) {
            // An address needs no Service; the namespace is that of the ConfigMap.
            (Err(_), Some(Via::Url(_))) => find::without_service(&client, self.wanted.namespace.as_deref()).await?,
            (place, _) => place?,
        };
        let found = |pod, via, why_not| Found {
            namespace: place.namespace.clone(),
            service: place.service.clone(),
            pod,
            via,
            why_not,
        };
        let (route, found) = match &self.wanted.via {
            Some(Via::Url(url)) => {
                let client = reqwest::Client::builder().connect_timeout(CONNECT).build();
                let client = client.map_err(|error| KubeFault::new(super::fault::causes(&error)))?;
                (Route::Url(client, url.clone()), found(None, Via::Url(url.clone()), None))
            }
            Some(Via::Proxy) => (Route::Proxy(place.clone()), found(None, Via::Proxy, None)),
            via => match forward(&client, &place).await {
                Ok((pod, route)) => (route, found(Some(pod), Via::PortForward, None)),
                Err(fault) if via.is_some() || fault.status.is_none() => return Err(fault),
                Err(fault) => {
                    (Route::Proxy(place.clone()), found(None, Via::Proxy, Some(format!("port-forward: {fault}"))))
                }
            },
        };
        let route = Arc::new(route);
        self.found.store(Some(Arc::new(found)));
        *retained = Some(Arc::clone(&route));
        Ok((route, true))
    }

    async fn send_by(
        &self,
        route: &Route,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response, KubeFault> {
        let bad = |error: http::Error| KubeFault::new(format!("{path} is not an address: {error}"));
        match route {
            Route::Url(client, url) => {
                let address = format!("{}{path}", url.as_str().trim_end_matches('/'));
                let sent = client.request(method, address).headers(headers).body(body).send().await;
                sent.map_err(|error| {
                    let technical = super::fault::causes(&error.without_url());
                    KubeFault { technical, ..KubeFault::new(format!("{url} cannot be reached")) }
                })
            }
            Route::Forward(client) => {
                headers.insert("host", HeaderValue::from_static("localhost:9080"));
                let mut request = http::Request::builder().method(method).uri(format!("http://localhost{path}"));
                if let Some(all) = request.headers_mut() {
                    all.extend(headers);
                }
                let request = request.body(Full::new(Bytes::from(body))).map_err(bad)?;
                let response = client.request(request).await.map_err(|error| lost(&error))?;
                Ok(streamed(response))
            }
            Route::Proxy(place) => {
                let verb = if method == Method::GET { "get" } else { "create" };
                let asked = Asked::core(verb, "services/proxy", Some(&place.namespace)).named(&place.proxied());
                // The API server removes it, and it would be the token of a kornsole server.
                headers.remove("authorization");
                let address =
                    format!("/api/v1/namespaces/{}/services/{}/proxy{path}", place.namespace, place.proxied());
                let mut request = http::Request::builder().method(method).uri(address);
                if let Some(all) = request.headers_mut() {
                    all.extend(headers);
                }
                let request = request.body(kube::client::Body::from(body)).map_err(bad)?;
                let client = self.client().await?;
                let who = self.user();
                let sent = client.send(request).await.map_err(|error| KubeFault::of(error, &asked, who.as_deref()))?;
                proxied(sent, &asked, who.as_deref()).await
            }
        }
    }
}

async fn forward(client: &Client, place: &Place) -> Result<(String, Route), KubeFault> {
    let pod = find::pod(client, place).await?;
    // Opened once to check the permission; the first request opens its own.
    pipe::forward(client, &place.namespace, &pod).await?;
    let route = Route::Forward(pipe::client(client.clone(), &place.namespace, &pod));
    Ok((pod, route))
}

fn lost(error: &(dyn std::error::Error + 'static)) -> KubeFault {
    let all = std::iter::successors(Some(error), |error| error.source());
    if let Some(fault) = all.filter_map(|cause| cause.downcast_ref::<KubeFault>()).last() {
        return fault.clone();
    }
    let technical = super::fault::causes(error);
    KubeFault { technical, ..KubeFault::new("the port-forward to the scheduler was closed") }
}

fn streamed<B>(response: http::Response<B>) -> Response
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    Response::from(response.map(|body| reqwest::Body::wrap_stream(BodyDataStream::new(body))))
}

/// An error of the API server is a fault, an answer of the scheduler is a response.
async fn proxied(
    response: http::Response<kube::client::Body>,
    asked: &Asked,
    who: Option<&Who>,
) -> Result<Response, KubeFault> {
    let status = response.status();
    if status.is_success() || status == StatusCode::NOT_MODIFIED {
        return Ok(streamed(response));
    }
    let (parts, body) = response.into_parts();
    let kind = parts.headers.get(CONTENT_TYPE).cloned();
    let whole = Limited::new(body, REFUSAL).collect().await;
    let body = whole.map(|whole| whole.to_bytes()).unwrap_or_default();
    let reported: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    if reported.get("kind").and_then(|kind| kind.as_str()) == Some("Status") {
        let message = reported.get("message").and_then(|message| message.as_str()).unwrap_or_default();
        return Err(KubeFault::answered(status.as_u16(), message, asked, who));
    }
    let mut response = http::Response::new(body.to_vec());
    *response.status_mut() = status;
    if let Some(kind) = kind {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    Ok(Response::from(response))
}

impl Cluster {
    /// Its objects need not be listed.
    pub fn follows(&self) -> bool {
        self.follows.load(Ordering::Relaxed)
    }

    /// Marks its objects as followed.
    pub fn set_follows(&self) {
        self.follows.store(true, Ordering::Relaxed);
    }
}
