//! What a preemption went by, in words: how the queues stood, who stayed, and why.

use super::words::{amounts, count};
use super::{Sentence, SheetLine, Target};
use crate::record::{Kept, KeptSurvey, PreemptionGrounds, PreemptionRule, Standing, WhyKept};
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

impl Sentence for Standing {
    fn sentence(&self) -> String {
        let over = self.over();
        let over = if over.is_zero() { "nothing over".to_owned() } else { format!("{} over", amounts(&over)) };
        format!("{}: {} used, {}, {over}", self.queue, amounts(&self.used), bound(self))
    }
}

fn bound(of: &Standing) -> String {
    match (&of.max, &of.guaranteed) {
        (Some(max), _) => format!("the maximum is {}", amounts(max)),
        (None, Some(guaranteed)) => format!("{} guaranteed", amounts(guaranteed)),
        (None, None) => "nothing guaranteed".to_owned(),
    }
}

/// Its usage and guarantee, of the guaranteed resources only.
fn beside_guarantee(of: &Standing) -> String {
    let guaranteed = |name: &str| of.guaranteed.as_ref().is_some_and(|own| own.get(name).is_some());
    let used: Resource = of.used.iter().filter(|(name, _)| guaranteed(name)).collect();
    format!("{} used, {}", amounts(&used), bound(of))
}

impl Sentence for Kept {
    fn sentence(&self) -> String {
        let leaf = &self.leaf;
        let (app, ask) = &self.first;
        let which = if self.count == 1 { format!("{ask} of {app}") } else { format!("the first {ask} of {app}") };
        let why = match self.why {
            WhyKept::WithinGuarantee => format!("the queue is within its guarantee, {}", beside_guarantee(leaf)),
            WhyKept::RequiresNode => "each requires the node on which it runs".to_owned(),
            WhyKept::Going => "they are ending for another reason".to_owned(),
            WhyKept::Preempted => "they are being preempted already".to_owned(),
            WhyKept::NothingShared => "they use none of the needed resources".to_owned(),
            WhyKept::Important => "their priority is above that of the request".to_owned(),
            WhyKept::Floor => {
                let less = match leaf.victims {
                    0 => String::new(),
                    some => format!(" before {} was preempted", count(some, "allocation")),
                };
                format!(
                    "after one more preemption the queue would be below its guarantee, {}{less}",
                    beside_guarantee(leaf)
                )
            }
            WhyKept::OtherNode => "they run on other nodes, and no node needs fewer victims".to_owned(),
            WhyKept::NotNeeded => "the selected victims are enough".to_owned(),
            WhyKept::NoUse => "they can be preempted, but the request would still not fit".to_owned(),
            WhyKept::TooLarge => "each is larger than the remaining excess of the queue".to_owned(),
        };
        format!("{} of {}, {which}: {why}", count(self.count, "allocation"), leaf.queue)
    }
}

/// What a preemption left alone, as lines.
pub trait Sentences {
    /// A line for each group, and one for the allocations that are not named.
    fn sentences(&self) -> Vec<String>;
}

impl Sentences for KeptSurvey {
    fn sentences(&self) -> Vec<String> {
        let others = (self.others > 0).then(|| format!("{} more", count(self.others, "allocation")));
        self.groups.iter().map(Kept::sentence).chain(others).collect()
    }
}

/// The grounds as lines of a sheet.
pub(super) fn lines(grounds: &PreemptionGrounds) -> Vec<SheetLine> {
    let to = |standing: &Standing| Some(Target::Queue(standing.queue.clone()));
    let mut lines = vec![SheetLine::new("rule", rule_sentence(grounds.rule))];
    let what = match grounds.rule {
        PreemptionRule::Maximum => format!("{} had to be preempted", amounts(&grounds.wanted)),
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
    for kept in &grounds.kept.groups {
        lines.push(SheetLine::new("not chosen", kept.sentence()).to(to(&kept.leaf)));
    }
    if grounds.kept.others > 0 {
        let text = format!("{} more that were considered", count(grounds.kept.others, "allocation"));
        lines.push(SheetLine::new("not chosen", text));
    }
    if grounds.kept == KeptSurvey::default() {
        lines.push(SheetLine::new("not chosen", "no other allocation could be considered"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each sentence has a queue; where amounts are the reason, also the resource and the numbers.
    #[test]
    fn each_reason_names_a_queue_and_its_figures() {
        let cpu = |amount: i64| -> Resource { [("vcore", amount * 1000)].into_iter().collect() };
        let leaf = Standing { queue: "root.b".into(), used: cpu(7), guaranteed: Some(cpu(2)), max: None, victims: 1 };
        assert_eq!(leaf.sentence(), "root.b: 7 cpu used, 2 cpu guaranteed, 5 cpu over");
        let maximum = Standing { max: Some(cpu(6)), guaranteed: None, ..leaf.clone() };
        assert_eq!(maximum.sentence(), "root.b: 7 cpu used, the maximum is 6 cpu, 1 cpu over");
        let unguarded = Standing { guaranteed: None, ..leaf.clone() };
        assert_eq!(unguarded.sentence(), "root.b: 7 cpu used, nothing guaranteed, 7 cpu over");
        let kept = |why| Kept { why, leaf: leaf.clone(), count: 3, first: ("x".into(), "y".into()) }.sentence();
        assert_eq!(
            kept(WhyKept::Floor),
            "3 allocations of root.b, the first y of x: after one more preemption the queue would be below its guarantee, 7 cpu used, 2 cpu \
             guaranteed before 1 allocation was preempted"
        );
        for why in [WhyKept::Important, WhyKept::OtherNode, WhyKept::NotNeeded, WhyKept::NoUse, WhyKept::Going] {
            assert!(kept(why).starts_with("3 allocations of root.b, the first y of x: "), "{}", kept(why));
        }
    }
}
