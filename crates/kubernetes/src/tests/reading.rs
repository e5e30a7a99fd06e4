use crate::{Cluster, ManifestReport, read_manifests};

fn read(text: &str) -> (Cluster, ManifestReport) {
    let (mut cluster, mut report) = (Cluster::default(), ManifestReport::default());
    read_manifests("m.yaml", text.as_bytes(), &mut cluster, &mut report);
    (cluster, report)
}

#[test]
fn lists_and_single_documents_in_yaml_and_json() {
    let yaml = "kind: List\nitems:\n- {kind: Node, metadata: {name: n1}}\n- {kind: Secret, metadata: {name: s}}\n---\nkind: Pod\nmetadata: {namespace: a, name: p, uid: u}\n";
    let (cluster, report) = read(yaml);
    assert_eq!((cluster.counts(), report.faults), ((1, 1), vec![]));
    assert_eq!(report.skipped.get("Secret"), Some(&1));
    let json = "{\"kind\": \"PodList\", \"items\": [{\"metadata\": {\"name\": \"p\", \"uid\": \"u\", \"labels\": null}}]} {\"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}}";
    let (cluster, report) = read(json);
    assert_eq!((cluster.counts(), report.faults), ((1, 1), vec![]));
}

#[test]
fn errors_have_a_location() {
    let faults = |text: &str| read(text).1.faults.join("\n");
    for (text, words) in [
        (
            "kind: List\nitems:\n- kind: Pod\n  metadata: {name: p, namespace: ns}\n  spec: {priority: high}\n",
            "m.yaml:5: Pod ns/p: spec.priority: ",
        ),
        ("kind: Pod\nmetadata: [", "m.yaml:2:"),
        ("{\"kind\": \"Pod\",", "m.yaml:1:15:"),
        ("kind: Pod\nmetadata: {}\n", "m.yaml:1: a Pod has no metadata.name"),
        ("hello", "m.yaml:1: not a Kubernetes object"),
        ("- 1\n", "not a Kubernetes object"),
        ("kind: Node\nmetadata: {name: n}\n---\nkind: Node\nmetadata: {name: n}\n", "m.yaml:4: Node n is a duplicate"),
        ("{\"kind\": \"List\", \"items\": [7]}", "not a Kubernetes object"),
    ] {
        assert!(faults(text).contains(words), "{text}: {}", faults(text));
    }
}

#[test]
fn the_queue_configuration_of_config_maps() {
    let map = |namespace: &str, name: &str, data: &str| {
        format!("---\nkind: ConfigMap\nmetadata: {{namespace: {namespace}, name: {name}}}\n{data}\n")
    };
    let found = |text: &str| Ok::<_, String>(read(text).0.configuration("queues")?.map(|(_, text)| text));
    let defaults = map("yk", "yunikorn-defaults", "data: {queues.yaml: one}");
    assert_eq!(found(&defaults), Ok(Some("one".to_owned())));
    assert_eq!(
        found(&(defaults.clone() + &map("yk", "yunikorn-configs", "data: {queues.yaml: two}"))),
        Ok(Some("two".to_owned()))
    );
    assert_eq!(found(&map("yk", "yunikorn-configs", "data: {log.level: INFO}")), Ok(None));
    assert_eq!(found(&map("yk", "other", "data: {queues.yaml: two}")), Ok(None));
    assert!(found(&(defaults + &map("x", "yunikorn-configs", "data: {}"))).is_err_and(|why| why.contains("x, yk")));
    let grouped = "data: {service.policyGroup: tenants, tenants.yaml: three, queues.yaml: two}";
    assert_eq!(found(&map("yk", "yunikorn-configs", grouped)), Ok(Some("three".to_owned())));
    let gzip = "H4sIAAAAAAACA8vPSwUA8YZsegMAAAA=";
    let packed = map("yk", "yunikorn-configs", &format!("binaryData: {{queues.yaml.gz: {gzip}}}"));
    assert_eq!(found(&packed), Ok(Some("one".to_owned())));
    let packed = map("yk", "yunikorn-configs", "binaryData: {queues.yaml.gz: AAAA}");
    assert!(found(&packed).is_err_and(|why| why.contains("cannot be unpacked")));
}
