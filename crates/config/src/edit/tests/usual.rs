//! Common edits.

use super::*;

const FLOW: &str = "\
partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [
  {name: a, resources: {max: {memory: 10G, vcore: 4}}}, # first
  {name: b, queues: [{name: c}]}, # second
  {name: d}
]}]}]
";

#[test]
fn amounts_in_block_style() {
    let a = QueuePath::new("root.tenant-a");
    let set = |resource, amount| report(BLOCK, set_amount(BLOCK, &target(&a), Bound::Max, resource, amount));
    insta::assert_snapshot!(set("vcore", Some("6")), @r#"
    -14|                vcore: "20"
    +14|                vcore: "6"
    ~ root.tenant-a
        max vcore 20 → 6
    "#);
    insta::assert_snapshot!(set("nvidia.com/gpu", Some("2")), @"
    +15|                nvidia.com/gpu: 2
    ~ root.tenant-a
        max nvidia.com/gpu none → 2
    ");
    insta::assert_snapshot!(set("memory", None), @"
    -13|                memory: 40G   # half of it
    ~ root.tenant-a
        max memory 40G → none
    ");
    insta::assert_snapshot!(set("none", None), @"");
    insta::assert_snapshot!(report(BLOCK, set_amount(BLOCK, &target(&a), Bound::Guaranteed, "memory", Some("1G"))), @"
    +15|              guaranteed:
    +16|                memory: 1G
    ~ root.tenant-a
        guaranteed memory none → 1G
    ");
    let b = QueuePath::new("root.Tenant-B.x");
    insta::assert_snapshot!(report(BLOCK, set_amount(BLOCK, &target(&b), Bound::Max, "memory", Some("1G"))), @"
    +30|                resources:
    +31|                  max:
    +32|                    memory: 1G
    ~ root.tenant-b.x
        max memory none → 1G
    ");
}

#[test]
fn amounts_in_flow_style() {
    let a = QueuePath::new("root.a");
    let set = |resource, amount| report(FLOW, set_amount(FLOW, &target(&a), Bound::Max, resource, amount));
    insta::assert_snapshot!(set("vcore", Some("500m")), @"
    -2|  {name: a, resources: {max: {memory: 10G, vcore: 4}}}, # first
    +2|  {name: a, resources: {max: {memory: 10G, vcore: 500m}}}, # first
    ~ root.a
        max vcore 4 → 500m
    ");
    insta::assert_snapshot!(set("gpu", Some("2")), @"
    -2|  {name: a, resources: {max: {memory: 10G, vcore: 4}}}, # first
    +2|  {name: a, resources: {max: {memory: 10G, vcore: 4, gpu: 2}}}, # first
    ~ root.a
        max gpu none → 2
    ");
    insta::assert_snapshot!(set("memory", None), @"
    -2|  {name: a, resources: {max: {memory: 10G, vcore: 4}}}, # first
    +2|  {name: a, resources: {max: {vcore: 4}}}, # first
    ~ root.a
        max memory 10G → none
    ");
    let d = QueuePath::new("root.d");
    insta::assert_snapshot!(report(FLOW, set_amount(FLOW, &target(&d), Bound::Max, "memory", Some("1G"))), @"
    -4|  {name: d}
    +4|  {name: d, resources: {max: {memory: 1G}}}
    ~ root.d
        max memory none → 1G
    ");
}

#[test]
fn settings_of_a_queue() {
    let [root, a, b] = ["root", "root.tenant-a", "root.tenant-b"].map(QueuePath::new);
    insta::assert_snapshot!(report(BLOCK, set_max_applications(BLOCK, &target(&a), Some(9))), @"
    +11|            maxapplications: 9
    ~ root.tenant-a
        maxapplications none → 9
    ");
    insta::assert_snapshot!(report(BLOCK, set_property(BLOCK, &target(&b), "priority.offset", Some("-5"))), @"
    +28|              priority.offset: '-5'
    ~ root.tenant-b
        property priority.offset none → -5
    ");
    insta::assert_snapshot!(report(BLOCK, set_property(BLOCK, &target(&a), "note: x", Some("it's \"so\""))), @r#"
    +11|            properties:
    +12|              'note: x': it's "so"
    ~ root.tenant-a
        property note: x none → it's "so"
    "#);
    insta::assert_snapshot!(report(BLOCK, set_acl(BLOCK, &target(&a), Access::Admin, Some(" dev,ops"))), @r#"
    -10|            adminacl: sue
    +10|            adminacl: ' dev,ops'
    ~ root.tenant-a
        adminacl sue → " dev,ops"
    "#);
    insta::assert_snapshot!(report(BLOCK, set_acl(BLOCK, &target(&a), Access::Submit, Some("*"))), @"
    +11|            submitacl: '*'
    ~ root.tenant-a
        submitacl none → *
    ");
    insta::assert_snapshot!(report(BLOCK, set_acl(BLOCK, &target(&root), Access::Submit, None)), @"
    -6|        submitacl: '*'   # everybody
    ~ root
        submitacl * → none
    ");
    insta::assert_snapshot!(report(BLOCK, set_parent(BLOCK, &target(&a), Some(true))), @"
    +10|            parent: true
    ~ root.tenant-a
        parent false → true
    ");
}

fn plain_queue() -> NewQueue {
    NewQueue { name: "new".into(), ..NewQueue::default() }
}

fn full_queue() -> NewQueue {
    let pairs = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
    NewQueue {
        name: "batch".into(),
        parent: true,
        submit_acl: "*".into(),
        max_applications: Some(3),
        properties: pairs("application.sort.policy", "fair"),
        guaranteed: pairs("memory", "1G"),
        max: pairs("memory", "2G"),
        limits: vec![NewLimit { users: vec!["*".into()], max_applications: Some(1), ..NewLimit::default() }],
        ..NewQueue::default()
    }
}

#[test]
fn queues_are_added_in_block_style() {
    let [root, a] = ["root", "root.tenant-a"].map(QueuePath::new);
    insta::assert_snapshot!(report(BLOCK, add_queue(BLOCK, &target(&root), &full_queue())), @"
    +30|          - name: batch
    +31|            parent: true
    +32|            submitacl: '*'
    +33|            maxapplications: 3
    +34|            properties:
    +35|              application.sort.policy: fair
    +36|            resources:
    +37|              guaranteed:
    +38|                memory: 1G
    +39|              max:
    +40|                memory: 2G
    +41|            limits:
    +42|              - users: ['*']
    +43|                maxapplications: 1
    + root.batch
        parent true
        submitacl *
        maxapplications 3
        guaranteed memory 1G
        max memory 2G
        property application.sort.policy fair
        limit users *: maxapplications 1
    ");
    insta::assert_snapshot!(report(BLOCK, add_queue(BLOCK, &target(&a), &plain_queue())), @"
    +25|            queues:
    +26|              - name: new
    ~ root.tenant-a
        parent false → true
    + root.tenant-a.new
    ");
}

#[test]
fn queues_are_added_in_flow_style() {
    let [root, leaf] = ["root", "root.a"].map(QueuePath::new);
    insta::assert_snapshot!(report(FLOW, add_queue(FLOW, &target(&root), &full_queue())), @"
    -4|  {name: d}
    +4|  {name: d},
    +5|  {name: batch, parent: true, submitacl: '*', maxapplications: 3, properties: {application.sort.policy: fair}, resources: {guaranteed: {memory: 1G}, max: {memory: 2G}}, limits: [{users: ['*'], maxapplications: 1}]}
    + root.batch
        parent true
        submitacl *
        maxapplications 3
        guaranteed memory 1G
        max memory 2G
        property application.sort.policy fair
        limit users *: maxapplications 1
    ");
    insta::assert_snapshot!(report(FLOW, add_queue(FLOW, &target(&leaf), &plain_queue())), @"
    -2|  {name: a, resources: {max: {memory: 10G, vcore: 4}}}, # first
    +2|  {name: a, resources: {max: {memory: 10G, vcore: 4}}, queues: [{name: new}]}, # first
    ~ root.a
        parent false → true
    + root.a.new
    ");
}

#[test]
fn queues_are_removed_in_block_style() {
    let [a, b, x] = ["root.tenant-a", "root.tenant-b", "root.tenant-b.x"].map(QueuePath::new);
    insta::assert_snapshot!(report(BLOCK, remove_queue(BLOCK, &target(&a))), @r#"
    -9|          - name: tenant-a   # since spring
    -10|            adminacl: sue
    -11|            resources:
    -12|              max:
    -13|                memory: 40G   # half of it
    -14|                vcore: "20"
    -15|            limits:
    -16|              - limit: sue and bob
    -17|                users:
    -18|                  - sue
    -19|                  - bob
    -20|                maxresources:
    -21|                  memory: 12G
    -22|              # the rest
    -23|              - users: ['*']
    -24|                maxapplications: 3
    - root.tenant-a
    "#);
    insta::assert_snapshot!(report(BLOCK, remove_queue(BLOCK, &target(&b))), @"
    -26|          - name: tenant-b
    -27|            properties: # nothing yet
    -28|            queues:
    -29|              - name: x
    - root.tenant-b
    - root.tenant-b.x
    ");
    insta::assert_snapshot!(report(BLOCK, remove_queue(BLOCK, &target(&x))), @"
    -28|            queues:
    -29|              - name: x
    ~ root.tenant-b
        parent true → false
    - root.tenant-b.x
    ");
}

#[test]
fn queues_are_removed_in_flow_style() {
    let [leaf, c, d] = ["root.a", "root.b.c", "root.d"].map(QueuePath::new);
    insta::assert_snapshot!(report(FLOW, remove_queue(FLOW, &target(&leaf))), @"
    -2|  {name: a, resources: {max: {memory: 10G, vcore: 4}}}, # first
    - root.a
    ");
    insta::assert_snapshot!(report(FLOW, remove_queue(FLOW, &target(&c))), @"
    -3|  {name: b, queues: [{name: c}]}, # second
    +3|  {name: b}, # second
    ~ root.b
        parent true → false
    - root.b.c
    ");
    insta::assert_snapshot!(report(FLOW, remove_queue(FLOW, &target(&d))), @"
    -3|  {name: b, queues: [{name: c}]}, # second
    -4|  {name: d}
    +3|  {name: b, queues: [{name: c}]} # second
    - root.d
    ");
}

fn group_limit() -> NewLimit {
    NewLimit { groups: vec!["dev".into()], max_applications: Some(2), ..NewLimit::default() }
}

#[test]
fn limits_are_added() {
    let [a, b] = ["root.tenant-a", "root.tenant-b"].map(QueuePath::new);
    insta::assert_snapshot!(report(BLOCK, add_limit(BLOCK, &target(&a), Some(1), &group_limit())), @"
    +22|              - groups: [dev]
    +23|                maxapplications: 2
    ~ root.tenant-a
      + limit groups dev: maxapplications 2
    ");
    insta::assert_snapshot!(report(BLOCK, add_limit(BLOCK, &target(&b), None, &group_limit())), @"
    +28|            limits:
    +29|              - groups: [dev]
    +30|                maxapplications: 2
    ~ root.tenant-b
      + limit groups dev: maxapplications 2
    ");
}

#[test]
fn limits_are_changed() {
    let a = QueuePath::new("root.tenant-a");
    let changed = NewLimit {
        description: "sue and joe".into(),
        users: vec!["sue".into(), "joe".into(), "eve".into()],
        max_applications: Some(9),
        max_resources: vec![("memory".into(), "12G".into()), ("vcore".into(), "2".into())],
        ..NewLimit::default()
    };
    insta::assert_snapshot!(report(BLOCK, change_limit(BLOCK, &target(&a), 0, &changed)), @"
    -16|              - limit: sue and bob
    +16|              - limit: sue and joe
    -19|                  - bob
    +19|                  - joe
    +20|                  - eve
    +21|                maxapplications: 9
    +24|                  vcore: 2
    ~ root.tenant-a
        limit users sue,joe,eve: users sue,bob → sue,joe,eve
        limit users sue,joe,eve: description sue and bob → sue and joe
        limit users sue,joe,eve: maxapplications none → 9
        limit users sue,joe,eve: max vcore none → 2
    ");
    insta::assert_snapshot!(report(BLOCK, change_limit(BLOCK, &target(&a), 1, &group_limit())), @"
    -23|              - users: ['*']
    -24|                maxapplications: 3
    +23|              - groups: [dev]
    +24|                maxapplications: 2
    ~ root.tenant-a
      - limit users *: maxapplications 3
      + limit groups dev: maxapplications 2
    ");
}

#[test]
fn limits_are_removed() {
    let a = QueuePath::new("root.tenant-a");
    insta::assert_snapshot!(report(BLOCK, remove_limit(BLOCK, &target(&a), 0)), @"
    -16|              - limit: sue and bob
    -17|                users:
    -18|                  - sue
    -19|                  - bob
    -20|                maxresources:
    -21|                  memory: 12G
    ~ root.tenant-a
      - limit users sue,bob: max memory 12G
    ");
    insta::assert_snapshot!(report(BLOCK, remove_limit(BLOCK, &target(&a), 2)), @"
    16:15: error[EDT-001]: limit 3 not found on root.tenant-a
    = it has 2
    ");
    let one = remove_limit(BLOCK, &target(&a), 1).unwrap();
    insta::assert_snapshot!(report(&one, remove_limit(&one, &target(&a), 0)), @"
    -15|            limits:
    -16|              - limit: sue and bob
    -17|                users:
    -18|                  - sue
    -19|                  - bob
    -20|                maxresources:
    -21|                  memory: 12G
    -22|              # the rest
    ~ root.tenant-a
      - limit users sue,bob: max memory 12G
    ");
}
