//! What-if (E7) on a fork, on a thread of low priority.
//!
//! Limits: one per user (429), processor time and cycles (413), memory of the copies (413). A disconnected client stops
//! the work.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::read::in_background_untimed;
use super::stopwatch::Stopwatch;
use super::{NativeRequest, Reply, body};
use ::forecast::whatif::{Bounds, NoFork, Unfinished};
use engine::forecast;
use view::act::{Code, Details, Refusal};
use wire::convert::whatif as convert;
use wire::dto::native as dto;

const TRACE_LINES: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Running(Mutex<BTreeSet<String>>);

/// The slot of a user, released on drop.
struct Turn {
    native: Arc<super::NativeApi>,
    user: String,
}

impl Turn {
    fn take(request: &NativeRequest) -> Result<Self, Refusal> {
        let user = request.who.actor.identity.user.clone();
        let native = Arc::clone(&request.native);
        if !native.running.0.lock().unwrap_or_else(PoisonError::into_inner).insert(user.clone()) {
            let details = Details { wait: Some(1), ..Details::default() };
            let why = "one what-if at a time for each user; the previous what-if is still running";
            return Err(Refusal::new(Code::RateLimited, "not now", why).with(details));
        }
        Ok(Self { native, user })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.native.running.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user);
    }
}

/// Stops the work when the request is dropped.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) async fn answer(request: &NativeRequest) -> Result<Reply, Refusal> {
    let asked: dto::WhatIf = body::json(&request.body.bytes)?;
    let plan = convert::plan(&asked).map_err(|why| body::wrong("body", why))?;
    let turn = Turn::take(request)?;
    let gone = Gone(Arc::new(AtomicBool::new(false)));
    let (native, stopped) = (Arc::clone(&request.native), Arc::clone(&gone.0));
    let (limits, peer) = (native.options.limits.what_if, request.peer);
    let work = move || {
        // Kept while the work runs, even after a disconnect.
        let _turn = turn;
        let receiver = native.engine.fork(asked.partition.clone(), limits.bytes);
        let fork = receiver.recv().unwrap_or(Err(NoFork::Stopped)).map_err(no_fork)?;
        plan.check_names(&fork).map_err(|why| body::wrong("nodeGroups", why))?;
        let bounds = Bounds { cycles: limits.cycles, trace_lines: TRACE_LINES };
        let (pairs, took) = giving_way(limits.nice, || {
            let watch = Stopwatch::start();
            let may_continue = || !stopped.load(Ordering::Relaxed) && watch.elapsed() < limits.time;
            let pairs = forecast::pairs(&fork, &plan, &convert::seeds(&asked), bounds, 1, &may_continue);
            (pairs, watch.elapsed())
        })?;
        native.work.note(peer, took);
        let pairs = pairs.map_err(|why| unfinished(&why, limits.time))?;
        Ok(Reply::ok(&convert::several(&pairs, &native.wall, &asked.compare)))
    };
    in_background_untimed(work).await?
}

/// Runs work on a thread of lower priority: on a busy machine it gets only the time that the scheduler leaves.
///
/// # Errors
/// The operating system provides no thread.
fn giving_way<T: Send>(nice: i32, work: impl FnOnce() -> T + Send) -> Result<T, Refusal> {
    std::thread::scope(|scope| {
        let below = || {
            // Elsewhere niceness applies to the process.
            #[cfg(target_os = "linux")]
            let _nice = rustix::process::nice(nice);
            work()
        };
        let thread = std::thread::Builder::new().name("what-if".to_owned()).spawn_scoped(scope, below);
        let thread = thread
            .map_err(|why| Refusal::new(Code::Unavailable, "cannot start a thread for a what-if", why.to_string()))?;
        // The panic layer answers it.
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn no_fork(why: NoFork) -> Refusal {
    match &why {
        NoFork::NoPartition(name) => Refusal::not_found("partition", name),
        NoFork::TooLarge { .. } => {
            Refusal::new(Code::TooLarge, "the state is too large for a what-if", why.to_string())
        }
        NoFork::Stopped => Refusal::stopped(),
    }
}

fn unfinished(why: &Unfinished, most: Duration) -> Refusal {
    let why = match why {
        Unfinished::Stopped => format!("it needs more than {} s of processor time", most.as_secs()),
        Unfinished::Cycles(most) => format!("it needs more than {most} cycles"),
    };
    Refusal::new(Code::TooLarge, "the request is too large", format!("{why}; use a shorter time or fewer changes"))
}
