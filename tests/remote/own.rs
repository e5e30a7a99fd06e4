//! A kornsole at the other end: a real server, a real client, a real socket between them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

use kornsole::api::auth::{self, NewToken};
use kornsole::api::client::{Limits, Target, Token};
use kornsole::api::server::{Access, Options, Server};
use kornsole::config::{self, Settings};
use kornsole::engine::{Core, Engine, Setup};
use kornsole::model::acl::AclNames;
use kornsole::model::{Acl, Identity, Priority, Profile, Resource};
use kornsole::scheduler::{AskSpec, GangStyle, NodeSpec, PartitionCommand, Submission};
use kornsole::source::remote::RemoteOptions;
use kornsole::source::{Glance, Sight, Source};
use kornsole::view::act::{Act, Code, Done, Granted, Order, PartitionAct, Refusal};
use serde_json::json;

use crate::commands::kornsole_set;
use crate::picture::{Looker, PATIENCE};
use crate::serve::{Answer, Server as Recorded};
use crate::sets::get;

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

/// A served scheduler with a node, and tokens for sue of dev, ann, and olga of ops, who is in the scheduler ACL.
pub struct Own {
    pub engine: Arc<Engine>,
    pub server: Server,
    folder: PathBuf,
    tokens: Vec<(&'static str, String)>,
}

impl Drop for Own {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub fn amount(vcore: i64) -> Resource {
    [("vcore", vcore)].into_iter().collect()
}

impl Own {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(set: impl FnOnce(&mut Settings)) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kornsole-own-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("tokens.yaml");
        let mut tokens = Vec::new();
        for (name, groups) in [("sue", vec!["dev"]), ("ann", vec!["ann"]), ("olga", vec!["ops"])] {
            let new = NewToken::make(Identity::new(name, groups), None, false, "").unwrap();
            auth::add(&file, new.token).unwrap();
            tokens.push((name, new.secret));
        }
        let mut settings = Settings::default();
        set(&mut settings);
        let setup = Setup::by(Profile::Kornsole, settings.config());
        let read = config::read(CONFIG, Profile::Kornsole).config.unwrap();
        let core = Core::set_up(&setup, Arc::new(read), None).unwrap().written(CONFIG.as_bytes(), None);
        let engine = Arc::new(Engine::start(core, 1.0).unwrap());
        let node = NodeSpec { id: "n".into(), capacity: amount(100_000), ..NodeSpec::default() };
        engine.apply(PartitionCommand::AddNode(node).into()).recv_timeout(PATIENCE).unwrap();
        let events = settings.config().event.clone();
        let mut options = Options::plain("127.0.0.1:0".parse().unwrap(), Profile::Kornsole, events);
        let scheduler_acl = Acl::parse(" ops", AclNames::Portable).unwrap().acl;
        options.access = Access { tokens: Some(file), scheduler_acl, ..Access::default() };
        let server = Server::start(options, Arc::clone(&engine)).unwrap();
        Self { engine, server, folder, tokens }
    }

    pub fn target(&self, who: &str) -> Target {
        let token = &self.tokens.iter().find(|(name, _)| *name == who).unwrap().1;
        let target = Target::new(&self.server.address().to_string()).unwrap();
        target.with_token(Token::new(token).unwrap()).unwrap()
    }

    /// A console of somebody.
    pub fn console(&self, who: &str) -> Looker {
        let looker =
            Looker::patient(&self.target(who), RemoteOptions { limits: Limits::default(), ..Default::default() });
        looker.wait("who one is", |view, link| {
            (link.is_live() && !looker.remote.identity().user.is_empty() && !view.partitions.is_empty()).then_some(())
        });
        looker
    }
}

/// What comes of an act that a console gives.
pub fn act(console: &Looker, act: PartitionAct) -> Result<Done, Refusal> {
    let (tell, told) = channel();
    let act = Act::within(&Arc::from("default"), act);
    let order = Order { act, reason: "weil es geht – für später".to_owned() };
    console.remote.act(order, Box::new(move |outcome| tell.send(outcome).unwrap()));
    told.recv_timeout(PATIENCE).unwrap()
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
    let ask = AskSpec { id: "t".into(), count: 2, resource: amount(500), priority: Priority(3), ..AskSpec::default() };
    let Ok(Done::Asked(done)) = act(&sue, PartitionAct::Ask { app: "one".into(), asks: vec![ask] }) else { panic!() };
    assert_eq!(done.asks, ["t-1".into(), "t-2".into()]);
    sue.wait("what runs", |view, _| (view.partitions[0].allocated == amount(1000)).then_some(()));

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
fn a_console_keeps_nodes_where_the_scheduler_acl_lets_it() {
    let own = Own::new();
    let (sue, olga) = (own.console("sue"), own.console("olga"));
    let mut spec = NodeSpec { id: "m/1".into(), capacity: amount(4000), drained: true, ..NodeSpec::default() };
    spec.attributes.insert("zone".to_owned(), "b".to_owned());
    let refused = act(&sue, PartitionAct::AddNode(spec.clone())).unwrap_err();
    assert!(refused.code == Code::AclDenied && refused.details.scheduler_acl, "{refused:?}");
    let node = |id: &str| own.engine.published().view().partitions[0].nodes.get(id).cloned();
    act(&olga, PartitionAct::AddNode(spec)).unwrap();
    let row = node("m/1").unwrap();
    assert_eq!((row.schedulable, row.capacity.amount("vcore"), row.attributes["zone"].as_str()), (false, 4000, "b"));
    act(&olga, PartitionAct::ResumeNode("m/1".into())).unwrap();
    act(&olga, PartitionAct::UpdateNode { id: "m/1".into(), capacity: Some(amount(2500)), occupied: None }).unwrap();
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
    let ask = AskSpec { id: "t".into(), resource: amount(500), ..AskSpec::default() };
    act(&sue, PartitionAct::Ask { app: "one".into(), asks: vec![ask] }).unwrap();
    olga.wait("what runs", |view, _| (view.partitions[0].allocated == amount(500)).then_some(()));
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
    let said = |admin| json!({"queues": [{"queue": "root.tenants.tenant-a.etl", "submit": true, "admin": admin}]});
    set.insert(path.clone(), Answer::json(said(false).to_string()));
    let server = Recorded::start(set.clone());
    let target = Target::new(&server.url()).unwrap().with_token(Token::new("secret").unwrap()).unwrap();
    let looker = Looker::with(&target, RemoteOptions::default());
    let kill = Act::within(&Arc::from("default"), PartitionAct::Kill { app: "etl-1".into(), expect_queue: None });
    let refused = |text: &str| {
        looker.wait(text, |_, _| looker.remote.may(&kill).err().filter(|refusal| refusal.to_string().contains(text)))
    };
    assert_eq!(refused("needs admin access on root.tenants.tenant-a.etl").code, Code::AclDenied);
    set.insert(path, Answer::json(said(true).to_string()));
    server.answer(set.clone());
    looker.wait("that it may be killed", |_, _| looker.remote.may(&kill).ok());

    let why = json!({"results": [{"allowed": false, "why": "sue may not kill etl-1: the auditors have it"}]});
    set.insert(("POST".to_owned(), "/kornsole/v1/permissions".to_owned()), Answer::json(why.to_string()));
    server.answer(set);
    looker.remote.look(&Glance { partition: "default".into(), sight: Sight::App("etl-1".into()) });
    assert_eq!(refused("the auditors have it").message, "sue may not kill etl-1");
    let asked = server.came().into_iter().find(|came| came.line.starts_with("POST /kornsole/v1/permissions")).unwrap();
    let check = json!({"checks": [{"action": "kill", "application": "etl-1", "partition": "default"}]});
    assert_eq!(serde_json::from_str::<serde_json::Value>(&asked.body).unwrap(), check);
}
