use super::crowd::slowed;
use super::*;
use model::Profile;

#[test]
fn the_configuration_has_no_fault_under_any_profile() {
    for profile in Profile::ALL {
        let reading = config::read(demo_config(), profile);
        assert_eq!(reading.faults, [], "{profile}");
    }
}

#[test]
fn only_the_old_queue_is_removed() {
    let paths = |text: &str| {
        let config = config::read(text, Profile::Kornsole).config.unwrap();
        let mut paths = Vec::new();
        let mut stack = vec![&config.partitions[0].root];
        while let Some(queue) = stack.pop() {
            stack.extend(&queue.children);
            paths.push(queue.path.as_ref().unwrap().to_string());
        }
        paths
    };
    let (mut with, without) = (paths(demo_config()), paths(&legacy::without_legacy()));
    with.retain(|path| path != LEGACY);
    assert_eq!(with, without);
    assert_eq!(paths(demo_config()).len(), without.len() + 1);
}

#[test]
fn every_stream_names_a_leaf_of_the_configuration() {
    let config = config::read(demo_config(), Profile::Kornsole).config.unwrap();
    let mut leaves = Vec::new();
    let mut stack = vec![&config.partitions[0].root];
    while let Some(queue) = stack.pop() {
        stack.extend(&queue.children);
        if !queue.parent {
            leaves.push(queue.path.as_ref().unwrap().to_string());
        }
    }
    for stream in STREAMS.iter().filter(|stream| !stream.queue.is_empty()) {
        assert!(leaves.iter().any(|leaf| leaf == stream.queue), "{}: {}", stream.name, stream.queue);
    }
}

#[test]
fn a_task_fits_its_queue_and_a_node() {
    let smallest_node = (NODES[0].2 * 1000, NODES[0].3);
    for stream in &STREAMS {
        for (millicores, gibibytes) in stream.sizes {
            assert!(*millicores <= smallest_node.0 && *gibibytes <= smallest_node.1, "{}", stream.name);
        }
    }
}

#[test]
fn nights_are_slower_than_days() {
    let wait = |seconds: u64| slowed(Time::from_millis(seconds * 1000), 1000, 2000);
    let all: Vec<_> = (0..480).map(wait).collect();
    assert_eq!(all.iter().min(), Some(&(660, 1320)));
    assert!(all.iter().max().unwrap().0 >= 1390);
    assert_eq!(wait(480), wait(0));
}
