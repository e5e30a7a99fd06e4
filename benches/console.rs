//! From a key to its frame while the scheduler runs: 10,000 queues, 100,000 applications, 5,000 nodes, a busy engine,
//! and a terminal of 200 x 60.
//!
//! A key can arrive when a frame for an update starts, so each time includes such a frame. Long lists are computed
//! later; "settled" is the time to the frame with their rows.
//!
//! `cargo bench --bench console` measures, with `-- filter` only lines with this word.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "it is what a bench is for")]

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use console::present::lists;
use console::shell::session::Incoming;
use console::shell::session::Session;
use console::shell::workers::Workers;
use console::state::Options;
use console::state::effect::Effect;
use console::state::key::Key;
use engine::{Core, Engine};
use model::{AppId, AskId, Identity, NodeId, Profile, Resource, Time};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use ratatui::{TerminalOptions, Viewport};
use scenario::Workload;
use scheduler::{AskSpec, Command, Event, NodeSpec, PartitionCommand, Submission};
use source::{About, Embedded, Source, SourcePlace};
use view::act::Actor;

const SIZE: Size = Size { width: 200, height: 60 };

#[derive(Clone, Copy)]
struct Shape {
    tenants: usize,
    leaves: usize,
    apps: usize,
    nodes: usize,
    keys: usize,
}

const LARGE: Shape = Shape { tenants: 100, leaves: 99, apps: 100_000, nodes: 5_000, keys: 1_000 };
const SMALL: Shape = Shape { tenants: 3, leaves: 3, apps: 30, nodes: 4, keys: 8 };

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shape = if arguments.iter().any(|argument| argument == "--bench") { LARGE } else { SMALL };
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let engine = Engine::start(core(shape), 1.0).expect("a thread can be started");
    let about = About { place: SourcePlace::Embedded, name: "large".to_owned(), notes: Vec::new() };
    let actor = Actor::from(Identity::new("sue", ["dev"])).scheduler_admin(true);
    let source: Arc<dyn Source> = Arc::new(Embedded::new(engine, about, actor));
    let there = || source.view().partitions.first().is_some_and(|part| part.live_apps >= shape.apps);
    while !there() || source.view().allocations_made < shape.apps as u64 / 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    println!(
        "{:<34} {:>9} {:>9} {:>9}   {:>9} {:>9} {:>11}",
        "key to frame", "median", "99th", "slowest", "settled", "99th", "bytes/key"
    );
    for (name, page, keys) in [
        ("queues: moving", "", "jjj<pgdn>jkk<pgup>"),
        ("queues: folding", "g", "j<space><space>"),
        ("applications: moving", "2", "jjj<pgdn>jkk<pgup>"),
        ("applications: one and back", "2", "j<ret><esc>"),
        ("nodes: moving", "3", "jjj<pgdn>jkk<pgup>"),
        ("nodes: the map", "3m", "jjj<pgdn>jkk<pgup>"),
        ("from page to page", "", "<tab>"),
        ("queues: a filter, letter by letter", "", "/leaf<bs><bs><bs><bs><esc>"),
        ("queues: by another column", "", "s"),
        ("applications: a filter", "2", "/app<bs><bs><bs><esc>"),
        ("applications: by another column", "2", "s"),
        ("events: moving", "7j", "jjj<pgdn>jkk<pgup>"),
        ("one user: moving", "4j<ret>", "jjj<pgdn>jkk<pgup>"),
        ("command line: an application", "2:app ", "app-0<bs><bs><bs><bs><bs>"),
        ("command line: a queue", "2:queues ", "leaf<bs><bs><bs><bs>"),
        ("configuration: moving", "6", "jjj<pgdn>jkk<pgup>"),
        ("configuration: typing", "6<pgdn>e<end>", "<ret>abc: 1<bs><bs><bs><bs><bs><bs><bs>"),
    ] {
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let before = source.view().allocations_made;
        let mut rig = Rig::new(Arc::clone(&source), page);
        let (mut times, mut settled) = rig.measure(&Key::parse_all(keys).expect("these are keys"), shape.keys);
        let bytes = rig.sink.take() / times.len().max(1);
        times.sort_unstable();
        settled.sort_unstable();
        let at = |times: &[Duration], share: usize| match times.len() {
            0 => String::new(),
            len => format!("{:.2} ms", times[(len * share / 100).min(len - 1)].as_secs_f64() * 1000.0),
        };
        println!(
            "{name:<34} {:>9} {:>9} {:>9}   {:>9} {:>9} {bytes:>11}",
            at(&times, 50),
            at(&times, 99),
            at(&times, 100),
            at(&settled, 50),
            at(&settled, 99)
        );
        let made = source.view().allocations_made - before;
        assert!(shape.keys < 100 || made > 0, "the scheduler runs meanwhile");
    }
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<usize>>);

impl Sink {
    fn take(&self) -> usize {
        self.0.lock().map(|mut count| std::mem::take(&mut *count)).unwrap_or_default()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(mut count) = self.0.lock() {
            *count += bytes.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Rig {
    session: Session,
    terminal: Terminal<CrosstermBackend<Sink>>,
    sink: Sink,
    start: Instant,
    workers: Workers,
    replied: Receiver<()>,
}

impl Rig {
    fn new(source: Arc<dyn Source>, page: &str) -> Self {
        let mut session = Session::new(source, Options::default(), SIZE);
        let sink = Sink::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, SIZE.width, SIZE.height));
        let backend = CrosstermBackend::new(sink.clone());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport }).expect("nothing is asked for");
        let (wake, replied) = channel();
        session.on_reply(Arc::new(move || {
            let _ = wake.send(());
        }));
        let workers = Workers::new().expect("a thread can be started");
        let mut rig = Self { session, terminal, sink, start: Instant::now(), workers, replied };
        for key in Key::parse_all(page).expect("these are keys") {
            rig.press(key);
            rig.finish();
        }
        rig.draw();
        rig.sink.take();
        rig
    }

    fn draw(&mut self) {
        self.terminal.draw(|frame| self.session.draw(frame)).expect("a sink takes everything");
    }

    fn press(&mut self, key: Key) {
        let effects = self.session.key(key, self.start.elapsed());
        self.give_work(effects);
    }

    fn step(&mut self, incoming: Incoming) {
        let effects = self.session.step(incoming, self.start.elapsed());
        self.give_work(effects);
    }

    fn give_work(&self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Work(work) = effect {
                self.workers.give(self.session.replies(), work).expect("a thread can be started");
            }
        }
    }

    fn news(&mut self) {
        while self.replied.try_recv().is_ok() {}
        self.step(Incoming::Refresh);
    }

    /// Returns whether a list was pending.
    fn finish(&mut self) -> bool {
        let awaited = lists::is_awaited(self.session.state());
        while lists::is_awaited(self.session.state()) {
            self.replied.recv().expect("the threads are there as long as the stand");
            self.step(Incoming::Replies);
        }
        awaited
    }

    /// The time of each key to its frame, and to the frame with the rows of a pending list.
    fn measure(&mut self, keys: &[Key], count: usize) -> (Vec<Duration>, Vec<Duration>) {
        let (mut times, mut settled) = (Vec::with_capacity(count), Vec::new());
        for key in keys.iter().cycle().take(count.max(keys.len())) {
            let started_at = Instant::now();
            self.news();
            self.draw();
            self.press(*key);
            self.draw();
            times.push(started_at.elapsed());
            // A user can type while a list is computed.
            if times.len() % 2 == 0 && self.finish() {
                self.draw();
                settled.push(started_at.elapsed());
            }
            // A user is not faster, and the scheduler needs time.
            std::thread::sleep(Duration::from_millis(2));
        }
        (times, settled)
    }
}

fn core(shape: Shape) -> Core {
    let text = text(shape);
    let config = config::read(&text, Profile::Kornsole).config.expect("the configuration is valid");
    let workload = Busy { shape, next: Time::ZERO, turn: 0 };
    let core = Core::new(Profile::Kornsole, Arc::new(config), Some(Box::new(workload)));
    core.expect("the configuration is taken").with_config_text(text.as_bytes(), None)
}

fn text(shape: Shape) -> String {
    let mut text = "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n        adminacl: '*'\n        queues:\n".to_owned();
    for tenant in 0..shape.tenants {
        text += &format!("          - name: tenant-{tenant:03}\n            queues:\n");
        for leaf in 0..shape.leaves {
            text +=
                &format!("              - name: leaf-{leaf:03}\n                resources: {{max: {{vcore: 60}}}}\n");
        }
    }
    text
}

/// Some applications release and request continuously; with every step the oldest ones end and others start.
struct Busy {
    shape: Shape,
    next: Time,
    turn: usize,
}

const STEP: usize = 100;
const CHANGE: usize = 2;

impl Busy {
    fn ask(app: usize, round: usize) -> Command {
        let (app, id) = (AppId::from(format!("app-{app:06}")), AskId::from(format!("a{round}")));
        PartitionCommand::Ask(AskSpec { app, id, resource: amounts(1), count: 1, ..AskSpec::default() }).into()
    }

    fn started_at(&self) -> Vec<Command> {
        let Shape { apps, nodes, .. } = self.shape;
        let node = |number: usize| {
            let id = NodeId::from(format!("node-{number:05}"));
            PartitionCommand::AddNode(NodeSpec { id, capacity: amounts(32), ..NodeSpec::default() }).into()
        };
        let mut all: Vec<Command> = (0..nodes).map(node).collect();
        all.extend((0..apps).map(|number| self.submit(number)));
        all.extend((0..apps).map(|app| Self::ask(app, 0)));
        all
    }

    fn submit(&self, number: usize) -> Command {
        let Shape { tenants, leaves, .. } = self.shape;
        let app = AppId::from(format!("app-{number:06}"));
        let queue = format!("root.tenant-{:03}.leaf-{:03}", number % tenants, number / tenants % leaves);
        let who = Identity::new(format!("user-{}", number % 300), ["dev"]);
        PartitionCommand::Submit(Submission { app, queue, who, ..Submission::default() }).into()
    }
}

impl Workload for Busy {
    fn next(&self) -> Option<Time> {
        Some(self.next)
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.next = now + Duration::from_millis(5);
        self.turn += 1;
        if self.turn == 1 {
            return self.started_at();
        }
        let step = STEP.min(self.shape.apps);
        let (first, round) = ((self.turn - 2) * step, (self.turn - 2) * step / self.shape.apps);
        let gone = (self.turn - 2) * CHANGE;
        let of_one = |number: usize| {
            let app = (first + number) % self.shape.apps;
            let (id, ask) = (AppId::from(format!("app-{app:06}")), AskId::from(format!("a{round}")));
            let live = app >= gone;
            [PartitionCommand::Release { app: id, ask }.into(), Self::ask(app, round + 1)]
                .into_iter()
                .filter(move |_| live)
        };
        let another = |number: usize| {
            let (app, new) = (AppId::from(format!("app-{:06}", gone + number)), self.shape.apps + gone + number);
            [PartitionCommand::Remove { app }.into(), self.submit(new), Self::ask(new, 0)]
        };
        (0..step).flat_map(of_one).chain((0..CHANGE).flat_map(another)).collect()
    }

    fn observe(&mut self, _now: Time, _events: &[Event]) {}
}

fn amounts(vcore: i64) -> Resource {
    [("vcore", vcore * 1000), ("memory", vcore * 4_000_000_000)].into_iter().collect()
}
