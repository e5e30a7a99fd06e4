//! `--find nodes`: the minimum number of nodes that meets a target.

use super::progress::{Progress, Watch, is_wanted};
use super::read::Inputs;
use super::stored::Retained;
use super::sweep::Row;
use super::variant::{self, Variant};
use super::{Ended, SimulateArgs, memory, never, sweep};
use crate::cli::predicted;
use forecast::simulate::search::{Found, Tried, fewest};
use forecast::simulate::target::{Target, time};
use forecast::simulate::{Longest, Metrics, NEVER};
use model::{Profile, Resource};

pub(super) struct Search {
    pub target: Target,
    pub found: Found,
    /// The runs by number of nodes.
    pub tried: Vec<Tried<Row>>,
    pub sentence: String,
    core: Profile,
}

/// The exit code is 1 if the target cannot be met.
pub(super) fn search(args: &SimulateArgs, inputs: &Inputs, watch: Watch<'_>) -> Result<(String, u8), Ended> {
    let search = searched(args, inputs, watch)?;
    let text = if args.json { json(&search) } else { text(inputs, &search) };
    Ok((text, u8::from(!matches!(search.found, Found::Fewest(_)))))
}

pub(super) fn searched(args: &SimulateArgs, inputs: &Inputs, (stop, reported): Watch<'_>) -> Result<Search, Ended> {
    let target: Target = args.until.as_deref().unwrap_or_default().parse().map_err(Ended::usage)?;
    let variants = variant::variants(args, inputs);
    let [variant] = variants.as_slice() else {
        return Err(Ended::usage("--find: name one workload, one configuration, and one release"));
    };
    memory::fit(inputs, std::iter::once(variant), 1)?;
    let workload = variant.workload(inputs).map_err(Ended::input)?;
    let (start, mut largest) = (workload.nodes.len(), Resource::new());
    workload.nodes.iter().for_each(|node| largest = largest.max(&node.capacity));
    let retained = Retained::open(args)?;
    let mut finished = Vec::new();
    let run = |nodes: usize| {
        let variant = Variant { nodes: Some(nodes), ..variant.clone() };
        let progress = Progress::new(format!("run {}, with {nodes} nodes: ", finished.len() + 1), 1, reported);
        let row = retained.known(args, inputs, &variant).map_or_else(
            || {
                sweep::one(args, inputs, &variant, &|done| {
                    progress.advance(0, done);
                    is_wanted(stop)
                })
                .inspect(|row| retained.keep(row))
            },
            Ok,
        )?;
        finished.push(row.clone());
        Ok::<_, Ended>((target.is_met(&row.metrics), comparable(&target, &row.metrics), row))
    };
    let result = fewest(start, args.most, run);
    if !is_wanted(stop) {
        return Err(retained.interrupted(&finished, " runs of the search"));
    }
    let (found, mut tried) = result?;
    tried.sort_by_key(|one| one.nodes);
    let sentence = sentence(&target, &found, &tried, &largest);
    Ok(Search { target, found, tried, sentence, core: variant.core })
}

/// Equal in two runs only if more nodes do not help. More nodes may let requests run that never ran.
fn comparable(target: &Target, metrics: &Metrics) -> Option<u64> {
    target.value(metrics).map(|value| if value == NEVER { NEVER - metrics.total.waits.never } else { value })
}

fn value(target: &Target, metrics: &Metrics) -> String {
    target.value(metrics).map_or_else(|| "nothing to measure".to_owned(), |value| target.shown(value))
}

/// The request with the longest wait, and its share of the largest node.
fn because(longest: &Longest, largest: &Resource) -> String {
    let share = |(name, amount): (&String, &i64)| {
        let all = largest.amount(name);
        (all > 0).then(|| (*amount as f64 / all as f64, name.clone(), *amount, all))
    };
    let most = longest.wants.iter().filter(|(name, _)| *name != "pods").filter_map(share);
    let most = most.max_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let wants = most.map(|(share, name, amount, all)| {
        let [amount, all] = [amount, all].map(|amount| quantity(&name, amount));
        let whole = if share > 0.5 { ", so it waits until most of a node is free" } else { "" };
        format!("; it requests {amount} {} of the {all} of a node{whole}", shown_name(&name))
    });
    let waited = match longest.wait {
        NEVER => "never runs".to_owned(),
        wait => format!("waited longest, {}", time(wait)),
    };
    format!(": {} {waited}{}", longest.name, wants.unwrap_or_default())
}

pub(super) fn shown_name(name: &str) -> &str {
    if name == "vcore" { "cpu" } else { name }
}

/// Formats a quantity: cores, GiB, or whole units.
pub(super) fn quantity(name: &str, amount: i64) -> String {
    match name {
        "vcore" => (amount as f64 / 1000.0).to_string(),
        "memory" => format!("{:.1} GiB", amount as f64 / f64::from(1 << 30)),
        _ => amount.to_string(),
    }
}

/// Why one node less is not enough, or why more do not help.
fn sentence(target: &Target, found: &Found, tried: &[Tried<Row>], largest: &Resource) -> String {
    let of = |nodes: usize| tried.iter().find(|one| one.nodes == nodes).map(|one| &one.result.metrics);
    let shown = |nodes: usize| of(nodes).map(|metrics| value(target, metrics)).unwrap_or_default();
    match found {
        Found::Fewest(nodes) => {
            let less = of(nodes - 1).map(|metrics| {
                let why = target.group(metrics).and_then(|group| group.longest.as_ref());
                let why = why.map(|longest| because(longest, largest)).unwrap_or_default();
                format!("; with {} it is {}{why}", nodes - 1, value(target, metrics))
            });
            let meet = if *nodes == 1 { "1 node meets".to_owned() } else { format!("{nodes} nodes meet") };
            format!("{meet} {target}: {}{}", shown(*nodes), less.unwrap_or_default())
        }
        Found::NoBetter | Found::TooMany(_) => {
            // The smallest of equally good numbers.
            let last = tried.last().map(|one| target.value(&one.result.metrics));
            let best = tried.iter().find(|one| Some(target.value(&one.result.metrics)) == last);
            let (nodes, metrics) = best.map_or((0, None), |one| (one.nodes, Some(&one.result.metrics)));
            let at_best = metrics.map(|metrics| value(target, metrics)).unwrap_or_default();
            let more = match found {
                Found::NoBetter => {
                    format!("more nodes do not help{}", metrics.map(no_help(target, largest)).unwrap_or_default())
                }
                _ => "that is the highest number tried (--most)".to_owned(),
            };
            format!("{target} cannot be met: with {nodes} nodes it is {at_best}, and {more}")
        }
    }
}

/// Pending requests fit no node, or wait for something other than nodes.
fn no_help<'t>(target: &'t Target, largest: &'t Resource) -> impl Fn(&Metrics) -> String + 't {
    move |metrics| {
        if target.value(metrics).is_none() {
            return ": no requests there".to_owned();
        }
        if let Some(most) = metrics.never.first() {
            let all = metrics.never.iter().map(|one| one.count).sum::<u64>();
            let runs = if all == 1 { "1 request never runs".to_owned() } else { format!("{all} requests never run") };
            return format!(": {runs}; {}", never::why(&most.first, &most.cause));
        }
        if let Some((name, wants)) = &metrics.largest_waiting {
            let too_large = wants.iter().find(|(resource, amount)| **amount > largest.amount(resource));
            return match too_large {
                Some((resource, amount)) => {
                    let [amount, all] = [*amount, largest.amount(resource)].map(|amount| quantity(resource, amount));
                    format!(": {name} requests {amount} {} and no node has more than {all}", shown_name(resource))
                }
                None => format!(": {name} waits for a limit of its queue or user, with any number of nodes"),
            };
        }
        let busiest = metrics.resources.values().filter_map(|used| used.share()).fold(0.0, f64::max);
        let why =
            target.group(metrics).and_then(|group| group.longest.as_ref()).map(|longest| because(longest, largest));
        format!(
            "{}; {:.0} % of the nodes are in use, so the pending requests wait for a limit of their queue or user",
            why.unwrap_or_default(),
            busiest * 100.0
        )
    }
}

fn text(inputs: &Inputs, Search { target, found, tried, sentence, core }: &Search) -> String {
    let mut lines = inputs.notes.clone();
    if inputs.backtest.is_none() {
        lines.push(
            "the error of this result is unknown: a backtest needs the journal of a scheduler (--state)".to_owned(),
        );
    }
    lines.extend([predicted::line(*core), String::new(), sentence.clone()]);
    if let Found::Fewest(nodes) = found {
        let fewest = tried.iter().find(|one| one.nodes == *nodes);
        lines.extend(fewest.iter().flat_map(|one| never::sentences(&one.result.metrics)));
    }
    lines.push(String::new());
    lines.push(format!("{:>8}  {:>6}  value", "nodes", "met"));
    for one in tried {
        let met = if one.met { "yes" } else { "no" };
        lines.push(format!("{:>8}  {met:>6}  {}", one.nodes, value(target, &one.result.metrics)));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn json(Search { target, found, tried, core, .. }: &Search) -> String {
    let nodes = match found {
        Found::Fewest(nodes) => Some(*nodes),
        Found::NoBetter | Found::TooMany(_) => None,
    };
    let run = |one: &Tried<Row>| {
        let metrics = &one.result.metrics;
        let value = target.value(metrics).filter(|value| *value != NEVER);
        serde_json::json!({"nodes": one.nodes, "met": one.met, "value": value, "figures": metrics})
    };
    let runs: Vec<serde_json::Value> = tried.iter().map(run).collect();
    format!(
        "{}\n",
        serde_json::json!({"target": target.to_string(), "core": core.name(), "nodes": nodes, "runs": runs})
    )
}
