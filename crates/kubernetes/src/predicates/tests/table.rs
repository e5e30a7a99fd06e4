//! The filters one by one (K8S-170 to K8S-185).

use super::{cluster, may_reserve, passes, place, snapshot, why};

fn node(name: &str, labels: &str, spec: &str) -> String {
    format!("---\nkind: Node\nmetadata: {{name: {name}, labels: {{{labels}}}}}\nspec: {{{spec}}}\n")
}

fn pod(name: &str, labels: &str, spec: &str) -> String {
    format!(
        "---\nkind: Pod\nmetadata: {{namespace: ns, name: {name}, uid: {name}, labels: {{{labels}}}}}\nspec: {{{spec}}}\n"
    )
}

fn fits(pod_spec: &str, labels: &str, node_spec: &str) -> bool {
    let text = node("n1", labels, node_spec) + &node("n2", "", "") + &pod("p", "", pod_spec);
    passes(&snapshot(&cluster(&text)), "p", "n1")
}

fn refusal(pod_spec: &str, labels: &str, node_spec: &str) -> String {
    let text = node("n1", labels, node_spec) + &pod("p", "", pod_spec);
    why(&snapshot(&cluster(&text)), "p", "n1")
}

#[test]
fn k8s_171_taints() {
    let taint = |effect: &str| format!("taints: [{{key: k, value: v, effect: {effect}}}]");
    let tolerate = |fields: &str| format!("tolerations: [{{{fields}}}]");
    for (toleration, tolerated) in [
        ("key: k, value: v, effect: NoSchedule", true),
        ("key: k, operator: Equal, value: v", true),
        ("key: k, operator: Exists", true),
        ("operator: Exists", true),
        ("key: k, value: w", false),
        ("key: l, operator: Exists", false),
        ("key: k, operator: Exists, effect: NoExecute", false),
        ("key: k, operator: Gt, value: v", false),
        ("key: k, operator: Sometimes", false),
    ] {
        assert_eq!(fits(&tolerate(toleration), "", &taint("NoSchedule")), tolerated, "{toleration}");
    }
    assert!(!fits("", "", &taint("NoExecute")) && fits("", "", &taint("PreferNoSchedule")));
    let words = refusal("", "", &taint("NoSchedule"));
    assert_eq!(words, "failed plugin: 'TaintToleration'\nnode(s) had untolerated taint {k: v}");
    let words = refusal(&tolerate("operator: Exists"), "", &taint("Slowly"));
    assert_eq!(
        words,
        "failed plugin: 'TaintToleration'\nkornsole does not support the effect \"Slowly\" of the taint \"k\""
    );
}

#[test]
fn k8s_172_cordoned_nodes() {
    assert_eq!(
        refusal("", "", "unschedulable: true"),
        "failed plugin: 'NodeUnschedulable'\nnode(s) were unschedulable"
    );
    let toleration = "tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}]";
    assert!(fits(toleration, "", "unschedulable: true"));
}

fn terms(terms: &str) -> String {
    format!(
        "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{terms}]}}}}}}"
    )
}

fn expression(key: &str, operator: &str, values: &str) -> String {
    format!("{{key: {key}, operator: {operator}, values: [{values}]}}")
}

#[test]
fn k8s_173_node_affinity() {
    let one =
        |operator: &str, values: &str| terms(&format!("{{matchExpressions: [{}]}}", expression("a", operator, values)));
    for (operator, values, of_7, of_none) in [
        ("In", "'7', '8'", true, false),
        ("In", "'8'", false, false),
        ("NotIn", "'8'", true, true),
        ("NotIn", "'7'", false, true),
        ("Exists", "", true, false),
        ("DoesNotExist", "", false, true),
        ("Gt", "'6'", true, false),
        ("Gt", "'7'", false, false),
        ("Lt", "'8'", true, false),
        // All of these are invalid: the only term is skipped.
        ("Gt", "six", false, false),
        ("Lt", "'1', '9'", false, false),
        ("In", "", false, false),
        ("Exists", "x", false, false),
    ] {
        let spec = one(operator, values);
        assert_eq!((fits(&spec, "a: '7'", ""), fits(&spec, "", "")), (of_7, of_none), "{operator} {values}");
    }
    assert!(!fits(&one("Gt", "'6'"), "a: seven", ""));
    let words = refusal(&one("Near", "x"), "a: x", "");
    assert_eq!(words, "failed plugin: 'NodeAffinity'\nkornsole does not support the operator \"Near\" on \"a\"");
    assert!(!fits(&terms(""), "a: x", "") && !fits(&terms("{}"), "a: x", ""));
    assert!(fits("nodeSelector: {a: x}", "a: x", "") && !fits("nodeSelector: {a: x, b: y}", "a: x", ""));
    let both = format!("nodeSelector: {{a: y}}, {}", one("In", "x"));
    assert!(!fits(&both, "a: x", ""));
}

#[test]
fn k8s_173_names_and_several_terms() {
    let field = |operator: &str, values: &str| {
        terms(&format!("{{matchFields: [{}]}}", expression("metadata.name", operator, values)))
    };
    assert!(fits(&field("In", "n1"), "", "") && !fits(&field("In", "n2"), "", ""));
    assert!(!fits(&field("NotIn", "n1"), "", "") && fits(&field("NotIn", "n2"), "", ""));
    assert!(!fits(&field("In", "n1, n2"), "", ""));
    assert!(refusal(&field("Exists", ""), "", "").contains("kornsole does not support"));
    let other = terms(&format!("{{matchFields: [{}]}}", expression("metadata.uid", "In", "n1")));
    assert!(refusal(&other, "", "").contains("kornsole does not support the field"));
    let either = format!(
        "{{matchExpressions: [{}]}}, {{matchFields: [{}]}}",
        expression("a", "Gt", "x"),
        expression("metadata.name", "In", "n1")
    );
    assert!(fits(&terms(&either), "", ""));
}

#[test]
fn k8s_174_and_184_a_name_and_claims_of_devices() {
    let words = refusal("resourceClaims: [{name: gpu}]", "", "");
    assert_eq!(words, "failed plugin: 'DynamicResources'\nkornsole does not support resource claims");
    let text = node("n1", "", "") + &pod("p", "", "nodeName: n2") + &pod("q", "", "");
    let snapshot = snapshot(&cluster(&text));
    assert!(passes(&snapshot, "q", "n1"));
    assert!(snapshot.why_not(&"r".into(), &"n1".into()).is_some_and(|why| why.contains("does not support")));
}

#[test]
fn kt_35_host_ports() {
    let ports = |text: &str| format!("containers: [{{name: c, ports: [{{{text}}}]}}]");
    let there =
        pod("there", "", &format!("nodeName: n1, {}", ports("hostPort: 8001, hostIP: 127.0.0.1, protocol: TCP")));
    for (asked, fits) in [
        ("hostPort: 8001, hostIP: 127.0.0.1", false),
        ("hostPort: 8001, hostIP: 127.0.0.1, protocol: UDP", true),
        ("hostPort: 8001, hostIP: 127.0.0.2", true),
        ("hostPort: 8001, hostIP: 0.0.0.0", false),
        ("hostPort: 8001", false),
        ("hostPort: 8002", true),
        ("containerPort: 8001", true),
    ] {
        let text = node("n1", "", "") + &there + &pod("p", "", &ports(asked));
        assert_eq!(passes(&snapshot(&cluster(&text)), "p", "n1"), fits, "{asked}");
    }
    let sidecar = format!(
        "initContainers: [{{name: s, restartPolicy: Always, ports: [{{hostPort: 8001}}]}}], {}",
        ports("hostPort: 1")
    );
    let text = node("n1", "", "")
        + &there
        + &pod("p", "", &sidecar)
        + &pod("q", "", &sidecar.replace(", restartPolicy: Always", ""));
    let snapshot = snapshot(&cluster(&text));
    assert_eq!((passes(&snapshot, "p", "n1"), passes(&snapshot, "q", "n1")), (false, true));
}

#[test]
fn kt_36_what_is_asked_for_a_reservation() {
    let claims = "---\nkind: PersistentVolumeClaim\nmetadata: {namespace: ns, name: c, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\n\
         spec: {volumeName: v, accessModes: [ReadWriteOncePod]}\n---\nkind: PersistentVolume\nmetadata: {name: v}\n";
    let volume = "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]";
    let full = pod("there", "", &format!("nodeName: n1, {volume}"));
    let text = node("n1", "", "") + &node("n2", "", "unschedulable: true") + claims + &full + &pod("p", "", volume);
    let snapshot = snapshot(&cluster(&text));
    assert_eq!((passes(&snapshot, "p", "n1"), may_reserve(&snapshot, "p", "n1")), (false, true));
    assert_eq!((passes(&snapshot, "p", "n2"), may_reserve(&snapshot, "p", "n2")), (false, false));
}

#[test]
fn k8s_175_to_178_and_183_volumes() {
    let claim = |name: &str, spec: &str, meta: &str| {
        format!("---\nkind: PersistentVolumeClaim\nmetadata: {{namespace: ns, name: {name}{meta}}}\nspec: {{{spec}}}\n")
    };
    let done = ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}";
    let volume = "---\nkind: PersistentVolume\nmetadata: {name: v, labels: {topology.kubernetes.io/zone: a__b}}\n\
         spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: In, values: [d]}]}]}}}\n";
    let class = "---\nkind: StorageClass\nmetadata: {name: late}\nvolumeBindingMode: WaitForFirstConsumer\n";
    let uses = |claim: &str| {
        pod(
            &format!("p-{claim}"),
            "",
            &format!("volumes: [{{name: x, persistentVolumeClaim: {{claimName: {claim}}}}}]"),
        )
    };
    let zone = |zone: &str| format!("disk: d, topology.kubernetes.io/zone: {zone}");
    let nodes = node("n1", &zone("a"), "")
        + &node("n2", &zone("c"), "")
        + &node("n3", "disk: d", "")
        + &node("n4", "disk: e", "");
    let claims = claim("bound", "volumeName: v", done)
        + &claim("gone", "volumeName: w", done)
        + &claim("now", "storageClassName: fast", "")
        + &claim("late", "storageClassName: late", "");
    let pods = ["bound", "gone", "now", "late", "none"].map(uses).concat()
        + &pod("disk", "", "volumes: [{name: x, rbd: {}}]")
        + &pod("plain", "", "volumes: [{name: x, emptyDir: {}}]");
    let snapshot = snapshot(&cluster(&(nodes + volume + class + &claims + &pods)));
    let on = ["n1", "n2", "n3", "n4"].map(|node| passes(&snapshot, "p-bound", node));
    assert_eq!(on, [true, false, true, false]);
    for (pod, node, words) in [
        ("p-bound", "n2", "'VolumeZone'\nnode(s) had no available volume zone"),
        ("p-bound", "n4", "'VolumeBinding'\nnode(s) had volume node affinity conflict"),
        ("p-gone", "n1", "'VolumeBinding'\npersistentvolume \"w\" not found"),
        ("p-now", "n1", "''\npod has unbound immediate PersistentVolumeClaims"),
        ("p-late", "n1", "'VolumeBinding'\nkornsole does not support binding volumes"),
        ("p-none", "n1", "''\npersistentvolumeclaim \"none\" not found"),
        ("disk", "n1", "'VolumeRestrictions'\nkornsole does not support volumes of the kind \"rbd\""),
    ] {
        assert!(why(&snapshot, pod, node).contains(words), "{pod}: {}", why(&snapshot, pod, node));
    }
    assert!(passes(&snapshot, "plain", "n1"));
}

#[test]
fn k8s_182_volumes_of_a_driver_on_a_node() {
    let volume = |name: &str, source: &str| {
        format!("---\nkind: PersistentVolume\nmetadata: {{name: {name}}}\nspec: {{{source}}}\n")
    };
    let csi = |name: &str| volume(name, &format!("csi: {{driver: d, volumeHandle: {name}}}"));
    let claim = |name: &str| {
        format!(
            "---\nkind: PersistentVolumeClaim\nmetadata: {{namespace: ns, name: c-{name}, annotations: {{pv.kubernetes.io/bind-completed: 'yes'}}}}\n\
             spec: {{volumeName: {name}}}\n"
        )
    };
    let uses = |pod_name: &str, claims: &[&str], more: &str| {
        let one = |name: &&str| format!("{{name: {name}, persistentVolumeClaim: {{claimName: c-{name}}}}}");
        let all: Vec<String> = claims.iter().map(one).collect();
        pod(pod_name, "", &format!("volumes: [{}]{more}", all.join(", ")))
    };
    let limit = |node: &str, driver: &str, count: u32| {
        format!(
            "---\nkind: CSINode\nmetadata: {{name: {node}}}\nspec: {{drivers: [{{name: {driver}, allocatable: {{count: {count}}}}}]}}\n"
        )
    };
    let attached = "---\nkind: VolumeAttachment\nmetadata: {name: a}\nspec: {attacher: d, nodeName: n2, source: {persistentVolumeName: v3}}\n";
    let names = ["v1", "v2", "v3", "v4", "old"];
    let volumes = names[..4].iter().map(|name| csi(name)).collect::<String>()
        + &volume("old", "awsElasticBlockStore: {volumeID: x}");
    let text = ["n1", "n2", "n3", "n4"].map(|name| node(name, "", "")).concat()
        + &limit("n1", "d", 2) + &limit("n2", "d", 1) + &limit("n4", "ebs.csi.aws.com", 0) + attached + &volumes
        + &names.iter().map(|name| claim(name)).collect::<String>()
        // Two pods with one volume: it counts once.
        + &uses("there", &["v1"], ", nodeName: n1") + &uses("too", &["v1"], ", nodeName: n1")
        + &uses("one", &["v2"], "") + &uses("two", &["v2", "v4"], "") + &uses("same", &["v1", "v2"], "")
        + &uses("third", &["v3"], "") + &uses("disk", &["old"], "") + &pod("plain", "", "");
    let mut snapshot = snapshot(&cluster(&text));
    let on = |snapshot: &_, pod: &str| ["n1", "n2", "n3", "n4"].map(|node| passes(snapshot, pod, node));
    assert_eq!(on(&snapshot, "one"), [true, false, true, true], "n2 has what is attached only");
    assert_eq!(on(&snapshot, "two"), [false, false, true, true]);
    assert_eq!(on(&snapshot, "same"), [true, false, true, true], "v1 is there already");
    assert_eq!(on(&snapshot, "third"), [true, true, true, true]);
    assert_eq!(on(&snapshot, "disk"), [true, true, true, false], "the driver that has taken the kind over");
    assert_eq!(on(&snapshot, "plain"), [true; 4]);
    assert_eq!(why(&snapshot, "one", "n2"), "failed plugin: 'NodeVolumeLimits'\nnode(s) exceed max volume count");
    assert!(may_reserve(&snapshot, "one", "n2"), "it is not asked for a reservation");
    place(&mut snapshot, "one", "n1", true);
    assert_eq!((on(&snapshot, "third")[0], on(&snapshot, "same")[0]), (false, true));
    place(&mut snapshot, "there", "n1", false);
    assert!(!on(&snapshot, "third")[0], "the other pod still has v1");
    place(&mut snapshot, "too", "n1", false);
    assert!(on(&snapshot, "third")[0]);
}

fn spread(fields: &str) -> String {
    format!(
        "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, \
         labelSelector: {{matchLabels: {{app: w}}}}{fields}}}]"
    )
}

#[test]
fn k8s_179_topology_spread() {
    let nodes = node("n1", "zone: a", "")
        + &node("n2", "zone: b", "")
        + &node("n3", "", "")
        + &node("n4", "zone: c, special: x", "taints: [{key: t, effect: NoSchedule}]");
    let there = pod("w1", "app: w", "nodeName: n1") + &pod("other", "app: v", "nodeName: n2");
    let with = |spec: &str| {
        let text = nodes.clone() + &there + &pod("p", "app: w", spec);
        let snapshot = snapshot(&cluster(&text));
        ["n1", "n2", "n3"].map(|node| passes(&snapshot, "p", node))
    };
    assert_eq!(with(&spread("")), [false, true, false]);
    assert_eq!(with(&spread(", minDomains: 4")), [false, true, false]);
    assert_eq!(with(&spread("").replace("maxSkew: 1", "maxSkew: 2")), [true, true, false]);
    assert_eq!(with(&spread("").replace("DoNotSchedule", "ScheduleAnyway")), [true, true, true]);
    assert_eq!(with(&spread(", matchLabelKeys: [app]")), [false, true, false]);
    assert_eq!(with(&spread("").replace("DoNotSchedule", "Maybe")), [false; 3]);
    assert_eq!(with(&spread(", nodeTaintsPolicy: Sometimes")), [false; 3]);
    // A second pod in b: a has the minimum except for c. The pod does not tolerate c: with `Honor`, c does not count.
    let full = there.clone() + &pod("w2", "app: w", "nodeName: n2");
    let second = |fields: &str| {
        let text = nodes.clone() + &full + &pod("p", "app: w", &spread(fields));
        passes(&snapshot(&cluster(&text)), "p", "n1")
    };
    assert_eq!((second(""), second(", nodeTaintsPolicy: Honor")), (false, true));
    let leaving = full
        .replace("name: w2,", "name: w2, deletionTimestamp: x,")
        .replace("name: w1,", "name: w1, deletionTimestamp: x,");
    assert!(passes(&snapshot(&cluster(&(nodes.clone() + &leaving + &pod("p", "app: w", &spread(""))))), "p", "n1"));
    let text = nodes + &there + &pod("p", "app: w", &spread(""));
    assert!(
        why(&snapshot(&cluster(&text)), "p", "n3").ends_with("topology spread constraints (missing required label)")
    );
}

fn near(kind: &str, fields: &str) -> String {
    format!(
        "affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: zone, labelSelector: \
         {{matchLabels: {{app: w}}}}{fields}}}]}}}}"
    )
}

#[test]
fn k8s_180_affinity_to_pods() {
    let nodes = node("n1", "zone: a", "") + &node("n2", "zone: b", "") + &node("n3", "", "");
    let text = |there: &str, p: &str| nodes.clone() + there + p;
    let on = |text: &str| {
        let snapshot = snapshot(&cluster(text));
        ["n1", "n2", "n3"].map(|node| passes(&snapshot, "p", node))
    };
    let there = pod("w1", "app: w", "nodeName: n1");
    let affine = pod("p", "app: w", &near("podAffinity", ""));
    assert_eq!(on(&text(&there, &affine)), [true, false, false]);
    assert_eq!(on(&text("", &affine)), [true, true, false]);
    assert_eq!(on(&text("", &pod("p", "app: v", &near("podAffinity", "")))), [false; 3]);
    let elsewhere = there.replace("namespace: ns", "namespace: other");
    let all = pod("p", "app: v", &near("podAffinity", ", namespaceSelector: {}"));
    assert_eq!(on(&text(&elsewhere, &all)), [true, false, false]);
    let named = pod("p", "app: v", &near("podAffinity", ", namespaces: [other]"));
    assert_eq!(on(&text(&elsewhere, &named)), [true, false, false]);
    let apart = pod("p", "app: v", &near("podAntiAffinity", ""));
    assert_eq!(on(&text(&there, &apart)), [false, true, true]);
    let exclusive = pod("j", "app: j", &format!("nodeName: n2, {}", near("podAntiAffinity", "")));
    assert_eq!(on(&text(&exclusive, &pod("p", "app: w", ""))), [true, false, true]);
    assert_eq!(on(&text(&exclusive, &pod("p", "app: v", ""))), [true, true, true]);
    // An invalid term of another pod blocks everything.
    let odd = exclusive.replace("matchLabels: {app: w}", "matchExpressions: [{key: app, operator: Near}]");
    assert_eq!(on(&text(&odd, &pod("p", "app: v", ""))), [true, false, true]);
    let own = pod(
        "p",
        "app: v",
        &near("podAffinity", "").replace("matchLabels: {app: w}", "matchExpressions: [{key: app, operator: Near}]"),
    );
    let words = why(&snapshot(&cluster(&text(&there, &own))), "p", "n1");
    assert_eq!(words, "failed plugin: 'InterPodAffinity'\nkornsole does not support the operator \"Near\" on \"app\"");
}

#[test]
fn a_decision_is_in_the_snapshot_until_it_is_taken_back() {
    let apart = near("podAntiAffinity", "");
    let text = node("n1", "zone: a", "") + &pod("p", "app: w", &apart) + &pod("q", "app: w", &apart);
    let mut first = snapshot(&cluster(&text));
    place(&mut first, "p", "n1", true);
    place(&mut first, "p", "n1", true);
    let copy = first.clone();
    assert!(!passes(&first, "q", "n1"));
    place(&mut first, "p", "n1", false);
    place(&mut first, "unknown", "n1", true);
    assert_eq!((passes(&first, "q", "n1"), passes(&copy, "q", "n1")), (true, false));
    assert!(
        first.treats_identical(&"p".into(), &"q".into()) && !first.treats_identical(&"p".into(), &"unknown".into())
    );
}
