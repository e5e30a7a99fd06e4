//! Reads objects of the cluster on demand.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::objects::{LogAnswer, LogStream, ObjectEventsAnswer, ObjectTextAnswer, Objects};
use cluster::kube::{Cluster, KubeFault, Log};
use view::kubernetes::{EventsOf, LogName, LogPart, ObjectName};

const PART: usize = 64 << 10;

/// Reads objects of a cluster.
pub struct Readings {
    pub(super) cluster: Arc<Cluster>,
    pub(super) handle: Handle,
}

impl Objects for Readings {
    fn text(&self, of: ObjectName, answer: ObjectTextAnswer) {
        let cluster = Arc::clone(&self.cluster);
        self.handle.spawn(async move { answer(cluster.text(&of).await.map_err(|fault| fault.to_string())) });
    }

    fn events(&self, of: EventsOf, answer: ObjectEventsAnswer) {
        let cluster = Arc::clone(&self.cluster);
        self.handle.spawn(async move { answer(cluster.events(&of).await.map_err(|fault| fault.to_string())) });
    }

    fn log(&self, of: LogName) -> Arc<dyn LogStream> {
        let (wants, wanted) = unbounded_channel();
        self.handle.spawn(read(Arc::clone(&self.cluster), of, wanted));
        Arc::new(Wants(wants))
    }
}

/// Dropping it ends the reader.
struct Wants(UnboundedSender<LogAnswer>);

impl LogStream for Wants {
    fn next(&self, answer: LogAnswer) {
        // An ended log does not answer.
        let _ = self.0.send(answer);
    }
}

async fn read(cluster: Arc<Cluster>, of: LogName, mut wanted: UnboundedReceiver<LogAnswer>) {
    let Some(mut answer) = wanted.recv().await else { return };
    let opened = tokio::select! {
        opened = cluster.log(&of) => opened,
        None = wanted.recv() => return,
    };
    let mut log = match opened {
        Ok(log) => log,
        Err(fault) => return answer(Err(fault.to_string())),
    };
    loop {
        let part = tokio::select! {
            part = part(&mut log) => part,
            None = wanted.recv() => return,
        };
        let over = part.as_ref().map_or(true, |part| part.ended);
        answer(part.map_err(|fault| fault.to_string()));
        if over {
            return;
        }
        match wanted.recv().await {
            Some(next) => answer = next,
            None => return,
        }
    }
}

async fn part(log: &mut Log) -> Result<LogPart, KubeFault> {
    let Some(first) = log.more().await? else { return Ok(LogPart { bytes: Vec::new(), ended: true }) };
    let mut bytes = first.to_vec();
    while bytes.len() < PART {
        match timeout(Duration::ZERO, log.more()).await {
            Ok(Ok(Some(more))) => bytes.extend_from_slice(&more),
            Ok(Ok(None)) => return Ok(LogPart { bytes, ended: true }),
            // The bytes so far are returned first; the failure follows with the next part.
            Ok(Err(_)) | Err(_) => break,
        }
    }
    Ok(LogPart { bytes, ended: false })
}
