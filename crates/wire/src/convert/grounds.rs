//! Conversion of the inputs of a preemption.

use crate::dto;
use crate::dto::ResourceMap;
use model::{NodeId, QueuePath};
use view::record::{PreemptionGrounds, PreemptionRule, Retained, RetainedSurvey, UsageState, WhyRetained};

const RULES: [(PreemptionRule, &str); 3] = [
    (PreemptionRule::Guarantee, "guarantee"),
    (PreemptionRule::RequiredNode, "required-node"),
    (PreemptionRule::Maximum, "maximum"),
];

const REASONS: [(WhyRetained, &str); 11] = [
    (WhyRetained::WithinGuarantee, "within-guarantee"),
    (WhyRetained::RequiresNode, "requires-node"),
    (WhyRetained::Ending, "going"),
    (WhyRetained::Preempted, "preempted"),
    (WhyRetained::NothingShared, "nothing-shared"),
    (WhyRetained::Important, "important"),
    (WhyRetained::Floor, "floor"),
    (WhyRetained::OtherNode, "other-node"),
    (WhyRetained::NotNeeded, "not-needed"),
    (WhyRetained::NoUse, "no-use"),
    (WhyRetained::TooLarge, "too-large"),
];

fn word<T: PartialEq>(all: &[(T, &'static str)], of: &T) -> String {
    all.iter().find(|(one, _)| one == of).map(|(_, word)| (*word).to_owned()).unwrap_or_default()
}

fn meant<T: Copy>(all: &[(T, &'static str)], word: &str) -> Option<T> {
    all.iter().find(|(_, known)| *known == word).map(|(one, _)| *one)
}

/// Converts the inputs of a preemption event.
pub fn grounds(of: &PreemptionGrounds) -> dto::EventGrounds {
    dto::EventGrounds {
        rule: word(&RULES, &of.rule),
        node_id: of.node.as_ref().map(ToString::to_string).unwrap_or_default(),
        wanted: (&of.wanted).into(),
        own: usage_state(&of.own),
        leaves: of.leaves.iter().map(usage_state).collect(),
        victims: of.victims,
        retained: retained(&of.retained),
        retained_others: of.retained.others,
    }
}

fn retained(of: &RetainedSurvey) -> Vec<dto::RetainedAllocations> {
    let one = |retained: &Retained| dto::RetainedAllocations {
        reason: word(&REASONS, &retained.why),
        leaf: usage_state(&retained.leaf),
        count: retained.count,
        application_id: retained.first.0.to_string(),
        allocation_key: retained.first.1.to_string(),
    };
    of.groups.iter().map(one).collect()
}

fn usage_state(of: &UsageState) -> dto::QueueUsageState {
    dto::QueueUsageState {
        queue_name: of.queue.to_string(),
        used: (&of.used).into(),
        guaranteed: of.guaranteed.as_ref().map(ResourceMap::from),
        max: of.max.as_ref().map(ResourceMap::from),
        victims: of.victims,
    }
}

/// `None` for an unknown rule. Unknown reasons are counted as others.
pub fn read_grounds(of: &dto::EventGrounds) -> Option<PreemptionGrounds> {
    let mut retained = RetainedSurvey { groups: Vec::new(), others: of.retained_others };
    for one in &of.retained {
        match meant(&REASONS, &one.reason) {
            Some(why) => retained.groups.push(Retained {
                why,
                leaf: read_usage_state(&one.leaf),
                count: one.count,
                first: (one.application_id.as_str().into(), one.allocation_key.as_str().into()),
            }),
            None => retained.others = retained.others.saturating_add(one.count),
        }
    }
    Some(PreemptionGrounds {
        rule: meant(&RULES, &of.rule)?,
        node: (!of.node_id.is_empty()).then(|| NodeId::from(of.node_id.as_str())),
        wanted: of.wanted.0.clone(),
        own: read_usage_state(&of.own),
        leaves: of.leaves.iter().map(read_usage_state).collect(),
        victims: of.victims,
        retained,
    })
}

fn read_usage_state(of: &dto::QueueUsageState) -> UsageState {
    UsageState {
        queue: QueuePath::from(of.queue_name.as_str()),
        used: of.used.0.clone(),
        guaranteed: of.guaranteed.as_ref().map(|own| own.0.clone()),
        max: of.max.as_ref().map(|own| own.0.clone()),
        victims: of.victims,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Resource;

    #[test]
    fn grounds_read_as_they_were_written() {
        let cpu = |amount: i64| -> Resource { [("vcore", amount)].into_iter().collect() };
        let leaf =
            UsageState { queue: "root.a".into(), used: cpu(7000), guaranteed: Some(cpu(2000)), max: None, victims: 2 };
        for (rule, _) in RULES {
            let groups =
                REASONS.map(|(why, _)| Retained { why, leaf: leaf.clone(), count: 3, first: ("x".into(), "y".into()) });
            let all = PreemptionGrounds {
                rule,
                node: Some("n1".into()),
                wanted: cpu(4000),
                own: UsageState { max: Some(cpu(9000)), ..leaf.clone() },
                leaves: vec![leaf.clone()],
                victims: 2,
                retained: RetainedSurvey { groups: groups.to_vec(), others: 5 },
            };
            let text = serde_json::to_string(&grounds(&all)).unwrap();
            assert_eq!(read_grounds(&serde_json::from_str(&text).unwrap()), Some(all), "{text}");
        }
        let newer = dto::EventGrounds { rule: "by lot".to_owned(), ..dto::EventGrounds::default() };
        assert_eq!(read_grounds(&newer), None);
    }
}
