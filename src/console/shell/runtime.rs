//! The console on a terminal: waits, takes what came, draws once. The only part that knows a clock and threads.
//!
//! ```text
//!  input thread ──┐
//!  signal thread ─┼── channel ──> loop: wait, take up to 64, update, draw at most once
//!  source (wake) ─┘
//! ```
//!
//! Invariants:
//! - a key is drawn at once; news of the cluster at most every 16 ms, however fast they come;
//! - nothing is drawn when nothing changed, and nobody wakes up unless something on the screen depends on time;
//! - quitting, an error, a panic, SIGTERM, SIGHUP and suspending leave the terminal whole ([`crate::console::shell::terminal`]).
//!
//! Known limit: the input thread waits in the terminal driver and ends with the process, not with [`run`].

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use color_eyre::eyre::{WrapErr, bail};
use crossterm::event::Event as TerminalEvent;
use ratatui::layout::Size;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use crate::console::input::key::Key;
use crate::console::input::terminal_events;
use crate::console::shell::external_editor;
use crate::console::shell::input_gate::Gate;
use crate::console::shell::session::Session;
use crate::console::shell::terminal;
use crate::console::shell::terminal::Screen;
use crate::console::shell::workers::Hands;
use crate::console::state::work::{Outcome, Work};
use crate::console::state::{Options, Personal, State};
use crate::console::update::action::{Effects, Mouse};
use crate::model::Time;
use crate::source::Source;

/// The shortest time between two frames for news.
const FLOOR: Duration = Duration::from_millis(16);
/// The most events taken before a frame is drawn.
const BATCH: usize = 64;

/// What comes to the loop.
enum Event {
    Key(Key),
    Mouse(Mouse),
    Paste(String),
    News,
    /// Something came of an order.
    Answer,
    /// Another scheduler was opened, or could not be: its name.
    Opened(String, Result<Arc<dyn Source>, String>),
    Signal(i32),
    /// Something that was asked for is done, in the era of the session in which it was asked for.
    Done(u64, Outcome),
    InputEnded(std::io::Error),
}

/// Runs the console on the terminal until the person quits.
///
/// # Errors
/// The output is no terminal, or it cannot be read from or written to any more.
pub fn run(source: Arc<dyn Source>, options: Options, personal: Personal) -> color_eyre::Result<()> {
    run_tapped(source, options, personal, None)
}

/// What a person does to a console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Pressed a key.
    Key(Key),
    /// Did something with the mouse.
    Mouse(Mouse),
    /// Pasted text.
    Paste(String),
    /// Gave the terminal another size.
    Size(Size),
}

/// Somebody who hears what a person does. Called on the console's own thread, which waits for it.
pub trait Tap {
    /// The console begins, on a terminal of this size.
    fn begin(&mut self, size: Size, state: &State);
    /// Something is done, at this time of the cluster; the console has not answered yet.
    fn input(&mut self, input: &Input, at: Time);
    /// The console has answered, or shows something new.
    fn shown(&mut self, state: &State);
    /// The console ends, because the person left it or for another reason.
    fn end(&mut self, at: Time, left: bool);
}

/// The same while somebody listens.
///
/// # Errors
/// As [`run`].
pub fn run_tapped(
    source: Arc<dyn Source>,
    options: Options,
    personal: Personal,
    mut tap: Option<Box<dyn Tap>>,
) -> color_eyre::Result<()> {
    if !std::io::stdout().is_terminal() {
        bail!("the console needs a terminal, and the output is none; `kornsole run FILE` works without one");
    }
    // With NO_COLOR crossterm would write resets in place of colours and wipe out the selection; the theme without colours
    // is what keeps colours away.
    crossterm::style::force_color_output(true);
    let (sender, events) = mpsc::channel();
    let news = Arc::new(AtomicBool::new(false));
    watch_signals(&sender)?;
    let screen = Screen::take().wrap_err("the terminal could not be taken")?;
    let input = Gate::default();
    watch_input(&sender, &input)?;
    watch_source(&*source, &sender, &news);
    let size = screen.size()?;
    let time = TapTime { shown: source.now(), began: source.now() };
    let mut session = Session::new(source, options, size);
    session.personalize(personal);
    let told = Mutex::new(sender.clone());
    session.on_answer(Arc::new(move || {
        // The loop may have ended.
        let _ = told.lock().unwrap_or_else(PoisonError::into_inner).send(Event::Answer);
    }));
    if let Some(tap) = &mut tap {
        tap.begin(size, session.state());
    }
    let told = Mutex::new(sender.clone());
    let hands = Hands::new(move |era, outcome| {
        // The loop may have ended.
        let _ = told.lock().unwrap_or_else(PoisonError::into_inner).send(Event::Done(era, outcome));
    })?;
    let start = Instant::now();
    let (last_news, waiting, left) = (start, false, false);
    Loop { screen, session, time, tap, input, hands, events, sender, news, start, last_news, waiting, left }.run()
}

fn watch_input(sender: &Sender<Event>, gate: &Gate) -> color_eyre::Result<()> {
    let (sender, gate) = (sender.clone(), gate.clone());
    let read = move || {
        loop {
            gate.pass();
            let event = match crossterm::event::read() {
                Ok(TerminalEvent::Key(key)) => terminal_events::key(key).map(Event::Key),
                Ok(TerminalEvent::Mouse(mouse)) => terminal_events::mouse(mouse).map(Event::Mouse),
                Ok(TerminalEvent::Paste(text)) => Some(Event::Paste(text)),
                Ok(_) => None,
                Err(error) => {
                    let _ = sender.send(Event::InputEnded(error));
                    return;
                }
            };
            if event.is_some_and(|event| sender.send(event).is_err()) {
                return;
            }
        }
    };
    std::thread::Builder::new().name("console-input".to_owned()).spawn(read)?;
    Ok(())
}

fn watch_signals(sender: &Sender<Event>) -> color_eyre::Result<()> {
    // Another size is told by its signal: it is heard from before the first look at the size, which no event of the input is.
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

/// Many news before the loop gets to them are one event.
fn watch_source(source: &dyn Source, sender: &Sender<Event>, news: &Arc<AtomicBool>) {
    let (sender, news) = (sender.clone(), Arc::clone(news));
    source.on_change(Box::new(move || {
        if !news.swap(true, Ordering::AcqRel) {
            let _ = sender.send(Event::News);
        }
    }));
}

/// The time that is told to who listens: it goes on over schedulers that are looked at one after the other, each with its own clock.
#[derive(Clone, Copy)]
struct TapTime {
    /// What was told when the present scheduler was first looked at.
    shown: Time,
    /// Its own time then.
    began: Time,
}

impl TapTime {
    fn at(self, source: &dyn Source) -> Time {
        self.shown + source.now().since(self.began)
    }
}

struct Loop {
    screen: Screen,
    session: Session,
    time: TapTime,
    tap: Option<Box<dyn Tap>>,
    input: Gate,
    hands: Hands,
    events: Receiver<Event>,
    sender: Sender<Event>,
    news: Arc<AtomicBool>,
    start: Instant,
    /// When news were taken last.
    last_news: Instant,
    /// News came that have not been taken yet.
    waiting: bool,
    /// The person has left.
    left: bool,
}

impl Loop {
    fn run(mut self) -> color_eyre::Result<()> {
        self.screen.listen_to_mouse(self.session.state().options.mouse)?;
        self.draw()?;
        loop {
            let mut effects = Effects::NONE;
            if let Some(event) = self.wait()? {
                effects = effects.and(self.take(event)?);
                for _ in 1..BATCH {
                    let Ok(event) = self.events.try_recv() else { break };
                    effects = effects.and(self.take(event)?);
                }
            }
            effects = effects.and(self.refresh());
            effects = effects.and(self.work()?);
            if let Some(tap) = &mut self.tap {
                tap.shown(self.session.state());
            }
            self.screen.listen_to_mouse(self.session.state().options.mouse)?;
            if effects.quit {
                let at = self.time.at(&**self.session.source());
                if let Some(tap) = &mut self.tap {
                    tap.end(at, self.left);
                }
                return Ok(());
            }
            if !terminal::taken() {
                bail!("stopped after a panic in another thread");
            }
            if effects.suspend {
                self.suspend()?;
            }
            if effects.repaint {
                self.screen.forget()?;
            }
            if effects.redraw || effects.repaint {
                self.draw()?;
            }
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn draw(&mut self) -> color_eyre::Result<()> {
        let Self { screen, session, .. } = self;
        screen.draw(|frame| session.draw(frame)).wrap_err("the terminal could not be written to")
    }

    /// Waits for an event, until news may be drawn, or until something on the screen is due.
    fn wait(&mut self) -> color_eyre::Result<Option<Event>> {
        let now = self.now();
        let news = self.waiting.then(|| (self.last_news + FLOOR).saturating_duration_since(self.start));
        let due = [news, self.session.next_wake()].into_iter().flatten().min();
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

    fn take(&mut self, event: Event) -> color_eyre::Result<Effects> {
        let Some(input) = self.done_by(&event)? else { return self.answer(event) };
        let Some(tap) = &mut self.tap else { return self.answer(event) };
        // The console shows what is, not what was when it was drawn last, so that a tape can come to the same.
        let now = self.time.at(&**self.session.source());
        tap.input(&input, now);
        let refreshed = self.session.refresh(self.now());
        let effects = refreshed.and(self.answer(event)?);
        if let Some(tap) = &mut self.tap {
            tap.shown(self.session.state());
        }
        self.left |= effects.quit;
        Ok(effects)
    }

    /// What a person does with an event.
    fn done_by(&self, event: &Event) -> color_eyre::Result<Option<Input>> {
        Ok(match event {
            Event::Key(key) => Some(Input::Key(*key)),
            Event::Mouse(mouse) => Some(Input::Mouse(*mouse)),
            Event::Paste(text) => Some(Input::Paste(text.clone())),
            Event::Signal(SIGWINCH) => Some(Input::Size(self.screen.size()?)),
            _ => None,
        })
    }

    fn answer(&mut self, event: Event) -> color_eyre::Result<Effects> {
        Ok(match event {
            Event::Key(key) => self.session.key(key, self.now()),
            Event::Mouse(mouse) => self.session.mouse(mouse, self.now()),
            Event::Paste(text) => self.session.paste(text, self.now()),
            Event::Done(era, outcome) => self.session.done(era, outcome),
            Event::Answer => self.session.take_answers(self.now()),
            Event::Opened(name, opened) => {
                let (era, before) = (self.session.era(), self.time.at(&**self.session.source()));
                let effects = self.session.switch(&name, opened);
                if self.session.era() != era {
                    let source = self.session.source();
                    self.time = TapTime { shown: before, began: source.now() };
                    watch_source(&**source, &self.sender, &self.news);
                }
                effects
            }
            Event::News => {
                self.waiting = true;
                Effects::NONE
            }
            Event::Signal(SIGWINCH) => self.session.resize(self.screen.size()?),
            Event::Signal(SIGTSTP) => Effects { suspend: true, ..Effects::NONE },
            Event::Signal(SIGCONT) => {
                self.screen.retake()?;
                self.session.resize(self.screen.size()?).and(Effects { repaint: true, ..Effects::REDRAW })
            }
            Event::Signal(_) => Effects { quit: true, ..Effects::NONE },
            Event::InputEnded(error) => return Err(error).wrap_err("the terminal could not be read from"),
        })
    }

    /// Has done what is to be done outside: what needs the terminal here, everything else beside the loop.
    fn work(&mut self) -> color_eyre::Result<Effects> {
        let mut effects = Effects::NONE;
        while let Some(work) = self.session.take_work() {
            let era = self.session.era();
            match work {
                Work::Copy(text) => self.screen.copy(&text)?,
                Work::Context(name) => {
                    let Some(opener) = self.session.opener() else { continue };
                    let sender = self.sender.clone();
                    let open = move || {
                        let opened = opener.open(&name);
                        let _ = sender.send(Event::Opened(name, opened));
                    };
                    std::thread::Builder::new().name("console-open".to_owned()).spawn(open)?;
                }
                Work::Edit(text) => effects = effects.and(self.edit(&text)?),
                other => self.hands.give(era, other)?,
            }
        }
        Ok(effects)
    }

    /// Gives the terminal to the person's own editor until that ends.
    fn edit(&mut self, text: &str) -> color_eyre::Result<Effects> {
        self.input.pause();
        terminal::restore();
        let (edited, era) = (external_editor::edit(text), self.session.era());
        self.screen.retake()?;
        self.input.resume();
        let effects = self.session.resize(self.screen.size()?).and(self.session.done(era, Outcome::Edited(edited)));
        Ok(effects.and(Effects { repaint: true, ..Effects::REDRAW }))
    }

    /// Takes news when there are some and the last ones are long enough ago, and lets time go on when something is due.
    fn refresh(&mut self) -> Effects {
        let now = self.now();
        let news = self.waiting && self.last_news.elapsed() >= FLOOR;
        if !news && self.session.next_wake().is_none_or(|due| due > now) {
            return Effects::NONE;
        }
        if news {
            self.waiting = false;
            self.last_news = Instant::now();
            // Taken off before looking: what comes from now on is told anew.
            self.news.store(false, Ordering::Release);
        }
        self.session.refresh(now)
    }

    /// Goes to the background as any program does, and comes back with the whole picture.
    fn suspend(&mut self) -> color_eyre::Result<()> {
        terminal::restore();
        low_level::emulate_default_handler(SIGTSTP)?;
        self.screen.retake()?;
        self.session.resize(self.screen.size()?);
        self.draw()
    }
}
