//! One frame of the console with 10,000 queues and 100,000 applications, at 200 x 60.
//!
//! `idle` draws without a change; `news` takes a completely changed view; `key` moves the cursor. `trends` draws an
//! hour of trends, `trend_column` the tables with their column. `resort` and `filter` compute the rows again.
//!
//! Other threads: `overview` and `measure` run every 10 s, `judge` evaluates the default alert rules every 5 s, `hear`
//! records 1,000 events in a followed ledger, and `compare` compares it with lists.
//!
//! Without optimization, as a test, everything is small.

mod ledger;

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ::view::overview::Given;
use ::view::unread::Unread;
use ::view::{self, AppRow, AppSlot, NodeRow, PartitionView, QueueRow, QueueSlot, View};
use alerts::alerting::Board;
use alerts::alerting::board::Timing;
use alerts::read::defaults;
use console::shell::session::Incoming;
use console::shell::session::Session;
use console::state::Options;
use console::state::key::{Code, Key};
use divan::Bencher;
use model::{AppState, Identity, NodeId, Resource, Time};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use source::probe::{self, Probe};
use source::{About, Link, Source, SourcePlace, Trends};

const SMALL: bool = cfg!(debug_assertions);
const TENANTS: u32 = if SMALL { 4 } else { 100 };
const LEAVES: u32 = 99;
const APPS: u32 = if SMALL { 1_000 } else { 100_000 };
const NODES: u32 = if SMALL { 50 } else { 5_000 };
/// An hour of trends, one sample every 10 s.
const MEASURES: usize = if SMALL { 12 } else { 360 };
const SIZE: Size = Size { width: 200, height: 60 };

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

struct Large {
    about: About,
    identity: Identity,
    view: Mutex<Arc<View>>,
    trends: Arc<Trends>,
}

impl Source for Large {
    fn view(&self) -> Arc<View> {
        self.view.lock().map(|view| Arc::clone(&view)).unwrap_or_default()
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn trends(&self) -> Option<Arc<Trends>> {
        Some(Arc::clone(&self.trends))
    }

    fn on_change(&self, _wake: Box<dyn Fn() + Send + Sync>) {}
}

impl Large {
    fn go_on(&self) {
        if let Ok(mut view) = self.view.lock() {
            let mut later = next(&view);
            later.at = view.at + Duration::from_secs(10);
            *view = Arc::new(later);
        }
    }
}

fn amount(cpu: i64, memory: i64) -> Resource {
    [("vcore", cpu * 1000), ("memory", memory * 1_000_000_000)].into_iter().collect()
}

/// A root with 100 tenants of 99 leaves each: 10,001 queues.
fn queues() -> Vec<QueueRow> {
    let row = |slot: u32, path: String, parent: Option<u32>, children: Vec<u32>| QueueRow {
        slot: QueueSlot(slot),
        path: path.as_str().into(),
        parent: parent.map(QueueSlot),
        leaf: children.is_empty(),
        children: children.into_iter().map(QueueSlot).collect(),
        managed: true,
        running: u64::from(slot % 7),
        allocated: amount(i64::from(slot % 50), i64::from(slot % 90)),
        pending: amount(i64::from(slot % 3), 1),
        max: slot.is_multiple_of(4).then(|| amount(60, 100)),
        ..QueueRow::default()
    };
    let tenant = |n: u32| 1 + n * (LEAVES + 1);
    let mut rows = vec![row(0, "root".to_owned(), None, (0..TENANTS).map(tenant).collect())];
    for n in 0..TENANTS {
        let own = tenant(n);
        rows.push(row(own, format!("root.tenant-{n:03}"), Some(0), (own + 1..=own + LEAVES).collect()));
        for leaf in 1..=LEAVES {
            rows.push(row(own + leaf, format!("root.tenant-{n:03}.leaf-{leaf:03}"), Some(own), Vec::new()));
        }
    }
    rows
}

fn large() -> View {
    let mut rows = queues();
    let mut apps = Vec::new();
    let leaves: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].leaf).collect();
    for n in 0..APPS {
        let leaf = leaves[n as usize % leaves.len()];
        rows[leaf].apps.insert(AppSlot(n));
        rows[leaf].app_count += 1;
        apps.push(AppRow {
            slot: AppSlot(n),
            id: format!("app-{n:06}").into(),
            queue: rows[leaf].path.clone(),
            who: Identity::new(format!("user-{}", n % 300), ["dev"]),
            state: AppState::Running,
            allocated: amount(i64::from(n % 5), 2),
            ..AppRow::default()
        });
    }
    let node = |n: u32| NodeRow {
        reservations: Arc::default(),
        id: NodeId::from(format!("node-{n:05}")),
        capacity: amount(32, 128),
        allocated: amount(i64::from(n % 32), 64),
        occupied: Resource::new(),
        schedulable: true,
        closed: None,
        foreign: Arc::default(),
        attributes: Arc::default(),
        allocations: Default::default(),
    };
    let partition = PartitionView {
        name: "default".into(),
        capacity: amount(160_000, 640_000),
        allocated: amount(80_000, 320_000),
        queues: rows.into_iter().map(|row| Some(Arc::new(row))).collect(),
        live_apps: apps.len(),
        apps: apps.into_iter().map(|row| Some(Arc::new(row))).collect(),
        nodes: (0..NODES).map(node).map(|row| (row.id.clone(), Arc::new(row))).collect(),
        ..PartitionView::default()
    };
    View { generation: 1, partitions: vec![partition], ..View::default() }
}

fn next(view: &View) -> View {
    let mut next = view.clone();
    next.generation += 1;
    for at in 0..100 {
        let part = &mut next.partitions[0];
        if let Some(Some(row)) = part.queues.get_mut(at) {
            Arc::make_mut(row).allocated.add_assign(&amount(1, 1));
        }
        if let Some(Some(row)) = part.apps.get_mut(at) {
            Arc::make_mut(row).allocated.add_assign(&amount(1, 1));
        }
    }
    next
}

struct Rig {
    source: Arc<Large>,
    session: Session,
    buffer: Buffer,
    now: Duration,
}

impl Rig {
    fn new(keys: &str) -> Self {
        let about = About { place: SourcePlace::Embedded, name: "large".to_owned(), notes: Vec::new() };
        let identity = Identity::new("sue", ["dev"]);
        let source =
            Arc::new(Large { about, identity, view: Mutex::new(Arc::new(large())), trends: Trends::in_memory() });
        let session = Session::new(Arc::clone(&source) as Arc<dyn Source>, Options::default(), SIZE);
        let area = Rect::new(0, 0, SIZE.width, SIZE.height);
        let mut rig = Self { source, session, buffer: Buffer::empty(area), now: Duration::ZERO };
        for key in Key::parse_all(keys).unwrap_or_default() {
            rig.session.key(key, rig.now);
        }
        rig
    }

    fn draw(&mut self) {
        self.buffer.reset();
        divan::black_box(self.session.paint(&mut self.buffer));
    }

    fn measure_an_hour(&self) {
        for _ in 0..MEASURES {
            self.source.go_on();
            self.source.trends.observe(&*self.source);
        }
    }

    fn press(&mut self, key: Key) {
        self.session.key(key, self.now);
    }
}

const PAGES: [&str; 4] = ["o", "1", "2", "3"];

#[divan::bench(args = PAGES)]
fn idle(bencher: Bencher<'_, '_>, page: &str) {
    let mut rig = Rig::new(page);
    bencher.bench_local(|| rig.draw());
}

#[divan::bench(args = PAGES)]
fn news(bencher: Bencher<'_, '_>, page: &str) {
    let mut rig = Rig::new(page);
    let views: Vec<Arc<View>> =
        std::iter::successors(Some(large()), |view| Some(next(view))).take(2).map(Arc::new).collect();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        if let Ok(mut view) = rig.source.view.lock() {
            *view = Arc::clone(&views[turn % 2]);
        }
        rig.now += Duration::from_millis(16);
        rig.session.step(Incoming::Refresh, rig.now);
        rig.draw();
    });
}

#[divan::bench(args = PAGES)]
fn key(bencher: Bencher<'_, '_>, page: &str) {
    let mut rig = Rig::new(page);
    bencher.bench_local(|| {
        rig.press(Key::plain(Code::PageDown));
        rig.draw();
    });
}

#[divan::bench(args = PAGES)]
fn resort(bencher: Bencher<'_, '_>, page: &str) {
    let mut rig = Rig::new(page);
    bencher.bench_local(|| {
        rig.press(Key::plain(Code::Char('r')));
        rig.draw();
    });
}

#[divan::bench(args = PAGES)]
fn filter(bencher: Bencher<'_, '_>, page: &str) {
    let mut rig = Rig::new(&format!("{page}/"));
    bencher.bench_local(|| {
        rig.press(Key::plain(Code::Char('1')));
        rig.draw();
        rig.press(Key::plain(Code::Backspace));
    });
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn overview(bencher: Bencher<'_, '_>) {
    let rig = Rig::new("");
    rig.measure_an_hour();
    let view = rig.source.view();
    let given = Given {
        at: view.at,
        partition: "default".into(),
        trends: rig.source.trends.rings("default"),
        visited: Some(Time::ZERO),
        rows: 40,
        happened: Vec::new(),
        cycle: None,
        connection: None,
        health: Some(Vec::new()),
        faults: None,
        alerts: Vec::new(),
        view,
        unread: Unread::default(),
    };
    bencher.bench_local(|| view::overview::overview(divan::black_box(&given)));
}

#[divan::bench]
fn trends(bencher: Bencher<'_, '_>) {
    let mut rig = Rig::new("");
    rig.measure_an_hour();
    rig.press(Key::plain(Code::Char('T')));
    bencher.bench_local(|| rig.draw());
}

#[divan::bench(args = [":columns cpu trend<ret>", ":columns cpu<ret>", "3:columns cpu trend<ret>", "3:columns cpu<ret>"])]
fn trend_column(bencher: Bencher<'_, '_>, keys: &str) {
    let mut rig = Rig::new(&format!("1{keys}"));
    rig.measure_an_hour();
    rig.session.step(Incoming::Refresh, rig.now);
    bencher.bench_local(|| rig.draw());
}

/// The work of the alert thread, every 5 s.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn judge(bencher: Bencher<'_, '_>) {
    let rig = Rig::new("");
    let board = Board::new("large", Arc::new(defaults()), None, Time::ZERO, Vec::new());
    let mut probe = Probe::default();
    let mut clock = Duration::ZERO;
    bencher.with_inputs(|| rig.source.go_on()).bench_local_values(|()| {
        clock += probe::EVERY;
        let given = probe.given(&*rig.source, clock);
        board.step(&given, Timing { wall: SystemTime::UNIX_EPOCH + clock, speed: 1.0 })
    });
}

#[divan::bench(sample_count = 70, sample_size = 1)]
fn measure(bencher: Bencher<'_, '_>) {
    let rig = Rig::new("");
    bencher.with_inputs(|| rig.source.go_on()).bench_local_values(|()| rig.source.trends.observe(&*rig.source));
}
