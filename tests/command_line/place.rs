use serde_json::{Value, json};

fn place(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let core: &[&str] = if arguments.contains(&"--core") { &[] } else { &["--core", "kornsole"] };
    let arguments = [&["place"], arguments, core].concat();
    super::kornsole(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement"), &arguments, stdin)
}

const CASES: [(&str, i32, &[&str]); 12] = [
    ("exists", 0, &["--user", "sue", "--queue", "root.default"]),
    ("created", 0, &["--user", "kim", "--group", "ml", "--queue", "root.nowhere.x"]),
    ("created-chain", 0, &["--user", "mal", "--queue", "root.users", "--tag", "namespace=root.spaces.a.b"]),
    ("by-type", 0, &["--user", "mal", "--type", "spark"]),
    ("no-rule-matched", 1, &["--user", "mal", "--queue", "root.locked"]),
    ("recovery", 0, &["--user", "mal", "--tag", "application.create.force=true"]),
    ("parent-is-leaf", 1, &["--user", "mal", "--tag", "below=root.default"]),
    ("create-below-leaf", 1, &["--user", "mal", "--tag", "namespace=root.default.x"]),
    ("illegal-name", 1, &["--user", "mal", "--tag", "namespace=a b"]),
    ("illegal-name-1.8", 1, &["--user", "a b", "--core", "1.8.0", "--partition", "plain"]),
    ("default-queue", 0, &["--user", "sue", "--core", "1.8.0", "--partition", "plain"]),
    ("no-user", 1, &["--user", "", "--queue", "root.default"]),
];

#[test]
fn every_outcome_for_people_and_as_json() {
    for (name, code, arguments) in CASES {
        let file = if arguments.contains(&"1.8.0") { "plain.yaml" } else { "queues.yaml" };
        let (got, out, err) = place(&[&[file], arguments].concat(), "");
        assert_eq!((got, err.as_str()), (Some(code), ""), "{name}");
        insta::assert_snapshot!(format!("place-{name}"), out);

        let (got, out, err) = place(&[&[file, "--json"], arguments].concat(), "");
        assert_eq!((got, err.as_str()), (Some(code), ""), "{name}");
        let message: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(message["placed"], code == 0, "{name}");
        insta::assert_snapshot!(format!("place-{name}-json"), out);
    }
}

#[test]
fn the_configuration_may_be_a_manifest() {
    let queues = include_str!("../placement/queues.yaml");
    let indented: String = queues.lines().map(|line| format!("    {line}\n")).collect();
    let manifest = format!("kind: ConfigMap\ndata:\n  batch.yaml: |\n{indented}");
    let wanted = ["-", "--user", "sue", "--queue", "root.default"];
    let (code, out, _) = place(&[&wanted[..], &["--policy-group", "batch"]].concat(), &manifest);
    assert_eq!(code, Some(0), "{out}");
    let (code, out, err) = place(&wanted, &manifest);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("-:1:1: error[CFG-002]") && err.contains("--policy-group"), "{err}");
}

#[test]
fn bad_input_is_reported_with_its_place() {
    let (code, out, err) = place(&["-", "--user", "u"], "partitions: [{queues: [{name: root, nme: x}]}]");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("\n-:1:37: error[CFG-003]: unknown key `nme`"), "{err}");
    let (code, _, err) = place(&["no/such.yaml", "--user", "u"], "");
    assert!(code == Some(1) && err.starts_with("error: cannot read no/such.yaml: "), "{err}");
    let (code, _, err) = place(&["queues.yaml", "--user", "u", "--partition", "gpu"], "");
    assert!(code == Some(1) && err.contains("partition \"gpu\" not found; available: default"), "{err}");
}

#[test]
fn wrong_use_has_its_own_exit_code() {
    for (arguments, message) in [
        (&["queues.yaml"][..], "--user"),
        (&["queues.yaml", "--user", "u", "--tag", "ns"], "missing tag value"),
        (&["queues.yaml", "--user", "u", "--tag", "=x"], "missing tag name"),
        (&["queues.yaml", "--user", "u", "--group", ""], "missing group name"),
        (&["queues.yaml", "--user", "u", "--tag", "A=1", "--tag", "a=2"], "duplicate tag A"),
        (&["queues.yaml", "--user", "u", "--type", "x", "--tag", "Application.Type=y"], "duplicate tag"),
        (&["queues.yaml", "--user", "u", "--batch", "x.csv"], "cannot be used with"),
        (&["queues.yaml", "--batch", "x.txt"], "--batch-format"),
        (
            &["-", "--batch", "-", "--batch-format", "csv"],
            "cannot read the configuration and the batch from standard input",
        ),
        (&["queues.yaml", "--user", "u", "--core", "2.0"], "2.0"),
    ] {
        let (code, out, err) = place(arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(message), "{arguments:?}: {err}");
    }
}

#[test]
fn a_batch_is_a_table_and_a_verdict() {
    for format in ["csv", "yaml"] {
        let (code, out, err) = place(&["queues.yaml", "--batch", &format!("batch.{format}")], "");
        assert_eq!((code, err.as_str()), (Some(1), ""), "{format}");
        insta::assert_snapshot!(format!("place-batch-{format}"), out);
    }
    let good = "user,queue,expect\nsue,root.default,ROOT.Default\nmal,,rejected\n";
    let (code, out, _) = place(&["queues.yaml", "--batch", "-", "--batch-format", "csv"], good);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.ends_with("2 submissions: 1 placed, 1 rejected; 2 as expected (core kornsole)\n"), "{out}");
}

#[test]
fn a_batch_as_json_is_one_object_a_line() {
    let (code, out, _) = place(&["queues.yaml", "--batch", "batch.csv", "--json"], "");
    assert_eq!(code, Some(1));
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0]["submission"]["line"], 2);
    assert_eq!((&lines[0]["queue"], &lines[0]["asExpected"]), (&json!("root.users.kim"), &json!(true)));
    assert_eq!((&lines[3]["expect"], &lines[3]["asExpected"]), (&json!("root.default"), &json!(false)));
    assert!(lines[5].get("asExpected").is_none());
}

#[test]
fn each_submission_of_a_batch_is_independent() {
    let rows = "user,queue\nmal,\nkim,x\nkim,root.users.kim\nkim,root.users.kim.y\n";
    let (_, out, _) = place(&["queues.yaml", "--batch", "-", "--batch-format", "csv", "--json"], rows);
    let creates: Vec<Value> =
        out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["creates"].clone()).collect();
    assert_eq!(creates[1..], [json!(["root.users.kim"]), json!(["root.users.kim"]), json!(["root.users.kim"])]);
}

#[test]
fn faults_of_a_batch_do_not_hide_the_good_rows() {
    let rows = "user,tags,expect\nsue,novalue,\nkim,,root.users.kim\nbob\n";
    let (code, out, err) = place(&["queues.yaml", "--batch", "-", "--batch-format", "csv"], rows);
    assert_eq!(code, Some(1));
    assert!(out.ends_with("1 submission: 1 placed, 0 rejected; 1 as expected (core kornsole)\n"), "{out}");
    assert!(
        err.contains("-:2:5: error[SUB-023]: the tag \"novalue\"") && err.contains("-:4:1: error[SUB-022]"),
        "{err}"
    );
    let many = "user\n".to_owned() + &"a,b\n".repeat(300);
    let (code, _, err) = place(&["queues.yaml", "--batch", "-", "--batch-format", "csv"], &many);
    assert!(code == Some(1) && err.contains("more than 100 errors") && err.matches("SUB-022").count() == 100, "{err}");
    let (code, out, err) = place(&["queues.yaml", "--batch", "-", "--batch-format", "yaml"], "- {usr: a}\n");
    assert_eq!((code, out.as_str()), (Some(1), "0 submissions: 0 placed, 0 rejected (core kornsole)\n"));
    assert!(
        err.starts_with("-:1:4: error[SUB-003]: unknown key `usr`") && err.contains("did you mean `user`?"),
        "{err}"
    );
}

#[test]
fn ten_thousand_groups_work() {
    let groups: Vec<String> = (0..10_000).map(|number| format!("g{number}")).collect();
    let (code, out, _) = place(&["queues.yaml", "--user", "kim", "--group", &groups.join(","), "--json"], "");
    assert!(code == Some(0) && out.contains("root.users.kim"), "{out}");
}

#[test]
fn what_could_drive_a_terminal_is_escaped() {
    let (code, out, _) = place(&["queues.yaml", "--user", "\u{1b}[31mx", "--queue", "a\u{202e}b"], "");
    assert_eq!(code, Some(1));
    assert!(!out.contains('\u{1b}') && !out.contains('\u{202e}'), "{out:?}");
}

#[test]
fn limits_that_would_count_are_reported() {
    let text = "partitions: [{name: default, placementrules: [{name: provided, create: true}], queues: [{name: root, submitacl: '*', \
                limits: [{users: [sue], maxapplications: 1}, {groups: [dev], maxresources: {vcore: 2, memory: 4Gi}}], \
                queues: [{name: shut, limits: [{users: [sue], maxapplications: 1, maxresources: {vcore: 0, memory: 1Gi}}]}]}]}]";
    let ask = |queue: &str, json: &[&str]| {
        let arguments = [&["-", "--user", "sue", "--group", "ops", "--group", "dev", "--queue", queue], json].concat();
        let (code, out, err) = place(&arguments, text);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        out
    };
    let limits = |queue: &str| serde_json::from_str::<Value>(&ask(queue, &["--json"])).unwrap()["limits"].clone();
    let apps = json!({"what": "user sue in root: at most 1 application", "would": "allow it: 0 of 1 run"});
    let group = json!({
        "what": "group dev in root: at most memory 4Gi, vcore 2",
        "would": "allow it: memory 0 of 4Gi, vcore 0 of 2 in use",
    });
    assert_eq!(limits("root.new.leaf"), json!([apps, group]), "a queue that would be created has no own value");
    let shut = json!({
        "what": "user sue in root.shut: at most 1 application, memory 1Gi, vcore 0",
        "would": "block its requests for vcore: 0 of 0 in use",
    });
    assert_eq!(limits("root.shut"), json!([shut, apps, group]));
    let message = ask("root.shut", &[]);
    let line = "   user sue in root: at most 1 application   limit; would allow it: 0 of 1 run";
    assert!(message.lines().any(|message| message == line), "{message}");
}

#[test]
fn the_newest_release_decides_where_no_core_is_named() {
    let queues =
        "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: default}, {name: etl}]}]}]";
    let run = |core: &[&str]| {
        let arguments = [&["place", "-", "--user", "u", "--tag", "namespace=x"], core].concat();
        super::kornsole(env!("CARGO_MANIFEST_DIR"), &arguments, queues)
    };
    let (code, out, _) = run(&[]);
    assert!(code == Some(0) && out.contains(", core 1.9.0\n") && out.ends_with("-> root.default\n"), "{out}");
    let (code, out, _) = run(&["--core", "kornsole"]);
    assert!(code == Some(1) && out.contains(", core kornsole\n"), "{out}");
}
