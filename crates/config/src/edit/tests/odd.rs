//! Manifests, aliases, rejected edits, and unusual notation.

use super::*;

const MANIFEST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: yunikorn-configs}
data:
  queues.yaml: |
    partitions:
      - name: default
        queues:
          - name: root
            queues:
              - name: a   # one

              - name: b
  log.level: INFO
";

const ALIASES: &str = "\
partitions:
- name: default
  queues:
  - name: root
    queues:
    - name: a
      resources: &small {max: &amounts {memory: 1G}}
    - name: b
      resources: *small
    - name: c
      resources:
        max: *amounts
    - &whole
      name: d
      properties: &p {x: y}
    - name: e
      <<: *whole
";

#[test]
fn in_a_manifest_only_its_block_changes() {
    let [root, a, b] = ["root", "root.a", "root.b"].map(QueuePath::new);
    insta::assert_snapshot!(report(MANIFEST, set_max_applications(MANIFEST, &target(&b), Some(3))), @"
    +14|                maxapplications: 3
    ~ root.b
        maxapplications none → 3
    ");
    insta::assert_snapshot!(report(MANIFEST, remove_queue(MANIFEST, &target(&a))), @"
    -11|              - name: a   # one
    - root.a
    ");
    let new = NewQueue { name: "c".into(), ..NewQueue::default() };
    insta::assert_snapshot!(report(MANIFEST, add_queue(MANIFEST, &target(&root), &new)), @"
    +14|              - name: c
    + root.c
    ");
    let other = Target { policy_group: "batch", ..target(&a) };
    insta::assert_snapshot!(report(MANIFEST, set_parent(MANIFEST, &other, Some(true))), @"
    1:1: error[CFG-002]: the ConfigMap has no entry `batch.yaml` in `data`
    = existing entries: queues.yaml, log.level; `--policy-group NAME` reads `NAME.yaml`
    ");
    let cut = MANIFEST.strip_suffix("  log.level: INFO\n").unwrap().trim_end();
    insta::assert_snapshot!(report(cut, add_queue(cut, &target(&root), &new)), @"
    +14|              - name: c
    +15|
    + root.c
    ");
    let quoted = "kind: ConfigMap\ndata:\n  queues.yaml: 'partitions: [{queues: []}]'\n";
    insta::assert_snapshot!(report(quoted, add_queue(quoted, &target(&root), &new)), @"
    3:17: error[EDT-004]: the configuration is a quoted or folded text in the manifest
    = write it as a block of lines: `queues.yaml: |`
    ");
}

#[test]
fn additions_and_removals_by_an_alias_are_rejected() {
    let max = |queue: &str| {
        let queue = QueuePath::new(queue);
        report(ALIASES, set_amount(ALIASES, &target(&queue), Bound::Max, "memory", Some("2G")))
    };
    insta::assert_snapshot!(max("root.a"), @"
    7:25: error[EDT-003]: `resources` contains the value of the alias `*small` on line 9: both would change
    = replace the alias by its values first, or edit the file by hand
    ");
    insta::assert_snapshot!(max("root.b"), @"
    9:18: error[EDT-002]: `resources` comes from the alias `*small`, from line 7
    = write the values here first, or change them at the anchor
    ");
    insta::assert_snapshot!(max("root.c"), @"
    12:14: error[EDT-002]: `max` comes from the alias `*amounts`, from line 7
    = write the values here first, or change them at the anchor
    ");
    let [d, e] = ["root.d", "root.e"].map(QueuePath::new);
    insta::assert_snapshot!(report(ALIASES, set_property(ALIASES, &target(&d), "x", Some("z"))), @"
    14:7: error[EDT-003]: this entry contains the value of the alias `*whole` on line 17: both would change
    = replace the alias by its values first, or edit the file by hand
    ");
    insta::assert_snapshot!(report(ALIASES, set_property(ALIASES, &target(&e), "x", None)), @"
    17:11: error[EDT-002]: `properties` comes from the alias `*whole`, from line 13
    = write the values here first, or change them at the anchor
    ");
    insta::assert_snapshot!(report(ALIASES, set_max_applications(ALIASES, &target(&e), Some(1))), @"
    +17|      maxapplications: 1
    ~ root.e
        maxapplications none → 1
    ");
    insta::assert_snapshot!(report(ALIASES, remove_queue(ALIASES, &target(&d))), @"
    13:7: error[EDT-003]: this entry contains the value of the alias `*whole` on line 17: both would change
    = replace the alias by its values first, or edit the file by hand
    ");
    insta::assert_snapshot!(report(ALIASES, remove_queue(ALIASES, &target(&e))), @"
    -16|    - name: e
    -17|      <<: *whole
    - root.e
    ");
}

#[test]
fn a_root_that_is_not_written() {
    let text = "partitions: [{queues: [{name: a}, {name: root}]}]";
    let bare = "partitions:\n- queues: []\n";
    let [root, a, x] = ["root", "root.a", "root.root"].map(QueuePath::new);
    let named = |name: &str| NewQueue { name: name.into(), ..NewQueue::default() };
    let limit = NewLimit { users: vec!["*".into()], max_applications: Some(1), ..NewLimit::default() };
    insta::assert_snapshot!(report(text, set_max_applications(text, &target(&root), Some(1))), @"
    1:14: error[EDT-001]: this partition does not name the root queue
    = move the queues into a queue `root`
    ");
    insta::assert_snapshot!(report(text, remove_queue(text, &target(&a))), @"
    1:35: error[EDT-004]: otherwise the queue `root.root` would become the root
    = rename that queue first
    ");
    insta::assert_snapshot!(report(text, remove_queue(text, &target(&x))), @"
    -1|partitions: [{queues: [{name: a}, {name: root}]}]
    +1|partitions: [{queues: [{name: a}]}]
    - root.root
    ");
    insta::assert_snapshot!(report(bare, add_queue(bare, &target(&root), &named("b"))), @"
    -2|- queues: []
    +2|- queues: [{name: b}]
    + root.b
    ");
    insta::assert_snapshot!(report(bare, add_queue(bare, &target(&root), &named("Root"))), @"
    error[EDT-005]: a single queue `root` is the root, not its child
    = use another name
    ");
    insta::assert_snapshot!(report(bare, add_limit(bare, &target(&root), None, &limit)), @"
    +3|  limits:
    +4|  - users: ['*']
    +5|    maxapplications: 1
    ~ root
      + limit users *: maxapplications 1
    ");
    insta::assert_snapshot!(report(bare, remove_queue(bare, &target(&root))), @"
    error[EDT-005]: the root of a partition cannot be removed
    = remove its children
    ");
    let one = "partitions:\n- queues:\n  - name: a\n";
    insta::assert_snapshot!(report(one, remove_queue(one, &target(&a))), @"
    -2|- queues:
    -3|  - name: a
    +2|- queues: []
    - root.a
    ");
}

#[test]
fn what_is_not_there_or_not_legal_is_reported() {
    let [a, none] = ["root.tenant-a", "root.tenant-a.none"].map(QueuePath::new);
    let named = |name: &str| NewQueue { name: name.into(), ..NewQueue::default() };
    let gpu = Target { partition: "gpu", ..target(&a) };
    let max = |amount: &str| report(BLOCK, set_amount(BLOCK, &target(&a), Bound::Max, "memory", Some(amount)));
    insta::assert_snapshot!(report(BLOCK, set_max_applications(BLOCK, &target(&none), Some(1))), @r#"
    9:13: error[EDT-001]: queue root.tenant-a.none not found
    = "none" not found here
    "#);
    insta::assert_snapshot!(report(BLOCK, set_max_applications(BLOCK, &gpu, Some(1))), @r#"
    3:3: error[EDT-001]: partition "gpu" not found
    = available: default
    "#);
    insta::assert_snapshot!(report("", set_max_applications("", &target(&a), Some(1))), @"
    1:1: error[EDT-001]: the configuration has no partition
    = an empty file has the default configuration: write the default to the file first
    ");
    insta::assert_snapshot!(report("a: [", set_max_applications("a: [", &target(&a), Some(1))), @"
    1:4: error[CFG-001]: not YAML: `[` is never closed
    = close it with the matching bracket
    ");
    insta::assert_snapshot!(report(BLOCK, set_max_applications(BLOCK, &target(&a), Some(0))), @"
    error[EDT-005]: with `maxapplications` 0 no application could run
    = remove it for no limit
    ");
    insta::assert_snapshot!(max("10 X"), @r#"
    error[EDT-005]: memory "10 X": unknown suffix; allowed: k M G T P E, Ki Mi Gi Ti Pi Ei, and m for vcore only
    = write for example 500, 10G, or 4Gi
    "#);
    insta::assert_snapshot!(max("13G\n"), @"
    -13|                memory: 40G   # half of it
    +13|                memory: 13G   # half of it
    ~ root.tenant-a
        max memory 40G → 13G
    ");
    insta::assert_snapshot!(report(BLOCK, set_acl(BLOCK, &target(&a), Access::Admin, Some("a b c"))), @r#"
    error[EDT-005]: `adminacl` "a b c" has 3 parts
    = users with commas, one space, groups with commas
    "#);
    insta::assert_snapshot!(report(BLOCK, add_queue(BLOCK, &target(&QueuePath::root()), &named("Tenant-A"))), @r#"
    9:13: error[EDT-005]: root already has a child "Tenant-A"
    = use another name
    "#);
    insta::assert_snapshot!(report(BLOCK, add_queue(BLOCK, &target(&a), &named("a.b"))), @r#"
    error[EDT-005]: "a.b" is not a valid queue name
    = 1 to 64 of a-z A-Z 0-9 _ -
    "#);
    insta::assert_snapshot!(report(BLOCK, add_limit(BLOCK, &target(&a), None, &NewLimit::default())), @"
    error[EDT-005]: a limit without users and groups matches no user
    = name some, or `*`
    ");
}

#[test]
fn line_breaks_and_the_mark_are_preserved() {
    let text = format!("\u{feff}{}", BLOCK.replace('\n', "\r\n"));
    let a = QueuePath::new("root.tenant-a");
    let new = set_amount(&text, &target(&a), Bound::Guaranteed, "memory", Some("1G")).unwrap();
    assert!(new.starts_with('\u{feff}') && new.matches('\n').count() == new.matches("\r\n").count());
    assert_eq!(new.lines().count(), text.lines().count() + 2);
    assert_eq!(set_amount(&new, &target(&a), Bound::Guaranteed, "memory", None).unwrap(), text);
    let text = MANIFEST.replace('\n', "\r\n");
    let b = QueuePath::new("root.b");
    let new = set_max_applications(&text, &target(&b), Some(3)).unwrap();
    assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
    assert_eq!(set_max_applications(&new, &target(&b), None).unwrap(), text);
}

/// A correct text or an error, never a panic.
#[test]
fn recorded_configurations_can_be_edited_or_give_a_reason() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/configs");
    let (mut done, mut refused) = (0, 0);
    let mut names: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for name in names.into_iter().step_by(4) {
        let bytes = std::fs::read(&name).unwrap();
        let Ok(text) = String::from_utf8(bytes) else { continue };
        for path in ["root", "root.a"].map(QueuePath::new) {
            let target = target(&path);
            let limit = NewLimit { users: vec!["eve".into()], max_applications: Some(1), ..NewLimit::default() };
            let edits = [
                set_max_applications(&text, &target, Some(123)),
                set_amount(&text, &target, Bound::Max, "pods", Some("77")),
                set_property(&text, &target, "mine", Some("own")),
                set_acl(&text, &target, Access::Admin, Some("eve ops")),
                add_limit(&text, &target, None, &limit),
                add_queue(&text, &target, &NewQueue { name: "fresh".into(), ..NewQueue::default() }),
            ];
            for (edit, symbol) in edits.into_iter().zip(["123", "77", "own", "eve ops", "eve", "fresh"]) {
                match edit {
                    Ok(new) => {
                        assert!(new != text && new.contains(symbol), "{}", name.display());
                        done += 1;
                    }
                    Err(fault) => {
                        assert!(fault.code.starts_with("EDT-") || fault.code.starts_with("CFG-0"), "{fault:?}");
                        refused += 1;
                    }
                }
            }
            let _removed = remove_queue(&text, &target);
        }
    }
    assert!(done > 400 && refused > 100, "{done} done, {refused} refused");
}
