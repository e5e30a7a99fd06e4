//! Large rejected operations neither fill the disk nor delay other users.

use std::fs;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ::engine::journal::{Dir, MakeCore, MemoryDisk};
use ::engine::{Core, Engine, Setup};
use model::Identity;
use scheduler::Submission;
use serde_json::json;
use view::act::{Act, Actor, NodeSpec, Order, PartitionAct};
use view::audit::{AuditEntry, AuditQuery};

use super::program::with_state;
use super::stage::{engine, setup};
use crate::common::{Program, TestDir, kill, move_to, post_for_head, within};

const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, queues: [{name: a, submitacl: 'sue'}]}]}]\n";
const LARGEST: usize = 256 << 10;
const SUBMIT: &str = "/kornsole/v1/partition/default/applications";

fn fresh(setup: &Setup) -> MakeCore<'_> {
    Box::new(|workload| {
        let config = config::read(QUEUES, setup.profile).config.ok_or("the configuration does not read")?;
        Ok(Core::set_up(setup, Arc::new(config), workload)?.with_config_text(QUEUES.as_bytes(), None))
    })
}

fn submission(app: &str, bytes: usize) -> String {
    json!({"app": app, "queue": "root.a", "tags": {"k": "x".repeat(bytes)}}).to_string()
}

#[test]
fn refused_submissions_do_not_fill_the_disk() {
    let dir = TestDir::new();
    let queues = dir.write("queues.yaml", QUEUES);
    let tokens = [dir.token("sue", "dev"), dir.token("eve", "none"), dir.read_only_token("rob", "none")];
    let [sue, eve, rob] = tokens;
    let arguments =
        ["--config", queues.to_str().unwrap(), "--tokens", dir.tokens().to_str().unwrap()].map(str::to_owned);
    let start = || Program::spawn(with_state(&dir.join("state"), &arguments.each_ref().map(String::as_str)));
    let server = start();
    assert_eq!(post_for_head(&server, SUBMIT, &rob, &submission("large", 1 << 20)).0, 413, "no order is so large");
    for (token, refused) in [(&eve, 422), (&rob, 403)] {
        let mut delayed = 0;
        for at in 0..60 {
            let (status, head, body) =
                post_for_head(&server, SUBMIT, token, &submission(&format!("{refused}-{at}"), LARGEST - 200));
            if status == refused {
                assert_eq!(delayed, 0, "one is held up for a minute");
                continue;
            }
            assert_eq!((status, &body["code"]), (429, &json!("RATE_LIMITED")), "{body}");
            assert!(head.to_ascii_lowercase().contains("retry-after: 60"), "{head}");
            delayed += 1;
        }
        assert!(delayed > 30, "{delayed} of 60 were held up");
        let own = post_for_head(&server, SUBMIT, &sue, &submission(&format!("sue-{refused}"), 100));
        assert_eq!(own.0, 201, "nobody else waits: {}", own.2);
    }
    let bytes = || fs::metadata(dir.join("state/journal.redb")).unwrap().len();
    assert!(bytes() < 6 << 20, "{} bytes", bytes());
    server.kill();
    let started_at = Instant::now();
    let again = start();
    assert!(started_at.elapsed() < Duration::from_secs(3), "{:?}", started_at.elapsed());
    assert_eq!(post_for_head(&again, SUBMIT, &sue, &submission("sue-422", 9)).0, 409, "what was answered is there");
}

fn refused_orders(at: usize) -> Vec<(Actor, Act)> {
    let large = "x".repeat(200 << 10);
    let eve = || Actor::from(Identity::new("eve", ["none"]));
    let tags = || [("k".to_owned(), large.clone())].into();
    let submit = |user: &str, queue: &str| {
        let (who, queue) = (Identity::new(user, ["none"]), queue.to_owned());
        let submission = Submission {
            app: format!("{user}-{queue}-{at}").into(),
            queue,
            who,
            tags: tags(),
            ..Submission::default()
        };
        within(PartitionAct::Submit(submission))
    };
    let node = NodeSpec { id: format!("n{at}").into(), attributes: tags(), ..NodeSpec::default() };
    vec![
        (eve(), submit("eve", "root.a")),
        (eve(), submit("eve", "root.none")),
        (eve(), submit("sue", "root.a")),
        (eve().read_only("for a test"), submit("eve", "root.a")),
        (eve(), within(PartitionAct::AddNode(node))),
        (eve(), move_to("nothing", &large)),
        (eve(), kill("nothing")),
        (eve(), Act::Configure { text: large.clone(), base: None, dry_run: false }),
    ]
}

fn give(engine: &Engine, actor: Actor, order: Order) {
    let (sender, answered) = channel();
    engine.perform(actor, order, Box::new(move |outcome| sender.send(outcome.is_err()).unwrap()));
    assert!(answered.recv().unwrap());
}

fn seen(core: &Core) -> (Vec<Arc<AuditEntry>>, String) {
    let entries = core.audit_log().entries(&AuditQuery { limit: usize::MAX, ..AuditQuery::default() });
    (entries, format!("{:?}", core.scheduler().partitions()[0].ended))
}

#[test]
fn a_rejected_operation_is_stored_without_its_body_and_replays_the_same() {
    let disk = Arc::new(MemoryDisk::default());
    let setup = setup();
    let reopen = || Dir::on(Arc::clone(&disk) as _).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap();
    let running = engine(reopen());
    for at in 0..25 {
        for (actor, act) in refused_orders(at) {
            give(&running, actor, Order::new(act, format!("reason {at}")));
        }
    }
    let long = Order::new(kill("nothing"), "x".repeat(200 << 10));
    give(&running, Actor::from(Identity::new("eve", ["none"])), long);
    let known = running.audit_log().entries(&AuditQuery { limit: usize::MAX, ..AuditQuery::default() });
    assert_eq!(known.len(), 25 * 8 + 1);
    drop(running);
    let bytes = disk.copy().len();
    assert!(bytes < 5 << 20, "{bytes} bytes for {} orders of 200 KB", known.len());
    let (core, retained) = reopen();
    let (entries, ended) = seen(&core);
    assert_eq!(entries, known);
    assert_eq!(core.scheduler().partitions()[0].ended.len(), 50, "what placement rejected is listed");
    assert!(ended.len() < 1_000_000, "no large tags are kept: {} bytes", ended.len());
    drop((core, retained));
    let again = seen(&reopen().0);
    assert_eq!(again, (entries, ended));
}

#[test]
fn a_repaired_journal_also_has_the_short_records() {
    let scratch = TestDir::new();
    let setup = setup();
    let reopen = |repair| Dir::open(&scratch, repair).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap();
    let running = engine(reopen(false));
    for at in 0..3 {
        refused_orders(at).into_iter().for_each(|(actor, act)| give(&running, actor, act.into()));
    }
    let known = running.audit_log().entries(&AuditQuery { limit: usize::MAX, ..AuditQuery::default() });
    drop(running);
    let file = scratch.join("journal.redb");
    let mut damaged = fs::read(&file).unwrap();
    damaged[..4096].fill(0);
    fs::write(&file, damaged).unwrap();
    assert!(Dir::open(&scratch, false).is_err());
    assert_eq!(seen(&reopen(true).0).0, known);
}
