//! `--find nodes`: the fewest nodes that meet a target.

use std::sync::atomic::{AtomicBool, Ordering};

use super::read::Inputs;
use super::variant::{self, Variant};
use super::{Ended, SimulateArgs, sweep};
use crate::model::Resource;
use crate::simulate::search::{Found, Tried, fewest};
use crate::simulate::target::{Target, time};
use crate::simulate::{Figures, Longest};

/// What is printed, and the exit code: 1 where the target cannot be met.
pub(super) fn search(args: &SimulateArgs, inputs: &Inputs, stop: &AtomicBool) -> Result<(String, u8), Ended> {
    let target: Target = args.until.as_deref().unwrap_or_default().parse().map_err(Ended::usage)?;
    let variants = variant::variants(args, inputs);
    let [variant] = variants.as_slice() else {
        return Err(Ended::usage("--find: name one workload, one configuration and one release"));
    };
    let workload = variant.workload(inputs).map_err(Ended::input)?;
    let (start, mut largest) = (workload.nodes.len(), Resource::new());
    workload.nodes.iter().for_each(|node| largest = largest.max(&node.capacity));
    let go_on = || !stop.load(Ordering::Relaxed);
    let run = |nodes: usize| {
        let variant = Variant { nodes: Some(nodes), ..variant.clone() };
        let figures = sweep::one(args, inputs, &variant, &go_on)?.figures;
        Ok::<_, Ended>((target.is_met(&figures), target.value(&figures), figures))
    };
    let (found, mut tried) = fewest(start, args.most, run)?;
    tried.sort_by_key(|one| one.nodes);
    let text =
        if args.json { json(&target, &found, &tried) } else { text((inputs, &largest), &target, &found, &tried) };
    Ok((text, u8::from(!matches!(found, Found::Fewest(_)))))
}

fn value(target: &Target, figures: &Figures) -> String {
    target.value(figures).map_or_else(|| "nothing to measure".to_owned(), |value| target.shown(value))
}

/// Which ask waited longest, and what of the largest node it wants.
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
        format!("; it wants {amount} {} of the {all} of a node{whole}", shown_name(&name))
    });
    format!(": {} waited longest, {}{}", longest.name, time(longest.wait), wants.unwrap_or_default())
}

fn shown_name(name: &str) -> &str {
    if name == "vcore" { "cpu" } else { name }
}

/// An amount as people write it: cores, GiB, else whole units.
fn quantity(name: &str, amount: i64) -> String {
    match name {
        "vcore" => (amount as f64 / 1000.0).to_string(),
        "memory" => format!("{:.1} GiB", amount as f64 / f64::from(1 << 30)),
        _ => amount.to_string(),
    }
}

fn text((inputs, largest): (&Inputs, &Resource), target: &Target, found: &Found, tried: &[Tried<Figures>]) -> String {
    let mut lines = inputs.notes.clone();
    if inputs.backtest.is_none() {
        lines
            .push("how far this is off is not known: a backtest takes the journal of a scheduler (--state)".to_owned());
    }
    lines.push(String::new());
    let of = |nodes: usize| tried.iter().find(|one| one.nodes == nodes).map(|one| &one.result);
    let shown = |nodes: usize| of(nodes).map(|figures| value(target, figures)).unwrap_or_default();
    lines.push(match found {
        Found::Fewest(nodes) => {
            let less = of(nodes - 1).map(|figures| {
                let why = target.group(figures).and_then(|group| group.longest.as_ref());
                let why = why.map(|longest| because(longest, largest)).unwrap_or_default();
                format!("; with {} it is {}{why}", nodes - 1, value(target, figures))
            });
            let meet = if *nodes == 1 { "1 node meets".to_owned() } else { format!("{nodes} nodes meet") };
            format!("{meet} {target}: {}{}", shown(*nodes), less.unwrap_or_default())
        }
        Found::NoBetter | Found::TooMany(_) => {
            let best = tried.iter().max_by_key(|one| one.nodes);
            let (nodes, figures) = best.map_or((0, None), |one| (one.nodes, Some(&one.result)));
            let at_best = figures.map(|figures| value(target, figures)).unwrap_or_default();
            let why = figures
                .and_then(|figures| figures.largest_waiting.as_ref())
                .map(|(name, _)| format!(": {name} waits whatever the number"));
            let more = match found {
                Found::NoBetter => format!("more nodes do not help{}", why.unwrap_or_default()),
                _ => "that is the most that is tried (--most)".to_owned(),
            };
            format!("{target} cannot be met: with {nodes} nodes it is {at_best}, and {more}")
        }
    });
    lines.push(String::new());
    lines.push(format!("{:>8}  {:>6}  value", "nodes", "met"));
    for one in tried {
        let met = if one.met { "yes" } else { "no" };
        lines.push(format!("{:>8}  {met:>6}  {}", one.nodes, value(target, &one.result)));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn json(target: &Target, found: &Found, tried: &[Tried<Figures>]) -> String {
    let nodes = match found {
        Found::Fewest(nodes) => Some(*nodes),
        Found::NoBetter | Found::TooMany(_) => None,
    };
    let runs: Vec<serde_json::Value> = tried
        .iter()
        .map(|one| serde_json::json!({"nodes": one.nodes, "met": one.met, "value": target.value(&one.result), "figures": one.result}))
        .collect();
    format!("{}\n", serde_json::json!({"target": target.to_string(), "nodes": nodes, "runs": runs}))
}
