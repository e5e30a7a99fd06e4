use std::collections::BTreeMap;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use ::config::{self, Settings};
use client::{Limits, Target, Token};
use engine::{Core, Engine, Numbering, Setup};
use model::acl::AclNames;
use model::{Acl, Identity, Priority, Profile};
use scheduler::{AskSpec, GangStyle, NodeSpec, PartitionCommand, Submission};
use serde_json::json;
use server::{Access, Options, Server};
use source::remote::RemoteOptions;
use source::{Focus, FocusKind, Source};
use view::act::{Act, Code, Done, Granted, LoadedBy, Order, PartitionAct, Refusal};
use view::record::{ChangeDetail, ObjectType, Record};

use crate::common::{TestDir, millicores};
use crate::remote::commands::kornsole_set;
use crate::remote::observer::{Observer, PATIENCE};
use crate::remote::serve::{Answer, Server as Recorded};
use crate::remote::sets::get;

const CONFIG: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            adminacl: ann
            submitacl: ' dev'
            queues: [{name: x}, {name: y}]
          - name: b
            adminacl: bob
            queues: [{name: z}]
";

/// Tokens for sue of dev, ann, and olga of ops, who is in the scheduler ACL.
pub struct Own {
    pub engine: Arc<Engine>,
    pub server: Server,
    dir: TestDir,
    tokens: Vec<(&'static str, String)>,
}

impl Own {
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// With settings of the scheduler.
    pub fn with(set: &[(&str, &str)]) -> Self {
        let dir = TestDir::new();
        let tokens = vec![
            ("sue", dir.token("sue", "dev")),
            ("ann", dir.token("ann", "ann")),
            ("olga", dir.token("olga", "ops")),
        ];
        let mut settings = Settings::default();
        set.iter().for_each(|(name, value)| settings.set(name, value, "test").unwrap());
        let setup = Setup::by(Profile::Kornsole, settings.config());
        let read = config::read(CONFIG, Profile::Kornsole).config.unwrap();
        let queues = dir.write("queues.yaml", CONFIG);
        let core =
            Core::set_up(&setup, Arc::new(read), None).unwrap().with_config_text(CONFIG.as_bytes(), Some(queues));
        let engine = Arc::new(Engine::start(core, 1.0).unwrap());
        let node = NodeSpec { id: "n".into(), capacity: millicores(100_000), ..NodeSpec::default() };
        engine.apply(PartitionCommand::AddNode(node).into()).recv_timeout(PATIENCE).unwrap();
        let events = settings.config().event.clone();
        let mut options = Options::plain("127.0.0.1:0".parse().unwrap(), Profile::Kornsole, events);
        let scheduler_acl = Acl::parse(" ops", AclNames::Portable).unwrap().acl;
        options.access = Access { tokens: Some(dir.tokens()), scheduler_acl, ..Access::default() };
        let server = Server::start(options, Arc::clone(&engine)).unwrap();
        Self { engine, server, dir, tokens }
    }

    pub fn target(&self, who: &str) -> Target {
        self.at(who, &self.server.address().to_string())
    }

    /// The target with another address of the server.
    pub fn at(&self, who: &str, address: &str) -> Target {
        let token = &self.tokens.iter().find(|(name, _)| *name == who).unwrap().1;
        Target::new(address).unwrap().with_token(Token::new(token).unwrap()).unwrap()
    }

    /// A console for a user.
    pub fn console(&self, who: &str) -> Observer {
        let observer =
            Observer::patient(&self.target(who), RemoteOptions { limits: Limits::default(), ..Default::default() });
        observer.wait("your identity", |view, link| {
            (link.is_live() && !observer.remote.identity().user.is_empty() && !view.partitions.is_empty()).then_some(())
        });
        observer
    }
}

/// Repeats the act if a busy machine delays updates so long that commands are disabled.
pub fn act(console: &Observer, act: PartitionAct) -> Result<Done, Refusal> {
    let act = Act::within(&Arc::from("default"), act);
    let order = Order::new(act, "weil es geht – für später");
    loop {
        console.wait("a live connection", |_, link| link.is_live().then_some(()));
        let (sender, report) = channel();
        console.remote.act(order.clone(), Box::new(move |outcome| sender.send(outcome).unwrap()));
        match report.recv_timeout(PATIENCE).unwrap() {
            Err(refusal) if refusal.description.starts_with("the connection is lost: no answer yet") => {}
            outcome => return outcome,
        }
    }
}

fn submission(app: &str, queue: &str) -> Submission {
    Submission {
        app: app.into(),
        queue: queue.to_owned(),
        tags: [("team".to_owned(), "blue".to_owned())].into(),
        gang_style: GangStyle::Hard,
        placeholder_ask: [("vcore", 1500), ("memory", 7)].into_iter().collect(),
        ..Submission::default()
    }
}

#[test]
fn a_console_submits_asks_and_releases() {
    let own = Own::new();
    let sue = own.console("sue");
    let Ok(Done::Submitted(done)) = act(&sue, PartitionAct::Submit(submission("one", "root.a.x"))) else { panic!() };
    assert_eq!((done.app.as_str(), done.queue.as_str()), ("one", "root.a.x"));
    let view = own.engine.published().view();
    let row = view.partitions[0].app_by_id(&"one".into()).unwrap();
    assert_eq!((row.who.user.as_str(), row.tags["team"].as_str()), ("sue", "blue"));

    let twice = act(&sue, PartitionAct::Submit(submission("one", "root.a.x"))).unwrap_err();
    assert_eq!(twice.code, Code::Exists);
    let placed = act(&sue, PartitionAct::Submit(submission("two", "root.b.z"))).unwrap_err();
    assert_eq!(placed.code, Code::NotPlaced);

    sue.wait("the application", |view, _| view.partitions[0].app_by_id(&"one".into()).map(|_| ()));
    let tags: BTreeMap<String, String> = [("pod".to_owned(), "one-t".to_owned())].into();
    let (resource, priority) = (millicores(500), Priority(3));
    let ask = AskSpec { id: "t".into(), count: 2, resource, priority, tags: tags.into(), ..AskSpec::default() };
    let Ok(Done::Asked(done)) = act(&sue, PartitionAct::Ask { app: "one".into(), asks: vec![ask] }) else { panic!() };
    assert_eq!(done.asks, ["t-1".into(), "t-2".into()]);
    sue.wait("running jobs", |view, _| (view.partitions[0].allocated == millicores(1000)).then_some(()));
    sue.wait("what was said of it", |view, _| {
        let row = view.partitions[0].app_by_id(&"one".into())?;
        row.asks.values().all(|ask| ask.tags.iter().eq([("pod", "one-t")])).then_some(())
    });

    let release = || PartitionAct::Release { app: "one".into(), ask: "t-1".into() };
    let Ok(Done::Released(done)) = act(&sue, release()) else { panic!() };
    assert!(done.allocated && done.ask.as_str() == "t-1");
    assert_eq!(act(&sue, release()).unwrap_err().code, Code::NotFound);
    let ann = own.console("ann");
    ann.wait("the application", |view, _| view.partitions[0].app_by_id(&"one".into()).map(|_| ()));
    let Ok(Done::Removed(done)) = act(&ann, PartitionAct::Remove { app: "one".into() }) else { panic!() };
    assert_eq!(done.released, ["t-2".into()]);
}

#[test]
fn a_console_manages_nodes_if_the_scheduler_acl_allows_it() {
    let own = Own::new();
    let (sue, olga) = (own.console("sue"), own.console("olga"));
    let mut spec = NodeSpec { id: "m/1".into(), capacity: millicores(4000), drained: true, ..NodeSpec::default() };
    spec.attributes.insert("zone".to_owned(), "b".to_owned());
    let refused = act(&sue, PartitionAct::AddNode(spec.clone())).unwrap_err();
    assert!(refused.code == Code::AclDenied && refused.details.scheduler_acl, "{refused:?}");
    let node = |id: &str| own.engine.published().view().partitions[0].nodes.get(id).cloned();
    act(&olga, PartitionAct::AddNode(spec)).unwrap();
    let row = node("m/1").unwrap();
    assert_eq!((row.schedulable, row.capacity.amount("vcore"), row.attributes["zone"].as_str()), (false, 4000, "b"));
    act(&olga, PartitionAct::ResumeNode("m/1".into())).unwrap();
    act(&olga, PartitionAct::UpdateNode { id: "m/1".into(), capacity: Some(millicores(2500)), occupied: None })
        .unwrap();
    let row = node("m/1").unwrap();
    assert_eq!((row.schedulable, row.capacity.amount("vcore")), (true, 2500));
    act(&olga, PartitionAct::DrainNode("m/1".into())).unwrap();
    assert!(!node("m/1").unwrap().schedulable);
    act(
        &sue,
        PartitionAct::Submit(Submission { app: "one".into(), queue: "root.a.x".into(), ..Submission::default() }),
    )
    .unwrap();
    sue.wait("the application", |view, _| view.partitions[0].app_by_id(&"one".into()).map(|_| ()));
    let ask = AskSpec { id: "t".into(), resource: millicores(500), ..AskSpec::default() };
    act(&sue, PartitionAct::Ask { app: "one".into(), asks: vec![ask] }).unwrap();
    olga.wait("running jobs", |view, _| (view.partitions[0].allocated == millicores(500)).then_some(()));
    let remove = |force| PartitionAct::RemoveNode { id: "n".into(), force };
    assert_eq!(act(&olga, remove(false)).unwrap_err().code, Code::NodeInUse);
    let Ok(Done::Node(done)) = act(&olga, remove(true)) else { panic!() };
    assert_eq!(done.released, [("one".into(), "t".into())]);
    assert!(node("n").is_none());
}

#[test]
fn what_one_may_do_is_the_servers_own_decision() {
    let own = Own::new();
    let ann = own.console("ann");
    let granted = ann.wait("what she may do", |view, _| {
        let decided = view.partitions[0].decided.clone()?;
        Some(["root.a", "root.a.x", "root.b.z"].map(|queue| decided.queues[queue]))
    });
    let admin = Granted { submit: true, admin: true };
    assert_eq!(granted, [admin, admin, Granted::default()]);

    // A server whose decisions no access list explains.
    let mut set = kornsole_set();
    let path = get("/kornsole/v1/partition/default/permissions");
    let reported = |admin| json!({"queues": [{"queue": "root.tenants.tenant-a.etl", "submit": true, "admin": admin}]});
    set.insert(path.clone(), Answer::json(reported(false).to_string()));
    let server = Recorded::start(set.clone());
    let target = Target::new(&server.url()).unwrap().with_token(Token::new("secret").unwrap()).unwrap();
    let observer = Observer::with(&target, RemoteOptions::default());
    let kill = Act::within(&Arc::from("default"), PartitionAct::Kill { app: "etl-1".into(), expect_queue: None });
    let refused = |text: &str| {
        observer
            .wait(text, |_, _| observer.remote.may(&kill).err().filter(|refusal| refusal.to_string().contains(text)))
    };
    assert_eq!(refused("needs admin access on root.tenants.tenant-a.etl").code, Code::AclDenied);
    set.insert(path, Answer::json(reported(true).to_string()));
    server.answer(set.clone());
    observer.wait("that it may be killed", |_, _| observer.remote.may(&kill).ok());

    let why = json!({"results": [{"allowed": false, "why": "sue may not kill etl-1: the auditors have it"}]});
    set.insert(("POST".to_owned(), "/kornsole/v1/permissions".to_owned()), Answer::json(why.to_string()));
    server.answer(set);
    observer.remote.set_focus(&Focus { partition: "default".into(), kind: FocusKind::App("etl-1".into()) });
    assert_eq!(refused("the auditors have it").message, "sue may not kill etl-1");
    let asked =
        server.arrived().into_iter().find(|arrived| arrived.line.starts_with("POST /kornsole/v1/permissions")).unwrap();
    let check = json!({"checks": [{"action": "kill", "application": "etl-1", "partition": "default"}]});
    assert_eq!(serde_json::from_str::<serde_json::Value>(&asked.body).unwrap(), check);
}

struct Between {
    port: u16,
    connections: Arc<Mutex<Vec<TcpStream>>>,
    open: Arc<AtomicBool>,
}

impl Between {
    fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connections, open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(true)));
        let (retained, opened) = (Arc::clone(&connections), Arc::clone(&open));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let mut retained = retained.lock().unwrap();
                if !opened.load(Ordering::Acquire) {
                    continue;
                }
                let server = TcpStream::connect(server).unwrap();
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
                retained.extend([client, server]);
            }
        });
        Self { port, connections, open }
    }

    fn cut(&self, open: bool) {
        let mut connections = self.connections.lock().unwrap();
        self.open.store(open, Ordering::Release);
        for stream in connections.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn submit(own: &Own, app: String) {
    let who = Identity::new("sue", ["dev"]);
    let submission = Submission { app: app.into(), queue: "root.a.x".into(), who, ..Submission::default() };
    own.engine.apply(PartitionCommand::Submit(submission).into()).recv_timeout(PATIENCE).unwrap();
}

fn seen(console: &Observer, own: &Own) -> Vec<(u64, Record)> {
    console.wait("the last event", |_, _| {
        let next = own.engine.events().page(Numbering::All, u64::MAX, 0).next;
        let page = console.remote.events(0, usize::MAX);
        (page.next == next).then(|| page.records.iter().map(|(id, record)| (*id, (**record).clone())).collect())
    })
}

#[test]
fn events_of_a_kornsole_have_their_own_ids_and_kinds() {
    let own = Own::new();
    let console = own.console("olga");
    let before = console.wait("the configuration", |view, _| view.configuration.clone());
    assert_eq!((before.by.clone(), before.file.clone()), (LoadedBy::Start, Some(own.dir.join("queues.yaml"))));
    let base = before.checksum.clone();
    let text = CONFIG.replace("queues: [{name: z}]", "queues: [{name: z}, {name: w}]");
    let (sender, report) = channel();
    let order = Act::Configure { text, base: Some(base), dry_run: false };
    console.remote.act(order.into(), Box::new(move |outcome| sender.send(outcome).unwrap()));
    report.recv_timeout(PATIENCE).unwrap().unwrap();
    assert!(std::fs::read_to_string(own.dir.join("queues.yaml")).unwrap().contains("name: w"), "the file is replaced");
    let seen = seen(&console, &own);
    let retained = own.engine.events().page(Numbering::All, 0, usize::MAX);
    let words = |record: &Record| (record.kind, record.object.clone(), record.detail, record.message.clone());
    let all: Vec<_> = retained.records.iter().map(|(id, record)| (*id, words(record))).collect();
    assert_eq!(seen.iter().map(|(id, record)| (*id, words(record))).collect::<Vec<_>>(), all);
    assert!(seen.iter().any(|(_, record)| record.detail == ChangeDetail::CONFIG_LOADED), "{seen:?}");
}

#[test]
fn events_continue_exactly_where_the_connection_broke() {
    let own = Own::new();
    let between = Between::start(own.server.address());
    let target = own.at("sue", &format!("127.0.0.1:{}", between.port));
    let console = Observer::patient(&target, RemoteOptions::default());
    for round in 0..6 {
        for number in 0..20 {
            submit(&own, format!("app-{round}-{number}"));
        }
        between.cut(true);
    }
    let seen = seen(&console, &own);
    let ids: Vec<u64> = seen.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, (0..ids.len() as u64).collect::<Vec<_>>(), "each once, in order, none missing");
    assert!(seen.iter().all(|(_, record)| record.kind != ObjectType::UNKNOWN), "{seen:?}");
}

#[test]
fn lost_events_are_a_hole_among_the_others() {
    let own = Own::with(&[("event.ringBufferCapacity", "100")]);
    let between = Between::start(own.server.address());
    let target = own.at("sue", &format!("127.0.0.1:{}", between.port));
    let console = Observer::patient(&target, RemoteOptions::default());
    submit(&own, "before".to_owned());
    let last = seen(&console, &own).last().unwrap().0;
    between.cut(false);
    for number in 0..2000 {
        submit(&own, format!("app-{number}"));
    }
    between.cut(true);
    let seen = seen(&console, &own);
    let holes: Vec<&(u64, Record)> = seen.iter().filter(|(_, record)| record.kind == ObjectType::UNKNOWN).collect();
    let [(from, hole)] = holes[..] else { panic!("{holes:?}") };
    let next = seen.iter().find(|(id, _)| id > from).unwrap().0;
    assert_eq!(*from, last + 1);
    assert!(hole.message.contains(&format!("{from} to {}, are lost", next - 1)), "{}", hole.message);
    console.wait("a notice", |view, _| {
        view.notices.iter().any(|notice| notice.title.contains("events are lost")).then_some(())
    });
}
