//! Reading of state dumps, which have all objects at once.

use super::{AppReader, Ended, NodeReader, RemoteState, Scope, rows};
use crate::dto;
use model::{AppState, Time};

impl RemoteState {
    /// Usage of users and groups is counted from the applications.
    pub fn dump(&mut self, dump: dto::StateDump, at: Time) {
        let partitions = if dump.partitions.is_empty() { named_by_queues(&dump) } else { dump.partitions };
        let names: Vec<String> = partitions.iter().map(|partition| partition.name.clone()).collect();
        self.partitions(partitions);
        if let Some(config) = &dump.config {
            let text = crate::convert::config_yaml(config);
            // The rest of the dump is still used.
            let _ = self.config(&text, false);
        }
        for root in &dump.queues {
            let name = if root.partition.is_empty() { names.first() } else { Some(&root.partition) };
            if let Some(name) = name {
                self.queues(name, root, at);
            }
        }
        let shapes = self.shapes;
        for nodes in dump.nodes {
            let rows = nodes.nodes_info.into_iter().map(|node| rows::node(node, shapes));
            self.nodes(&nodes.partition_name, NodeReader::of(rows), true);
        }
        for name in &names {
            let of = |app: &&dto::Application| app.partition == *name;
            let (mut live, mut completed, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
            for app in dump.applications.iter().filter(of) {
                let row = rows::app(app.clone(), shapes);
                match row.state {
                    AppState::Rejected => rejected.push(row),
                    state if state.is_ended() => completed.push(row),
                    _ => live.push(row),
                }
            }
            self.apps(name, AppReader::of(live), &Scope::All, at);
            self.ended(name, Ended::Completed, AppReader::of(completed));
            self.ended(name, Ended::Rejected, AppReader::of(rejected));
            self.count_usage(name);
        }
    }
}

fn named_by_queues(dump: &dto::StateDump) -> Vec<dto::Partition> {
    let name =
        |root: &dto::Queue| if root.partition.is_empty() { "default".to_owned() } else { root.partition.clone() };
    dump.queues.iter().map(|root| dto::Partition { name: name(root), ..dto::Partition::default() }).collect()
}
