//! Random changes, checked against a second implementation of the filters: no pod is on a node that one of them
//! rejects, no queue exceeds its maximum, and all counters match the cluster.

use proptest::prelude::*;

use super::super::{Deed, Input, LiveObject, ObjectKey, Outcome};
use super::{NOW, QUEUES, World};
use crate::live::Live;
use crate::objects::Object;
use crate::predicates::tests::cluster;
use crate::predicates::tests::naive::World as Naive;
use crate::predicates::tests::property::texts;
use crate::{Cluster, Settings};
use model::Profile;

fn bind<'c>(world: &mut World, cluster: &'c Cluster, naive: &mut Naive<'c>) -> Result<(), TestCaseError> {
    let deeds = std::mem::take(&mut world.deeds);
    for deed in deeds {
        let Deed::Bind { pod, node } = deed else { continue };
        let (object, on) = (&cluster.pods[&(pod.namespace.clone(), pod.name.clone())], &cluster.nodes[&node]);
        prop_assert!(naive.lets(object, on), "{} on {}", pod.name, node);
        naive.placed.push((object, on));
        let mut bound = (**object).clone();
        bound.node.clone_from(&node);
        world.batch(vec![
            Input::Done(Outcome::Bound { pod, node, done: Ok(()) }),
            Input::Put(LiveObject(Object::Pod(Box::new(bound)))),
        ]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_bound_that_a_naive_filter_refuses(text in texts(), deleted in proptest::collection::vec(any::<proptest::sample::Index>(), 6)) {
        let cluster = cluster(&text);
        let queues = QUEUES.replace("{name: a}", "{name: a, resources: {max: {vcore: '6'}}}");
        let mut world = World::new(&queues);
        let settings = Settings { profile: Profile::Kornsole, ..Settings::default() };
        world.live = Live::start(cluster.clone(), settings, NOW, &mut world.fed);
        let at = |pod: &'_ crate::objects::Pod| cluster.nodes.get(pod.node()?).map(AsRef::as_ref);
        let placed = cluster.pods.values().filter_map(|pod| Some((&**pod, at(pod)?))).collect();
        let mut naive = Naive { cluster: &cluster, placed };
        for index in deleted {
            world.cycles();
            bind(&mut world, &cluster, &mut naive)?;
            let had: i64 = world.vcore("root.a");
            let before = 1000 * cluster.pods.values().filter(|pod| pod.node().is_some()).count() as i64;
            prop_assert!(had <= 6000.max(before), "root.a has {had}");
            let mut count = std::collections::BTreeMap::<&str, i64>::new();
            naive.placed.iter().for_each(|(_, node)| *count.entry(node.metadata.name.as_str()).or_default() += 1000);
            for node in world.fed.part().nodes.iter() {
                let counted = count.get(node.id.as_str()).copied().unwrap_or(0);
                prop_assert_eq!(node.allocated.amount("vcore"), counted, "{}", &node.id);
            }
            world.check();
            if naive.placed.is_empty() {
                break;
            }
            let (gone, _) = naive.placed.remove(index.index(naive.placed.len()));
            let (namespace, name) = (gone.metadata.namespace.clone(), gone.metadata.name.clone());
            world.batch(vec![Input::Gone(ObjectKey { kind: "Pod", namespace, name })]);
        }
    }
}
