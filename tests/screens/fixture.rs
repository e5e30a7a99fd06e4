//! A small multi-tenant cluster, made by hand: fences, offsets, a queue at its maximum, one that drains, dynamic ones, and a
//! source that shows it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kornsole::config::{FilterConfig, LimitConfig, Place, RuleConfig, RuleKind, TemplateConfig};
use kornsole::model::acl::AclNames;
use kornsole::model::{
    Acl, AppState, Identity, NodeId, Priority, PriorityPolicy, Profile, QueuePath, QueueState, Resource, Time,
    parse_quantity,
};
use kornsole::source::{About, Link, Source, SourcePlace};
use kornsole::view::act::Actor;
use kornsole::view::place::{Hits, Record, Request, Rules};
use kornsole::view::{
    AppGroup, AppRow, AppSlot, AskRow, AskState, NodeAllocation, NodeRow, Origin, PartitionView, PendingReason,
    PropertyRow, QueueLimits, QueueRow, QueueSlot, QueueUsageRow, Side, StateChange, UsageRow, UsageRows, View,
};

/// A source whose view the test sets.
pub struct Scene {
    about: About,
    identity: Identity,
    estimates: AtomicBool,
    now: Mutex<(Arc<View>, Time, Link)>,
}

impl Scene {
    pub fn new(view: View) -> Arc<Self> {
        Self::with(view, SourcePlace::Embedded, Vec::new())
    }

    pub fn with(view: View, place: SourcePlace, notes: Vec<String>) -> Arc<Self> {
        let about = About { place, name: "demo, seed 42".to_owned(), notes };
        let now = Mutex::new((Arc::new(view.clone()), view.at, Link::LIVE));
        Arc::new(Self { about, identity: Identity::new("sue", ["dev"]), estimates: AtomicBool::new(false), now })
    }

    /// Offers no preview of its own from now on.
    pub fn only_estimates(&self) {
        self.estimates.store(true, Ordering::Relaxed);
    }

    pub fn show(&self, view: View) {
        let mut now = self.now.lock().unwrap();
        now.1 = view.at;
        now.0 = Arc::new(view);
    }

    #[allow(dead_code)]
    pub fn link_now(&self) -> Link {
        self.now.lock().unwrap().2.clone()
    }

    pub fn link(&self, link: Link) {
        self.now.lock().unwrap().2 = link;
    }

    pub fn pass(&self, time: Duration) {
        let mut now = self.now.lock().unwrap();
        now.1 = now.1 + time;
    }
}

impl Source for Scene {
    fn view(&self) -> Arc<View> {
        Arc::clone(&self.now.lock().unwrap().0)
    }

    fn now(&self) -> Time {
        self.now.lock().unwrap().1
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        self.now.lock().unwrap().2.clone()
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn estimates(&self) -> bool {
        self.estimates.load(Ordering::Relaxed)
    }

    fn actor(&self) -> Result<Actor, Arc<str>> {
        Ok(self.identity.clone().into())
    }

    fn on_change(&self, _wake: Box<dyn Fn() + Send + Sync>) {}
}

/// Reads `vcore 1.5`-less short writing: `cpu=500m mem=2G gpu=1`.
pub fn resource(text: &str) -> Resource {
    let mut resource = Resource::new();
    for part in text.split_whitespace() {
        let (name, amount) = part.split_once('=').unwrap();
        let name = match name {
            "cpu" => "vcore",
            "mem" => "memory",
            other => other,
        };
        resource.set(name, parse_quantity(name, amount).unwrap());
    }
    resource
}

/// A cluster being made.
#[derive(Clone, Default)]
pub struct Builder {
    pub at: Time,
    pub generation: u64,
    pub tree_generation: u64,
    pub app_generation: u64,
    pub queues: BTreeMap<QueuePath, QueueRow>,
    pub apps: Vec<AppRow>,
    pub ended: Vec<AppRow>,
    pub nodes: BTreeMap<NodeId, NodeRow>,
}

/// When the scene is looked at.
pub const NOW: Time = Time(1_000_000_000_000);

fn ago(seconds: u64) -> Time {
    Time(NOW.0 - seconds * 1_000_000)
}

impl Builder {
    pub fn queue(&mut self, path: &str, change: impl FnOnce(&mut QueueRow)) -> &mut Self {
        let path = QueuePath::new(path);
        let mut row = QueueRow { path: path.clone(), leaf: true, managed: true, ..QueueRow::default() };
        Arc::make_mut(&mut row.settings).at = Some(Place { line: 4 + self.queues.len() as u32 * 3, column: 5 });
        Arc::make_mut(&mut row.settings).sort_by_priority = true;
        change(&mut row);
        self.queues.insert(path, row);
        self
    }

    pub fn node(&mut self, id: &str, capacity: &str) -> &mut Self {
        let id = NodeId::from(id);
        let row = NodeRow {
            id: id.clone(),
            capacity: resource(capacity),
            allocated: Resource::new(),
            occupied: Resource::new(),
            schedulable: true,
            attributes: Arc::default(),
            allocations: Default::default(),
            reservations: Arc::default(),
        };
        self.nodes.insert(id, row);
        self
    }

    /// Adds an application with its asks, each as `id priority resource node` or with a reason in place of the node.
    pub fn app(
        &mut self,
        id: &str,
        queue: &str,
        user: &str,
        since: u64,
        asks: &[(&str, i32, &str, &str)],
    ) -> &mut Self {
        let mut row = AppRow {
            id: id.into(),
            queue: QueuePath::new(queue),
            who: Identity::new(user, ["dev"]),
            submitted: ago(since),
            started: Some(ago(since - 1)),
            priority: Priority::MIN,
            ..AppRow::default()
        };
        for (at, (ask, priority, wanted, place)) in asks.iter().enumerate() {
            row.asks.insert(at as u64, Arc::new(self.ask(id, ask, *priority, wanted, place, ago(since))));
        }
        for ask in row.asks.values() {
            match &ask.state {
                AskState::Allocated { .. } => row.allocated.add_assign(&ask.resource),
                AskState::Pending { .. } => {
                    row.pending.add_assign(&ask.resource);
                    row.pending_asks += 1;
                    row.priority = row.priority.max(ask.priority);
                }
            }
        }
        let states = [AppState::New, AppState::Accepted, AppState::Starting, AppState::Running];
        let reached = if row.allocated.is_zero() { 2 } else { 4 };
        for (at, state) in states.into_iter().take(reached).enumerate() {
            row.log.push_back(StateChange { at: ago(since) + Duration::from_secs(at as u64 / 2), state });
            row.state = state;
        }
        self.apps.push(row);
        self
    }

    fn ask(&mut self, app: &str, id: &str, priority: i32, wanted: &str, place: &str, created: Time) -> AskRow {
        let wanted = resource(wanted);
        let pending = |reason| AskState::Pending { reason, reserved: None };
        let state = match place {
            "queue" => pending(PendingReason::QueueQuota),
            "user" => pending(PendingReason::UserQuota),
            "no-node" => pending(PendingReason::NoNode),
            "-" => pending(PendingReason::NotTried),
            kept if kept.starts_with("kept:") => {
                let node = NodeId::from(&kept[5..]);
                let row = self.nodes.get_mut(&node).expect("the node comes before what it is kept for");
                let all = row.reservations.iter().cloned().chain([(app.into(), id.into())]);
                row.reservations = all.collect();
                AskState::Pending { reason: PendingReason::NoNode, reserved: Some(node) }
            }
            node => {
                let node = self.nodes.get_mut(node).expect("the node comes before what runs on it");
                node.allocated.add_assign(&wanted);
                let key = node.allocations.len() as u64;
                let allocation =
                    NodeAllocation { app: app.into(), ask: id.into(), resource: wanted.clone(), since: Some(created) };
                node.allocations.insert(key, allocation);
                AskState::Allocated { node: node.id.clone(), since: Some(created) }
            }
        };
        AskRow {
            id: id.into(),
            resource: wanted,
            priority: Priority(priority),
            created,
            state,
            placeholder: id.starts_with("tg-"),
            task_group: id.starts_with("tg-").then(|| Arc::from("workers")),
            required_node: None,
            tags: Default::default(),
        }
    }

    /// The view, with everything summed up along the paths.
    pub fn build(&self) -> View {
        let mut rows: Vec<QueueRow> = self.queues.values().cloned().collect();
        let slot_of =
            |path: &QueuePath| self.queues.keys().position(|known| known == path).map(|at| QueueSlot(at as u32));
        let capacity = self.nodes.values().fold(Resource::new(), |sum, node| sum.add(&node.capacity));
        let mut children: Vec<Vec<QueueSlot>> = vec![Vec::new(); rows.len()];
        for (at, row) in rows.iter_mut().enumerate() {
            row.slot = QueueSlot(at as u32);
            row.priority.raw = Priority::MIN;
            row.parent = row.path.parent().as_ref().and_then(slot_of);
            if let Some(parent) = row.parent {
                children[parent.0 as usize].push(row.slot);
            }
        }
        for (row, children) in rows.iter_mut().zip(children) {
            row.leaf = row.leaf && children.is_empty();
            row.children = children.into();
        }
        rows[0].max = (!self.nodes.is_empty()).then(|| capacity.clone());
        rows[0].leaf = false;
        let mut apps = imbl::Vector::new();
        for (at, app) in self.apps.iter().enumerate() {
            let leaf = slot_of(&app.queue).expect("every application has its queue");
            let mut queue = Some(leaf);
            while let Some(slot) = queue {
                let row = &mut rows[slot.0 as usize];
                row.allocated.add_assign(&app.allocated);
                row.pending.add_assign(&app.pending);
                row.running += u64::from(app.state == AppState::Running);
                row.app_count += 1;
                queue = row.parent;
            }
            let row = &mut rows[leaf.0 as usize];
            row.apps.insert(AppSlot(at as u32));
            row.priority.raw = row.priority.raw.max(app.priority);
            apps.push_back(Some(Arc::new(AppRow { slot: AppSlot(at as u32), ..app.clone() })));
        }
        for at in (0..rows.len()).rev() {
            let priority = rows[at].priority;
            let current = priority.raw.seen_outside(priority.policy, priority.offset);
            rows[at].priority.current = current;
            if let Some(parent) = rows[at].parent {
                let raw = &mut rows[parent.0 as usize].priority.raw;
                *raw = (*raw).max(current);
            }
        }
        let (users, groups) = (self.usage(Side::User), self.usage(Side::Group));
        let mut partition = PartitionView {
            users,
            groups,
            name: "default".into(),
            state: QueueState::Active,
            allocated: rows[0].allocated.clone(),
            capacity,
            tree_generation: self.tree_generation,
            app_generation: self.app_generation,
            queues: rows.into_iter().map(|row| Some(Arc::new(row))).collect(),
            live_apps: self.apps.len(),
            apps,
            ended: self.ended.iter().cloned().map(Arc::new).collect(),
            nodes: self.nodes.iter().map(|(id, row)| (id.clone(), Arc::new(row.clone()))).collect(),
            rules: Arc::new(rules()),
            ..PartitionView::default()
        };
        keep_placements(&mut partition);
        View {
            generation: self.generation,
            at: self.at,
            partitions: vec![partition],
            allocations_made: 1_200,
            allocation_rate: 214.2,
            ..View::default()
        }
    }

    /// What users or groups have in use, queue by queue.
    fn usage(&self, side: Side) -> UsageRows {
        let mut rows: BTreeMap<String, BTreeMap<QueuePath, QueueUsageRow>> = BTreeMap::new();
        for app in &self.apps {
            let name = match (&app.group, side) {
                (_, Side::User) => app.who.user.clone(),
                (AppGroup::Group(group), Side::Group) => group.to_string(),
                _ => continue,
            };
            for (at, (path, queue)) in self.queues.iter().enumerate().filter(|(_, (path, _))| app.queue.is_within(path))
            {
                let row = rows.entry(name.clone()).or_default().entry(path.clone()).or_default();
                (row.slot, row.queue) = (QueueSlot(at as u32), path.clone());
                row.allocated.add_assign(&app.allocated);
                row.apps += 1;
                if app.state == AppState::Running {
                    row.running.insert(app.id.clone());
                }
                let limits = &queue.settings.limits;
                row.limit = if side == Side::User { limits.for_user(&name) } else { limits.for_group(&name) }.cloned();
            }
        }
        let row = |(name, queues): (String, BTreeMap<QueuePath, QueueUsageRow>)| {
            let name: Arc<str> = name.into();
            (Arc::clone(&name), Arc::new(UsageRow { name, queues: queues.into_values().collect() }))
        };
        rows.into_iter().map(row).collect()
    }

    /// The next moment: generations counted up for what a test changed.
    pub fn tick(&mut self) -> &mut Self {
        self.generation += 1;
        self
    }
}

/// The placement rules of every cluster here.
fn rules() -> Rules {
    let at = |line| Place { line, column: 5 };
    let fixed = |value: &str, line| RuleConfig {
        kind: RuleKind::Fixed,
        value: value.to_owned(),
        at: at(line),
        ..RuleConfig::default()
    };
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let not_mal = FilterConfig { deny: true, users: own(&["mal", "mallory"]), groups: Vec::new(), written: true };
    let ops = FilterConfig { deny: false, users: Vec::new(), groups: own(&["^ops-.*$"]), written: true };
    let list = [
        RuleConfig { at: at(3), ..RuleConfig::default() },
        RuleConfig {
            kind: RuleKind::Tag,
            value: "namespace".to_owned(),
            create: true,
            filter: ops,
            parent: Some(Box::new(fixed("root.system", 8))),
            at: at(4),
            ..RuleConfig::default()
        },
        RuleConfig {
            kind: RuleKind::User,
            create: true,
            filter: not_mal,
            parent: Some(Box::new(fixed("root.users", 13))),
            at: at(9),
            ..RuleConfig::default()
        },
    ];
    Rules::build(&list, Profile::Kornsole).unwrap()
}

/// Gives every application the placement that it would have got, and counts them all.
fn keep_placements(partition: &mut PartitionView) {
    let mut hits = Hits::of(&partition.rules);
    let mut keep = |partition: &PartitionView, row: &AppRow| {
        let requested: Arc<str> =
            if row.queue.as_str().is_empty() { "root.nowhere".into() } else { row.queue.as_str().into() };
        let (who, tags) = (&row.who, &row.tags);
        let request = Request { queue: &requested, user: &who.user, groups: &who.groups, tags };
        let placement = partition.preview(&request, None).placement;
        hits.count(&placement);
        let record = Record { rules: Arc::clone(&partition.rules), placement };
        AppRow { requested, placement: Some(Arc::new(record)), ..row.clone() }
    };
    let apps = partition.apps.iter().map(|row| row.as_ref().map(|row| Arc::new(keep(partition, row)))).collect();
    let ended = partition.ended.iter().map(|row| Arc::new(keep(partition, row))).collect();
    (partition.apps, partition.ended, partition.hits) = (apps, ended, Arc::new(hits));
}

/// A configuration with no node and no application.
pub fn bare() -> Builder {
    let mut cluster = Builder { at: NOW, generation: 1, tree_generation: 1, app_generation: 1, ..Builder::default() };
    cluster.queue("root", |row| row.leaf = false).queue("root.dev", |_| {});
    cluster
}

fn acl(text: &str) -> Acl {
    Acl::parse(text, AclNames::Portable).unwrap().acl
}

/// The cluster of the screens.
pub fn tenants() -> Builder {
    let mut cluster = Builder { at: NOW, generation: 1, tree_generation: 1, app_generation: 1, ..Builder::default() };
    queues(&mut cluster);
    cluster.node("node-a", "cpu=20 mem=40G gpu=4").node("node-b", "cpu=10 mem=20G").node("node-c", "cpu=10 mem=20G");
    cluster.nodes.get_mut("node-c").unwrap().schedulable = false;
    cluster.nodes.get_mut("node-b").unwrap().occupied = resource("cpu=500m mem=1G");
    cluster
        .app(
            "sys-1",
            "root.system.high",
            "admin",
            640,
            &[
                ("s1", 1, "cpu=1 mem=2G", "node-a"),
                ("s2", 3, "cpu=15 mem=31G", "kept:node-a"),
                ("s3", 2, "cpu=30 mem=1G", "no-node"),
            ],
        )
        .app(
            "sys-2",
            "root.system.low",
            "admin",
            610,
            &[("l1", 0, "cpu=1 mem=2G", "node-b"), ("l2", 0, "cpu=1 mem=2G", "node-b")],
        );
    let etl: Vec<(String, &str)> =
        (1..=6).map(|n| (format!("k1-{n}"), if n % 2 == 0 { "node-a" } else { "node-b" })).collect();
    let mut asks: Vec<(&str, i32, &str, &str)> =
        etl.iter().map(|(id, node)| (id.as_str(), 5, "cpu=1 mem=2G", *node)).collect();
    asks.extend([("k1-7", 5, "cpu=1 mem=2G", "user"), ("k1-8", 5, "cpu=1 mem=2G", "-")]);
    cluster.app("etl-1", "root.tenants.tenant-a.etl", "sue", 192, &asks);
    cluster
        .app(
            "adhoc-7",
            "root.tenants.tenant-a.adhoc",
            "bob",
            75,
            &[
                ("q1", 0, "cpu=1500m mem=3G gpu=2", "node-a"),
                ("q2", 0, "cpu=1 mem=3G gpu=2", "queue"),
                ("q3", 0, "cpu=3 mem=3G", "queue"),
            ],
        )
        .app(
            "web-1",
            "root.tenants.tenant-b.web",
            "kim",
            3_700,
            &[("tg-1", 0, "cpu=2 mem=4G", "node-c"), ("w1", 0, "cpu=2 mem=4G", "node-c")],
        )
        .app("web-2", "root.tenants.tenant-b.web", "kim", 12, &[("w2", 0, "cpu=1 mem=1G", "-")])
        .app("old-1", "root.tenants.legacy", "joe", 90_000, &[("o1", 0, "cpu=2 mem=4G", "node-c")])
        .app("note-1", "root.users.kim", "kim", 330, &[("n1", 0, "cpu=1 mem=1G", "node-c")]);
    for app in cluster.apps.iter_mut().filter(|app| app.id.as_str().starts_with("web-")) {
        app.group = AppGroup::Group("dev".into());
        app.held_by_limits = app.id.as_str() == "web-2";
    }
    let app = cluster.apps.iter_mut().find(|app| app.id.as_str() == "etl-1").unwrap();
    app.tags =
        Arc::new(BTreeMap::from([("namespace".to_owned(), "red".to_owned()), ("stage".to_owned(), "prod".to_owned())]));
    ended(&mut cluster);
    cluster
}

fn queues(cluster: &mut Builder) {
    let set = |row: &mut QueueRow, key: &str, value: &str| {
        let place = row.settings.at.unwrap_or_default();
        let from = Origin::Queue(row.path.clone(), Place { line: place.line + 2, column: 9 });
        let property = PropertyRow { key: key.to_owned(), value: value.to_owned(), from };
        Arc::make_mut(&mut row.settings).properties.push(property);
    };
    cluster
        .queue("root", |row| {
            let settings = Arc::make_mut(&mut row.settings);
            (settings.submit_acl, settings.admin_acl) = (acl("*"), acl("admin admins"));
            let limit = LimitConfig {
                description: "everyone".to_owned(),
                at: Place { line: 12, column: 11 },
                users: vec!["*".to_owned()],
                max_applications: Some(20),
                ..LimitConfig::default()
            };
            settings.limits = Arc::new(QueueLimits::of(&[limit]));
        })
        .queue("root.system", |_| {})
        .queue("root.system.high", |row| {
            row.priority.offset = 1000;
            set(row, "priority.offset", "1000");
        })
        .queue("root.system.low", |row| {
            row.priority.offset = -1000;
            set(row, "priority.offset", "-1000");
        })
        .queue("root.tenants", |row| {
            row.priority.policy = PriorityPolicy::Fence;
            set(row, "priority.policy", "fence");
        })
        .queue("root.tenants.tenant-a", |row| {
            (row.priority.policy, row.priority.offset) = (PriorityPolicy::Fence, 10);
            set(row, "priority.policy", "fence");
            set(row, "priority.offset", "10");
            row.guaranteed = Some(resource("cpu=4 mem=8G"));
            row.max = Some(resource("cpu=20 mem=40G"));
            let settings = Arc::make_mut(&mut row.settings);
            settings.admin_acl = acl("sue");
            let limit = LimitConfig {
                at: Place { line: 31, column: 11 },
                users: vec!["sue".to_owned(), "bob".to_owned()],
                max_resources: Some(resource("cpu=6 mem=12G")),
                ..LimitConfig::default()
            };
            settings.limits = Arc::new(QueueLimits::of(&[limit]));
        })
        .queue("root.tenants.tenant-a.etl", |_| {})
        .queue("root.tenants.tenant-a.adhoc", |row| row.max = Some(resource("cpu=2 mem=4G gpu=2")))
        .queue("root.tenants.tenant-b", |row| {
            row.priority.policy = PriorityPolicy::Fence;
            row.max_running = Some(2);
            let limit = LimitConfig {
                at: Place { line: 44, column: 11 },
                groups: vec!["dev".to_owned()],
                max_applications: Some(1),
                max_resources: Some(resource("cpu=10 gpu=2")),
                ..LimitConfig::default()
            };
            Arc::make_mut(&mut row.settings).limits = Arc::new(QueueLimits::of(&[limit]));
        })
        .queue("root.tenants.tenant-b.web", |row| row.max_running = Some(1))
        .queue("root.tenants.legacy", |row| {
            row.state = QueueState::Draining;
            row.state_since = ago(42);
        })
        .queue("root.users", |row| {
            let template = TemplateConfig {
                max: Some(resource("mem=10G")),
                max_applications: Some(2),
                ..TemplateConfig::default()
            };
            Arc::make_mut(&mut row.settings).template = Some((row.path.clone(), Arc::new(template)));
        })
        .queue("root.users.kim", |row| {
            row.managed = false;
            row.max = Some(resource("mem=10G"));
            row.max_running = Some(2);
            Arc::make_mut(&mut row.settings).at = None;
        });
}

fn ended(cluster: &mut Builder) {
    let log = |states: &[AppState]| {
        let change = |(at, state): (usize, &AppState)| StateChange { at: ago(500 - at as u64 * 60), state: *state };
        states.iter().enumerate().map(change).collect()
    };
    let base = AppRow { submitted: ago(500), priority: Priority::MIN, ..AppRow::default() };
    cluster.ended = vec![
        AppRow {
            id: "etl-0".into(),
            queue: QueuePath::new("root.tenants.tenant-a.etl"),
            who: Identity::new("sue", ["dev"]),
            state: AppState::Completed,
            started: Some(ago(490)),
            finished: Some(ago(260)),
            log: log(&[
                AppState::New,
                AppState::Accepted,
                AppState::Running,
                AppState::Completing,
                AppState::Completed,
            ]),
            ..base.clone()
        },
        AppRow {
            id: "lost-1".into(),
            queue: QueuePath::default(),
            who: Identity::new("mal", ["mal"]),
            state: AppState::Rejected,
            finished: Some(ago(400)),
            log: log(&[AppState::New, AppState::Rejected]),
            message: Some(Arc::from("no placement rule took it: queue root.nowhere does not exist, and create is off")),
            ..base
        },
    ];
}
