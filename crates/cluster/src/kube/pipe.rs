//! HTTP through a port-forward: one websocket per connection, kept for reuse.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::api::Api;
use tokio::io::DuplexStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::find::PORT;
use super::{Asked, KubeFault};
use crate::Answer;

/// Maximum number of websockets: the stream of events uses one.
const MOST: usize = 5;

/// HTTP to one pod.
pub type PodClient = HttpClient<Opener, Full<Bytes>>;

/// Creates a client for the scheduler in a pod.
pub fn client(client: Client, namespace: &str, pod: &str) -> PodClient {
    let opener =
        Opener { client, namespace: namespace.to_owned(), pod: pod.to_owned(), space: Arc::new(Semaphore::new(MOST)) };
    HttpClient::builder(TokioExecutor::new()).pool_max_idle_per_host(MOST - 1).build(opener)
}

/// Opens port-forwards to one pod.
#[derive(Clone)]
pub struct Opener {
    client: Client,
    namespace: String,
    pod: String,
    space: Arc<Semaphore>,
}

impl Opener {
    async fn open(self) -> Result<Pipe, KubeFault> {
        let closed = |_| KubeFault::new("the port-forward is closed");
        let space = self.space.acquire_owned().await.map_err(closed)?;
        let io = forward(&self.client, &self.namespace, &self.pod).await?;
        Ok(Pipe { io: TokioIo::new(io), _space: space })
    }
}

/// Fails without permission, pod, or websocket support.
pub fn forward<'a>(
    client: &'a Client,
    namespace: &'a str,
    pod: &'a str,
) -> Answer<'a, Result<DuplexStream, KubeFault>> {
    Box::pin(async move {
        let asked = Asked::core("create", "pods/portforward", Some(namespace)).named(pod);
        let pods = Api::<Pod>::namespaced(client.clone(), namespace);
        let mut forwarder = pods.portforward(pod, &[PORT]).await.map_err(|error| KubeFault::of(error, &asked, None))?;
        forwarder.take_stream(PORT).ok_or_else(|| KubeFault::new("the port-forward has no stream"))
    })
}

impl tower::Service<hyper::Uri> for Opener {
    type Response = Pipe;
    type Error = KubeFault;
    type Future = Pin<Box<dyn Future<Output = Result<Pipe, KubeFault>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), KubeFault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: hyper::Uri) -> Self::Future {
        Box::pin(self.clone().open())
    }
}

/// A connection; closing it closes the websocket.
pub struct Pipe {
    io: TokioIo<DuplexStream>,
    _space: OwnedSemaphorePermit,
}

impl Connection for Pipe {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Pipe {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, into)
    }
}

impl Write for Pipe {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
