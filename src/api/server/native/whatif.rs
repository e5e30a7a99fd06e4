//! What if (E7): on a copy of the state, beside the threads that talk to clients. The scheduler only makes the copy.
//!
//! Bounds: one at a time for each user (429), a time and a number of cycles (413), memory for the copies (413). Who goes away ends it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::read::beside;
use super::{NativeRequest, Reply, body};
use crate::api::convert::whatif as convert;
use crate::api::dto::native as dto;
use crate::view::act::{Code, Details, Refusal};
use crate::whatif::{self, Bounds, NoFork, Unfinished};

/// The longest that one takes.
const MOST_TIME: Duration = Duration::from_secs(10);
/// The most bytes of the copies that one takes, about.
const MOST_BYTES: usize = 1 << 30;
/// What the runs may take.
const BOUNDS: Bounds = Bounds { cycles: 100_000, trace_lines: 10_000 };

/// Who has one running.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<BTreeSet<String>>);

/// The turn of a user; over when it is dropped.
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
            let why = "one what-if at a time for each user; the last one still runs";
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

/// Ends the work when the request is dropped: the client has gone, or the server stops.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Two runs on a copy of the state, and what differs.
pub(super) async fn answer(request: &NativeRequest) -> Result<Reply, Refusal> {
    let asked: dto::WhatIf = body::json(&request.body.bytes)?;
    let plan = convert::plan(&asked).map_err(|why| body::wrong("body", why))?;
    let turn = Turn::take(request)?;
    let gone = Gone(Arc::new(AtomicBool::new(false)));
    let (native, stopped) = (Arc::clone(&request.native), Arc::clone(&gone.0));
    let work = move || {
        // Held as long as this works, also after the client has gone.
        let _turn = turn;
        let receiver = native.engine.fork(asked.partition.clone(), MOST_BYTES);
        let fork = receiver.recv().unwrap_or(Err(NoFork::Stopped)).map_err(no_fork)?;
        let until = Instant::now() + MOST_TIME;
        let go_on = || !stopped.load(Ordering::Relaxed) && Instant::now() < until;
        let pair = whatif::run(&fork, &plan, BOUNDS, &go_on).map_err(unfinished)?;
        Ok(Reply::ok(&convert::result(&pair, &native.wall, &asked.compare)))
    };
    beside(request, work).await?
}

fn no_fork(why: NoFork) -> Refusal {
    match &why {
        NoFork::NoPartition(name) => Refusal::not_found("partition", name),
        NoFork::TooLarge { .. } => {
            Refusal::new(Code::TooLarge, "the state is too large to try things in", why.to_string())
        }
        NoFork::Stopped => Refusal::stopped(),
    }
}

fn unfinished(why: Unfinished) -> Refusal {
    let why = match why {
        Unfinished::Stopped => format!("it takes longer than {} s", MOST_TIME.as_secs()),
        Unfinished::Cycles(most) => format!("it takes more than {most} cycles"),
    };
    Refusal::new(
        Code::TooLarge,
        "what is asked is too much",
        format!("{why}; ask for a shorter time, or for fewer changes"),
    )
}
