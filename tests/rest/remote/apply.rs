//! `kornsole apply` with a real server (CFG-120).

use std::process::Output;

use serde_json::Value;

use crate::remote::records::Served;

const CONFIG: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues: [{name: a}, {name: b}, {name: c}, {name: d}]
";

fn reported(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

struct Stage {
    served: Served,
}

impl Stage {
    fn new() -> Self {
        Self { served: Served::with(CONFIG, &[]) }
    }

    fn apply(&self, text: &str, flags: &[&str]) -> Output {
        let file = self.served.dir.write("new.yaml", text);
        self.served.kornsole("olga", &[&["apply", file.to_str().unwrap()], flags].concat())
    }

    fn queues(&self) -> Vec<String> {
        let root = &self.served.lines("olga", &["queues"])[0];
        let children = root["children"].as_array().unwrap().iter();
        children.map(|queue| format!("{} {}", queue["queuename"], queue["status"]).replace('"', "")).collect()
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.served.dir.join("queues.yaml")).unwrap()
    }
}

const ALL: [&str; 4] = ["root.a Active", "root.b Active", "root.c Active", "root.d Active"];

#[test]
fn an_empty_or_small_text_is_refused_until_it_is_allowed() {
    let stage = Stage::new();
    let few = CONFIG.replace("{name: a}, {name: b}, {name: c}, {name: d}", "{name: d}");
    let all = CONFIG.replace("{name: a}, {name: b}, {name: c}, {name: d}", "");
    for (text, flags, why) in [
        ("", &[][..], "it is empty and removes 4 of 4 queues"),
        ("# by mistake\n", &["--allow-removal", "4"], "--allow-empty"),
        (&few, &[], "it removes 3 of 4 queues; if this is intended, use --allow-removal 3"),
        (&few, &["--allow-empty"], "--allow-removal 3"),
        (&few, &["--allow-removal", "2"], "--allow-removal 3"),
        (&all, &[], "it removes 4 of 4 queues, including every queue of partition default"),
    ] {
        let (code, err) = reported(&stage.apply(text, &[flags, &["--yes"]].concat()));
        assert!(code == Some(1) && err.contains(why), "{text:?} {flags:?}: {code:?} {err}");
        assert_eq!(stage.queues(), ALL);
        assert_eq!(stage.file(), CONFIG);
    }
    let refused = stage.served.lines("olga", &["audit", "--action", "config"]);
    assert!(refused.len() == 6 && refused.iter().all(|entry| entry["code"] == "REMOVAL_NOT_ALLOWED"), "{refused:?}");
    let done = stage.apply(&few, &["--yes", "--allow-removal", "3"]);
    assert_eq!(reported(&done).0, Some(0), "{}", reported(&done).1);
    assert_eq!((stage.queues().join(" ").matches("Draining").count(), stage.file()), (3, few));
    assert_eq!(reported(&stage.apply("", &["--yes", "--allow-empty"])).0, Some(0));
}

fn values(config: &str) -> [String; 2] {
    let block: String = config.lines().map(|line| format!("    {line}\n")).collect();
    let quoted = format!("yunikornDefaults:\n  queues.yaml: {}\n", serde_json::Value::from(config));
    [format!("yunikornDefaults:\n  queues.yaml: |\n{block}"), quoted]
}

#[test]
fn of_helm_values_only_the_configuration_is_sent_and_faults_have_their_place_in_the_values() {
    let stage = Stage::new();
    for (values, name) in values(&CONFIG.replace("{name: d}", "{name: d}, {name: e}")).iter().zip(["block", "quoted"]) {
        let done = stage.apply(values, &["--yes", "--reason", name]);
        let (code, err) = reported(&done);
        assert_eq!(code, Some(0), "{err}");
        assert!(
            err.contains("queue configuration in Helm values, yunikornDefaults of ") && err.contains("new.yaml:1"),
            "{err}"
        );
        assert_eq!(stage.file(), CONFIG.replace("{name: d}", "{name: d}, {name: e}"));
    }
    for (values, place) in values(&CONFIG.replace("{name: d}", "{name: 'd d'}")).iter().zip(["8:60", "2:200"]) {
        let (code, err) = reported(&stage.apply(values, &["--yes"]));
        let at = values.find("'d d'").unwrap();
        let line = values[..at].matches('\n').count() + 1;
        let column = at - values[..at].rfind('\n').unwrap();
        assert!(code == Some(1) && err.contains(&format!("new.yaml:{line}:{column}: error[CFG-030]")), "{place} {err}");
        assert_eq!(err.contains("(line 6 of queues.yaml)"), line == 2, "{err}");
    }
}

#[test]
fn without_a_terminal_a_word_is_needed_and_a_dry_run_shows_the_effect() {
    let stage = Stage::new();
    let more = CONFIG.replace("{name: d}", "{name: d}, {name: e}");
    let (code, err) = reported(&stage.apply(&more, &[]));
    assert!(code == Some(2) && err.contains("use --yes"), "{code:?} {err}");
    assert_eq!(stage.queues(), ALL);
    let would = stage.apply(&more, &["--dry-run"]);
    let text = String::from_utf8_lossy(&would.stdout).into_owned();
    assert!(text.starts_with("revision 2 would be active, 1 change"), "{text}");
    let same = stage.apply(CONFIG, &["--dry-run"]);
    assert!(String::from_utf8_lossy(&same.stdout).starts_with("revision 1 would be active, 0 changes"));
    let empty = stage.apply("", &["--dry-run", "--json"]);
    let would: Value = serde_json::from_slice(&empty.stdout).unwrap();
    assert_eq!((&would["revision"], &would["draining"].as_array().unwrap().len()), (&Value::from(2), &4));
    assert!(
        reported(&empty)
            .1
            .contains("warning: the configuration would be rejected: it is empty and removes 4 of 4 queues"),
        "{}",
        reported(&empty).1
    );
    let done = stage.apply(&more, &["--yes"]);
    assert!(String::from_utf8_lossy(&done.stdout).starts_with("revision 2 is active, 1 change"));
}
