//! A conversation in linear mode: parses lines, and prints the results.

use std::collections::VecDeque;
use std::time::Duration;

use crate::linear::news::{Announcer, Retained};
use crate::linear::steps::{
    MOST, Received, Step, Then, clear, edited, key, ordered, pressed, selected, set, stepped, typed,
};
use crate::linear::words::{self, split};
use crate::linear::{config, help, layers, news, page, place, plain};
use crate::present::{crumbs, format};
use crate::state::State;
use crate::state::command::{
    CommandId, FormCommand, GoCommand, PromptCommand, RowCommand, ScreenCommand, TextCommand, TrialCommand,
};
use crate::state::key::Code;
use crate::state::layer::{Confirm, Layer};
use crate::state::page::Page;

#[derive(Clone, Debug, Default)]
enum Rest {
    #[default]
    Nothing,
    Page(usize),
    /// Lines, the number printed, and the total.
    Text(VecDeque<String>, usize, usize),
}

const PORTION: usize = 20;
const PAUSE: Duration = Duration::from_secs(1);

/// A conversation: what was read so far, and what `more` reads next.
#[derive(Clone, Debug)]
pub struct Reader {
    portion: usize,
    rest: Rest,
    page: String,
    announcer: Announcer,
    retained: Retained,
    announces: bool,
    every: Option<Duration>,
    announced: Duration,
    compared: Duration,
}

impl Default for Reader {
    fn default() -> Self {
        let (rest, page, announcer, retained) = Default::default();
        let (announces, every, announced, compared) = (true, None, Duration::ZERO, Duration::ZERO);
        Self { portion: PORTION, rest, page, announcer, retained, announces, every, announced, compared }
    }
}

impl Reader {
    /// The first lines: introduction, location, first page.
    pub fn start(&mut self, state: &State) -> Vec<String> {
        let mut lines = vec![format!("kornsole {}, linear mode. help lists the words.", env!("CARGO_PKG_VERSION"))];
        lines.extend(place::scheduler(state));
        lines.extend(news::recent(state));
        self.announcer.catch_up(state);
        lines.extend(self.read_page(state));
        lines
    }

    /// The page name, or that an answer is awaited.
    pub fn prompt(&self, state: &State) -> String {
        match state.layers.last() {
            Some(Layer::Confirm(question)) if question.typed.is_some() => "write it, or no> ".to_owned(),
            Some(Layer::Confirm(_)) => "yes or no> ".to_owned(),
            _ => format!("{}> ", plain::text(crumbs::crumbs(state).last().map_or("", String::as_str)).to_lowercase()),
        }
    }

    /// Parses a line.
    pub fn enter(&mut self, state: &State, line: &str) -> Received {
        if let Some(Layer::Confirm(question)) = state.layers.last() {
            return self.enter_answer(state, question, line.trim());
        }
        let (word, rest) = split(line);
        if word.is_empty() {
            let lines = if matches!(self.rest, Rest::Nothing) { Vec::new() } else { self.more(state) };
            return Received::reported(lines);
        }
        if let Some(received) = self.enter_reading(state, word, rest).or_else(|| self.enter_own(state, word, rest)) {
            return received;
        }
        match words::order(state, word, rest) {
            Ok(order) => ordered(order),
            Err(why) => Received::refused(why),
        }
    }

    fn enter_answer(&mut self, state: &State, question: &Confirm, line: &str) -> Received {
        let (word, rest) = split(line);
        let prompt = |id| CommandId::Prompt(id);
        match (word.to_lowercase().as_str(), &question.typed) {
            ("no", _) => Received {
                lines: vec!["Canceled.".to_owned()],
                ..Received::run(prompt(PromptCommand::Cancel), None, Then::Look)
            },
            ("reason", _) if question.reason.is_some() => {
                let steps = [Step::Run(prompt(PromptCommand::Reason), None), key(Code::End), clear()];
                let end = Step::Run(prompt(PromptCommand::Accept), None);
                Received::steps(steps.into_iter().chain(typed(rest)).chain([end]).collect(), Then::Look)
            }
            (_, Some(wanted)) if line == wanted.want => {
                let end = Step::Run(prompt(PromptCommand::Accept), None);
                let steps = [key(Code::End), clear()].into_iter().chain(typed(line)).chain([end]);
                Received::steps(steps.collect(), Then::Look)
            }
            ("yes", None) if rest.is_empty() => Received::run(prompt(PromptCommand::Yes), None, Then::Look),
            ("where", _) => Received::reported(place::lines(state)),
            ("messages", _) => Received::reported(self.portioned(news::all(state))),
            ("help", _) => Received::reported(help::lines(state, if rest.is_empty() { "yes" } else { rest })),
            ("try-this", _) => Received::run(CommandId::Trial(TrialCommand::TryThis), None, Then::Look),
            ("quit!", _) => Received::run(CommandId::Screen(ScreenCommand::QuitNow), None, Then::Nothing),
            ("" | "read", _) => Received::reported(layers::asked(question)),
            _ => {
                let mut lines =
                    vec![format!("Rejected: a question is open, and {} does not answer it.", plain::text(word))];
                lines.extend(layers::asked(question));
                Received::reported(lines)
            }
        }
    }

    fn enter_reading(&mut self, state: &State, word: &str, rest: &str) -> Option<Received> {
        let lines = match (word, rest) {
            ("help" | "?", word) => self.portioned(help::lines(state, word)),
            ("where", "") => place::lines(state),
            ("read", "") => self.read_page(state),
            ("more", "") => self.more(state),
            ("messages" | "log", "") => self.portioned(news::all(state)),
            ("row", "") => row(state, true),
            ("news", "") => self.news(state),
            ("changes", "") if state.cluster.trial.is_none() => self.news(state),
            ("yes" | "no" | "reason", _) => return Some(Received::refused("no question is open")),
            ("portion", _) => vec![self.set_portion(rest)],
            ("announce", _) => vec![self.set_announcing(rest)],
            ("show", number) => match (state.page(), number.parse::<usize>()) {
                (Page::Config(page), Ok(number)) if number > 0 => {
                    let lines = page.buffer.lines().iter().enumerate().skip(number - 1);
                    let lines = lines.map(|(at, line)| config::numbered(at + 1, line)).collect();
                    self.portioned(lines)
                }
                (Page::Config(_), _) => return Some(Received::refused("write show N: the number of a line, from 1")),
                _ => return Some(Received::refused("show works on the configuration; config opens it")),
            },
            _ => return None,
        };
        Some(Received::reported(lines))
    }

    fn enter_own(&mut self, state: &State, word: &str, rest: &str) -> Option<Received> {
        let row = |id| Received::run(CommandId::Row(id), None, Then::Row);
        Some(match (word, rest) {
            ("next" | "previous", "") => stepped(state, word == "next", 1),
            ("next" | "previous", _) => match rest.parse::<usize>() {
                Ok(count) if count <= MOST => stepped(state, word == "next", count),
                _ => Received::refused(format!("write {word} N: how many rows, at most {MOST}")),
            },
            ("first", "") => row(RowCommand::Top),
            ("last", "") => row(RowCommand::Bottom),
            ("select", "") => Received::refused("write select NAME, or the NUMBER of a row"),
            ("select", _) => selected(state, rest, None),
            ("open", what) if !what.is_empty() => selected(state, what, Some(RowCommand::Open)),
            ("details", what) if !what.is_empty() => selected(state, what, Some(RowCommand::Details)),
            ("back", "") if state.pages.len() > 1 => Received::run(CommandId::Go(GoCommand::Leave), None, Then::Look),
            ("back", "") => Received::run(CommandId::Go(GoCommand::Back), None, Then::Page),
            ("filter", _) => Received::run(CommandId::Prompt(PromptCommand::Filter), Some(rest), Then::Page),
            ("key", keys) => pressed(keys),
            ("set", _) => set(state, rest),
            ("line" | "insert" | "indent" | "delete", _) if matches!(state.page(), Page::Config(_)) => {
                edited(state, word, rest)
            }
            ("line" | "insert" | "indent" | "delete", _) => {
                Received::refused(format!("{word} works on the configuration; config opens it"))
            }
            _ => return None,
        })
    }

    /// The output after the steps, and steps that close what was printed; call again after these.
    pub fn report(&mut self, state: &State, then: Then) -> (Vec<String>, Vec<Step>) {
        let mut lines = self.announcer.take(state);
        let close = match state.layers.last() {
            None => None,
            Some(Layer::Confirm(question)) => {
                if then != Then::Nothing {
                    lines.extend(layers::asked(question));
                }
                return (lines, Vec::new());
            }
            Some(Layer::Help(_) | Layer::Messages { .. } | Layer::Tour { .. } | Layer::Metrics(_)) => {
                Some(CommandId::Go(GoCommand::Leave))
            }
            Some(Layer::Columns(_) | Layer::Command(_) | Layer::Filter { .. } | Layer::Reason { .. }) => {
                Some(CommandId::Prompt(PromptCommand::Cancel))
            }
            Some(Layer::Form) => Some(CommandId::Form(FormCommand::EndWriting)),
            Some(Layer::Edit) => Some(CommandId::Text(TextCommand::EndEdit)),
        };
        if let (Some(id), Some(layer)) = (close, state.layers.last()) {
            let reported = layers::of(state, layer);
            lines.extend(self.portioned(reported));
            return (lines, vec![Step::Run(id, None)]);
        }
        match then {
            Then::Nothing => {}
            Then::Look if key_of(state) == self.page => {}
            Then::Page if key_of(state) == self.page && lines.iter().any(|line| line.starts_with("Rejected: ")) => {}
            Then::Look | Then::Page => lines.extend(self.read_page(state)),
            Then::Row => lines.extend(row(state, false)),
        }
        (lines, Vec::new())
    }

    /// The announcements since the last line, at `now` on the console's clock.
    pub fn announce(&mut self, state: &State, now: Duration) -> Vec<String> {
        if !self.announces || now < self.announced + PAUSE {
            return Vec::new();
        }
        let mut lines = if self.announcer.has_news(state) { self.announcer.take(state) } else { Vec::new() };
        if let Some(Layer::Confirm(question)) = state.layers.last().filter(|_| key_of(state) != self.page) {
            lines.extend(layers::asked(question));
            self.page = key_of(state);
        }
        if self.every.is_some_and(|every| now >= self.compared + every) {
            self.compared = now;
            let changed = self.changes(state);
            lines.extend(changed.into_iter().map(|line| format!("Changed: {line}")));
        }
        if lines.is_empty() {
            return lines;
        }
        self.announced = now;
        let at = format::when(state.cluster.at, state.cluster.past.live);
        let stamped = |line: String| match line.split_once(": ") {
            Some((word, rest)) if news::HEADS.contains(&word) => format!("{word}, at {at}: {rest}"),
            _ => line,
        };
        lines.into_iter().map(stamped).collect()
    }

    /// The next timed [`Self::announce`], on the console's clock.
    pub fn next_wake(&self, state: &State) -> Option<Duration> {
        let waits = (self.announces && self.announcer.has_news(state)).then(|| self.announced + PAUSE);
        let compares =
            self.every.filter(|_| self.announces).map(|every| (self.compared + every).max(self.announced + PAUSE));
        [waits, compares].into_iter().flatten().min()
    }

    fn read_page(&mut self, state: &State) -> Vec<String> {
        self.page = key_of(state);
        self.retained = Retained::of(state, self.page.clone());
        let mut lines = vec![format!("Page: {}", page::head(state))];
        if matches!(page::of(state), page::Spoken::Rows(_)) {
            lines.extend(place::selected(state));
        }
        self.rest = Rest::Page(0);
        lines.extend(self.more(state));
        lines
    }

    fn more(&mut self, state: &State) -> Vec<String> {
        match std::mem::take(&mut self.rest) {
            Rest::Nothing => vec!["No more lines.".to_owned()],
            Rest::Page(from) => {
                let reported = page::of(state);
                let (len, noun) = (reported.len(), reported.noun());
                let to = from.saturating_add(self.portion).min(len);
                let mut lines: Vec<String> = (from..to).map(|at| reported.line(at)).collect();
                if from > 0 || to < len {
                    lines.push(place_in(noun, from, to, len));
                }
                self.rest = if to < len { Rest::Page(to) } else { Rest::Nothing };
                lines
            }
            Rest::Text(mut left, from, len) => {
                let count = self.portion.min(left.len());
                let mut lines: Vec<String> = left.drain(..count).collect();
                let to = from + count;
                if from > 0 || to < len {
                    lines.push(place_in("line", from, to, len));
                }
                self.rest = if left.is_empty() { Rest::Nothing } else { Rest::Text(left, to, len) };
                lines
            }
        }
    }

    fn portioned(&mut self, lines: Vec<String>) -> Vec<String> {
        let len = lines.len();
        if len <= self.portion {
            return lines;
        }
        let mut left: VecDeque<String> = lines.into();
        let mut reported: Vec<String> = left.drain(..self.portion).collect();
        reported.push(place_in("line", 0, self.portion, len));
        self.rest = Rest::Text(left, self.portion, len);
        reported
    }

    fn news(&mut self, state: &State) -> Vec<String> {
        let mut lines = self.announcer.take(state);
        lines.extend(self.changes(state).into_iter().map(|line| format!("Changed: {line}")));
        if lines.is_empty() { vec!["No news.".to_owned()] } else { lines }
    }

    fn changes(&mut self, state: &State) -> Vec<String> {
        let now = Retained::of(state, key_of(state));
        let changed = self.retained.changes(&now).unwrap_or_default();
        self.retained = now;
        changed
    }

    fn set_portion(&mut self, rest: &str) -> String {
        match rest.parse::<usize>() {
            Ok(lines @ 1..=1000) => self.portion = lines,
            _ if rest == "all" => self.portion = usize::MAX,
            _ => return "Rejected: write portion N, from 1 to 1000, or portion all".to_owned(),
        }
        let many = if self.portion == usize::MAX { "all".to_owned() } else { self.portion.to_string() };
        format!("Portion: {many} lines at a time")
    }

    fn set_announcing(&mut self, rest: &str) -> String {
        let seconds = rest.trim_end_matches(['s', ' ']).trim_end_matches(" second").parse::<u64>();
        match (rest, seconds) {
            ("on", _) => (self.announces, self.every) = (true, None),
            ("off", _) => (self.announces, self.every) = (false, None),
            (_, Ok(seconds @ 1..=3600)) => (self.announces, self.every) = (true, Some(Duration::from_secs(seconds))),
            ("", _) => {}
            _ => return "Rejected: write announce on, announce off, or announce 10s, at most 3600s".to_owned(),
        }
        match (self.announces, self.every) {
            (false, _) => "Announce: off; news shows new messages and changes".to_owned(),
            (true, None) => "Announce: messages, alerts, and the connection".to_owned(),
            (true, Some(every)) => {
                format!(
                    "Announce: messages, alerts, and the connection; every {} also changes on the page",
                    format::duration(every)
                )
            }
        }
    }
}

fn key_of(state: &State) -> String {
    let past = state.cluster.past.shown.as_ref().map(|shown| shown.at.0);
    let asked = state.layers.iter().any(|layer| matches!(layer, Layer::Confirm(_)));
    let parts =
        (state.pages.len(), crumbs::crumbs(state), &state.cluster.about.name, &state.cluster.partition, past, asked);
    format!("{parts:?}")
}

fn place_in(noun: &str, from: usize, to: usize, len: usize) -> String {
    let more = if to < len { "; more reads on" } else { "" };
    let noun = if noun == "row" { "Rows" } else { "Lines" };
    format!("{noun} {} to {to} of {len}{more}.", from + 1)
}

fn row(state: &State, whole: bool) -> Vec<String> {
    if let Some(line) = page::here(state, whole) {
        return vec![line];
    }
    place::selected(state).map_or_else(|| vec!["No row selected.".to_owned()], |line| vec![line])
}
