use ::console::Driver;
use serde_json::{Value, json};

use super::fake_api::{FakeApi, Reply};
use super::observe::{cluster, console, list, pods, until};

/// A request that fits no node, a placeholder with only its ID, and a service account as its user.
pub fn picky() -> Value {
    let tags = |name: &str| json!({"kubernetes.io/meta/namespace": "team-a", "kubernetes.io/meta/podName": name, "kubernetes.io/label/queue": "root.wished"});
    let log = json!([
        {"message": "node(s) didn't match Pod's node affinity/selector", "lastOccurrence": 20, "count": 3},
        {"message": "Not enough queue quota", "lastOccurrence": 10, "count": 1},
    ]);
    let asked = 946_684_800_000_000_000_u64;
    let resource =
        json!({"vcore": 1000, "memory": 64_u64 << 30, "pods": 1, "hugepages-2Mi": 0, "ephemeral-storage": 5_u64 << 30});
    json!({"applicationID": "picky-1", "partition": "default", "queueName": "root.tenants.tenant-a.etl", "submissionTime": asked,
        "applicationState": "Running", "user": "system:serviceaccount:team-a-production:spark-operator-runner", "groups": [], "stateLog": [],
        "usedResource": {"vcore": 1000}, "maxUsedResource": {"vcore": 9000}, "pendingResource": resource,
        "requests": [{"allocationKey": "u-20", "allocationTags": tags("picky-1-exec"), "requestTime": asked, "resource": resource,
                      "schedulingAttempted": true, "allocationLog": log, "priority": "0", "pendingCount": 1}],
        "allocations": [
            {"allocationKey": "u-21", "allocationTags": tags("picky-1-driver"), "requestTime": asked, "allocationDelay": -1_000_000_000, "nodeId": "node-c",
             "resource": {"vcore": 1000}, "priority": "0", "applicationId": "picky-1"},
            {"allocationKey": "u-22", "allocationTags": {"kubernetes.io/label/yunikorn.apache.org/app-id": "picky-1"}, "requestTime": asked,
             "allocationDelay": -1_000_000_000, "nodeId": "node-c", "placeholder": true, "resource": {"vcore": 3000}, "priority": "0",
             "applicationId": "picky-1"}]})
}

/// Nodes with a pod of another scheduler and the application's allocations.
pub fn nodes(recorded: &[u8]) -> Vec<u8> {
    let mut all: Vec<Value> = serde_json::from_slice(recorded).unwrap();
    let node = all.iter_mut().find(|node| node["nodeID"] == "node-c").unwrap();
    node["foreignAllocations"] = json!([{"allocationKey": "u-5", "resource": {"memory": 1 << 30}, "nodeId": "node-c",
        "allocationTags": {"kubernetes.io/meta/namespace": "kube-system", "kubernetes.io/meta/podName": "dns-7"}}]);
    node["allocations"].as_array_mut().unwrap().push(picky()["allocations"][0].clone());
    serde_json::to_vec(&all).unwrap()
}

/// Two events of a pod, for a client that reads from the start.
pub fn events(all: bool) -> Reply {
    let event = |at: u64, id: &str, reference: &str, message: &str| {
        json!({"type": 1, "objectID": id, "referenceID": reference, "message": message, "timestampNano": at,
            "eventChangeType": 0, "eventChangeDetail": 0})
    };
    let both =
        [event(1, "u-20", "picky-1", "no node takes it"), event(2, "u-99", "gone-1", "of a pod that nobody knows")];
    let records = both.iter().filter(|_| all).collect::<Vec<_>>();
    Reply::json(&json!({"InstanceUUID": "one", "LowestID": 0, "HighestID": 1, "EventRecords": records}))
}

fn rest_alone() -> FakeApi {
    cluster(|_| Reply::refusal(403, "pods is forbidden"))
}

fn attached(fake_api: &FakeApi) -> (std::sync::Arc<source::Remote>, Driver) {
    let (remote, mut driver) = console(fake_api);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    until(&mut driver, &["picky-1"]);
    (remote, driver)
}

fn run(fake_api: &FakeApi, arguments: &[&str]) -> String {
    let output = output(fake_api, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn output(fake_api: &FakeApi, arguments: &[&str]) -> std::process::Output {
    let dir = std::env::temp_dir().join(format!("kornsole-seen-{}", std::process::id()));
    std::process::Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(arguments)
        .args(["--server", "k8s://here/yunikorn", "--via", "proxy"])
        .env("KUBECONFIG", fake_api.kubeconfig())
        .env("XDG_CONFIG_HOME", &dir)
        .env("XDG_STATE_HOME", &dir)
        .env_remove("KORNSOLE_TOKEN")
        .output()
        .unwrap()
}

const REASON: &str = "didn't match Pod's node affinity/selector";

#[test]
fn the_reason_of_the_scheduler_is_in_list_details_placement_and_command_line() {
    let fake_api = rest_alone();
    let (_remote, mut driver) = attached(&fake_api);
    driver.resize(200, 50);
    driver.keys("2").unwrap();
    until(&mut driver, &["picky-1", "didn't match Po"]);
    driver.keys(":app picky-1<ret>").unwrap();
    until(&mut driver, &["team-a/picky-1-exec", "didn't match"]);
    driver.keys("i").unwrap();
    until(&mut driver, &["pending: no node accepts it", "didn't match Pod's node"]);
    driver.keys("qw").unwrap();
    until(&mut driver, &["why here", "root.wished"]);
    assert!(run(&fake_api, &["app", "picky-1"]).contains(REASON));
}

#[test]
fn if_a_copy_cannot_explain_the_scheduler_is_quoted() {
    let fake_api = rest_alone();
    let (_remote, mut driver) = attached(&fake_api);
    driver.resize(200, 50);
    driver.keys(":app picky-1<ret>x").unwrap();
    until(&mut driver, &["cannot explain", "the scheduler reports", "affinity/selector"]);
    let explained = output(&fake_api, &["explain", "picky-1"]);
    let words = String::from_utf8_lossy(&explained.stderr);
    assert!(
        !explained.status.success()
            && words.contains("the scheduler reports for request u-20: ")
            && words.contains(REASON),
        "{words}"
    );
}

#[test]
fn cordoned_and_not_ready_nodes_are_not_open() {
    let fake_api =
        cluster(|call| if call.path.contains("watch=true") { Reply::lines(&[], true) } else { list(&pods()) });
    let (_remote, mut driver) = attached(&fake_api);
    driver.keys("3").unwrap();
    until(&mut driver, &["cordoned", "not ready"]);
    let line = |of: &str| driver.find_row(of).unwrap().1;
    assert!(line("node-a").contains("cordoned") && line("node-b").contains("not ready"), "{}", driver.screen_text());
    assert!(!line("node-c").contains("cordoned") && !line("node-c").contains("not ready"));
    let table = run(&fake_api, &["nodes"]);
    assert!(table.contains("cordoned") && table.contains("not ready"), "{table}");
}

#[test]
fn pods_are_named_without_an_api_server_and_found_by_name_and_by_uid() {
    let fake_api = rest_alone();
    let (_remote, mut driver) = attached(&fake_api);
    driver.keys(":app picky-1<ret>").unwrap();
    until(&mut driver, &["team-a/picky-1-exec", "team-a/picky-1-driver"]);
    for filter in ["picky-1-driver", "u-21"] {
        driver.keys(&format!("/{filter}<ret>")).unwrap();
        until(&mut driver, &["of 3 requests"]);
        let first = driver.find_row("▌").unwrap().1;
        assert!(first.contains("team-a/picky-1-driver"), "{filter}: {}", driver.screen_text());
        driver.keys("<esc><esc>:app picky-1<ret>").unwrap();
        until(&mut driver, &["team-a/picky-1-exec"]);
    }
    driver.keys(":node node-c<ret>").unwrap();
    until(&mut driver, &["team-a/picky-1-driver"]);
    driver.keys("i").unwrap();
    until(&mut driver, &["kube-system/dns-7"]);
    let table = run(&fake_api, &["app", "picky-1"]);
    assert!(table.contains("team-a/picky-1-exec") && table.contains("team-a/picky-1-driver"), "{table}");
}

#[test]
fn events_on_the_command_line_name_pods_and_are_found_by_them() {
    let fake_api = rest_alone();
    let all = run(&fake_api, &["events"]);
    assert!(all.contains("team-a/picky-1-exec  picky-1  no node takes it"), "{all}");
    assert!(all.contains("u-99  gone-1"), "an id without a pod stays: {all}");
    let one = run(&fake_api, &["events", "--object", "team-a/picky-1-exec", "--json"]);
    assert_eq!(one.lines().count(), 1, "{one}");
    let event: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(event["objectID"], "u-20", "JSON is as the scheduler has it");
}

#[test]
fn memory_is_in_binary_units_zeros_stay_away_and_service_accounts_are_cut_in_front() {
    let fake_api = rest_alone();
    let (_remote, mut driver) = attached(&fake_api);
    driver.resize(120, 40);
    driver.keys(":app picky-1<ret>").unwrap();
    until(&mut driver, &["64Gi", "picky-1-exec"]);
    assert!(!driver.screen_text().contains("hugepages"), "{}", driver.screen_text());
    driver.keys("/exec<ret>i").unwrap();
    until(&mut driver, &["ephemeral-storage", "5Gi"]);
    assert!(!driver.screen_text().contains("hugepages"), "{}", driver.screen_text());
    driver.keys("2").unwrap();
    until(&mut driver, &["picky-1", "…ator-runner"]);
}

#[test]
fn placeholders_are_not_used_and_an_allocation_before_its_ask_has_no_age() {
    let fake_api = rest_alone();
    let (remote, mut driver) = attached(&fake_api);
    driver.keys(":app picky-1<ret>").unwrap();
    until(&mut driver, &["team-a/picky-1-driver", "u-22"]);
    let view = source::Source::view(&*remote);
    let app = view.partitions[0].app_by_id(&"picky-1".into()).unwrap().clone();
    assert_eq!((app.allocated.amount("vcore"), app.placeholder.amount("vcore")), (1000, 3000));
    assert_eq!(app.max_allocated.amount("vcore"), 9000);
}
