use std::time::Duration;

use super::*;
use model::{MEMORY, VCORE};

const POOL: &str = r#"{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec": {
    "template": {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}], "requirements": [
        {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"]},
        {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["4"]},
        {"key": "karpenter.k8s.aws/instance-size", "operator": "NotIn", "values": ["metal"]},
        {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lt", "values": ["33"]},
        {"key": "topology.kubernetes.io/zone", "operator": "Exists"}]}},
    "limits": {"cpu": 100, "memory": "400Gi"}, "weight": 10,
    "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m"}}}"#;

fn read(texts: &[&str], types: &[&str]) -> Result<Read, String> {
    let objects: Vec<(String, Value)> =
        texts.iter().map(|text| ("f.yaml:1".to_owned(), serde_json::from_str(text).unwrap())).collect();
    let types: Vec<InstanceType> = types.iter().map(|text| text.parse().unwrap()).collect();
    super::read(&objects, &types)
}

#[test]
fn a_node_pool_uses_the_known_types_that_meet_its_requirements() {
    let types = [
        "m5.large: cpu=2, memory=8Gi, price=0.1",
        "m6i.8xlarge: cpu=32, memory=128Gi, price=1.5",
        "m4.large: cpu=2, memory=8Gi",
        "m5.metal: cpu=32, memory=128Gi",
        "g5.xlarge: cpu=4, memory=16Gi",
        "r5.24xlarge: cpu=96, memory=768Gi",
    ];
    let Read { groups, notes } = read(&[POOL], &types).unwrap();
    let [group] = groups.as_slice() else { panic!("{groups:?}") };
    let names: Vec<&str> = group.types.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["m5.large", "m6i.8xlarge"]);
    assert_eq!((group.limits.amount(VCORE), group.limits.amount(MEMORY)), (100_000, 400 << 30));
    assert_eq!((group.unneeded, group.consolidates, group.weight), (Some(Duration::from_mins(1)), true, 10));
    let zone = "f.yaml:1: NodePool default: requirements are not evaluated: topology.kubernetes.io/zone";
    assert_eq!(notes, ["NodePool default: taints are not evaluated", zone]);
    assert_eq!(group.to_string().parse::<NodeGroup>().unwrap(), *group, "{group}");
}

#[test]
fn a_node_pool_without_known_types_is_refused_with_the_remedy() {
    let why = read(&[POOL], &[]).unwrap_err();
    assert!(why.starts_with("f.yaml:1: NodePool default: cannot read the capacity") && why.contains("--instance-type"));
    let named = POOL.replace("karpenter.k8s.aws/instance-category", "node.kubernetes.io/instance-type");
    let named = named.replace(r#"["c", "m", "r"]"#, r#"["m5.large", "m5.xlarge"]"#);
    let why = read(&[&named], &[]).unwrap_err();
    assert!(why.contains("--instance-type 'm5.large: "), "{why}");
    let Read { groups, notes } = read(&[&named], &["m5.large: cpu=2, memory=8Gi"]).unwrap();
    assert_eq!(groups[0].types.len(), 1);
    assert!(notes[2].ends_with("instance types without a known capacity are not used: m5.xlarge"), "{notes:?}");
}

fn of_requirements(requirements: &str, types: &[&str]) -> Result<(Vec<String>, Vec<String>), String> {
    let pool = format!(
        r#"{{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {{"name": "p"}}, "spec": {{"template": {{"spec":
        {{"requirements": [{requirements}]}}}}}}}}"#
    );
    let Read { mut groups, notes } = read(&[&pool], types)?;
    Ok((groups.remove(0).types.into_iter().map(|one| one.name).collect(), notes))
}

#[test]
fn a_node_pool_for_an_architecture_uses_types_of_it_and_names_those_without_one() {
    let arm = r#"{"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}"#;
    let types = [
        "m5.large: cpu=2, memory=8Gi",
        "m6g.large: cpu=2, memory=8Gi",
        "own: cpu=2, memory=8Gi, arch=arm64",
        "x: cpu=2",
    ];
    let (names, notes) = of_requirements(arm, &types).unwrap();
    assert_eq!(names, ["m6g.large", "own", "x"]);
    let note =
        "f.yaml:1: NodePool p: the architecture of x is unknown, and counts as suitable: add arch=amd64 or arch=arm64";
    assert_eq!(notes, [note]);
    let why = of_requirements(arm, &types[..1]).unwrap_err();
    let expected =
        "no known instance type meets the requirements: m5.large has amd64, expected kubernetes.io/arch In arm64";
    assert_eq!(why, format!("f.yaml:1: NodePool p: {expected}"));
    let aws = r#"{"InstanceTypes": [{"InstanceType": "n1", "VCpuInfo": {"DefaultVCpus": 4}, "MemoryInfo": {"SizeInMiB": 16384},
        "ProcessorInfo": {"SupportedArchitectures": ["i386", "x86_64"]}}]}"#;
    assert_eq!(read_types(aws).unwrap()[0].arch, Some(crate::simulate::node_groups::Arch::Amd64));
    let group: NodeGroup = "x: cpu=2, arch=arm64".parse().unwrap();
    assert_eq!(group.to_string().parse::<NodeGroup>().unwrap(), group, "{group}");
    assert!("x: cpu=2, arch=arm".parse::<InstanceType>().unwrap_err().contains("expected amd64 or arm64"));
}

#[test]
fn requirements_that_are_not_evaluated_are_named() {
    let requirements = r#"{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
        {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["m"]},
        {"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "DoesNotExist"}"#;
    let types = ["m5.large: cpu=2", "n2-standard-4: cpu=4", "m5.gpu: cpu=4, nvidia.com/gpu=1"];
    let (names, notes) = of_requirements(requirements, &types).unwrap();
    assert_eq!(names, ["m5.large", "n2-standard-4"]);
    let unknown = "requirements are not evaluated: karpenter.sh/capacity-type, kubernetes.io/os";
    let category = "requirement karpenter.k8s.aws/instance-category is not evaluated for n2-standard-4: the name is not FAMILY.SIZE, as m5.large";
    assert_eq!(notes, [unknown, category].map(|note| format!("f.yaml:1: NodePool p: {note}")));
}

#[test]
fn a_node_pool_can_name_processors_and_memory_themselves() {
    let pool = r#"{"apiVersion": "karpenter.sh/v1beta1", "kind": "NodePool", "metadata": {"name": "p"}, "spec": {
        "template": {"spec": {"requirements": [
            {"key": "karpenter.k8s.aws/instance-cpu", "operator": "In", "values": ["4", "8"]},
            {"key": "karpenter.k8s.aws/instance-memory", "operator": "In", "values": ["16384"]}]}},
        "limits": {"nodes": 3}, "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never"}}}"#;
    let groups = read(&[pool], &[]).unwrap().groups;
    let sizes: Vec<(i64, i64)> =
        groups[0].types.iter().map(|one| (one.capacity.amount(VCORE), one.capacity.amount(MEMORY) >> 30)).collect();
    assert_eq!(sizes, [(4000, 16), (8000, 16)]);
    assert_eq!((groups[0].max, groups[0].unneeded, groups[0].consolidates), (3, None, false));
}

#[test]
fn a_provisioner_has_its_own_words() {
    let of = |rest: &str| {
        let text = format!(
            r#"{{"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": {{"name": "p"}}, "spec": {{
            "limits": {{"resources": {{"cpu": "10"}}}}, {rest}}}}}"#
        );
        let group = read(&[&text], &["a.large: cpu=2, memory=4Gi"]).unwrap().groups.remove(0);
        (group.limits.amount(VCORE), group.unneeded.map(|time| time.as_secs()), group.consolidates)
    };
    assert_eq!(of(r#""ttlSecondsAfterEmpty": 30"#), (10_000, Some(30), false));
    assert_eq!(of(r#""consolidation": {"enabled": true}"#), (10_000, Some(0), true));
    assert_eq!(of(r#""weight": 1"#), (10_000, None, false));
}

#[test]
fn the_flags_of_the_cluster_autoscaler_are_groups() {
    let deployment = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "ca"}, "spec": {"template": {"spec": {"containers": [
        {"command": ["./cluster-autoscaler", "--cloud-provider=aws", "--nodes=1:10:k8s-worker-asg-1", "--nodes", "0:3:https://x/groups/gpu",
        "--scale-down-unneeded-time=5m", "--new-pod-scale-up-delay=30s"]}]}}}}"#;
    let types = ["k8s-worker-asg-1: cpu=4, memory=16Gi", "gpu: cpu=8, memory=64Gi, nvidia.com/gpu=1"];
    let groups = read(&[deployment], &types).unwrap().groups;
    let bounds: Vec<(&str, u32, u32)> = groups.iter().map(|one| (one.name.as_str(), one.min, one.max)).collect();
    assert_eq!(bounds, [("k8s-worker-asg-1", 1, 10), ("gpu", 0, 3)]);
    let times = (groups[0].unneeded, groups[0].patience);
    assert_eq!(times, (Some(Duration::from_mins(5)), Duration::from_secs(30)));
    let found = deployment.replace("--nodes=1:10:k8s-worker-asg-1", "--node-group-auto-discovery=asg:tag=k8s.io/x");
    assert!(read(&[&found], &types).unwrap().notes[0].contains("finds groups by asg:tag=k8s.io/x"));
    let wrong = deployment.replace("1:10:k8s-worker-asg-1", "1:10");
    assert!(read(&[&wrong], &types).unwrap_err().contains("--nodes=1:10 is not MIN:MAX:NAME"));
}

#[test]
fn helm_values_of_the_chart_are_groups() {
    let values = r#"{"cluster-autoscaler": {"autoscalingGroups": [{"name": "a", "minSize": 1, "maxSize": 4}],
        "extraArgs": {"scale-down-enabled": false}}}"#;
    let groups = read(&[values], &["a: cpu=2, memory=4Gi"]).unwrap().groups;
    assert_eq!((groups[0].max, groups[0].unneeded), (4, None));
}

#[test]
fn machine_deployments_have_bounds_and_capacity_in_annotations() {
    let one = |kind: &str, start: &str, rest: &str| {
        format!(
            r#"{{"kind": "{kind}", "metadata": {{"name": "md", "annotations": {{
            "{start}/cluster-api-autoscaler-node-group-min-size": "1", "{start}/cluster-api-autoscaler-node-group-max-size": "6", {rest}}}}}}}"#
        )
    };
    let capacity = r#""capacity.cluster-autoscaler.kubernetes.io/cpu": "16", "capacity.cluster-autoscaler.kubernetes.io/memory": "128G",
        "capacity.cluster-autoscaler.kubernetes.io/gpu-count": "2", "capacity.cluster-autoscaler.kubernetes.io/maxPods": "200""#;
    let group = read(&[&one("MachineDeployment", "cluster.x-k8s.io", capacity)], &[]).unwrap().groups.remove(0);
    let of = |group: &NodeGroup, key: &str| group.types[0].capacity.amount(key);
    assert_eq!((group.min, group.max, of(&group, VCORE), of(&group, MEMORY)), (1, 6, 16_000, 128_000_000_000));
    assert_eq!((of(&group, "nvidia.com/gpu"), of(&group, "pods")), (2, 200));
    let openshift = r#""machine.openshift.io/vCPU": "2", "machine.openshift.io/memoryMb": "8192""#;
    let group = read(&[&one("MachineSet", "machine.openshift.io", openshift)], &[]).unwrap().groups.remove(0);
    assert_eq!((of(&group, VCORE), of(&group, MEMORY)), (2000, 8 << 30));
    let plain = r#"{"kind": "MachineDeployment", "metadata": {"name": "md"}}"#;
    assert!(read(&[plain], &[]).unwrap().groups.is_empty());
    let scaler = r#"{"kind": "MachineAutoscaler", "metadata": {"name": "x"}, "spec": {"minReplicas": 0, "maxReplicas": 3,
        "scaleTargetRef": {"kind": "MachineSet", "name": "set"}}}"#;
    let set = r#"{"kind": "MachineSet", "metadata": {"name": "set"}, "spec": {"template": {"spec": {"providerSpec": {"value":
        {"instanceType": "m5.large"}}}}}}"#;
    let group = read(&[set, scaler], &["m5.large: cpu=2, memory=8Gi"]).unwrap().groups.remove(0);
    assert_eq!((group.name.as_str(), group.max, group.types[0].name.as_str()), ("set", 3, "m5.large"));
}

#[test]
fn groups_of_eksctl_and_kops_name_their_types_and_nodes_have_the_capacity() {
    let eksctl = r#"{"apiVersion": "eksctl.io/v1alpha5", "kind": "ClusterConfig", "metadata": {"name": "c"}, "managedNodeGroups": [
        {"name": "a", "instanceType": "m5.large", "minSize": 1, "maxSize": 3}, {"name": "b", "instanceTypes": ["m5.large"], "desiredCapacity": 2}]}"#;
    let kops = r#"{"apiVersion": "kops.k8s.io/v1alpha2", "kind": "InstanceGroup", "metadata": {"name": "nodes"},
        "spec": {"role": "Node", "machineType": "m5.large", "minSize": 1, "maxSize": 5}}"#;
    let node = r#"{"kind": "Node", "metadata": {"name": "n", "labels": {"node.kubernetes.io/instance-type": "m5.large"}},
        "status": {"allocatable": {"cpu": "1930m", "memory": "7Gi", "pods": "29"}}}"#;
    let groups = read(&[eksctl, kops, node], &[]).unwrap().groups;
    let bounds: Vec<(u32, u32)> = groups.iter().map(|one| (one.min, one.max)).collect();
    assert_eq!(bounds, [(1, 3), (2, 2), (1, 5)]);
    assert_eq!((groups[2].types[0].capacity.amount(VCORE), groups[2].types[0].capacity.amount("pods")), (1930, 29));
}

#[test]
fn types_are_read_from_lines_and_from_the_output_of_aws() {
    let aws = r#"{"InstanceTypes": [{"InstanceType": "g5.xlarge", "VCpuInfo": {"DefaultVCpus": 4}, "MemoryInfo": {"SizeInMiB": 16384},
        "GpuInfo": {"Gpus": [{"Manufacturer": "NVIDIA", "Count": 1}]}}]}"#;
    let one = read_types(aws).unwrap().remove(0);
    let of = |key: &str| one.capacity.amount(key);
    assert_eq!((of(VCORE), of(MEMORY), of("nvidia.com/gpu"), of("pods")), (4000, 16 << 30, 1, 110));
    assert_eq!(read_types("# types\na: cpu=1\n\nb: memory=1Gi\n").unwrap().len(), 2);
    assert!(read_types("a: cpu=1\nb: price=1\n").unwrap_err().starts_with("2: b has no capacity"));
    assert!(read_types("{}").unwrap_err().contains("InstanceTypes"));
}
