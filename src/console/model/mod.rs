//! The state of the screen as plain data: what is looked at, where one stands, what is being written.
//!
//! Invariants:
//! - changed only by [`super::update`], read by [`super::draw`];
//! - whatever is selected is known by identity (path, id), never by a row number alone;
//! - no clock: [`Model::now`] is handed in, counts from the console's start and only grows.

pub mod column;
pub mod cursor;
pub mod layer;
pub mod marks;
pub mod page;
pub mod placement;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;

use super::line_edit::History;
use super::theme::ThemeName;
use crate::model::{Identity, Time};
use crate::source::{About, Link};
use crate::view::{PartitionView, View};
use layer::Layer;
use marks::Marks;
use page::{AppsPage, NodesPage, Page, QueuesPage};
use placement::{PlacementPage, WantedFile};

/// What a person may set before the console starts.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The theme.
    pub theme: ThemeName,
    /// Draw with ASCII signs only.
    pub ascii: bool,
    /// Mark cells that changed.
    pub mark_changes: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { theme: ThemeName::Dark, ascii: false, mark_changes: true }
    }
}

/// All state of the console.
#[derive(Clone, Debug)]
pub struct Model {
    /// The size of the terminal.
    pub size: Size,
    /// Time since the console's start.
    pub now: Duration,
    /// What was set.
    pub options: Options,
    /// What is known of the cluster.
    pub cluster: Cluster,
    /// The pages, one upon the other; never empty, the queues first.
    pub pages: Vec<Page>,
    /// Pages of the first row that were left, to be found as they were.
    pub parked: Parked,
    /// What stands over the page.
    pub layers: Vec<Layer>,
    /// What is said in the last line just now.
    pub toast: Option<Toast>,
    /// What was said, the newest last.
    pub messages: VecDeque<Message>,
    /// What a newcomer should know, until it fades.
    pub note: Option<Note>,
    /// Until when a second press quits at once.
    pub armed: Option<Duration>,
    /// Earlier command lines.
    pub commands: History,
    /// Earlier filters.
    pub filters: History,
    /// What changed just now.
    pub marks: Marks,
    /// A configuration that a person named and that is to be read.
    pub wanted_file: Option<WantedFile>,
}

/// What is known of the cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The view on the screen.
    pub view: Arc<View>,
    /// The newest view; another one than on the screen only while the picture is frozen.
    pub newest: Arc<View>,
    /// The cluster's time for ages on the screen.
    pub at: Time,
    /// What stands at the other end.
    pub about: About,
    /// Who acts.
    pub identity: Identity,
    /// How the connection is.
    pub link: Link,
    /// The name of the partition on the screen.
    pub partition: Arc<str>,
    /// Since when the picture is frozen, on the console's clock.
    pub frozen: Option<Duration>,
}

impl Cluster {
    /// The partition on the screen. `None` before the first configuration is loaded.
    pub fn part(&self) -> Option<&PartitionView> {
        self.view.partitions.iter().find(|part| part.name == self.partition).or_else(|| self.view.partitions.first())
    }
}

/// Pages of the first row that were left.
#[derive(Clone, Debug, Default)]
pub struct Parked {
    /// All applications.
    pub apps: Option<AppsPage>,
    /// The nodes.
    pub nodes: Option<NodesPage>,
    /// Placement, with what was written there.
    pub placement: Option<Box<PlacementPage>>,
}

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Worth knowing.
    Info,
    /// Something could not be done, and why.
    Refusal,
}

/// Something said in the last line for a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// What.
    pub text: String,
    /// How grave.
    pub grade: Grade,
    /// Until when.
    pub until: Duration,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// When, on the console's clock.
    pub at: Duration,
    /// What.
    pub text: String,
    /// How grave.
    pub grade: Grade,
}

/// What a newcomer should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The sentences.
    pub lines: Vec<String>,
    /// Until when.
    pub until: Duration,
}

impl Model {
    /// How long a toast stays.
    pub const TOAST: Duration = Duration::from_secs(4);
    /// How long the first note stays.
    pub const NOTE: Duration = Duration::from_secs(12);
    /// How many messages are kept.
    const MESSAGES: usize = 200;

    /// The console at its start: the queues of the first partition.
    pub fn new(options: Options, size: Size, view: Arc<View>, about: About, identity: Identity, link: Link) -> Self {
        let partition = view.partitions.first().map(|part| Arc::clone(&part.name)).unwrap_or_default();
        let note = (!about.notes.is_empty()).then(|| Note { lines: about.notes.clone(), until: Self::NOTE });
        let at = view.at;
        Self {
            size,
            now: Duration::ZERO,
            options,
            cluster: Cluster { newest: Arc::clone(&view), view, at, about, identity, link, partition, frozen: None },
            pages: vec![Page::Queues(QueuesPage::default())],
            parked: Parked::default(),
            layers: Vec::new(),
            toast: None,
            messages: VecDeque::new(),
            note,
            armed: None,
            commands: History::default(),
            filters: History::default(),
            marks: Marks::default(),
            wanted_file: None,
        }
    }

    /// The page on the screen.
    pub fn page(&self) -> &Page {
        self.pages.last().expect("the queues are never taken off the stack")
    }

    /// The page on the screen, to be changed.
    pub fn page_mut(&mut self) -> &mut Page {
        self.pages.last_mut().expect("the queues are never taken off the stack")
    }

    /// Says something in the last line, and keeps it.
    pub fn say(&mut self, grade: Grade, text: impl Into<String>) {
        let text = text.into();
        if self.messages.len() == Self::MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(Message { at: self.now, text: text.clone(), grade });
        self.toast = Some(Toast { text, grade, until: self.now + Self::TOAST });
    }
}
