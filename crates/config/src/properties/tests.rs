//! Properties as releases read them.

use super::*;

#[test]
fn durations_are_read_like_go_does() {
    let ms = |ms| Some(Duration::from_millis(ms));
    for (text, duration) in [
        ("30s", ms(30_000)),
        ("1m30s", ms(90_000)),
        ("1.5h", ms(5_400_000)),
        ("300ms", ms(300)),
        (".5s", ms(500)),
        ("1.s", ms(1000)),
        ("0", ms(0)),
        ("+1s", ms(1000)),
        ("1µs", Some(Duration::from_micros(1))),
        ("0.000000000000000000000001h", ms(0)),
    ] {
        assert_eq!(parse_duration(text), duration, "{text}");
    }
    for text in
        ["", "30", "-1s", "s", ".s", "1 s", "1d", "1s2", "9999999h", "99999999999999999999999999999999999999999s"]
    {
        assert_eq!(parse_duration(text), None, "{text}");
    }
}

#[test]
fn a_bad_value_is_the_default() {
    let read = QueueProperties::from_map([
        ("application.sort.policy", "Fair"),
        ("application.sort.priority", "no"),
        ("priority.policy", "x"),
        ("priority.offset", "1.5"),
        ("preemption.policy", "off"),
        ("preemption.delay", "0s"),
        ("other", "x"),
    ]);
    assert_eq!(read, QueueProperties::default());
    let read = QueueProperties::from_map([
        ("application.sort.policy", "stateaware"),
        ("application.sort.priority", "Disabled"),
        ("priority.policy", "FENCE"),
        ("priority.offset", "-2147483648"),
        ("preemption.policy", "Disabled"),
        ("preemption.delay", "1m30s"),
    ]);
    assert_eq!(read.app_sort, AppSortPolicy::StateAware);
    assert!(!read.sort_by_priority);
    assert_eq!(read.priority_policy, PriorityPolicy::Fence);
    assert_eq!(read.priority_offset, i32::MIN);
    assert_eq!(read.preemption_policy, PreemptionPolicy::Disabled);
    assert_eq!(read.preemption_delay, Duration::from_secs(90));
}

fn placed(own: &[(&str, &str)]) -> BTreeMap<String, Placed<String>> {
    own.iter().map(|(k, v)| ((*k).to_owned(), Placed { value: (*v).to_owned(), at: Place::default() })).collect()
}

#[test]
fn children_inherit_all_but_priority_and_a_fence() {
    let root = QueuePath::root();
    let a = root.child("a");
    let own = [("priority.policy", "fence"), ("priority.offset", "5"), ("preemption.policy", "fence"), ("x", "1")];
    let parent = inherit(&Arc::default(), &root, &placed(&own));
    assert_eq!(parent.len(), 4);
    let child = inherit(&parent, &a, &placed(&[("y", "2")]));
    let reported: Vec<_> = child.iter().map(|(key, p)| (key.as_str(), p.value.as_str(), p.from.as_str())).collect();
    assert_eq!(reported, [("x", "1", "root"), ("y", "2", "root.a")]);
    let parent = inherit(&Arc::default(), &root, &placed(&[("preemption.policy", "DISABLED"), ("x", "1")]));
    let child = inherit(&parent, &a, &placed(&[("x", "3")]));
    assert_eq!(child["preemption.policy"].from, root);
    assert_eq!((child["x"].value.as_str(), &child["x"].from), ("3", &a));
}
