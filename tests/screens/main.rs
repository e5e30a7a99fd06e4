//! The console on a virtual terminal: snapshots and keys.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what it expects by failing")]

#[path = "../common/mod.rs"]
mod common;

mod appearance;
mod attached;
mod change;
mod cluster;
mod columns;
mod config;
mod contexts;
mod each_page;
mod edited_limits;
mod explain;
mod eyes;
mod fixture;
mod glance;
mod happened;
mod images;
mod jobs;
mod keys;
mod late;
mod linear;
mod long;
mod many;
mod metrics;
mod more;
mod notices;
mod orders;
mod overview;
mod personal;
mod placements;
mod props;
mod questions;
mod quitting;
mod records;
mod screens;
mod shadow;
mod simulated_past;
mod space;
mod tasks;
mod together;
mod users;
mod ways;
mod what_if;
mod wide;
mod wire;
mod workload;

use std::sync::Arc;

use console::{Driver, Options};
use fixture::Scene;

fn console(width: u16, height: u16) -> (Driver, Arc<Scene>) {
    let scene = Scene::new(fixture::tenants().build());
    (Driver::new(Arc::clone(&scene) as _, Options::default(), width, height), scene)
}

fn after(keys: &str, width: u16, height: u16) -> Driver {
    let (mut driver, _) = console(width, height);
    driver.keys(keys).unwrap();
    driver
}
