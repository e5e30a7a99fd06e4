//! Cluster operations of a command: kill previews, owners of pods, and local records.

use std::sync::Arc;

use super::{Once, Want};
use crate::SuspendOrder;
use crate::remote::act;
use crate::remote::plan::Query;
use crate::remote::stored::Retained;
use client::Fault;
use cluster::kube::Cluster;
use cluster::kube::UsedRight;
use model::AppId;
use view::act::{Actor, Code, Refusal};
use view::kubernetes::{Chain, OwnerDone, OwnerObject};
use view::waiting::count;
use view::{AppRow, View};

impl Once {
    pub(super) fn with_pods(&self, cluster: &Cluster, view: &View, of: (&str, &AppId)) -> Result<Arc<View>, String> {
        let row = app_of(view, of)?;
        let pods = self.runtime.block_on(act::cluster::look_up_pods(cluster, row));
        let pods = pods.map_err(|fault| fault.to_string())?;
        Ok(Arc::new(View { kubernetes: Some(Arc::new(pods)), ..view.clone() }))
    }

    /// The effects of a kill, in sentences, and the owners of the application's pods.
    ///
    /// # Errors
    /// Returns a rejection if the application does not exist or cannot be fetched.
    pub fn kill_preview(&mut self, partition: &str, app: &AppId) -> Result<(Vec<String>, Vec<Chain>), Refusal> {
        let cannot = |why: String| Refusal::new(Code::NotFound, format!("cannot kill {app}"), why);
        let view = self
            .look(&[Want::Apps])
            .map_err(|fault| Refusal::new(Code::Unavailable, format!("cannot kill {app}"), fault.to_string()))?;
        let row = app_of(&view, (partition, app)).map_err(cannot)?;
        let running = row.asks.len().saturating_sub(row.pending_asks as usize);
        let mut lines = vec![
            format!("{} in {}, of {}, is {}", row.id, row.queue, row.who.user, row.state),
            format!(
                "{} released, {} canceled",
                count(running as u64, "allocation"),
                count(u64::from(row.pending_asks), "request")
            ),
        ];
        let Some(cluster) = self.cluster() else { return Ok((lines, Vec::new())) };
        lines.extend(act::cluster::waived(&cluster, &view).map(str::to_owned));
        match self.with_pods(&cluster, &view, (partition, app)) {
            Err(why) => {
                lines.push(format!("the controller that recreates its pods is unknown: {why}"));
                Ok((lines, Vec::new()))
            }
            Ok(with) => {
                let Some(all) = &with.kubernetes else { return Ok((lines, Vec::new())) };
                let chains = self.runtime.block_on(act::cluster::chains(&cluster, all, row));
                lines.extend(all.kill_lines(std::iter::once(row), Some(&chains)));
                Ok((lines, chains))
            }
        }
    }

    /// The reviewed rights at the API server that kornsole uses.
    pub fn used_rights(&self, cluster: &Cluster) -> Vec<UsedRight> {
        self.runtime.block_on(cluster.used_rights())
    }

    /// The actor of orders through a cluster, by the access lists of a view.
    pub fn actor_in(&self, cluster: &Cluster, view: &View) -> Actor {
        act::cluster::actor(cluster, view)
    }

    /// Suspends or resumes owners of an application's pods, with one result each.
    ///
    /// # Errors
    /// Returns a rejection of the whole operation.
    pub fn suspend(
        &mut self,
        partition: &str,
        app: &AppId,
        owners: Vec<OwnerObject>,
        reason: &str,
    ) -> Result<Vec<OwnerDone>, Refusal> {
        let cannot = |why: String| Refusal::new(Code::NotFound, format!("cannot suspend the owners of {app}"), why);
        let cluster = self.cluster().ok_or_else(|| cannot("only pods in a cluster have owners".to_owned()))?;
        let view = self.remote_state.view().clone();
        let queue = app_of(&view, (partition, app)).map_err(cannot)?.queue.clone();
        let (partition, app, reason) = (Arc::from(partition), app.clone(), reason.to_owned());
        let order = SuspendOrder { partition, app, queue, owners, suspended: true, reason };
        self.runtime.block_on(act::cluster::suspend(&cluster, &view, &order))
    }

    /// The local records of the cluster, including the active configuration.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be fetched.
    pub fn retained(&mut self) -> Result<Option<Retained>, Fault> {
        let Some(cluster) = self.cluster() else { return Ok(None) };
        self.ask(Query::Config)?;
        Ok(Retained::of(&cluster.context().name))
    }
}

fn app_of<'v>(view: &'v View, (partition, app): (&str, &AppId)) -> Result<&'v AppRow, String> {
    let part = view.partitions.iter().find(|part| *part.name == *partition);
    let part = part.ok_or_else(|| format!("partition {partition} not found"))?;
    part.app_by_id(app).map(AsRef::as_ref).ok_or_else(|| format!("application {app} not found"))
}
