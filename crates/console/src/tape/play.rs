//! Plays a tape on a scheduler with a manual clock.
//!
//! Keys take no time. `Advance` moves both clocks in slices, so that the console sees the intermediate states. A
//! watcher ([`super::watch`]) has no influence.

use std::sync::Arc;

use super::file::Tape;
use super::player::{BrokenRule, Player};
use super::rig::Rig;
pub use super::stage::{Failure, Limits, PlayResult, Stage};
use engine::Core;
use source::{About, Stepped};

/// Plays a tape on a scheduler in this process.
pub fn play(tape: &Tape, core: Core, about: About, mut stage: Stage<'_>) -> PlayResult {
    let jobs = stage.jobs.take();
    let mut source = Stepped::unstarted(core, about, tape.head.actor()).with_jobs(jobs);
    if let Some(board) = stage.alerts.take() {
        source = source.with_alerts(board);
    }
    play_on(tape, Box::new(Arc::new(source)), stage)
}

/// Plays a tape on a rig.
pub fn play_on(tape: &Tape, rig: Box<dyn Rig>, stage: Stage<'_>) -> PlayResult {
    let mut player = Player::new(tape, rig, stage);
    let failed = player.start().map_err(|broken| (tape.head.at, broken)).and_then(|()| {
        tape.steps.iter().try_for_each(|step| {
            player.at = step.at;
            player.act(&step.act).map_err(|broken| (step.at, broken))
        })
    });
    let failed = failed.and_then(|()| player.all_expected());
    let failed = failed.and_then(|()| player.all_reported());
    let (screen, time) = (player.screen(), player.now);
    let stopped = matches!(failed, Err((_, BrokenRule::Stopped)));
    let failure = match failed {
        Err((at, BrokenRule::Rule(code, what))) => Some(Failure { at, code, what, screen: screen.clone(), time }),
        _ => None,
    };
    PlayResult {
        failure,
        stopped,
        screen,
        time,
        shots: player.shots,
        images: player.images,
        sayings: player.lines.sayings,
    }
}
