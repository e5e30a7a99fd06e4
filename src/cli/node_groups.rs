//! Groups of nodes for an autoscaler: the options of `simulate` and `whatif`, and the sentences of a report.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{load, manifests};
use forecast::simulate::node_groups::manifests::{KINDS, read as read_manifests, read_types};
use forecast::simulate::node_groups::{GroupReport, GroupsReport, InstanceType, NodeGroup};
use model::quantity::show_amount;

/// The start of a line that only manifests have.
const OF_MANIFESTS: [&str; 4] = ["apiVersion:", "kind:", "autoscalingGroups:", "---"];

/// The options of an autoscaler: groups, types, and prices of nodes.
#[derive(Args, Clone, Debug, Default)]
pub struct NodeGroupArgs {
    /// Nodes that an autoscaler adds and removes: NAME: KEY=VALUE, … (repeatable)
    ///
    /// Example: 'm5.4xlarge: cpu=16, memory=64Gi, min=0, max=40, delay=90s, price=0.8'. Nodes are added when a request waits for one, and
    /// removed when they are empty for 10m (unneeded=TIME). @PATH is a file with one group in each line, or manifests of Karpenter, the
    /// Cluster Autoscaler, Cluster API, OpenShift, eksctl, or kops.
    #[arg(long = "node-group", value_name = "GROUP|@PATH")]
    pub node_groups: Vec<String>,
    /// Instance type that manifests name: NAME: cpu=2, memory=8Gi, price=0.1 (repeatable)
    ///
    /// @FILE has one type in each line, or the output of `aws ec2 describe-instance-types`.
    #[arg(long = "instance-type", value_name = "TYPE|@FILE", requires = "node_groups")]
    pub instance_types: Vec<String>,
}

/// Why groups cannot be read, and the exit code.
pub struct Unread {
    /// What is wrong.
    pub message: String,
    /// 1: a file is wrong; 2: the command line is.
    pub code: u8,
}

impl Unread {
    fn usage(message: String) -> Self {
        Self { message, code: 2 }
    }

    fn input(message: String) -> Self {
        Self { message, code: 1 }
    }
}

impl NodeGroupArgs {
    /// The groups, and the parts of their manifests that are not evaluated.
    ///
    /// # Errors
    /// A group is invalid or a duplicate, or its file cannot be read.
    pub fn read(&self) -> Result<(Vec<NodeGroup>, Vec<String>), Unread> {
        let types = self.types()?;
        let (mut groups, mut notes): (Vec<NodeGroup>, Vec<String>) = (Vec::new(), Vec::new());
        for one in &self.node_groups {
            let found = match one.strip_prefix('@') {
                None => vec![one.parse().map_err(|why| Unread::usage(format!("--node-group: {why}")))?],
                Some(path) => of_path(Path::new(path), &types, &mut notes).map_err(Unread::input)?,
            };
            for group in found {
                if groups.iter().any(|known| known.name == group.name) {
                    return Err(Unread::usage(format!("--node-group: duplicate node group {}", group.name)));
                }
                groups.push(group);
            }
        }
        notes.extend(groups.iter().flat_map(NodeGroup::barred));
        Ok((groups, notes))
    }

    fn types(&self) -> Result<Vec<InstanceType>, Unread> {
        let mut types = Vec::new();
        for one in &self.instance_types {
            match one.strip_prefix('@') {
                None => types.push(one.parse().map_err(|why| Unread::usage(format!("--instance-type: {why}")))?),
                Some(file) => {
                    let text = text(Path::new(file)).map_err(Unread::input)?;
                    types.extend(read_types(&text).map_err(|why| Unread::input(format!("{file}:{why}")))?);
                }
            }
        }
        Ok(types)
    }
}

fn text(file: &Path) -> Result<String, String> {
    String::from_utf8(load::unpacked(file, load::SMALL)?)
        .map_err(|_| format!("cannot read {}: not UTF-8", file.display()))
}

fn of_path(path: &Path, types: &[InstanceType], notes: &mut Vec<String>) -> Result<Vec<NodeGroup>, String> {
    let is_manifest = |text: &str| {
        let mut lines = text.lines().map(|line| line.trim_start().trim_start_matches("- "));
        text.trim_start().starts_with('{') || lines.any(|line| OF_MANIFESTS.iter().any(|start| line.starts_with(start)))
    };
    let mut objects = Vec::new();
    for file in manifests::files(&[PathBuf::from(path)])? {
        let (name, text) = (file.display().to_string(), text(&file)?);
        if !path.is_dir() && !is_manifest(&text) {
            return lines(&name, &text);
        }
        let values = kubernetes::values(&name, text.as_bytes()).map_err(|faults| faults.join("\n"))?;
        objects.extend(values.into_iter().map(|(line, value)| (format!("{name}:{line}"), value)));
    }
    let read = read_manifests(&objects, types)?;
    if read.groups.is_empty() {
        return Err(format!("cannot read {}: no node group found; use {KINDS}", path.display()));
    }
    notes.extend(read.notes);
    Ok(read.groups)
}

fn lines(name: &str, text: &str) -> Result<Vec<NodeGroup>, String> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(number, line)| line.parse().map_err(|why| format!("{name}:{}: {why}", number + 1))).collect()
}

pub(super) fn sentences(report: &GroupsReport) -> Vec<String> {
    let mut sentences: Vec<String> = report.groups.iter().map(of_group).collect();
    let costs: Vec<f64> = report.groups.iter().filter_map(|group| group.cost).collect();
    if costs.len() > 1 {
        sentences.push(format!("all node groups: cost {:.2}", costs.iter().sum::<f64>()));
    }
    for (app, wants) in &report.never {
        let wants: Vec<String> =
            wants.iter().map(|(name, amount)| format!("{name} {}", show_amount(name, *amount))).collect();
        sentences.push(format!("application {app} requests {}, which fits no node group", wants.join(", ")));
    }
    sentences
}

fn of_group(group: &GroupReport) -> String {
    let GroupReport { name, node_hours, cost, peak, added, removed } = group;
    let cost = cost.map(|cost| format!(", cost {cost:.2}")).unwrap_or_default();
    format!(
        "node group {name}: {node_hours:.2} node hours{cost}; at most {peak} nodes, {added} added, {removed} removed"
    )
}
