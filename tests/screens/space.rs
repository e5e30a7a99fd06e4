use std::sync::Arc;
use std::time::Duration;

use ::config::{self, DEFAULT_POLICY_GROUP};
use console::{Driver, Options};
use engine::{Core, Setup};
use kornsole::cli::demo;
use model::{Identity, Profile};
use source::{Source, Stepped};
use view::act::Actor;

use crate::common::about;

/// A console on the demo with seed 42 after this number of seconds.
pub fn on_demo(width: u16, height: u16, seconds: u64) -> (Driver, Arc<Stepped>) {
    on_demo_of(&Setup::of(Profile::default()), width, height, seconds)
}

/// Like [`on_demo`], with this setup.
pub fn on_demo_of(setup: &Setup, width: u16, height: u16, seconds: u64) -> (Driver, Arc<Stepped>) {
    let core = demo::core(42, setup).unwrap();
    let source = Arc::new(Stepped::new(core, about("demo, seed 42"), Identity::parse("you").unwrap()));
    source.advance(Duration::from_secs(seconds));
    let mut driver = Driver::new(Arc::clone(&source) as _, Options::default(), width, height);
    driver.refresh();
    (driver, source)
}

/// A console of a user on a configuration text, and its scheduler.
pub fn on_text(text: &str, who: Actor, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
    let read = config::read_file(text.as_bytes(), DEFAULT_POLICY_GROUP, Profile::default());
    let core = Core::new(Profile::default(), Arc::new(read.config.unwrap()), None).unwrap();
    let core = core.with_config_text(text.as_bytes(), None);
    let source = Arc::new(Stepped::new(core, about("queues.yaml"), who));
    (Driver::new(Arc::clone(&source) as _, Options::default(), width, height), source)
}

/// The active text.
pub fn running(source: &Stepped) -> String {
    source.configuration().unwrap().text.to_string()
}
