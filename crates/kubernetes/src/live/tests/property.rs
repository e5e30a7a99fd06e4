//! Any order of changes ends in the state of a recovery from the final cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::{Input, LiveObject};
use super::{QUEUES, World, asks};
use crate::objects::Object;
use crate::predicates::tests::cluster;
use crate::predicates::tests::property::texts;
use crate::{Cluster, Recovered, Settings};
use model::{AskId, NodeId, Profile};
use scheduler::Partition;

fn state(part: &Partition) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let nodes = part.nodes.iter().map(|node| {
        let words = format!("{:?} {:?} {:?} {}", node.total, node.occupied, node.allocated, node.schedulable);
        (node.id.to_string(), words)
    });
    (nodes.collect(), asks(part))
}

fn refusals(world: &mut World) -> BTreeMap<(String, String), Option<String>> {
    let pods: Vec<String> = world.asks().into_iter().filter(|(_, node)| node == "-").map(|(pod, _)| pod).collect();
    let nodes: Vec<NodeId> = world.fed.part().nodes.iter().map(|node| node.id.clone()).collect();
    let mut found = BTreeMap::new();
    super::Sink::filters(&mut world.fed, &mut |filters| {
        for pod in &pods {
            for node in &nodes {
                found.insert((pod.clone(), node.to_string()), filters.why_not(&AskId::from(pod.as_str()), node));
            }
        }
    });
    found
}

fn objects(cluster: &Cluster) -> Vec<Object> {
    let storage = cluster.storage();
    let mut all: Vec<Object> = cluster.pods.values().map(|pod| Object::Pod(Box::new((**pod).clone()))).collect();
    all.extend(cluster.nodes.values().map(|node| Object::Node(Box::new((**node).clone()))));
    all.extend(cluster.namespaces.values().cloned().map(Object::Namespace));
    all.extend(storage.volumes.values().map(|volume| Object::Volume(Box::new(volume.clone()))));
    all.extend(storage.claims.values().map(|claim| Object::Claim(Box::new(claim.clone()))));
    all.extend(storage.csi_nodes.values().map(|node| Object::CsiNode(Box::new(node.clone()))));
    all.extend(storage.attachments.values().map(|one| Object::Attachment(Box::new(one.clone()))));
    all
}

fn put(object: Object) -> Input {
    Input::Put(LiveObject(object))
}

/// Each object is added, perhaps removed and added again; bound pods may come unbound first, nodes cordoned or with
/// another label.
fn changes(objects: &[Object], order: &[(u32, u8)]) -> Vec<Input> {
    let mut all: Vec<(u32, Input)> = Vec::new();
    for (object, (at, way)) in objects.iter().zip(order) {
        let mut first = object.clone();
        match (&mut first, way % 4) {
            (Object::Pod(pod), 1) => pod.node.clear(),
            (Object::Node(node), 1) => node.spec.unschedulable = true,
            (Object::Node(node), 2) => drop(node.metadata.labels.insert("zone".to_owned(), "elsewhere".to_owned())),
            _ => {}
        }
        all.push((*at, put(first)));
        if *way >= 128 && matches!(object, Object::Pod(_) | Object::Node(_)) {
            all.push((at + 300, Input::Gone(LiveObject(object.clone()).key())));
        }
        all.push((at + 600, put(object.clone())));
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, input)| input).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_changes_ends_as_a_recovery(text in texts(), order in proptest::collection::vec((0..1000_u32, any::<u8>()), 30), size in 1..6_usize) {
        let cluster = cluster(&text);
        let settings = Settings { profile: Profile::Kornsole, ..Settings::default() };
        let config = config::read(QUEUES, Profile::Kornsole).config.map(Arc::new).expect("it is valid");
        let recovered = Recovered::of(&cluster, &settings, config).expect("it is recovered");

        let mut world = World::new(QUEUES);
        let objects = objects(&cluster);
        prop_assert!(objects.len() <= order.len(), "each object has its turn");
        let mut inputs = changes(&objects, &order);
        while !inputs.is_empty() {
            let rest = inputs.split_off(size.min(inputs.len()));
            world.batch(std::mem::replace(&mut inputs, rest));
        }
        prop_assert_eq!(state(world.fed.part()), state(&recovered.scheduler.partitions()[0]), "{}", &text);
        world.check();

        let mut started = World::new(QUEUES);
        started.live = super::Live::start(cluster, settings, super::NOW, &mut started.fed);
        prop_assert_eq!(state(started.fed.part()), state(&recovered.scheduler.partitions()[0]), "{}", &text);
        prop_assert_eq!(refusals(&mut world), refusals(&mut started), "{}", &text);
    }
}
