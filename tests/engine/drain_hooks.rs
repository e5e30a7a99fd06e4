//! Notices to administrators of draining queues: the command, the webhook, and their failures.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Command as Process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use config::settings::DrainConfig;
use engine::drain_hooks::DrainNotifier;
use engine::{Core, DrainHook, DrainReport, Engine};
use model::{Acl, Identity, Profile, QueuePath, Resource, Time};
use scheduler::{AskSpec, Command, Draining, NodeSpec, PartitionCommand, Submission};
use serde_json::Value;
use source::{Embedded, Source};

use crate::common::{TestDir, about};

const PATIENCE: Duration = Duration::from_secs(30);

const WITH: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    adminacl: ' ops'
    queues: [{name: a}, {name: legacy, adminacl: sue}]
";

fn pipe(dir: &TestDir) -> (String, Receiver<String>) {
    let pipe = dir.join("pipe").display().to_string();
    assert!(Process::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (sender, message) = channel();
    let name = pipe.clone();
    std::thread::spawn(move || sender.send(std::fs::read_to_string(name).unwrap()));
    (pipe, message)
}

fn patient(command: &[&str]) -> DrainConfig {
    DrainConfig {
        command: command.iter().map(ToString::to_string).collect(),
        timeout: PATIENCE,
        retry_pause: Duration::from_millis(1),
        ..DrainConfig::default()
    }
}

fn drain(hook: &DrainConfig) -> Embedded {
    let read = |text: &str| Arc::new(config::read(text, Profile::Kornsole).config.unwrap());
    let mut core = Core::new(Profile::Kornsole, read(WITH), None).unwrap();
    let cores = |n: i64| -> Resource { [("vcore", n * 1000)].into_iter().collect() };
    let who = Identity::new("joe", ["dev", "$(touch evil); `x`"]);
    let queue = "root.legacy".to_owned();
    for command in [
        PartitionCommand::AddNode(NodeSpec { id: "n".into(), capacity: cores(9), ..NodeSpec::default() }),
        PartitionCommand::Submit(Submission { app: "old-1".into(), queue, who, ..Submission::default() }),
        PartitionCommand::Ask(AskSpec {
            app: "old-1".into(),
            id: "t".into(),
            resource: cores(2),
            ..AskSpec::default()
        }),
    ] {
        core.apply(&command.into());
    }
    core.run_until(core.now(), 100);
    let engine = Engine::start_with_hook(core, 1.0, DrainHook::of(hook)).unwrap();
    let drained = WITH.replace(", {name: legacy, adminacl: sue}", "");
    engine.apply(Command::Configure(read(&drained))).recv_timeout(PATIENCE).unwrap();
    Embedded::new(engine, about("test"), Identity::new("sue", ["dev"]))
}

fn failure(source: &Embedded) -> String {
    let (wake, woken) = channel();
    source.on_change(Box::new(move || {
        let _ = wake.send(());
    }));
    loop {
        let view = source.view();
        let found = view.notices.iter().find(|notice| notice.title.contains("cannot notify"));
        if let Some(notice) = found {
            return format!("{}: {}", notice.title, notice.text);
        }
        woken.recv_timeout(PATIENCE).unwrap();
    }
}

fn check_document(document: &str) {
    let document: Value = serde_json::from_str(document).unwrap();
    assert_eq!(document["event"], "draining");
    assert_eq!(document["partition"], "default");
    assert_eq!(document["queue"], "root.legacy");
    assert_eq!(document["admins"], serde_json::json!({"users": ["sue"], "groups": ["ops"]}));
    let app = &document["applications"][0];
    assert_eq!(app["applicationID"], "old-1");
    assert_eq!(app["user"], "joe");
    assert_eq!(app["groups"][1], "$(touch evil); `x`", "data is data");
    assert_eq!(app["allocated"]["vcore"], 2000);
    let since = Duration::from_nanos(document["since"].as_u64().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    assert!(now >= since && now - since < PATIENCE * 2, "{since:?}, and it is {now:?}");
}

#[test]
fn the_command_reads_all_records() {
    let dir = TestDir::new();
    let (pipe, message) = pipe(&dir);
    let _source = drain(&patient(&["sh", "-c", "cat > \"$1\"", "tell", &pipe]));
    check_document(&message.recv_timeout(PATIENCE).unwrap());
}

#[test]
fn a_command_that_fails_is_repeated_and_then_reported() {
    let source = drain(&DrainConfig { retries: 2, ..patient(&["sh", "-c", "echo; echo nobody home >&2; exit 3"]) });
    let message = failure(&source);
    assert_eq!(
        message,
        "cannot notify the administrators of root.legacy: sh: exit status: 3: nobody home; 3 attempts failed"
    );
    assert_eq!(source.view().notices.iter().filter(|notice| notice.title.contains("cannot notify")).count(), 1);
}

#[test]
fn a_command_that_works_at_the_second_try_is_no_failure() {
    let dir = TestDir::new();
    let (pipe, message) = pipe(&dir);
    let mark = dir.join("mark").display().to_string();
    let script = "if [ -e \"$2\" ]; then cat > \"$1\"; else : > \"$2\"; exit 1; fi";
    let source = drain(&DrainConfig { retries: 1, ..patient(&["sh", "-c", script, "tell", &pipe, &mark]) });
    check_document(&message.recv_timeout(PATIENCE).unwrap());
    assert!(!source.view().notices.iter().any(|notice| notice.title.contains("cannot notify")));
}

#[test]
fn a_command_that_runs_too_long_is_stopped() {
    let config = DrainConfig { timeout: Duration::from_millis(50), ..patient(&["sleep", "600"]) };
    let message = failure(&drain(&config));
    assert!(message.ends_with("sleep did not end within 50ms and was stopped; tried once"), "{message}");
}

#[test]
fn a_command_that_is_not_there_is_reported() {
    let message = failure(&drain(&patient(&["/nowhere/kornsole-hook"])));
    assert!(message.contains("cannot run /nowhere/kornsole-hook: "), "{message}");
}

trait Line: Read + Write {}

impl<T: Read + Write> Line for T {}

fn listen(
    answers: &'static [&'static str],
    certificate: Option<rustls::ServerConfig>,
) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let address = format!("{scheme}://{}/drains?team=1", listener.local_addr().unwrap());
    let (sender, message) = channel();
    let certificate = certificate.map(Arc::new);
    std::thread::spawn(move || {
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let stream: Box<dyn Line> = match &certificate {
                Some(config) => {
                    let tls = rustls::ServerConnection::new(Arc::clone(config)).unwrap();
                    Box::new(rustls::StreamOwned::new(tls, stream))
                }
                None => Box::new(stream),
            };
            let mut reader = BufReader::new(stream);
            let mut head = Vec::new();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                head.push(line.trim().to_ascii_lowercase());
            }
            let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
            assert!(head.contains(&"content-type: application/json".to_owned()), "{head:?}");
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            sender.send((head.remove(0), String::from_utf8(body).unwrap())).unwrap();
        }
    });
    (address, message)
}

#[test]
fn the_webhook_is_retried_until_it_accepts_the_report() {
    let (address, requests) = listen(&["503 Service Unavailable", "204 No Content"], None);
    let source = drain(&DrainConfig { webhook: Some(address), retries: 5, ..patient(&[]) });
    for _ in 0..2 {
        let (line, body) = requests.recv_timeout(PATIENCE).unwrap();
        assert_eq!(line, "post /drains?team=1 http/1.1");
        check_document(&body);
    }
    drop(source);
    assert!(requests.recv_timeout(PATIENCE).is_err(), "nothing is posted after it was taken");
}

#[test]
fn a_webhook_that_refuses_is_reported_without_its_address() {
    let (address, _requests) = listen(&["403 Forbidden"], None);
    let message = failure(&drain(&DrainConfig { webhook: Some(address), ..patient(&[]) }));
    assert!(message.ends_with("the webhook answered 403 Forbidden; tried once"), "{message}");

    let closed_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let webhook = Some(format!("http://{closed_port}/secret-path"));
    let message = failure(&drain(&DrainConfig { webhook, ..patient(&[]) }));
    assert!(message.contains("the webhook: ") && !message.contains("secret-path"), "{message}");
}

#[test]
fn a_webhook_over_tls_is_trusted_only_by_its_authority() {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = || {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let key = made.signing_key.serialize_der().try_into().unwrap();
        Some(config.unwrap().with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap())
    };
    let dir = TestDir::new();
    let authorities = Some(dir.join("ca.pem"));
    std::fs::write(dir.join("ca.pem"), made.cert.pem()).unwrap();
    let (address, requests) = listen(&["204 No Content"], certificate());
    let _source = drain(&DrainConfig { webhook: Some(address), authorities, ..patient(&[]) });
    check_document(&requests.recv_timeout(PATIENCE).unwrap().1);

    let (address, _requests) = listen(&[], certificate());
    let hook = DrainConfig { webhook: Some(address), ..patient(&[]) };
    let message = failure(&drain(&DrainConfig { authorities: Some(dir.join("no.pem")), ..hook.clone() }));
    assert!(message.contains("no.pem") && message.ends_with("; tried once"), "{message}");
    std::fs::write(dir.join("empty.pem"), "").unwrap();
    let message = failure(&drain(&DrainConfig { authorities: Some(dir.join("empty.pem")), ..hook }));
    assert!(message.contains("empty.pem has no certificate in PEM; tried once"), "{message}");

    let (address, requests) = listen(&["204 No Content"], certificate());
    let message = failure(&drain(&DrainConfig { webhook: Some(address), ..patient(&[]) }));
    assert!(message.contains("certificate") && !message.contains("/drains"), "{message}");
    assert!(requests.recv_timeout(PATIENCE).is_err(), "nothing was sent to another receiver");
}

#[test]
fn a_redirect_of_a_webhook_is_not_followed() {
    let (address, requests) = listen(&["301 Moved Permanently\r\nlocation: /other"], None);
    let message = failure(&drain(&DrainConfig { webhook: Some(address), ..patient(&[]) }));
    assert!(message.ends_with("the webhook answered 301 Moved Permanently; tried once"), "{message}");
    assert_eq!(requests.recv_timeout(PATIENCE).unwrap().0, "post /drains?team=1 http/1.1");
}

fn report() -> DrainReport {
    let queue = QueuePath::new("root.legacy");
    let admins = Acl { all_users: true, ..Acl::default() };
    let draining = Draining { queue, since: Time::ZERO, applications: Vec::new(), allocated: Resource::new(), admins };
    DrainReport { partition: "default".into(), stuck: true, at: Time::from_millis(3_600_500), draining }
}

#[test]
fn whoever_hands_in_a_report_never_waits() {
    // Nothing answers on this port, so the first report stays in progress.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let webhook = Some(format!("http://{}/", silent.local_addr().unwrap()));
    let hook = DrainHook::of(&DrainConfig { webhook, ..patient(&[]) }).unwrap();
    let notifier = DrainNotifier::start(hook, |title, why| panic!("{title}: {why}")).unwrap();
    let refused = (0..66).find_map(|_| notifier.notify(&report(), UNIX_EPOCH).err());
    assert_eq!(refused.unwrap(), "cannot notify the administrators of root.legacy: 64 reports are queued already");
}

#[test]
fn the_document_of_a_stuck_queue() {
    insta::assert_snapshot!(
        report().document(UNIX_EPOCH + Duration::from_secs(1)),
        @r#"{"admins":{"groups":[],"users":["*"]},"allocated":{},"applications":[],"event":"stuck","long":true,"partition":"default","queue":"root.legacy","seconds":3600,"since":1000000000}"#
    );
}

#[test]
fn nothing_is_called_where_nothing_is_set() {
    assert!(DrainHook::of(&DrainConfig::default()).is_none());
}
