//! Linear mode on standard input and output.
//!
//! Invariants:
//! - the terminal edits lines: no raw mode, no escape sequence;
//! - a line is read only after the previous answer, so that another program can read its input;
//! - an announcement is printed between lines, never inside an answer.

use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use color_eyre::eyre::WrapErr;
use ratatui::layout::Size;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::linear::{Reader, Step, Then, plain};
use crate::shell::personal::Personal;
use crate::shell::session::{Incoming, Session};
use crate::shell::workers::Workers;
use crate::shell::{external_editor, news, own_command, workers};
use crate::state::Options;
use crate::state::effect::Effect;
use crate::state::layer::Layer;
use crate::state::reply::Reply;
use source::Source;

const SIZE: Size = Size { width: 120, height: 40 };
/// The wait for an answer, and for the first response of a remote.
const PATIENCE: Duration = Duration::from_secs(10);
const FIRST: Duration = Duration::from_secs(3);
const FLOOR: Duration = Duration::from_millis(50);
const CLOSES: usize = 8;
/// The longest line, in bytes; what is longer is no line of a person.
const LONGEST: u64 = 1 << 20;

enum Event {
    /// `None` at the end of the input.
    Line(Option<String>),
    News,
    Reply,
    Signal,
}

/// Runs the console on standard input and output.
///
/// # Errors
/// No thread, or a write error except a closed pipe.
pub fn run(source: Arc<dyn Source>, options: Options, personal: Personal) -> color_eyre::Result<()> {
    let (sender, events) = channel();
    let asks = read_lines(&sender)?;
    watch_signals(&sender)?;
    let mut session = Session::new(source, options, SIZE);
    session.personalize(personal);
    let wake = sender.clone();
    session.on_reply(Arc::new(move || {
        // The loop may have ended.
        let _ = wake.send(Event::Reply);
    }));
    let news = Arc::new(AtomicBool::new(false));
    let (typed, start) = (io::stdin().is_terminal(), Instant::now());
    let workers = Workers::new()?;
    let (reader, lines) = Default::default();
    let mut dialog = Dialog {
        session,
        reader,
        lines,
        events,
        sender,
        asks,
        news,
        workers,
        start,
        typed,
        prompted: false,
        quit: false,
    };
    dialog.watch_source();
    match dialog.run() {
        // The reader is gone.
        Err(error) if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) => {
            Ok(())
        }
        ended => ended,
    }
}

fn read_lines(sender: &Sender<Event>) -> io::Result<SyncSender<()>> {
    let sender = sender.clone();
    let (asks, asked) = sync_channel(1);
    let read = move || {
        let mut input = io::stdin().lock();
        for () in asked {
            let mut bytes = Vec::new();
            let read = io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut bytes);
            let line = match read {
                Ok(1..) => Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned()),
                Ok(0) | Err(_) => None,
            };
            let ended = line.is_none();
            if sender.send(Event::Line(line)).is_err() || ended {
                return;
            }
        }
    };
    std::thread::Builder::new().name("console-input".to_owned()).spawn(read)?;
    Ok(asks)
}

fn watch_signals(sender: &Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    let sender = sender.clone();
    let wait = move || {
        for _ in signals.forever() {
            if sender.send(Event::Signal).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("console-signals".to_owned()).spawn(wait).map(drop)
}

struct Dialog {
    session: Session,
    reader: Reader,
    lines: Vec<Option<String>>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    asks: SyncSender<()>,
    news: Arc<AtomicBool>,
    workers: Workers,
    start: Instant,
    /// A terminal echoes lines.
    typed: bool,
    prompted: bool,
    quit: bool,
}

impl Dialog {
    fn run(&mut self) -> color_eyre::Result<()> {
        let connecting = |dialog: &Self| !dialog.session.state().cluster.link.is_live();
        self.until(FIRST, connecting)?;
        self.until(FIRST, |dialog| dialog.session.is_busy())?;
        let first = self.reader.start(self.session.state());
        self.print_lines(first)?;
        while !self.quit {
            let Some(line) = self.next_line()? else { break };
            let Some(line) = line else {
                self.print_lines(vec!["The input has ended; kornsole exits.".to_owned()])?;
                break;
            };
            self.take(&line)?;
        }
        Ok(())
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn watch_source(&self) {
        let (sender, news) = (self.sender.clone(), Arc::clone(&self.news));
        news::watch(&**self.session.source(), move || {
            if !news.swap(true, Ordering::AcqRel) {
                let _ = sender.send(Event::News);
            }
        });
    }

    fn print_lines(&mut self, lines: Vec<String>) -> color_eyre::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        if std::mem::take(&mut self.prompted) {
            text.push('\n');
        }
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    fn next_line(&mut self) -> color_eyre::Result<Option<Option<String>>> {
        if let Some(line) = self.lines.pop() {
            return Ok(Some(line));
        }
        let _ = self.asks.try_send(());
        loop {
            if self.typed && !self.prompted {
                let mut out = io::stdout().lock();
                out.write_all(self.reader.prompt(self.session.state()).as_bytes())?;
                out.flush()?;
                self.prompted = true;
            }
            self.step_once(None)?;
            if self.quit {
                return Ok(None);
            }
            if let Some(line) = self.lines.pop() {
                // Enter ended the prompt line.
                self.prompted = false;
                return Ok(Some(line));
            }
            let (now, state) = (self.now(), self.session.state());
            let news = self.reader.announce(state, now);
            self.print_lines(news)?;
        }
    }

    fn step_once(&mut self, until: Option<Duration>) -> color_eyre::Result<()> {
        let announces = if until.is_none() { self.reader.next_wake(self.session.state()) } else { None };
        let due = [self.session.next_wake(), announces, until].into_iter().flatten().min();
        let event = match due {
            None => self.events.recv().map(Some).wrap_err("the events of the console ended")?,
            Some(due) => match self.events.recv_timeout(due.saturating_sub(self.now())) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(error @ RecvTimeoutError::Disconnected) => {
                    Err(error).wrap_err("the events of the console ended")?
                }
            },
        };
        match event {
            Some(Event::Line(line)) => self.lines.push(line),
            Some(Event::Signal) => self.quit = true,
            Some(Event::Reply) => self.step(Incoming::Replies)?,
            None => self.step(Incoming::Refresh)?,
            Some(Event::News) => {
                // Combines fast updates.
                std::thread::sleep(if until.is_none() { FLOOR } else { Duration::ZERO });
                self.news.store(false, Ordering::Release);
                self.step(Incoming::Refresh)?;
            }
        }
        Ok(())
    }

    fn until(&mut self, patience: Duration, waits: impl Fn(&Self) -> bool) -> color_eyre::Result<()> {
        let end = self.now() + patience;
        while waits(self) && !self.quit && self.now() < end {
            self.step_once(Some(end))?;
        }
        Ok(())
    }

    fn take(&mut self, line: &str) -> color_eyre::Result<()> {
        if !self.typed {
            let prompt = self.reader.prompt(self.session.state());
            self.print_lines(vec![format!("{prompt}{}", plain::text(line))])?;
        }
        if !self.may_answer()? {
            return Ok(());
        }
        self.step(Incoming::Refresh)?;
        let received = self.reader.enter(self.session.state(), line);
        self.print_lines(received.lines)?;
        self.carry_out(received.steps)?;
        self.until(PATIENCE, |dialog| dialog.session.is_busy())?;
        if self.session.is_busy() && received.then != Then::Nothing && !self.quit {
            self.print_lines(vec!["No result yet; use read after it has arrived.".to_owned()])?;
        }
        for _ in 0..CLOSES {
            if self.quit {
                break;
            }
            let (lines, steps) = self.reader.report(self.session.state(), received.then);
            self.print_lines(lines)?;
            if steps.is_empty() {
                break;
            }
            self.carry_out(steps)?;
        }
        Ok(())
    }

    /// A question that opened by itself accepts no typed answer for a moment: the line was meant for something else.
    /// Other input waits.
    fn may_answer(&mut self) -> color_eyre::Result<bool> {
        let from = |dialog: &Self| match dialog.session.state().layers.last() {
            Some(Layer::Confirm(question)) => question.from,
            _ => Duration::ZERO,
        };
        if from(self) <= self.now() {
            return Ok(true);
        }
        if self.typed {
            self.print_lines(vec!["Rejected: the question just appeared; answer it again.".to_owned()])?;
            let asked = self.reader.report(self.session.state(), Then::Look).0;
            self.print_lines(asked)?;
            return Ok(false);
        }
        let end = from(self);
        self.until(end.saturating_sub(self.now()), |_| true)?;
        Ok(true)
    }

    fn carry_out(&mut self, steps: Vec<Step>) -> color_eyre::Result<()> {
        steps.into_iter().try_for_each(|step| self.step(Incoming::Step(step)))
    }

    fn step(&mut self, incoming: Incoming) -> color_eyre::Result<()> {
        let era = self.session.era();
        let effects = self.session.step(incoming, self.now());
        if self.session.era() != era {
            self.watch_source();
        }
        effects.into_iter().try_for_each(|effect| self.perform(effect))
    }

    fn perform(&mut self, effect: Effect) -> color_eyre::Result<()> {
        match effect {
            Effect::Quit => self.quit = true,
            Effect::Copy(text) => {
                let lines = text.lines().map(plain::text);
                let lines = std::iter::once("Text to copy:".to_owned()).chain(lines).collect();
                self.print_lines(lines)?;
            }
            Effect::EditText(text) => {
                let edited = if self.typed {
                    external_editor::edit(&text)
                } else {
                    Err("an editor needs a terminal; line N TEXT edits a line".to_owned())
                };
                self.session.replies().send(Reply::TextEdited(edited));
            }
            Effect::RunOwn(run) => {
                let ended = if self.typed { own_command::run(&run) } else { own_command::in_background(&run) };
                self.session.replies().send(Reply::OwnEnded(ended));
            }
            Effect::OpenContext(name) => workers::open(&self.session, name)?,
            Effect::AskContext(name) => workers::ask(&self.session, name)?,
            Effect::Work(work) => self.workers.give(self.session.replies(), work)?,
            _ => {}
        }
        Ok(())
    }
}
