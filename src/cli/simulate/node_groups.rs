//! Node groups of an autoscaler: `--node-group`.

use super::Ended;
use crate::cli::load;
use forecast::simulate::node_groups::{GroupReport, GroupsReport, NodeGroup};
use model::quantity::show_amount;

pub(super) fn read(written: &[String]) -> Result<Vec<NodeGroup>, Ended> {
    let mut groups: Vec<NodeGroup> = Vec::new();
    let mut add = |text: &str, place: &str| {
        let group: NodeGroup = text.parse().map_err(|why| format!("{place}: {why}"))?;
        if groups.iter().any(|known| known.name == group.name) {
            return Err(format!("{place}: duplicate node group {}", group.name));
        }
        groups.push(group);
        Ok(())
    };
    for one in written {
        let Some(file) = one.strip_prefix('@') else {
            add(one, "--node-group").map_err(Ended::usage)?;
            continue;
        };
        let bytes = load::bytes(file.as_ref()).map_err(Ended::input)?;
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                add(line, &format!("{file}:{}", number + 1)).map_err(Ended::input)?;
            }
        }
    }
    Ok(groups)
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
