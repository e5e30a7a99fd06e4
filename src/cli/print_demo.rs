//! `kornsole demo --print-config` and `--print-workload`: the demo as somebody's first own files.

use std::sync::Arc;
use std::time::Duration;

use crate::config;
use crate::engine::{Core, Progress};
use crate::model::{Profile, Time};
use crate::scenario::{Demo, Recorder, demo_config, scenario_text};

/// How many cycles and commands are done between two looks at the time.
const SLICE: usize = 1 << 16;

/// The first part of the demo as a scenario file, its queue configuration included. `kornsole run` comes to the same
/// allocations with it.
///
/// # Errors
/// The demo's own configuration is refused by this profile.
pub fn workload_text(seed: u64, profile: Profile, span: Duration) -> Result<String, String> {
    let config = config::read(demo_config(), profile).config.ok_or("the demo's configuration does not read")?;
    let (recorder, recording) = Recorder::new(Demo::new(seed));
    let mut core = Core::new(profile, Arc::new(config), Some(Box::new(recorder)))?;
    while core.run_until(Time::ZERO + span, SLICE) == Progress::Busy {}
    let description = format!("The first {} s of the demo with seed {seed}.", span.as_secs());
    Ok(scenario_text("demo", &description, demo_config(), &recording.steps()))
}
