use std::sync::Arc;
use std::time::SystemTime;

use alerts::alerting::Board;
use alerts::alerting::board::Timing;
use alerts::{Given, read};
use model::acl::AclNames;
use model::{Acl, Profile, Time};
use serde_json::json;
use server::Options;

use super::stage::{Answer, Stage};
use crate::common::TestDir;

const PATH: &str = "/kornsole/v1/alerts/silences";
const RULES: &str = "[[rule]]\nname = 'few'\nkind = 'expression'\nwhen = 'cluster.nodes.up < 1000'\n";

struct Silenced {
    stage: Stage,
    board: Arc<Board>,
    tokens: [String; 3],
    _dir: TestDir,
}

impl Silenced {
    fn new() -> Self {
        let dir = TestDir::new();
        let tokens = [dir.token("sue", "dev"), dir.token("joe", "dev"), dir.read_only_token("ann", "dev")];
        let tokens = tokens.map(|token| format!("Bearer {token}"));
        let rules = Arc::new(read(RULES).rules.unwrap());
        let board = Arc::new(Board::new("test", rules, None, Time::ZERO, Vec::new()));
        let (path, own) = (dir.tokens(), Arc::clone(&board));
        let set = |options: &mut Options| {
            options.access.tokens = Some(path);
            options.access.scheduler_acl = Acl::parse("sue", AclNames::Portable).unwrap().acl;
            options.alerts = Some(own);
        };
        let scenario = "tests/conformance/rest/scenario.yaml".as_ref();
        let this = Self { stage: Stage::resting(scenario, Profile::Kornsole, set), board, tokens, _dir: dir };
        let view = this.stage.engine.published().view();
        let at = view.at;
        let (happened, connection, health, disk) = (None, None, None, None);
        let given = Given { view, at, happened, connection, health, disk, apps: true };
        this.board.step(&given, Timing { wall: SystemTime::now(), speed: 1.0 });
        this
    }

    fn ask(&self, user: usize, method: &str, path: &str, body: &serde_json::Value) -> Answer {
        let headers = [("Authorization", self.tokens[user].as_str()), ("Content-Type", "application/json")];
        let body = if method == "POST" { body.to_string() } else { String::new() };
        self.stage.ask(method, path, &headers, body.as_bytes())
    }

    fn audit(&self) -> Vec<String> {
        let answer = self.ask(0, "GET", "/kornsole/v1/audit", &json!(null)).json();
        let word = |entry: &serde_json::Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let entries = answer["entries"].as_array().unwrap().iter();
        let silences = entries.filter(|entry| word(entry, "action").contains("silence"));
        silences
            .map(|entry| ["action", "user", "object", "reason", "code"].map(|name| word(entry, name)).join(" | "))
            .collect()
    }
}

#[test]
fn a_silence_over_rest_stops_sending_and_is_in_the_audit() {
    let server = Silenced::new();
    assert_eq!(server.board.snapshot().on().count(), 1);
    let body = json!({"rule": "few", "subject": "cluster", "lasts": "2h", "reason": "a migration"});
    let answer = server.ask(0, "POST", PATH, &body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let silence = answer.json();
    assert_eq!((&silence["id"], &silence["by"], &silence["active"]), (&json!(1), &json!("sue"), &json!(true)));
    assert_eq!((&silence["of"], &silence["reason"]), (&json!("few of cluster"), &json!("a migration")));
    let alerts = server.ask(1, "GET", "/kornsole/v1/alerts", &json!(null)).json();
    assert_eq!(alerts["alerts"][0]["held"], "silence 1");
    assert_eq!(server.board.snapshot().on().count(), 0);
    let ended = server.ask(0, "DELETE", &format!("{PATH}/1"), &json!(null));
    assert_eq!((ended.status, &ended.json()["active"]), (200, &json!(false)), "{}", ended.text());
    assert_eq!(server.ask(0, "DELETE", &format!("{PATH}/1"), &json!(null)).status, 404, "once");
    let audit = server.audit();
    assert!(audit.contains(&"silence | sue | cluster | a migration | ".to_owned()), "{audit:#?}");
    assert!(audit.contains(&"end-silence | sue | few of cluster |  | ".to_owned()), "{audit:#?}");
}

#[test]
fn an_invalid_silence_is_rejected_changes_nothing_and_shows_the_valid_form() {
    let server = Silenced::new();
    let good = json!({"rule": "few", "lasts": "2h", "reason": "a migration"});
    for (user, body, status, why) in [
        (1, good.clone(), 403, "scheduler ACL"),
        (2, good, 403, "read"),
        (0, json!({"lasts": "2h", "reason": "x"}), 400, "a silence needs a `rule`, a `subject`, or both"),
        (0, json!({"rule": "few", "lasts": "tomorrow", "reason": "x"}), 400, "is not a duration; use for example `2h`"),
        (0, json!({"rule": "few", "lasts": "9000h", "reason": "x"}), 400, "a silence lasts from 1s to 30d"),
        (0, json!({"rule": "few", "lasts": "2h"}), 400, "a silence needs a reason"),
        (0, json!({"rule": "fewer", "lasts": "2h", "reason": "x"}), 400, "not found"),
        (0, json!({"subject": "node x", "lasts": "2h", "reason": "x"}), 404, "node x"),
        (0, json!({"rules": "few", "lasts": "2h", "reason": "x"}), 400, "unknown field `rules`"),
    ] {
        let answer = server.ask(user, "POST", PATH, &body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.text().contains(why), "{body}: {}", answer.text());
    }
    assert_eq!(server.ask(0, "DELETE", &format!("{PATH}/x"), &json!(null)).status, 404);
    assert!(server.board.snapshot().silences.is_empty());
    assert!(server.audit().iter().any(|entry| entry.starts_with("silence | joe")), "{:#?}", server.audit());
}
