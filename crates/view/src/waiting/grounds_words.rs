//! The inputs of a preemption decision, in words.

use super::words::{amounts, count};
use super::{Sentence, SheetLine, Target};
use crate::record::{PreemptionGrounds, PreemptionRule, Retained, RetainedSurvey, UsageState, WhyRetained};
use model::Resource;

/// The rule of a preemption as a sentence.
pub const fn rule_sentence(rule: PreemptionRule) -> &'static str {
    match rule {
        PreemptionRule::Guarantee => {
            "preemption stops allocations of queues above their guarantee for a request of a queue that stays within its guarantee"
        }
        PreemptionRule::RequiredNode => {
            "a request preempts allocations of the same or a lower priority on its required node; guarantees do \
                not protect them"
        }
        PreemptionRule::Maximum => {
            "after quota.preemption.delay, allocations of a queue above its maximum are preempted until it is below"
        }
    }
}

impl Sentence for UsageState {
    fn sentence(&self) -> String {
        let over = self.over();
        let over = if over.is_zero() { "nothing over".to_owned() } else { format!("{} over", amounts(&over)) };
        format!("{}: {} used, {}, {over}", self.queue, amounts(&self.used), bound(self))
    }
}

fn bound(of: &UsageState) -> String {
    match (&of.max, &of.guaranteed) {
        (Some(max), _) => format!("the maximum is {}", amounts(max)),
        (None, Some(guaranteed)) => format!("{} guaranteed", amounts(guaranteed)),
        (None, None) => "nothing guaranteed".to_owned(),
    }
}

/// The usage and the guaranteed quantity, of the guaranteed resources only.
fn guarantee_words(of: &UsageState) -> String {
    let guaranteed = |name: &str| of.guaranteed.as_ref().is_some_and(|own| own.get(name).is_some());
    let used: Resource = of.used.iter().filter(|(name, _)| guaranteed(name)).collect();
    format!("{} used, {}", amounts(&used), bound(of))
}

impl Sentence for Retained {
    fn sentence(&self) -> String {
        let leaf = &self.leaf;
        let (app, ask) = &self.first;
        let which = if self.count == 1 { format!("{ask} of {app}") } else { format!("the first {ask} of {app}") };
        let why = match self.why {
            WhyRetained::WithinGuarantee => format!("the queue is within its guarantee, {}", guarantee_words(leaf)),
            WhyRetained::RequiresNode => "each requires the node on which it runs".to_owned(),
            WhyRetained::Ending => "they are ending for another reason".to_owned(),
            WhyRetained::Preempted => "they are being preempted already".to_owned(),
            WhyRetained::NothingShared => "they use none of the needed resources".to_owned(),
            WhyRetained::Important => "their priority is above that of the request".to_owned(),
            WhyRetained::Floor => {
                let less = match leaf.victims {
                    0 => String::new(),
                    some => format!(" before {} was preempted", count(some, "allocation")),
                };
                format!(
                    "after one more preemption the queue would be below its guarantee, {}{less}",
                    guarantee_words(leaf)
                )
            }
            WhyRetained::OtherNode => "they run on other nodes, and no node needs fewer victims".to_owned(),
            WhyRetained::NotNeeded => "the selected victims are enough".to_owned(),
            WhyRetained::NoUse => "they can be preempted, but the request would still not fit".to_owned(),
            WhyRetained::TooLarge => "each is larger than the remaining excess of the queue".to_owned(),
        };
        format!("{} of {}, {which}: {why}", count(self.count, "allocation"), leaf.queue)
    }
}

/// Lines of text for a preemption decision.
pub trait Sentences {
    /// Returns a line per group, and one for the unnamed allocations.
    fn sentences(&self) -> Vec<String>;
}

impl Sentences for RetainedSurvey {
    fn sentences(&self) -> Vec<String> {
        let others = (self.others > 0).then(|| format!("{} more", count(self.others, "allocation")));
        self.groups.iter().map(Retained::sentence).chain(others).collect()
    }
}

pub(super) fn lines(grounds: &PreemptionGrounds) -> Vec<SheetLine> {
    let to = |usage_state: &UsageState| Some(Target::Queue(usage_state.queue.clone()));
    let mut lines = vec![SheetLine::new("rule", rule_sentence(grounds.rule))];
    let what = match grounds.rule {
        PreemptionRule::Maximum => format!("{} must be preempted", amounts(&grounds.wanted)),
        _ => format!("the request needs {}", amounts(&grounds.wanted)),
    };
    let own = format!("{}; {what}", grounds.own.sentence());
    lines.push(SheetLine::new("its queue", own).to(to(&grounds.own)));
    for leaf in &grounds.leaves {
        let text = format!("{}; {} preempted", leaf.sentence(), count(leaf.victims, "allocation"));
        lines.push(SheetLine::new("victim", text).to(to(leaf)));
    }
    if let Some(node) = &grounds.node {
        let text = format!("{node}, where {} was preempted", count(grounds.victims, "allocation"));
        lines.push(SheetLine::new("node", text).to(Some(Target::Node(node.clone()))));
    }
    if grounds.rule == PreemptionRule::Maximum {
        let order = "lowest priority first, then youngest, while no queue falls below its guarantee";
        lines.push(SheetLine::new("order", order));
    }
    for retained in &grounds.retained.groups {
        lines.push(SheetLine::new("not chosen", retained.sentence()).to(to(&retained.leaf)));
    }
    if grounds.retained.others > 0 {
        let text = format!("{} more that were considered", count(grounds.retained.others, "allocation"));
        lines.push(SheetLine::new("not chosen", text));
    }
    if grounds.retained == RetainedSurvey::default() {
        lines.push(SheetLine::new("not chosen", "no other allocation could be considered"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_names_a_queue_and_its_values() {
        let cpu = |amount: i64| -> Resource { [("vcore", amount * 1000)].into_iter().collect() };
        let leaf = UsageState { queue: "root.b".into(), used: cpu(7), guaranteed: Some(cpu(2)), max: None, victims: 1 };
        assert_eq!(leaf.sentence(), "root.b: 7 cpu used, 2 cpu guaranteed, 5 cpu over");
        let maximum = UsageState { max: Some(cpu(6)), guaranteed: None, ..leaf.clone() };
        assert_eq!(maximum.sentence(), "root.b: 7 cpu used, the maximum is 6 cpu, 1 cpu over");
        let unguarded = UsageState { guaranteed: None, ..leaf.clone() };
        assert_eq!(unguarded.sentence(), "root.b: 7 cpu used, nothing guaranteed, 7 cpu over");
        let retained = |why| Retained { why, leaf: leaf.clone(), count: 3, first: ("x".into(), "y".into()) }.sentence();
        assert_eq!(
            retained(WhyRetained::Floor),
            "3 allocations of root.b, the first y of x: after one more preemption the queue would be below its guarantee, 7 cpu used, 2 cpu \
             guaranteed before 1 allocation was preempted"
        );
        for why in [
            WhyRetained::Important,
            WhyRetained::OtherNode,
            WhyRetained::NotNeeded,
            WhyRetained::NoUse,
            WhyRetained::Ending,
        ] {
            assert!(retained(why).starts_with("3 allocations of root.b, the first y of x: "), "{}", retained(why));
        }
    }
}
