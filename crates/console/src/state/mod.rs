//! The state of the screen as plain data.
//!
//! Invariants:
//! - only [`crate::update`] changes it, and [`crate::draw`] reads it;
//! - a selection has an identity (path, id), not only a row number;
//! - no clock: [`State::now`] is an input that only grows.

pub mod alerts;
pub mod board;
pub mod change;
mod cluster;
pub mod clusters;
pub mod column;
pub mod column_names;
mod column_table;
pub mod command;
pub mod config;
pub mod contexts;
pub mod cursor;
pub mod editor;
pub mod effect;
pub mod events;
mod events_page;
pub mod explain;
pub mod job;
pub mod job_names;
pub mod jobs;
pub mod key;
pub mod keymap;
pub mod layer;
pub mod line_edit;
pub mod listing;
pub mod marks;
pub mod message;
pub mod opener;
pub mod orders;
pub mod own_command;
pub mod page;
mod page_table;
mod parked;
pub mod past;
pub mod placement;
pub mod pod;
pub mod records;
pub mod reply;
pub mod saved;
pub mod shadow;
pub mod simulate;
pub mod trends;
pub mod usage;
pub mod work;

pub use cluster::Cluster;
pub use message::{Grade, Message, Note, ShownNotice, Toast};
pub use parked::Parked;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;

use crate::state::board::Board;
use crate::state::column::ColumnChoice;
use crate::state::command::CommandId;
use crate::state::contexts::Contexts;
use crate::state::effect::Effect;
use crate::state::job::JobWatch;
use crate::state::job_names::JobNames;
use crate::state::jobs::{LONG, Making};
use crate::state::keymap::{Chord, Keymap};
use crate::state::layer::{Confirm, Layer};
use crate::state::line_edit::History;
use crate::state::marks::Marks;
use crate::state::orders::{Batch, Orders};
use crate::state::page::{Page, QueuesPage};
use crate::state::pod::PodWatch;
use crate::state::saved::{Jumps, SavedView};
use crate::theme::{Depth, ThemeName, Themes};
use model::{Identity, Time};
use source::{About, Link};
use view::act::Actor;
use view::overview::ConfigFaults;
use view::{AppRow, Notice, PartitionView, View};

/// The options of the console.
#[derive(Clone, Debug)]
pub struct Options {
    /// The selected theme.
    pub theme: ThemeName,
    /// The themes there are.
    pub themes: Arc<Themes>,
    /// The number of colors.
    pub depth: Depth,
    /// Draw with ASCII symbols only.
    pub ascii: bool,
    /// Nothing is drawn: pages are reported in lines, and commands are words.
    pub linear: bool,
    /// Highlight changed cells.
    pub mark_changes: bool,
    /// Otherwise the terminal selects text.
    pub mouse: bool,
    /// The refresh interval; zero: immediately.
    pub refresh: Duration,
    /// Longer lists are made outside of the draw loop.
    pub long: usize,
}

impl Default for Options {
    fn default() -> Self {
        let (theme, themes, depth) = (ThemeName::default(), Themes::shipped(), Depth::default());
        let refresh = Duration::ZERO;
        Self { theme, themes, depth, ascii: false, linear: false, mark_changes: true, mouse: true, refresh, long: LONG }
    }
}

/// All state of the console.
#[derive(Clone, Debug)]
pub struct State {
    /// The size of the terminal.
    pub size: Size,
    /// Time since the console's start.
    pub now: Duration,
    /// When it was opened last, by the cluster's time.
    pub overviewed: Option<Time>,
    /// Errors from the last overview.
    pub config_faults: Option<Arc<ConfigFaults>>,
    /// Counts user actions: keys, clicks, pastes.
    pub turn: u64,
    /// What was set.
    pub options: Options,
    /// The columns that the user selected, by page name.
    pub columns: BTreeMap<&'static str, Vec<ColumnChoice>>,
    /// Lists show all columns and use the whole width.
    pub wide: bool,
    /// The user's saved views, by name.
    pub views: BTreeMap<String, SavedView>,
    /// The file for the user's arrangements; empty: not stored.
    pub saved_dir: PathBuf,
    /// `None` if unavailable.
    pub simulator: Option<simulate::Simulator>,
    /// The jump history.
    pub jumps: Jumps,
    /// The time of the last refresh.
    pub refreshed: Duration,
    /// In wide mode, the first column after the names.
    pub first_column: usize,
    /// The known state of the cluster.
    pub cluster: Cluster,
    /// The page stack; never empty, the queues first.
    pub pages: Vec<Page>,
    /// `None`: the queue tree only.
    pub board: Option<Box<Board>>,
    /// Exiting a repeatable simulation loses nothing.
    pub simulated: bool,
    /// Closed top-level pages with their state.
    pub parked: Parked,
    /// The layers over the page.
    pub layers: Vec<Layer>,
    /// The message in the last line.
    pub toast: Option<Toast>,
    /// The messages, the newest last.
    pub messages: VecDeque<Message>,
    /// The last notice, until it expires or is closed.
    pub notice: Option<ShownNotice>,
    /// The number of the last received notice.
    pub notices_seen: u64,
    /// The hint for new users, until it expires.
    pub note: Option<Note>,
    /// First steps that the user has not used.
    pub first_steps: Vec<CommandId>,
    /// Until when keys of a closed question may arrive.
    pub typed_until: Duration,
    /// Until when a second key press quits immediately.
    pub quit_armed_until: Option<Duration>,
    /// Earlier command lines.
    pub commands: History,
    /// Earlier filters, for `up` and `down` while one is written.
    pub filters: History,
    /// What changed just now.
    pub marks: Marks,
    /// What the keys mean.
    pub keymap: Arc<Keymap>,
    /// The pressed keys of an incomplete chord.
    pub pressed: Chord,
    /// The schedulers that can be opened.
    pub contexts: Contexts,
    /// The user's own commands.
    pub own_commands: Arc<Vec<own_command::OwnCommand>>,
    /// The settings file of the user; empty if none.
    pub settings: String,
    /// The long list that is being made.
    pub list_job: Option<Making>,
    /// The number of list jobs started.
    pub makings: u64,
    /// Completions are being searched.
    pub completion_pending: bool,
    /// In order; empty between updates.
    effects: Vec<Effect>,
    /// Operations under way.
    pub orders: Orders,
    /// The watched local job.
    pub job: JobWatch,
    /// The loaded data of the pod on the screen.
    pub pod: PodWatch,
    /// The names of local jobs.
    pub job_names: JobNames,
    /// Incomplete operations on several objects, the oldest first.
    pub batches: Vec<Batch>,
    /// The application selected when the command line opened.
    pub command_target: Option<Arc<AppRow>>,
}

impl State {
    /// After one with typing, it accepts no answer for a moment.
    pub fn ask(&mut self, question: Confirm) {
        let from = question.from.max(self.typed_until);
        self.layers.push(Layer::Confirm(Confirm { from, ..question }));
    }

    /// The duration of a message in the last line.
    pub const TOAST: Duration = Duration::from_secs(4);
    /// The duration of the first hint.
    pub const NOTE: Duration = Duration::from_secs(12);
    const MESSAGES: usize = 200;

    /// The initial state: the queues of the first partition.
    pub fn new(
        options: Options,
        size: Size,
        view: Arc<View>,
        about: About,
        actor: (Identity, Result<Actor, Arc<str>>),
        link: Link,
    ) -> Self {
        let notes = about.notes.clone();
        let note = (!notes.is_empty()).then(|| Note { lines: notes.clone(), until: Self::NOTE });
        let notices = view.notices.clone();
        let mut state = Self {
            size,
            now: Duration::ZERO,
            overviewed: None,
            first_steps: Vec::new(),
            config_faults: None,
            turn: 0,
            options,
            columns: BTreeMap::new(),
            wide: false,
            first_column: 0,
            views: BTreeMap::new(),
            saved_dir: PathBuf::new(),
            simulator: None,
            jumps: Jumps::default(),
            refreshed: Duration::ZERO,
            cluster: Cluster::at_start(view, about, actor, link),
            pages: vec![Page::Queues(QueuesPage::default())],
            board: None,
            simulated: false,
            parked: Parked::default(),
            layers: Vec::new(),
            toast: None,
            messages: VecDeque::new(),
            notice: None,
            notices_seen: notices.last().map_or(0, |notice| notice.number),
            note,
            quit_armed_until: None,
            typed_until: Duration::ZERO,
            commands: History::default(),
            filters: History::default(),
            marks: Marks::default(),
            keymap: Arc::new(Keymap::empty()),
            pressed: Chord::new(),
            contexts: Contexts::default(),
            own_commands: Arc::default(),
            settings: String::new(),
            list_job: None,
            makings: 0,
            completion_pending: false,
            effects: Vec::new(),
            orders: Orders::default(),
            job: JobWatch::default(),
            pod: PodWatch::default(),
            job_names: JobNames::default(),
            batches: Vec::new(),
            command_target: None,
        };
        state.keep_first_messages(&notes, notices.iter());
        state
    }

    fn keep_first_messages<'a>(&mut self, notes: &[String], notices: impl Iterator<Item = &'a Arc<Notice>>) {
        if let Some((first, more)) = notes.split_first() {
            self.keep(None, Grade::Info, first.clone(), more.join("\n"));
        }
        for notice in notices {
            self.keep(None, notice.weight.into(), notice.title.clone(), notice.text.clone());
        }
        let themes = Arc::clone(&self.options.themes);
        for message in &themes.faults {
            self.keep(
                None,
                Grade::Warning,
                "a theme has errors; the invalid parts are ignored".to_owned(),
                message.clone(),
            );
        }
        if let Some(first) = themes.faults.first() {
            let first = first.lines().next().unwrap_or_default();
            self.report(Grade::Warning, format!("{first}; see :messages"));
        }
    }

    /// The page on the screen.
    #[expect(clippy::expect_used, reason = "the queues are never taken off the stack")]
    pub fn page(&self) -> &Page {
        self.pages.last().expect("the queues are never taken off the stack")
    }

    /// The page on the screen, mutable.
    #[expect(clippy::expect_used, reason = "the queues are never taken off the stack")]
    pub fn page_mut(&mut self) -> &mut Page {
        self.pages.last_mut().expect("the queues are never taken off the stack")
    }

    /// The page's view, otherwise the one on the screen, so that header and page have the same time.
    pub fn framed(&self) -> &Arc<View> {
        let own = match self.page() {
            Page::Explain(page) => page.view.as_ref(),
            Page::Fairness(page) => page.view.as_ref(),
            Page::Limits(page) => page.view.as_ref(),
            _ => None,
        };
        own.unwrap_or(&self.cluster.view)
    }

    /// The partition on the screen in [`Self::framed`].
    pub fn framed_part(&self) -> Option<&PartitionView> {
        let parts = &self.framed().partitions;
        parts.iter().find(|part| part.name == self.cluster.partition).or_else(|| parts.first())
    }

    /// Stores a message without showing it.
    pub fn keep(&mut self, at: Option<Duration>, grade: Grade, text: String, more: String) {
        let number = self.messages.back().map_or(1, |last| last.number + 1);
        let same = |last: &&mut Message| (last.grade, &last.text, &last.more) == (grade, &text, &more);
        if let Some(last) = self.messages.back_mut().filter(same) {
            (last.at, last.times, last.number) = (at, last.times + 1, number);
            return;
        }
        if self.messages.len() == Self::MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(Message { number, at, text, more, grade, times: 1 });
    }

    /// Shows and stores a message.
    pub fn report(&mut self, grade: Grade, text: impl Into<String>) {
        let text = text.into();
        self.keep(Some(self.now), grade, text.clone(), String::new());
        self.toast = Some(Toast { text, grade, until: self.now + Self::TOAST });
    }
}
