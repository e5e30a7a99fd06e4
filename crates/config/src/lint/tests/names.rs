use super::*;

fn named(text: &str) -> Vec<(String, String)> {
    let found = lint(text).into_iter().filter(|fault| fault.code == "W-001");
    found.map(|fault| (fault.message, fault.hint)).collect()
}

#[test]
fn w_001_weights_of_other_names_are_named() {
    let weights = |weights: &str| {
        named(&format!(
            "partitions: [{{nodesortpolicy: {{type: binpacking, resourceweights: {{{weights}}}}}, queues: [{{name: root}}]}}]\n"
        ))
    };
    let found = weights("cpu: 1, Memory: 2");
    assert_eq!(
        found[0].0,
        "no node has `cpu`, so its weight has no effect; weights replace the defaults, so `vcore` and `memory` do not count"
    );
    assert_eq!((found[0].1.as_str(), found[1].1.as_str()), ("write `vcore`", "write `memory`"));
    assert!(weights("cpu: 1, memory: 2")[0].0.ends_with("so `vcore` does not count"));
    assert!(weights("cpu: 1, vcore: 0.5, memory: 1e3")[0].0.ends_with("has no effect"));
    assert!(weights("vcore: 1, nvidia.com/gpu: 4").is_empty() && weights("memory: 1.0").is_empty());
}

#[test]
fn w_001_names_of_quotas_and_other_cases_of_extended_resources_are_named() {
    let hint = |name: &str| {
        let found = named(&root(&format!("~queues: [{{name: a, resources: {{max: {{'{name}': 5}}}}}}]\n")));
        found.into_iter().map(|(_, hint)| hint).next().unwrap_or_default()
    };
    assert_eq!(hint("count/pods"), "write `pods`");
    assert!(hint("count/deployments.apps").starts_with("pods request"));
    assert!(hint("gold.storageclass.storage.k8s.io/requests.storage").starts_with("pods request"));
    for other in ["nvidia.com/GPU", "Nvidia.com/gpu", "nvidia.com/gpus", "requests.nvidia.com/GPU"] {
        assert_eq!(hint(other), "write `nvidia.com/gpu`", "{other}");
    }
    assert!(hint("Example.com/x").starts_with("pods request") && hint("nvidia.com/").starts_with("pods request"));
    for right in
        ["nvidia.com/gpu", "huawei.com/Ascend910", "example.com/GPU", "nvidia.com/mig-1g.5gb", "rdma/hca_a", "pods"]
    {
        assert_eq!(hint(right), "", "{right}");
    }
}
