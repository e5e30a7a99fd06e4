//! The state of the screen as plain data: the page, the cursor, the text being written.
//!
//! Invariants:
//! - changed only by [`crate::update`], read by [`crate::draw`];
//! - a selection is known by its identity (path, id), never by a row number alone;
//! - no clock: [`State::now`] is passed in, counts from the console's start and only grows.

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

/// What a person may set before the console starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// The theme that colors are taken from.
    pub theme: ThemeName,
    /// The themes there are.
    pub themes: Arc<Themes>,
    /// How many colors the terminal shows.
    pub depth: Depth,
    /// Draw with ASCII signs only.
    pub ascii: bool,
    /// Nothing is drawn: pages are reported in lines, and commands are words.
    pub linear: bool,
    /// Mark cells that changed.
    pub mark_changes: bool,
    /// Listen to the mouse. Without that the terminal itself selects text.
    pub mouse: bool,
    /// How often the screen takes news; at once for zero.
    pub refresh: Duration,
    /// Lists of more rows than this are made next to the draw loop.
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
    /// When the person opened the overview last, by the cluster's time.
    pub overviewed: Option<Time>,
    /// The faults of the active configuration, as the last overview found them.
    pub config_faults: Option<Arc<ConfigFaults>>,
    /// How many things the person has done: pressed, clicked, pasted.
    pub turn: u64,
    /// What was set.
    pub options: Options,
    /// The columns that the person has chosen, by the name of the page.
    pub columns: BTreeMap<&'static str, Vec<ColumnChoice>>,
    /// Lists show all of their columns and have the whole width.
    pub wide: bool,
    /// Lists as they were arranged, by the names that the person gave them.
    pub views: BTreeMap<String, SavedView>,
    /// The file that keeps what the person arranges; empty where nothing is kept.
    pub keep_in: PathBuf,
    /// What makes simulations; `None` where nothing does.
    pub simulator: Option<simulate::Simulator>,
    /// The places that one came through.
    pub jumps: Jumps,
    /// When the screen took news last.
    pub refreshed: Duration,
    /// In the wide mode, the first column behind the names.
    pub first_column: usize,
    /// What is known of the cluster.
    pub cluster: Cluster,
    /// The pages, one upon the other; never empty, the queues first.
    pub pages: Vec<Page>,
    /// The dashboard around the queues; `None`: the first page is the queue tree alone.
    pub board: Option<Box<Board>>,
    /// The scheduler is a simulation that can be repeated: nothing is lost when it ends with the console.
    pub simulated: bool,
    /// Pages of the first row that were left, to be found unchanged.
    pub parked: Parked,
    /// What stands over the page.
    pub layers: Vec<Layer>,
    /// What is reported in the last line just now.
    pub toast: Option<Toast>,
    /// What was reported, the newest last.
    pub messages: VecDeque<Message>,
    /// What the engine said last, until it fades or is closed.
    pub notice: Option<ShownNotice>,
    /// The number of the last notice that was received of.
    pub notices_seen: u64,
    /// What a newcomer should know, until it fades.
    pub note: Option<Note>,
    /// What a newcomer has not used yet of what is shown first.
    pub first_steps: Vec<CommandId>,
    /// Until when keys may still come that were typed for a question that no longer exists.
    pub typed_until: Duration,
    /// Until when a second press quits at once.
    pub quit_armed_until: Option<Duration>,
    /// Earlier command lines.
    pub commands: History,
    /// Earlier filters, for `up` and `down` while one is written.
    pub filters: History,
    /// What changed just now.
    pub marks: Marks,
    /// What the keys mean.
    pub keymap: Arc<Keymap>,
    /// The keys of a chord that were pressed, while the rest of it is waited for.
    pub pressed: Chord,
    /// The schedulers that can be opened, with what is known of them.
    pub contexts: Contexts,
    /// The person's own commands.
    pub own_commands: Arc<Vec<own_command::OwnCommand>>,
    /// The file of the person's own settings; empty when there is none.
    pub settings: String,
    /// The long list that is being made next to the draw loop.
    pub list_job: Option<Making>,
    /// How many of them were started.
    pub makings: u64,
    /// Names that complete a command line are being looked for.
    pub completion_pending: bool,
    /// What the running update needs done outside, in order; empty between updates.
    effects: Vec<Effect>,
    /// Orders on their way.
    pub orders: Orders,
    /// The job that is examined, where applications are jobs.
    pub job: JobWatch,
    /// What is read of the pod on the screen.
    pub pod: PodWatch,
    /// What jobs are called, where applications are jobs.
    pub job_names: JobNames,
    /// What became of the orders of questions about many, while answers are waited for; the oldest first.
    pub batches: Vec<Batch>,
    /// The application that a command line is about: the one under the cursor when it was started.
    pub command_target: Option<Arc<AppRow>>,
}

impl State {
    /// Opens a question. Right after one that requested a name it takes no answer for a moment.
    pub fn ask(&mut self, question: Confirm) {
        let from = question.from.max(self.typed_until);
        self.layers.push(Layer::Confirm(Confirm { from, ..question }));
    }

    /// How long a toast stays.
    pub const TOAST: Duration = Duration::from_secs(4);
    /// How long the first note stays.
    pub const NOTE: Duration = Duration::from_secs(12);
    /// How many messages are kept.
    const MESSAGES: usize = 200;

    /// The console at its start: the queues of the first partition.
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
            keep_in: PathBuf::new(),
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

    /// Keeps what is reported at the start: the source's notes, its notices, the faults of themes.
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
            self.say(Grade::Warning, format!("{first}; see :messages"));
        }
    }

    /// The page on the screen.
    #[expect(clippy::expect_used, reason = "the queues are never taken off the stack")]
    pub fn page(&self) -> &Page {
        self.pages.last().expect("the queues are never taken off the stack")
    }

    /// The page on the screen, to be changed.
    #[expect(clippy::expect_used, reason = "the queues are never taken off the stack")]
    pub fn page_mut(&mut self) -> &mut Page {
        self.pages.last_mut().expect("the queues are never taken off the stack")
    }

    /// The view of all figures of a frame: that which the page was made from, where it has figures of its own, else the view on the
    /// screen. A figure in the header is never of another moment than the same figure below it.
    pub fn framed(&self) -> &Arc<View> {
        let own = match self.page() {
            Page::Explain(page) => page.view.as_ref(),
            Page::Fairness(page) => page.view.as_ref(),
            Page::Limits(page) => page.view.as_ref(),
            _ => None,
        };
        own.unwrap_or(&self.cluster.view)
    }

    /// The partition on the screen in that view.
    pub fn framed_part(&self) -> Option<&PartitionView> {
        let parts = &self.framed().partitions;
        parts.iter().find(|part| part.name == self.cluster.partition).or_else(|| parts.first())
    }

    /// Keeps what was reported, without saying it now.
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

    /// Says something in the last line, and keeps it.
    pub fn say(&mut self, grade: Grade, text: impl Into<String>) {
        let text = text.into();
        self.keep(Some(self.now), grade, text.clone(), String::new());
        self.toast = Some(Toast { text, grade, until: self.now + Self::TOAST });
    }
}
