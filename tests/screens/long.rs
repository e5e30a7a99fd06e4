//! Long lists are computed outside of the draw loop: no key waits, and operations apply to the visible row.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use console::shell::session::Incoming;
use console::shell::session::Session;
use console::shell::tap::Input;
use console::shell::workers;
use console::state::effect::Effect;
use console::state::key::Key;
use console::state::layer::Layer;
use console::state::page::{AppsPage, Page};
use console::state::reply::Reply;
use console::state::work::Work;
use console::update::long;
use console::{Driver, Options};
use engine::Setup;
use kornsole::cli::demo;
use model::{AppId, Identity, Profile};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use source::{Source, Stepped};

use crate::common::about;
use crate::fixture::{self, Scene};

const SIZE: Size = Size { width: 120, height: 40 };

fn side_options() -> Options {
    Options { long: 0, ..Options::default() }
}

fn running() -> Arc<Stepped> {
    let core = demo::core(42, &Setup::of(Profile::default())).unwrap();
    let source = Arc::new(Stepped::new(core, about("demo, seed 42"), Identity::parse("you").unwrap()));
    source.advance(Duration::from_secs(40));
    source
}

struct Slow {
    session: Session,
    lists: VecDeque<Work>,
}

impl Slow {
    fn new(source: Arc<dyn Source>) -> Self {
        let mut slow = Self { session: Session::new(source, side_options(), SIZE), lists: VecDeque::new() };
        slow.step(Incoming::Replies, Duration::ZERO);
        slow
    }

    fn step(&mut self, incoming: Incoming, now: Duration) -> bool {
        let mut quits = false;
        for effect in self.session.step(incoming, now) {
            match effect {
                Effect::Work(work @ (Work::List(_) | Work::Names(_) | Work::CheckUp(..))) => self.lists.push_back(work),
                Effect::Work(work) => {
                    if let Some(reply) = workers::perform(work) {
                        quits |= self.reply(reply);
                    }
                }
                Effect::Quit => quits = true,
                _ => {}
            }
        }
        quits
    }

    fn reply(&mut self, reply: Reply) -> bool {
        self.session.replies().send(reply);
        self.step(Incoming::Replies, self.session.state().now)
    }

    fn refresh(&mut self, now: Duration) {
        self.step(Incoming::Refresh, now);
    }

    fn keys(&mut self, keys: &str) -> &mut Self {
        for key in Key::parse_all(keys).unwrap() {
            self.step(Incoming::Input(Input::Key(key)), Duration::ZERO);
        }
        self
    }

    fn make(&mut self) -> bool {
        let Some(work) = self.lists.pop_front() else { return false };
        self.reply(workers::perform(work).unwrap());
        true
    }

    fn make_all(&mut self) -> &mut Self {
        while self.make() {}
        self
    }

    fn screen(&self) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.width, SIZE.height));
        self.session.paint(&mut buffer);
        let line = |y: u16| (0..SIZE.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..SIZE.height).map(|y| line(y).trim_end().to_owned() + "\n").collect()
    }

    fn shows(&self, text: &str) {
        assert!(self.screen().contains(text), "no {text:?} in\n{}", self.screen());
    }

    fn rows(&self) -> Vec<AppId> {
        let Page::Apps(page) = self.session.state().page() else { panic!("no list of applications") };
        page.list.rows.iter().map(|line| line.id().clone()).collect()
    }

    fn here(&self) -> AppId {
        let Page::Apps(page) = self.session.state().page() else { panic!("no list of applications") };
        page.list.rows[page.list.cursor.index].id().clone()
    }
}

/// Keys in many orders; `+` advances the cluster.
const KEYS: [&str; 24] = [
    "2",
    "2",
    "j",
    "k",
    "G",
    "g",
    "<pgdn>",
    "s",
    "S",
    "r",
    "e",
    "/et<ret>",
    "/!a<ret>",
    "/x",
    "<bs>",
    "<esc>",
    "<esc>",
    "<ret>",
    "<space>",
    "4j<ret>",
    ":apps root.tenants<ret>",
    ":draining<ret>",
    "i",
    "+",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_list_built_on_a_thread_equals_the_one_built_in_the_loop(keys in prop::collection::vec(0..KEYS.len(), 1..40)) {
        let source = running();
        let of = |options| Driver::new(Arc::clone(&source) as _, options, SIZE.width, SIZE.height);
        let mut both = [of(Options::default()), of(side_options())];
        for key in keys {
            if KEYS[key] == "+" {
                source.advance(Duration::from_secs(2));
            }
            for driver in &mut both {
                match KEYS[key] {
                    "+" => driver.advance(Duration::from_secs(2)),
                    keys => driver.keys(keys).unwrap(),
                };
            }
            let [at_once, side_options] = &both;
            prop_assert_eq!(at_once.screen_text(), side_options.screen_text(), "after {}", KEYS[key]);
        }
    }

    #[test]
    fn lists_in_any_order_end_as_the_last_choice(keys in prop::collection::vec((0..KEYS.len(), 0..3), 1..40)) {
        let source = running();
        let mut slow = Slow::new(Arc::clone(&source) as _);
        for (key, made) in keys {
            match KEYS[key] {
                "+" => {
                    source.advance(Duration::from_secs(2));
                    let now = slow.session.state().now + Duration::from_secs(2);
                    slow.refresh(now);
                }
                keys => {
                    slow.keys(keys);
                }
            }
            let made_now = slow.lists.iter().filter(|work| matches!(work, Work::List(_))).count();
            prop_assert!(made_now <= 1, "one list is made at a time");
            (0..made).for_each(|_| { slow.make(); });
            slow.screen();
        }
        // A key that waited for the list may have opened another page.
        slow.make_all();
        let now = slow.session.state().now + Duration::from_secs(2);
        slow.refresh(now);
        slow.make_all();
        let state = slow.session.state();
        let mut rebuilt = state.page().clone();
        long::make(&mut rebuilt, state.cluster.part().unwrap());
        if let (Page::Apps(page), Page::Apps(rebuilt)) = (state.page(), &rebuilt) {
            prop_assert!(!page.list.awaited);
            let ids = |page: &AppsPage| page.list.rows.iter().map(|line| line.id().clone()).collect::<Vec<_>>();
            prop_assert_eq!(ids(page), ids(rebuilt));
            prop_assert_eq!((page.list.total, page.list.widest), (rebuilt.list.total, rebuilt.list.widest));
            let wanted = page.list.cursor.wanted.as_ref().filter(|wanted| ids(page).contains(wanted));
            if let Some(wanted) = wanted {
                prop_assert_eq!(page.list.rows[page.list.cursor.index].id(), wanted);
            }
        }
    }
}

#[test]
fn a_key_is_drawn_at_once_while_a_list_is_made() {
    let mut slow = Slow::new(running() as _);
    slow.keys("2");
    slow.shows("… applications");
    slow.shows("loading");
    slow.make_all();
    let all = slow.rows();
    assert!(all.len() > 10);
    // Each letter appears on the screen immediately, with the available rows.
    for (at, letter) in ["/", "e", "t", "l"].into_iter().enumerate() {
        slow.keys(letter);
        slow.shows(&format!("\n /{}", &"etl"[..at]));
        assert_eq!(slow.rows(), all);
    }
    slow.shows("… of ");
    assert_eq!(slow.lists.len(), 1, "two letters that came meanwhile ask for nothing more yet");
    assert!(slow.make());
    assert_eq!(slow.rows(), all);
    assert!(slow.make());
    assert!(!slow.make(), "of the letters in between none is made");
    assert!(slow.rows().iter().all(|id| id.as_str().contains("etl")) && !slow.rows().is_empty(), "{:?}", slow.rows());
    slow.shows(&format!("{} of {}", slow.rows().len(), all.len()));
    slow.keys("<esc>").make_all().keys("gs");
    slow.keys("jj");
    let chosen = slow.here();
    assert_eq!(chosen, all[2]);
    slow.make_all();
    assert_ne!(slow.rows(), all);
    assert_eq!(slow.here(), chosen);
}

#[test]
fn what_is_done_about_a_row_waits_for_the_rows() {
    let source = running();
    let mut slow = Slow::new(Arc::clone(&source) as _);
    slow.keys("2").make_all();
    let first = slow.here();
    slow.keys("/etl<ret>K");
    assert!(slow.session.state().layers.is_empty(), "nothing is asked about {first}");
    slow.keys("<right>");
    slow.make_all();
    let found = slow.here();
    assert!(found.as_str().contains("etl") && found != first);
    let Some(Layer::Confirm(confirm)) = slow.session.state().layers.last() else { panic!("{}", slow.screen()) };
    assert_eq!((confirm.title.as_str(), confirm.accepting), (&*format!("Kill {found}?"), true));
    // Leaving the page discards the pending list, and the queued keys continue.
    slow.keys("<esc><esc>").make_all().keys("si<esc><esc>");
    assert!(matches!(slow.session.state().page(), Page::Apps(_)));
    slow.make_all();
    assert!(matches!(slow.session.state().page(), Page::Queues(_)), "{}", slow.screen());
}

#[test]
fn a_row_never_becomes_another_application() {
    let scene = Scene::new(fixture::tenants().build());
    let mut slow = Slow::new(Arc::clone(&scene) as _);
    slow.keys("2").make_all();
    let here = slow.here();
    let mut view = (*scene.view()).clone();
    let part = &mut view.partitions[0];
    let (slot, row) = part.apps.iter().flatten().map(|row| (row.slot, row)).find(|(_, row)| row.id == here).unwrap();
    let mut other = (**row).clone();
    other.id = AppId::from("unrelated");
    part.apps.set(slot.0 as usize, Some(Arc::new(other)));
    part.app_generation += 1;
    view.generation += 1;
    scene.show(view);
    slow.refresh(Duration::from_millis(10));
    slow.shows("▌just ended");
    assert!(!slow.screen().contains("unrelated"));
    slow.keys("K");
    assert!(slow.session.state().layers.is_empty(), "{}", slow.screen());
    slow.refresh(Duration::from_secs(2));
    slow.make_all().shows("unrelated");
}

#[test]
fn names_are_offered_when_they_are_found_and_match_the_current_input() {
    let offered = |session: &Session| match session.state().layers.last() {
        Some(Layer::Command(line)) => line.candidates.iter().map(|one| one.word.clone()).collect(),
        _ => Vec::new(),
    };
    let source = running();
    let at_once = |keys: &str| {
        let mut session = Session::new(Arc::clone(&source) as _, Options::default(), SIZE);
        for key in Key::parse_all(keys).unwrap() {
            session.key(key, Duration::ZERO);
        }
        offered(&session)
    };
    let mut slow = Slow::new(Arc::clone(&source) as _);
    slow.keys(":app e");
    assert_eq!(offered(&slow.session), Vec::<String>::new(), "nothing is found yet");
    slow.make_all();
    let found = offered(&slow.session);
    assert_eq!(found, at_once(":app e"));
    assert!(found.len() > 1 && found.iter().any(|name| name.starts_with("etl")), "{found:?}");
    slow.keys("tl");
    assert!(offered(&slow.session).iter().all(|name| name.starts_with("etl")) && !offered(&slow.session).is_empty());
    slow.make_all();
    assert_eq!(offered(&slow.session), at_once(":app etl"));
    slow.keys("<bs><bs><bs>ser<esc>2");
    slow.make_all();
    slow.keys(":app nothing-of-that-name");
    slow.make_all();
    assert_eq!(offered(&slow.session), Vec::<String>::new());
}

#[test]
fn whoever_waits_for_a_list_can_leave() {
    let mut slow = Slow::new(running());
    slow.keys("2K");
    let quits = ["<ctrl-c>", "<ctrl-c>"].map(|key| {
        let key = Key::parse_all(key).unwrap()[0];
        slow.step(Incoming::Input(Input::Key(key)), Duration::ZERO)
    });
    assert_eq!(quits, [false, true]);
}

#[test]
fn the_health_page_of_a_large_cluster_opens_before_the_checks_are_done() {
    let mut slow = Slow::new(running());
    slow.make_all().keys("9");
    slow.shows("Health");
    slow.shows("checking...");
    slow.make_all();
    slow.shows("checks passed, at");
}
