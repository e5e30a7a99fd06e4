//! The client of an API server, with time and size limits of answers.
//!
//! Watches, followed logs, upgrades, and the service proxy have the limits of their readers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::UPGRADE;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use kube::Client;
use kube::client::Body;
use kube::config::Config;
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};
use tower::{BoxError, Service};

use super::connect;
use super::plugin::{Credential, Plugin};

/// How long an answer may take as a whole, and how large it may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Time from the request to the last byte.
    pub whole: Duration,
    /// Bytes of the body.
    pub size: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { whole: Duration::from_secs(120), size: 512 << 20 }
    }
}

#[derive(Debug)]
pub(super) struct Unreached {
    pub server: Arc<str>,
    pub context: Arc<str>,
    source: BoxError,
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl std::error::Error for Unreached {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.source.as_ref())
    }
}

#[derive(Debug)]
enum Passed {
    Time(Duration),
    Size(usize),
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(limit) => write!(f, "the response was incomplete after {limit:?}"),
            Self::Size(limit) => write!(f, "the response is larger than {} MiB", limit >> 20),
        }
    }
}

impl std::error::Error for Passed {}

/// Creates a client whose errors name the server and the context.
pub(super) fn client(
    config: Config,
    plugin: Option<(Plugin, Credential)>,
    context: &str,
    bounds: Bounds,
) -> Result<Client, kube::Error> {
    let (server, context) = (Arc::from(config.cluster_url.to_string().trim_end_matches('/')), Arc::from(context));
    let layer = tower::layer::layer_fn(move |inner| Bounded {
        inner,
        bounds,
        server: Arc::clone(&server),
        context: Arc::clone(&context),
    });
    Ok(connect::builder(config, plugin)?.with_layer(&layer).build())
}

#[derive(Clone)]
struct Bounded<S> {
    inner: S,
    bounds: Bounds,
    server: Arc<str>,
    context: Arc<str>,
}

/// Returns true if the reader of the answer limits it.
fn is_stream(request: &Request<Body>) -> bool {
    let flags = ["watch=true", "watch=1", "follow=true", "follow=1"];
    let flagged = request.uri().query().is_some_and(|query| query.split('&').any(|one| flags.contains(&one)));
    flagged || request.headers().contains_key(UPGRADE) || request.uri().path().contains("/proxy/")
}

impl<S, B> Service<Request<Body>> for Bounded<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError>,
    S::Future: Send + 'static,
    B: HttpBody<Data = Bytes, Error = BoxError> + Unpin + Send + 'static,
{
    type Response = Response<BoundedBody<B>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (stream, bounds) = (is_stream(&request), self.bounds);
        let (server, context) = (Arc::clone(&self.server), Arc::clone(&self.context));
        let until = Instant::now() + bounds.whole;
        let sent = self.inner.call(request);
        Box::pin(async move {
            let answer = if stream {
                sent.await
            } else {
                timeout_at(until, sent).await.unwrap_or_else(|_| Err(Passed::Time(bounds.whole).into()))
            };
            let response = answer.map_err(|source| match source.is::<kube::Error>() {
                true => source,
                false => Box::new(Unreached { server, context, source }),
            })?;
            let limits = (!stream).then(|| (Box::pin(sleep_until(until)), bounds.size));
            Ok(response.map(|inner| BoundedBody { inner, limits, bounds }))
        })
    }
}

/// A body that ends with an error at a limit.
struct BoundedBody<B> {
    inner: B,
    limits: Option<(Pin<Box<Sleep>>, usize)>,
    bounds: Bounds,
}

impl<B: HttpBody<Data = Bytes, Error = BoxError> + Unpin> HttpBody for BoundedBody<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Some((until, _)) = &mut this.limits
            && until.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Some(Err(Passed::Time(this.bounds.whole).into())));
        }
        let frame = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        if let (Some((_, left)), Some(Ok(frame))) = (&mut this.limits, &frame) {
            let size = frame.data_ref().map_or(0, Bytes::len);
            match left.checked_sub(size) {
                Some(rest) => *left = rest,
                None => return Poll::Ready(Some(Err(Passed::Size(this.bounds.size).into()))),
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::super::{Cluster, Known, Wanted};
    use super::*;

    fn dripping(flood: bool) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                std::thread::spawn(move || {
                    let mut buffer = [0_u8; 4096];
                    let _ = stream.read(&mut buffer);
                    let _ = stream.write_all(
                        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000000\r\n\r\n",
                    );
                    let part: &[u8] = if flood { &[b' '; 4096] } else { b" " };
                    while stream.write_all(part).is_ok() {
                        if !flood {
                            std::thread::sleep(Duration::from_millis(20));
                        }
                    }
                });
            }
        });
        format!("http://{address}")
    }

    fn cluster(server: &str, bounds: Bounds) -> Arc<Cluster> {
        let name = server.rsplit(':').next().unwrap_or_default();
        let file = std::env::temp_dir().join(format!("kornsole-drip-{name}-{}", std::process::id()));
        let text = format!(
            "current-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\nclusters: [{{name: k, cluster: {{server: \
             '{server}'}}}}]\nusers: [{{name: u, user: {{}}}}]\n"
        );
        std::fs::write(&file, text).unwrap();
        let known = Known::of(std::slice::from_ref(&file)).unwrap();
        std::fs::remove_file(file).unwrap();
        let context = known.context(None).unwrap();
        Arc::new(Cluster::new(known, context, Wanted::default()).with_bounds(bounds))
    }

    async fn every_read(cluster: &Arc<Cluster>) {
        assert!(cluster.version().await.is_err());
        assert!(cluster.who().await.is_err());
        assert!(cluster.scheduler().await.is_err());
        assert!(cluster.closed_nodes().await.is_err());
        assert!(!cluster.list_for_filters().await.missing.is_empty());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_server_that_drips_is_left_after_the_time_limit() {
        let bounds = Bounds { whole: Duration::from_millis(300), ..Bounds::default() };
        let cluster = cluster(&dripping(false), bounds);
        let started_at = std::time::Instant::now();
        every_read(&cluster).await;
        assert!(started_at.elapsed() < Duration::from_secs(15), "{:?}", started_at.elapsed());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_answer_without_end_is_left_at_the_size_limit() {
        let bounds = Bounds { size: 100_000, ..Bounds::default() };
        let cluster = cluster(&dripping(true), bounds);
        let started_at = std::time::Instant::now();
        every_read(&cluster).await;
        assert!(started_at.elapsed() < Duration::from_secs(15), "{:?}", started_at.elapsed());
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named_with_its_context() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let why = cluster(&server, Bounds::default()).version().await.unwrap_err().to_string();
        assert!(why.starts_with(&format!("cannot reach the API server {server} of context c: ")), "{why}");
        assert!(why.contains("refused"), "{why}");
    }
}
