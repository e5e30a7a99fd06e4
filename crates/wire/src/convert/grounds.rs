//! What a preemption went by, to the wire and back.

use crate::dto;
use crate::dto::ResourceMap;
use model::{NodeId, QueuePath};
use view::record::{Kept, KeptSurvey, PreemptionGrounds, PreemptionRule, Standing, WhyKept};

/// Each rule with its word.
const RULES: [(PreemptionRule, &str); 3] = [
    (PreemptionRule::Guarantee, "guarantee"),
    (PreemptionRule::RequiredNode, "required-node"),
    (PreemptionRule::Maximum, "maximum"),
];

/// Each reason with its word.
const REASONS: [(WhyKept, &str); 11] = [
    (WhyKept::WithinGuarantee, "within-guarantee"),
    (WhyKept::RequiresNode, "requires-node"),
    (WhyKept::Going, "going"),
    (WhyKept::Preempted, "preempted"),
    (WhyKept::NothingShared, "nothing-shared"),
    (WhyKept::Important, "important"),
    (WhyKept::Floor, "floor"),
    (WhyKept::OtherNode, "other-node"),
    (WhyKept::NotNeeded, "not-needed"),
    (WhyKept::NoUse, "no-use"),
    (WhyKept::TooLarge, "too-large"),
];

fn word<T: PartialEq>(all: &[(T, &'static str)], of: &T) -> String {
    all.iter().find(|(one, _)| one == of).map(|(_, word)| (*word).to_owned()).unwrap_or_default()
}

fn meant<T: Copy>(all: &[(T, &'static str)], word: &str) -> Option<T> {
    all.iter().find(|(_, known)| *known == word).map(|(one, _)| *one)
}

/// The grounds of an event, for the wire.
pub fn grounds(of: &PreemptionGrounds) -> dto::EventGrounds {
    dto::EventGrounds {
        rule: word(&RULES, &of.rule),
        node_id: of.node.as_ref().map(ToString::to_string).unwrap_or_default(),
        wanted: (&of.wanted).into(),
        own: standing(&of.own),
        leaves: of.leaves.iter().map(standing).collect(),
        victims: of.victims,
        kept: kept(&of.kept),
        kept_others: of.kept.others,
    }
}

/// What was looked at and stays.
fn kept(of: &KeptSurvey) -> Vec<dto::KeptAllocations> {
    let one = |kept: &Kept| dto::KeptAllocations {
        reason: word(&REASONS, &kept.why),
        leaf: standing(&kept.leaf),
        count: kept.count,
        application_id: kept.first.0.to_string(),
        allocation_key: kept.first.1.to_string(),
    };
    of.groups.iter().map(one).collect()
}

fn standing(of: &Standing) -> dto::QueueStanding {
    dto::QueueStanding {
        queue_name: of.queue.to_string(),
        used: (&of.used).into(),
        guaranteed: of.guaranteed.as_ref().map(ResourceMap::from),
        max: of.max.as_ref().map(ResourceMap::from),
        victims: of.victims,
    }
}

/// The grounds of an event of the wire; `None` where it goes by a rule that this program does not know. Reasons that it does not know are
/// counted among the others.
pub fn read_grounds(of: &dto::EventGrounds) -> Option<PreemptionGrounds> {
    let mut kept = KeptSurvey { groups: Vec::new(), others: of.kept_others };
    for one in &of.kept {
        match meant(&REASONS, &one.reason) {
            Some(why) => kept.groups.push(Kept {
                why,
                leaf: read_standing(&one.leaf),
                count: one.count,
                first: (one.application_id.as_str().into(), one.allocation_key.as_str().into()),
            }),
            None => kept.others = kept.others.saturating_add(one.count),
        }
    }
    Some(PreemptionGrounds {
        rule: meant(&RULES, &of.rule)?,
        node: (!of.node_id.is_empty()).then(|| NodeId::from(of.node_id.as_str())),
        wanted: of.wanted.0.clone(),
        own: read_standing(&of.own),
        leaves: of.leaves.iter().map(read_standing).collect(),
        victims: of.victims,
        kept,
    })
}

fn read_standing(of: &dto::QueueStanding) -> Standing {
    Standing {
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

    /// What one kornsole sends another one reads as it was.
    #[test]
    fn grounds_read_as_they_were_written() {
        let cpu = |amount: i64| -> Resource { [("vcore", amount)].into_iter().collect() };
        let leaf =
            Standing { queue: "root.a".into(), used: cpu(7000), guaranteed: Some(cpu(2000)), max: None, victims: 2 };
        for (rule, _) in RULES {
            let groups =
                REASONS.map(|(why, _)| Kept { why, leaf: leaf.clone(), count: 3, first: ("x".into(), "y".into()) });
            let all = PreemptionGrounds {
                rule,
                node: Some("n1".into()),
                wanted: cpu(4000),
                own: Standing { max: Some(cpu(9000)), ..leaf.clone() },
                leaves: vec![leaf.clone()],
                victims: 2,
                kept: KeptSurvey { groups: groups.to_vec(), others: 5 },
            };
            let text = serde_json::to_string(&grounds(&all)).unwrap();
            assert_eq!(read_grounds(&serde_json::from_str(&text).unwrap()), Some(all), "{text}");
        }
        let newer = dto::EventGrounds { rule: "by lot".to_owned(), ..dto::EventGrounds::default() };
        assert_eq!(read_grounds(&newer), None);
    }
}
