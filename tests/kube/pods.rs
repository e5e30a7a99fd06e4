use std::sync::Arc;
use std::time::{Duration, Instant};

use ::cluster::kube::Via;
use ::console::Driver;
use source::Remote;

use super::fake_api::{FakeApi, Reply};
use super::observe::{cluster, console, list, pods, until};
use super::{Stage, failures};

fn fake() -> FakeApi {
    cluster(|call| if call.path.contains("watch=true") { Reply::lines(&[], true) } else { list(&pods()) })
}

fn applications(fake_api: &FakeApi) -> (Arc<Remote>, Driver) {
    let (remote, mut driver) = console(fake_api);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    (remote, driver)
}

fn on_pod(driver: &mut Driver) {
    until(driver, &["job-1"]);
    driver.keys(":app job-1<ret>").unwrap();
    until(driver, &["POD", "team-a/job-1-driver"]);
}

fn until_copied(driver: &mut Driver, text: &str) {
    let started_at = Instant::now();
    while !driver.copied().is_some_and(|copied| copied.contains(text)) {
        assert!(started_at.elapsed() < Duration::from_secs(30), "{:?}", driver.copied());
        driver.advance(Duration::from_millis(100)).refresh();
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_log_of_a_container_is_followed_and_searched() {
    let fake_api = fake();
    let (_remote, mut driver) = applications(&fake_api);
    until(&mut driver, &["job-1", "1 pod ImagePullBac"]);
    on_pod(&mut driver);
    driver.keys("l").unwrap();
    until(
        &mut driver,
        &["team-a/job-1-driver", "container main", "following", "102 lines", "the last line", "line 99"],
    );
    assert!(!driver.screen_text().contains("line 1\n"), "the end stays on the screen");
    driver.keys("/line 42<ret>").unwrap();
    until(&mut driver, &["find line 42", "line 42", "f follows"]);
    driver.keys("f").unwrap();
    until(&mut driver, &["following", "the last line"]);
    driver.keys("P").unwrap();
    until(&mut driver, &["before the last restart", "the run before", "ERROR it ended", "ended"]);
    driver.keys("q").unwrap();
    until(&mut driver, &["POD", "RST"]);
}

#[test]
fn a_pod_is_shown_as_yaml_and_copied() {
    let fake_api = fake();
    let (_remote, mut driver) = applications(&fake_api);
    on_pod(&mut driver);
    driver.keys("Y").unwrap();
    // The YAML contains the environment, like kubectl, but no managed fields.
    until(&mut driver, &["name: job-1-driver", "nodeName: node-a", "priorityClassName: gold", "value: hunter2"]);
    assert!(!driver.screen_text().contains("managedFields"));
    driver.keys(":copy-yaml<ret>").unwrap();
    until_copied(&mut driver, "name: job-1-driver\n");
    assert!(!driver.copied().unwrap().contains("managedFields"));
    driver.keys("<esc>:node node-a<ret>i").unwrap();
    until(&mut driver, &["zone=eu-1"]);
    driver.keys(":copy-yaml<ret>").unwrap();
    until_copied(&mut driver, "kubeletVersion: v1.34.2");
}

#[test]
fn events_and_conditions_of_a_pod_are_ordered_by_time() {
    let fake_api = fake();
    let (_remote, mut driver) = applications(&fake_api);
    on_pod(&mut driver);
    driver.keys("d").unwrap();
    until(
        &mut driver,
        &[
            "ImagePullBackOff on node-a, 0/1 ready, 2 restarts",
            "no such image x:9",
            "job-1 in root.tenants.tenant-a.etl",
            "Job team-a/etl",
        ],
    );
    until(&mut driver, &["Scheduled: bound to node-a", "BackOff 3 times: Back-off pulling image"]);
    let screen = driver.screen_text();
    let place = |text: &str| screen.find(text).unwrap();
    assert!(
        place("created") < place("Scheduled: bound") && place("Scheduled: bound") < place("BackOff 3 times"),
        "{screen}"
    );
}

#[test]
fn a_log_that_is_not_there_is_reported_and_opened_again() {
    let fake_api = fake();
    let (_remote, mut driver) = applications(&fake_api);
    until(&mut driver, &["1 pod Unschedulable"]);
    driver.keys(":app stuck-1<ret>").unwrap();
    until(&mut driver, &["team-a/stuck-1-driver Pending"]);
    driver.keys("l").unwrap();
    until(&mut driver, &["404: get pods/log stuck-1-driver in namespace team-a: not found", "retrying"]);
}

/// With the real API server; a stand-in for a kubelet writes the log.
pub fn for_real(stage: &Stage) {
    let mut driver = failures::console(stage, Via::PortForward);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    until(&mut driver, &["job-1"]);
    driver.keys(":app job-1<ret>").unwrap();
    until(&mut driver, &["POD", "RST", "team-a/job-1-driver"]);
    driver.keys("/job-1-driver<ret>l").unwrap();
    until(
        &mut driver,
        &["container main", "following", "/containerLogs/team-a/job-1-driver/main line 199", "and more 3"],
    );
    driver.keys("P").unwrap();
    until(&mut driver, &["before the last restart", "line 2 of the run before", "ended"]);
    driver.keys("Y").unwrap();
    until(&mut driver, &["apiVersion: v1", "kind: Pod", "applicationId: job-1"]);
    driver.keys("d").unwrap();
    until(&mut driver, &["created", "BackOff 4 times: Back-off pulling image", "job-1 in root.tenants.tenant-a.etl"]);
}
