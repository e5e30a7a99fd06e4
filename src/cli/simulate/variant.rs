//! Variants: every combination of workloads, configurations, releases, numbers of nodes, loads, and seeds.

use super::read::{Inputs, Source};
use super::{Ended, SimulateArgs};
use forecast::simulate::target::Target;
use forecast::simulate::{Workload, arrange, input};
use model::Profile;

#[derive(Clone, Debug)]
pub(super) struct Variant {
    /// The number of the workload among the inputs.
    pub workload: usize,
    pub config: usize,
    pub core: Profile,
    pub nodes: Option<usize>,
    pub load: Option<f64>,
    pub seed: u64,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Label {
    pub workload: String,
    pub config: String,
    pub core: String,
    /// The requested number of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    pub seed: u64,
}

impl Label {
    /// The label without the seed, which identifies a row.
    pub fn without_seed(&self) -> Self {
        Self { seed: 0, ..self.clone() }
    }

    /// A short label with the differences from the others.
    pub fn short(&self, of: &[Self]) -> String {
        let differs = |part: fn(&Self) -> String| of.iter().any(|other| part(other) != part(self)).then(|| part(self));
        let parts = [
            differs(|label| label.workload.clone()),
            differs(|label| label.config.clone()),
            differs(|label| label.core.clone()),
            differs(|label| {
                label
                    .nodes
                    .map(|nodes| if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") })
                    .unwrap_or_default()
            }),
            differs(|label| label.load.map(|load| format!("load {load}")).unwrap_or_default()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { format!("{}, {}", self.config, self.core) } else { parts.join(", ") }
    }
}

/// Validates the numbers of the command line before anything is read.
pub(super) fn check(args: &SimulateArgs) -> Result<(), Ended> {
    if let Some(load) = args.loads.iter().find(|load| !(load.is_finite() && **load > 0.0)) {
        return Err(Ended::usage(format!("--load: invalid factor {load}; use a number above 0")));
    }
    if args.node_counts.contains(&0) {
        return Err(Ended::usage("--node-count: a cluster has at least one node"));
    }
    args.until
        .as_deref()
        .map(str::parse::<Target>)
        .transpose()
        .map_err(|why| Ended::usage(format!("--until: {why}")))?;
    Ok(())
}

pub(super) fn variants(args: &SimulateArgs, inputs: &Inputs) -> Vec<Variant> {
    let seeds: Vec<u64> = (1..=u64::from(args.seeds.max(1))).collect();
    let some = |count: &[usize]| if count.is_empty() { vec![None] } else { count.iter().copied().map(Some).collect() };
    let loads = if args.loads.is_empty() { vec![None] } else { args.loads.iter().copied().map(Some).collect() };
    let mut all = Vec::new();
    for workload in 0..inputs.sources.len() {
        for config in inputs.configs_of(workload) {
            for core in &inputs.cores {
                for nodes in some(&args.node_counts) {
                    for load in &loads {
                        let drawn =
                            args.fill.is_some() || matches!(inputs.sources[workload].source, Source::Generated(_));
                        let seeds = if drawn { seeds.as_slice() } else { &seeds[..1] };
                        all.extend(seeds.iter().map(|seed| Variant {
                            workload,
                            config,
                            core: *core,
                            nodes,
                            load: *load,
                            seed: *seed,
                        }));
                    }
                }
            }
        }
    }
    all
}

impl Variant {
    pub fn label(&self, inputs: &Inputs) -> Label {
        Label {
            workload: inputs.sources[self.workload].name.clone(),
            config: inputs.configs[self.config].name.clone(),
            core: self.core.to_string(),
            nodes: self.nodes,
            load: self.load,
            seed: self.seed,
        }
    }

    pub fn workload(&self, inputs: &Inputs) -> Result<Workload, String> {
        let source = &inputs.sources[self.workload];
        let mut workload = match &source.source {
            Source::Jobs(workload) => (**workload).clone(),
            Source::Scenario(scenario) => scenario.jobs.clone(),
            Source::Generated(text) => {
                let mut drawn = input::generator::read(text, self.seed).workload;
                inputs.finish(&mut drawn)?;
                drawn
            }
        };
        if let Some(nodes) = self.nodes {
            arrange::on_nodes(&mut workload, nodes)?;
        }
        if let Some(load) = self.load {
            arrange::faster(&mut workload, load);
        }
        if let Some((resource, factor)) = &inputs.fill {
            arrange::fill(&mut workload, resource, *factor, self.seed)?;
        }
        if workload.nodes.is_empty() && inputs.node_groups.is_empty() {
            return Err(format!("{}: no nodes; use --node vcore=64,memory=256Gi --node-count N", source.name));
        }
        Ok(workload)
    }
}
