//! The console on a terminal: waits, takes events, draws once. The only part that reads a clock and owns threads.
//!
//! ```text
//!  input thread ───┐
//!  signal thread ──┼── channel ──> loop: wait, take up to 64, step the session, draw at most once
//!  source, replies ┘
//!     (wake up)
//! ```
//!
//! Invariants:
//! - a key is drawn immediately; cluster updates at most every 16 ms;
//! - nothing is drawn without a change, and the loop sleeps unless the screen depends on time;
//! - quitting, errors, panics, SIGTERM, SIGHUP, and suspending restore the terminal ([`crate::shell::terminal`]).
//!
//! Known limit: the input thread blocks in the terminal driver and ends with the process, not with [`run`].

mod other_programs;

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use color_eyre::eyre::{WrapErr, bail};
use crossterm::event::Event as TerminalEvent;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use crate::input::terminal_events;
use crate::shell::frame_rate::FrameRate;
use crate::shell::input_gate::InputGate;
use crate::shell::personal::Personal;
use crate::shell::session::{Incoming, Session};
use crate::shell::tap::{Input, Tap, TapTime};
use crate::shell::terminal::{self, Screen};
use crate::shell::workers::Workers;
use crate::shell::{linear, news, workers};
use crate::state::Options;
use crate::state::effect::Effect;
use source::Source;

const BATCH: usize = 64;

enum Event {
    Input(Input),
    News,
    /// The session's channel contains a reply.
    Reply,
    Signal(i32),
    InputEnded(std::io::Error),
}

#[derive(Default)]
struct Due {
    redraw: bool,
    repaint: bool,
    quit: bool,
    suspend: bool,
}

/// Runs the console until the user quits.
///
/// # Errors
/// Not a terminal, or an IO error.
pub fn run(source: Arc<dyn Source>, options: Options, personal: Personal) -> color_eyre::Result<()> {
    run_tapped(source, options, personal, None)
}

/// The same with a tap.
///
/// # Errors
/// See [`run`].
pub fn run_tapped(
    source: Arc<dyn Source>,
    options: Options,
    personal: Personal,
    mut tap: Option<Box<dyn Tap>>,
) -> color_eyre::Result<()> {
    if options.linear {
        return linear::run(source, options, personal);
    }
    if !std::io::stdout().is_terminal() {
        bail!("the console needs a terminal; use `--linear` for a text mode, or `kornsole run FILE`");
    }
    // With NO_COLOR crossterm would write resets instead of colors, which removes the selection; the theme avoids
    // colors.
    crossterm::style::force_color_output(true);
    let (sender, events) = mpsc::channel();
    let news = Arc::new(AtomicBool::new(false));
    watch_signals(&sender)?;
    let screen = Screen::take().wrap_err("cannot use the terminal")?;
    let input = InputGate::default();
    watch_input(&sender, &input)?;
    watch_source(&*source, &sender, &news);
    let size = screen.size()?;
    let time = TapTime::of(&*source);
    let mut session = Session::new(source, options, size);
    session.personalize(personal);
    let wake = sender.clone();
    session.on_reply(Arc::new(move || {
        // The loop may have ended.
        let _ = wake.send(Event::Reply);
    }));
    if let Some(tap) = &mut tap {
        tap.start(size, session.state());
    }
    let workers = Workers::new()?;
    let start = Instant::now();
    let (rate, waiting, left, due) = (FrameRate::default(), false, false, Due::default());
    Loop { screen, session, time, tap, input, workers, events, sender, news, start, rate, waiting, left, due }.run()
}

fn watch_input(sender: &Sender<Event>, gate: &InputGate) -> color_eyre::Result<()> {
    let (sender, gate) = (sender.clone(), gate.clone());
    let read = move || {
        loop {
            gate.pass();
            let input = match crossterm::event::read() {
                Ok(TerminalEvent::Key(key)) => terminal_events::key(key).map(Input::Key),
                Ok(TerminalEvent::Mouse(mouse)) => terminal_events::mouse(mouse).map(Input::Mouse),
                Ok(TerminalEvent::Paste(text)) => Some(Input::Paste(text)),
                Ok(_) => None,
                Err(error) => {
                    let _ = sender.send(Event::InputEnded(error));
                    return;
                }
            };
            if input.is_some_and(|input| sender.send(Event::Input(input)).is_err()) {
                return;
            }
        }
    };
    std::thread::Builder::new().name("console-input".to_owned()).spawn(read)?;
    Ok(())
}

fn watch_signals(sender: &Sender<Event>) -> color_eyre::Result<()> {
    // Before the size is first read; the input's own resize event comes later.
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGWINCH])?;
    let sender = sender.clone();
    let wait = move || {
        for signal in signals.forever() {
            if sender.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("console-signals".to_owned()).spawn(wait)?;
    Ok(())
}

/// Combines untaken updates into one event.
fn watch_source(source: &dyn Source, sender: &Sender<Event>, news: &Arc<AtomicBool>) {
    let (sender, news) = (sender.clone(), Arc::clone(news));
    news::watch(source, move || {
        if !news.swap(true, Ordering::AcqRel) {
            let _ = sender.send(Event::News);
        }
    });
}

struct Loop {
    screen: Screen,
    session: Session,
    time: TapTime,
    tap: Option<Box<dyn Tap>>,
    input: InputGate,
    workers: Workers,
    events: Receiver<Event>,
    sender: Sender<Event>,
    news: Arc<AtomicBool>,
    start: Instant,
    rate: FrameRate,
    waiting: bool,
    left: bool,
    due: Due,
}

impl Loop {
    /// A closed terminal is not an error.
    fn run(mut self) -> color_eyre::Result<()> {
        let gone = |error: &color_eyre::Report| {
            error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(terminal::is_gone))
        };
        match self.go_on() {
            Err(error) if gone(&error) || terminal::is_closed() => {
                tracing::warn!("the terminal was closed: {error:#}");
                let at = self.time.at(&**self.session.source());
                if let Some(tap) = &mut self.tap {
                    tap.end(at, false);
                }
                Ok(())
            }
            ended => ended,
        }
    }

    fn go_on(&mut self) -> color_eyre::Result<()> {
        self.screen.listen_to_mouse(self.session.state().options.mouse)?;
        self.draw()?;
        loop {
            if let Some(event) = self.wait()? {
                self.take(event)?;
                for _ in 1..BATCH {
                    let Ok(event) = self.events.try_recv() else { break };
                    self.take(event)?;
                }
            }
            self.refresh()?;
            if let Some(tap) = &mut self.tap {
                tap.shown(self.session.state());
            }
            self.screen.listen_to_mouse(self.session.state().options.mouse)?;
            let due = std::mem::take(&mut self.due);
            if due.quit {
                let at = self.time.at(&**self.session.source());
                if let Some(tap) = &mut self.tap {
                    tap.end(at, self.left);
                }
                return Ok(());
            }
            if !terminal::taken() {
                bail!("stopped after a panic in another thread");
            }
            if due.suspend {
                self.suspend()?;
            }
            if due.repaint {
                self.screen.forget()?;
            }
            let now = self.now();
            if due.repaint || (due.redraw && self.rate.next_frame(now) <= now) {
                self.draw()?;
            } else {
                self.due.redraw = due.redraw;
            }
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn draw(&mut self) -> color_eyre::Result<()> {
        self.rate.drawn(self.now());
        let Self { screen, session, .. } = self;
        screen.draw(|frame| session.draw(frame)).wrap_err("cannot write to the terminal")
    }

    fn wait(&mut self) -> color_eyre::Result<Option<Event>> {
        let now = self.now();
        let next = self.rate.next_refresh(now);
        let wake = self.session.next_wake().map(|wake| wake.max(next));
        let frame = self.due.redraw.then(|| self.rate.next_frame(now));
        let due = [self.waiting.then_some(next), wake, frame].into_iter().flatten().min();
        let ended = "the events of the console ended";
        match due {
            None => self.events.recv().map(Some).wrap_err(ended),
            Some(due) => match self.events.recv_timeout(due.saturating_sub(now)) {
                Ok(event) => Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(error @ RecvTimeoutError::Disconnected) => Err(error).wrap_err(ended),
            },
        }
    }

    fn take(&mut self, event: Event) -> color_eyre::Result<()> {
        match event {
            Event::Input(input) => self.take_input(input),
            Event::Reply => self.step(Incoming::Replies),
            Event::News => {
                self.waiting = true;
                Ok(())
            }
            Event::Signal(SIGWINCH) => {
                let size = self.screen.size()?;
                self.take_input(Input::Size(size))
            }
            Event::Signal(SIGTSTP) => {
                self.due.suspend = true;
                Ok(())
            }
            Event::Signal(SIGCONT) => self.retake(),
            Event::Signal(_) => {
                self.due.quit = true;
                Ok(())
            }
            Event::InputEnded(error) => Err(error).wrap_err("cannot read from the terminal"),
        }
    }

    fn take_input(&mut self, input: Input) -> color_eyre::Result<()> {
        self.rate.input(self.now());
        let Some(tap) = &mut self.tap else { return self.step(Incoming::Input(input)) };
        tap.input(&input, self.time.at(&**self.session.source()));
        // Input applies to the newest state, so that a tape replays equally.
        let ended = std::mem::take(&mut self.due.quit);
        self.step(Incoming::Refresh)?;
        self.step(Incoming::Input(input))?;
        self.left |= self.due.quit;
        self.due.quit |= ended;
        if let Some(tap) = &mut self.tap {
            tap.shown(self.session.state());
        }
        Ok(())
    }

    fn step(&mut self, incoming: Incoming) -> color_eyre::Result<()> {
        let (era, before) = (self.session.era(), Arc::clone(self.session.source()));
        let effects = self.session.step(incoming, self.now());
        if self.session.era() != era {
            self.time = self.time.on(&*before, &**self.session.source());
            watch_source(&**self.session.source(), &self.sender, &self.news);
        }
        effects.into_iter().try_for_each(|effect| self.carry_out(effect))
    }

    fn carry_out(&mut self, effect: Effect) -> color_eyre::Result<()> {
        match effect {
            Effect::Redraw => self.due.redraw = true,
            Effect::Repaint => self.due.repaint = true,
            Effect::Quit => self.due.quit = true,
            Effect::Suspend => self.due.suspend = true,
            Effect::Copy(text) => self.screen.copy(&text)?,
            Effect::Notify { bell, by, text } => self.screen.notify(bell, by, &text)?,
            Effect::EditText(text) => self.edit(&text)?,
            Effect::RunOwn(run) => self.run_own(&run)?,
            Effect::OpenContext(name) => workers::open(&self.session, name)?,
            Effect::AskContext(name) => workers::ask(&self.session, name)?,
            Effect::Work(work) => self.workers.give(self.session.replies(), work)?,
            // The session has carried this out.
            Effect::Silence(_)
            | Effect::SendOrder(..)
            | Effect::ReportRefusal(..)
            | Effect::FetchRevision(_)
            | Effect::Explain(_)
            | Effect::PreviewQuotas(_)
            | Effect::AskShadow
            | Effect::AskUsage(_)
            | Effect::Forecast(..)
            | Effect::StopForecast
            | Effect::FetchPastView(_)
            | Effect::FetchPastSpan(..)
            | Effect::LookAtJob(..)
            | Effect::NameJobs(_)
            | Effect::Owners(_)
            | Effect::ChangeJob(_)
            | Effect::ForPod(_)
            | Effect::WhatIf(_)
            | Effect::FindMoments(_) => {}
        }
        Ok(())
    }

    fn resize(&mut self) -> color_eyre::Result<()> {
        let size = self.screen.size()?;
        self.step(Incoming::Input(Input::Size(size)))
    }

    fn repaint(&mut self) {
        (self.due.redraw, self.due.repaint) = (true, true);
    }

    fn refresh(&mut self) -> color_eyre::Result<()> {
        let now = self.now();
        let wakes = self.session.next_wake().is_some_and(|wake| wake <= now);
        if !(self.waiting || wakes) || now < self.rate.next_refresh(now) {
            return Ok(());
        }
        self.rate.refreshed(now);
        if std::mem::take(&mut self.waiting) {
            // Cleared before the view is read: later updates are signaled again.
            self.news.store(false, Ordering::Release);
        }
        self.step(Incoming::Refresh)
    }

    fn suspend(&mut self) -> color_eyre::Result<()> {
        terminal::restore();
        low_level::emulate_default_handler(SIGTSTP)?;
        self.screen.retake()?;
        self.resize()?;
        self.draw()
    }
}
