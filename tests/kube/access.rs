use serde_json::{Value, json};

use super::in_terminal::Terminal;
use super::{Stage, has, raise};

fn last_entry(stage: &Stage, context: &str) -> Value {
    let audit = std::fs::read_to_string(stage.dir.join(format!("kornsole/{context}/audit.jsonl"))).unwrap();
    serde_json::from_str(audit.lines().last().unwrap()).unwrap()
}

/// Runs with a configuration without `adminacl`, then restores the previous one.
pub fn without_adminacl(stage: &Stage, run: impl FnOnce()) {
    let before = stage.config_map();
    let text = before["data"]["queues.yaml"].as_str().unwrap();
    let bare: String = text.split_inclusive('\n').filter(|line| !line.contains("adminacl:")).collect();
    let bare = format!("# queues without adminacl\n{bare}");
    stage.patch_map(&json!({"data": {"queues.yaml": bare}}));
    stage.in_force(&bare);
    run();
    stage.patch_map(&json!({"data": {"queues.yaml": text}}));
    stage.in_force(text);
}

pub fn without_lists(stage: &Stage) {
    const REPORTED: &str = "adminacl: none in the configuration; RBAC decides";
    without_adminacl(stage, || {
        let new = stage.changed("bare.yaml", raise);
        has(&stage.works(&["apply", &new, "--server", "k8s://bob", "--dry-run"]), &[REPORTED]);
        stage.works(&["apply", &new, "--server", "k8s://bob", "--yes"]);
        let entry = last_entry(stage, "bob");
        let fact = json!(["adminacl", "none in the configuration; RBAC decides"]);
        assert!(
            entry["before"].as_array().is_some_and(|facts| facts.contains(&fact))
                || entry["before"]["adminacl"] == fact[1],
            "{entry}"
        );
        stage.works(&["kill", "job-1", "--yes", "--server", "k8s://bob"]);
        let always = ["--server", "k8s://bob", "--enforce-acl", "always"];
        let why = stage.fails(&[&["kill", "job-1", "--yes"], &always[..]].concat());
        has(&why, &["bob may not kill job-1", "write `adminacl: 'bob'` of root.tenants.tenant-a.etl", "line "]);
        let settings = stage.file("always.toml", "[contexts.mine]\nurl = \"k8s://bob\"\nenforce-acl = true\n");
        let why = stage.fails(&["kill", "job-1", "--yes", "--server", "mine", "--settings", &settings]);
        has(&why, &["bob may not kill job-1"]);
    });
}

pub fn remedy(stage: &Stage) {
    let map = stage.config_map();
    let text = map["data"]["queues.yaml"].as_str().unwrap();
    let line = text.lines().position(|line| line.trim() == "- name: etl").unwrap() + 1;
    let why = stage.fails(&["kill", "job-1", "--yes", "--server", "k8s://bob"]);
    let to_write = format!(
        "write `adminacl: 'bob'` of root.tenants.tenant-a.etl (queues.yaml of ConfigMap yunikorn/yunikorn-configs, line {line})"
    );
    has(&why, &["bob may not kill job-1", &to_write, "or use --enforce-acl never"]);
    let new = stage.changed("new.yaml", raise);
    let why = stage.fails(&["apply", &new, "--server", "k8s://bob", "--yes"]);
    has(&why, &["needs admin access on root.tenants", "--enforce-acl never"]);
    assert!(!why.contains("admins"), "{why}");
    let never = ["--server", "k8s://bob", "--enforce-acl", "never"];
    has(
        &stage.works(&[&["apply", &new, "--dry-run"], &never[..]].concat()),
        &["adminacl: not checked (--enforce-acl never); RBAC decides"],
    );
    let (code, _, err) = stage.run(&["queues", "--server", "k8s://bob", "--enforce-acl", "sometimes"]);
    assert_eq!(code, 2);
    has(&err, &["auto", "always", "never"]);
}

pub fn no_service(stage: &Stage) {
    let service = stage.read("yunikorn", "service", "yunikorn-service");
    stage.kubectl(&["-n", "yunikorn", "delete", "service", "yunikorn-service"]);
    let via = format!("http://127.0.0.1:{}", stage.core);
    let found = stage.run(&["queues", "--server", "k8s://root", "--via", &via]);
    let new = stage.changed("new.yaml", raise);
    let would =
        stage.run(&["apply", &new, "--server", "k8s://root", "--via", &via, "--enforce-acl", "never", "--dry-run"]);
    let reads = stage.run(&["queues", "--server", "k8s://admin", "--via", &via]);
    let writes = stage.run(&["apply", &new, "--server", "k8s://admin", "--via", &via, "--dry-run"]);
    let named = stage.run(&["apply", &new, "--server", "k8s://admin/yunikorn", "--via", &via, "--dry-run"]);
    let spec = json!({"selector": service["spec"]["selector"], "ports": service["spec"]["ports"]});
    let again = json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "yunikorn-service", "namespace": "yunikorn"}, "spec": spec});
    let file = stage.file("service-again.json", &again.to_string());
    stage.kubectl(&["create", "-f", &file]);
    assert_eq!(found.0, 0, "{}", found.2);
    has(&found.1, &["tenant-a", "etl"]);
    assert_eq!(would.0, 0, "{}", would.2);
    has(&would.1, &["1 change"]);
    assert_eq!(reads.0, 0, "{}", reads.2);
    has(&reads.1, &["tenant-a"]);
    assert_eq!(writes.0, 1, "{}", writes.1);
    has(&writes.2, &["the namespace of the scheduler is unknown", "k8s://CONTEXT/NAMESPACE"]);
    assert_eq!(named.0, 0, "{}", named.2);
}

pub fn who(stage: &Stage) {
    let text = stage.works(&["whoami", "--server", "k8s://eve/yunikorn"]);
    let line = |has: &str| text.lines().find(|line| line.contains(has)).unwrap_or_else(|| panic!("no {has} in {text}"));
    assert!(line("kill applications").starts_with("no "), "{text}");
    has(line("kill applications"), &["delete", "pods", "verbs: [delete]"]);
    assert!(line("read the configuration").starts_with("yes "), "{text}");
    assert!(line("apply a configuration").starts_with("no "), "{text}");
    has(line("root.tenants.tenant-a.etl"), &["yes, root (group admins, admin)", "yes, root (*)"]);
    has(&text, &["adminacl and RBAC both decide"]);
    let text = stage.works(&["whoami", "--server", "k8s://bob", "--json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let right =
        |used: &str| value["rbac"].as_array().unwrap().iter().find(|right| right["usedTo"] == used).unwrap().clone();
    assert_eq!(right("kill applications")["allowed"], true);
    assert_eq!(right("apply a configuration")["name"], "yunikorn-configs");
    assert_eq!(right("apply a configuration")["allowed"], true);
    let queues = value["queues"].as_array().unwrap();
    let etl = queues.iter().find(|one| one["queue"] == "root.tenants.tenant-a.etl").unwrap();
    assert_eq!((&etl["admin"]["allowed"], &etl["submit"]["allowed"]), (&json!(false), &json!(true)));
    without_adminacl(stage, || {
        let value: Value = serde_json::from_str(&stage.works(&["whoami", "--server", "k8s://bob", "--json"])).unwrap();
        assert_eq!(value["acl"], "adminacl: none in the configuration; RBAC decides");
        assert_eq!(value["queues"][0]["admin"], json!({"allowed": null, "reason": "RBAC decides"}));
        let text = stage.works(&["whoami", "--server", "k8s://eve"]);
        let etl = text.lines().find(|line| line.contains("root.tenants.tenant-a.etl")).unwrap();
        assert!(etl.contains("  RBAC decides  "), "who may delete no pods is not told yes: {etl}");
    });
}

pub fn tree_and_effects(stage: &Stage) {
    let new = stage.changed("effects.yaml", |text| {
        let lower = text.replacen("memory: 40G", "memory: 13G", 1);
        lower.replacen("                    - name: adhoc\n", "                    - name: later\n", 1)
    });
    let text = stage.works(&["apply", &new, "--server", "k8s://admin", "--dry-run"]);
    has(
        &text,
        &[
            "~ root.tenants.tenant-a",
            "max memory 40G → 13G",
            "- root.tenants.tenant-a.adhoc",
            "+ root.tenants.tenant-a.later",
        ],
    );
    has(&text, &["effects:", "in use continues; no new allocations until below", "drains, blocked by 1 application"]);
    let file = stage.file("effects-now.yaml", stage.config_map()["data"]["queues.yaml"].as_str().unwrap());
    let (_, tree, _) = stage.run(&["diff", &file, &new, "--core", "1.8.0"]);
    let tree = tree.lines().next().unwrap();
    assert!(text.contains(tree), "the tree is that of `diff`: {tree}\n{text}");
    let json = stage.works(&["apply", &new, "--server", "k8s://admin", "--dry-run", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["diff"]["changes"].as_array().is_some_and(|changes| changes.len() >= 3), "{json}");
    assert!(json["effects"].as_array().is_some_and(|effects| !effects.is_empty()), "{json}");
}

/// With all that an apply can take away: a queue with an application, a guarantee, a maximum and a limit below the usage.
fn less(text: &str) -> String {
    [
        ("memory: 40G", "memory: 13G"),
        ("memory: 8G", "memory: 1G"),
        ("memory: 12G", "memory: 1G"),
        ("- name: adhoc", "- name: later"),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{text}");
        text.replacen(old, new, 1)
    })
}

pub fn effects_before_the_question(stage: &Stage) {
    let (before, new) = (stage.config_map(), stage.changed("less.yaml", less));
    let dir = stage.dir.display().to_string();
    let environment = [("KUBECONFIG", stage.kubeconfig.as_str()), ("XDG_CONFIG_HOME", &dir), ("XDG_STATE_HOME", &dir)];
    let arguments = ["apply", &new, "--server", "k8s://admin"];
    let mut terminal = Terminal::kornsole(&arguments, &environment);
    terminal.press("y\r");
    terminal.until_text("apply it? [y/N]");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(stage.config_map(), before);
    let shown = terminal.look(|seen| String::from_utf8_lossy(&seen.raw).into_owned());
    stage.saw(&shown);
    let effects =
        shown.split("apply it?").next().unwrap().split("effects:").nth(1).unwrap_or_else(|| panic!("{shown}"));
    has(&shown, &["guaranteed memory 8G → 1G", "max memory 40G → 13G", "- root.tenants.tenant-a.adhoc"]);
    has(&shown, &["limit users sue,bob: max memory 12G → 1G"]);
    has(
        effects,
        &[
            "mem: 13Gi of 13.9Gi in use is above its guarantee",
            "mem: 13.9Gi in use continues; no new allocations until below 12.1Gi",
            "user bob: mem: 2.7Gi in use continues; no new allocations until below 953Mi",
            "user sue: mem: 11.1Gi in use continues; no new allocations until below 953Mi",
            "drains, blocked by 1 application:",
            "adhoc-1 (bob) cpu 1.5, mem 2.7Gi",
        ],
    );
    terminal.press("n\r");
    assert!(!terminal.end().success());
    assert_eq!(stage.config_map(), before);
    has(&stage.fails(&arguments), &["cannot ask for confirmation without a terminal"]);
    assert_eq!(stage.config_map(), before);
}
