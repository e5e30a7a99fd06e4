//! Parallel requests to the API server with the program's own client.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use cluster::kube::{Asked, Cluster, Content, Known, Wanted, Writer};
use http::Method;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// The program's number of parallel requests.
pub const AT_ONCE: usize = 48;

/// A request: method, address, and body.
pub type Request = (Method, String, Content, Value);

/// Access to the API server with all rights.
pub struct Api {
    pub runtime: Runtime,
    pub cluster: Arc<Cluster>,
}

impl Api {
    pub fn new(kubeconfig: &str) -> Self {
        let known = Known::of(&[PathBuf::from(kubeconfig)]).unwrap();
        let context = known.context(Some("root")).unwrap();
        let cluster = Arc::new(Cluster::new(known, context, Wanted::default()));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Self { runtime, cluster }
    }

    /// Sends requests in order, with the program's parallelism. Each must succeed.
    pub fn all(&self, requests: impl Iterator<Item = Request> + Send + 'static) {
        let requests: Arc<Mutex<dyn Iterator<Item = Request> + Send>> = Arc::new(Mutex::new(requests));
        self.runtime.block_on(async {
            let mut senders = JoinSet::new();
            for _ in 0..AT_ONCE {
                let (requests, writer) = (Arc::clone(&requests), Writer::new(Arc::clone(&self.cluster)));
                senders.spawn(async move {
                    loop {
                        let next = requests.lock().unwrap().next();
                        let Some(request) = next else { return };
                        send(&writer, &request).await;
                    }
                });
            }
            senders.join_all().await;
        });
    }
}

pub async fn send(writer: &Writer, (method, path, content, body): &Request) {
    let asked = Asked::core("send", "objects", None);
    let done = writer.send(method.clone(), path, Some((*content, body)), &asked).await;
    assert!(done.is_ok(), "{method} {path}: {done:?}");
}
