//! The changes of a what-if, and their text form, one per line:
//!
//! ```text
//! set QUEUE.max.RESOURCE=QUANTITY            AMOUNT: 8, 4Gi, +8, -500m, x2, none
//! set QUEUE.guaranteed.RESOURCE=AMOUNT
//! set QUEUE.maxapplications=N
//! set QUEUE.priority=N                     the property priority.offset
//! set QUEUE.property.KEY=TEXT
//! set QUEUE.limit.user.NAME.RESOURCE=AMOUNT
//! set QUEUE.limit.group.NAME.maxapplications=N
//! node add NODE [COUNT]                    COUNT more that are like NODE
//! node remove|drain|resume NODE
//! node resize NODE RESOURCE=QUANTITY
//! kill APPLICATION
//! move APPLICATION QUEUE
//! submit APPLICATION [COUNT] [priority N]  COUNT more that are like APPLICATION
//! demand QUEUE xFACTOR                     all that is pending there, this many times
//! ```

use std::fmt;
use std::str::FromStr;

use model::{AppId, NodeId, Priority, QueuePath};
use scheduler::usage::Side;

const FORMS: &str = "write one of: set QUEUE.max.RESOURCE=QUANTITY (also guaranteed, maxapplications, priority, property.KEY, \
    limit.user.NAME.RESOURCE), node add|remove|drain|resume NODE, node resize NODE RESOURCE=QUANTITY, kill APPLICATION, \
    move APPLICATION QUEUE, submit APPLICATION COUNT priority N, demand QUEUE xFACTOR";
const MOST_COPIES: u32 = 100_000;

/// Written like `--set`.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Set a key of a queue.
    Set {
        /// Full path of the queue.
        queue: QueuePath,
        /// What of it.
        key: Key,
        /// The new value.
        value: Amount,
    },
    /// Add copies of a node.
    AddNodes(NodeId, u32),
    /// Remove a node.
    RemoveNode(NodeId),
    /// Drain a node.
    DrainNode(NodeId),
    /// Resume a node.
    ResumeNode(NodeId),
    /// Set the capacity for a resource.
    ResizeNode(NodeId, String, Amount),
    /// Kill an application.
    Kill(AppId),
    /// Move an application to another leaf.
    Move(AppId, QueuePath),
    /// Submit copies, optionally with another priority.
    Submit(AppId, u32, Option<Priority>),
    /// Multiply the pending requests in a subtree.
    Demand(QueuePath, f64),
}

/// A key of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Maximum of a resource.
    Max(String),
    /// Guaranteed quantity of a resource.
    Guaranteed(String),
    /// Maximum number of running applications.
    MaxApplications,
    /// Property by key.
    Property(String),
    /// Limit of a user or group for a resource.
    Limit(Side, String, String),
    /// Maximum running applications of a user or group.
    LimitApplications(Side, String),
}

/// A new value.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// Absolute, in the form of the configuration.
    Is(String),
    /// So much more than now.
    More(String),
    /// Decrease, to at least 0.
    Less(String),
    /// So many times what it is now.
    Times(f64),
    /// None at all.
    Nothing,
}

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("invalid change {text:?}: {why}; {FORMS}");
        let words: Vec<&str> = text.split_whitespace().collect();
        let count = |text: &str| match text.parse() {
            Ok(count) if (1..=MOST_COPIES).contains(&count) => Ok(count),
            _ => Err(wrong(&format!("{text:?} is not a count from 1 to {MOST_COPIES}"))),
        };
        match *words.as_slice() {
            ["set", ..] => set(text.trim_start().trim_start_matches("set").trim()).map_err(|why| wrong(&why)),
            ["node", "add", node] => Ok(Self::AddNodes(NodeId::from(node), 1)),
            ["node", "add", node, more] => Ok(Self::AddNodes(NodeId::from(node), count(more)?)),
            ["node", "remove", node] => Ok(Self::RemoveNode(NodeId::from(node))),
            ["node", "drain", node] => Ok(Self::DrainNode(NodeId::from(node))),
            ["node", "resume", node] => Ok(Self::ResumeNode(NodeId::from(node))),
            ["kill", app] => Ok(Self::Kill(AppId::from(app))),
            ["move", app, queue] => Ok(Self::Move(AppId::from(app), QueuePath::new(queue))),
            ["node", "resize", node, to] => resize(node, to).map_err(|why| wrong(&why)),
            ["submit", app] => Ok(Self::Submit(AppId::from(app), 1, None)),
            ["submit", app, more] => Ok(Self::Submit(AppId::from(app), count(more)?, None)),
            ["submit", app, more, "priority", priority] => match priority.parse() {
                Ok(priority) => Ok(Self::Submit(AppId::from(app), count(more)?, Some(Priority(priority)))),
                Err(_) => Err(wrong(&format!("{priority:?} is not a priority"))),
            },
            ["demand", queue, times] => match factor(times) {
                Some(times) => Ok(Self::Demand(QueuePath::new(queue), times)),
                None => Err(wrong(&format!("{times:?} is not a factor such as x2 or x0.5"))),
            },
            _ => Err(wrong("unknown form")),
        }
    }
}

/// `x2`, `x0.5`: from 0 to 1000.
fn factor(text: &str) -> Option<f64> {
    text.strip_prefix('x')?.parse().ok().filter(|factor| (0.0..=1000.0).contains(factor))
}

fn set(text: &str) -> Result<Change, String> {
    let (place, value) = text.split_once('=').ok_or("missing `=`")?;
    let (place, value) = (place.trim(), value.trim());
    let (queue, key, counts) = key(place).ok_or_else(|| format!("{place:?} does not name a key of a queue"))?;
    if queue.is_empty() {
        return Err(format!("{place:?} does not name a queue"));
    }
    let value = if counts || value == "none" { amount(value)? } else { Amount::Is(value.to_owned()) };
    if value == Amount::Is(String::new()) {
        return Err("no value after `=`; write `none` to remove the key".to_owned());
    }
    Ok(Change::Set { queue: QueuePath::new(queue), key, value })
}

fn amount(value: &str) -> Result<Amount, String> {
    Ok(if value == "none" {
        Amount::Nothing
    } else if let Some(more) = value.strip_prefix('+') {
        Amount::More(more.to_owned())
    } else if let Some(less) = value.strip_prefix('-') {
        Amount::Less(less.to_owned())
    } else if value.starts_with('x') {
        Amount::Times(factor(value).ok_or_else(|| format!("{value:?} is not a factor such as x2 or x0.5"))?)
    } else {
        Amount::Is(value.to_owned())
    })
}

fn resize(node: &str, to: &str) -> Result<Change, String> {
    let (resource, value) = to.split_once('=').ok_or("missing `=`")?;
    if resource.is_empty() || value.is_empty() {
        return Err(format!("{to:?} is not RESOURCE=QUANTITY"));
    }
    Ok(Change::ResizeNode(NodeId::from(node), resource.to_owned(), amount(value)?))
}

fn key(place: &str) -> Option<(&str, Key, bool)> {
    for (word, side) in [(".limit.user.", Side::User), (".limit.group.", Side::Group)] {
        if let Some((queue, rest)) = place.split_once(word) {
            let resource_with_dots = rest.split_once('/').and_then(|(before, _)| before.find('.'));
            let dot = resource_with_dots.or_else(|| rest.rfind('.'))?;
            let (name, what) = (rest[..dot].to_owned(), &rest[dot + 1..]);
            return Some(match what {
                "maxapplications" => (queue, Key::LimitApplications(side, name), true),
                _ => (queue, Key::Limit(side, name, what.to_owned()), true),
            });
        }
    }
    if let Some((queue, property)) = place.split_once(".property.") {
        return Some((queue, Key::Property(property.to_owned()), false));
    }
    if let Some((queue, resource)) = place.rsplit_once(".max.") {
        return Some((queue, Key::Max(resource.to_owned()), true));
    }
    if let Some((queue, resource)) = place.rsplit_once(".guaranteed.") {
        return Some((queue, Key::Guaranteed(resource.to_owned()), true));
    }
    if let Some(queue) = place.strip_suffix(".maxapplications") {
        return Some((queue, Key::MaxApplications, true));
    }
    let queue = place.strip_suffix(".priority")?;
    Some((queue, Key::Property("priority.offset".to_owned()), false))
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(text) => f.write_str(text),
            Self::More(text) => write!(f, "+{text}"),
            Self::Less(text) => write!(f, "-{text}"),
            Self::Times(factor) => write!(f, "x{factor}"),
            Self::Nothing => f.write_str("none"),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |side: &Side| if *side == Side::User { "user" } else { "group" };
        match self {
            Self::Max(resource) => write!(f, "max.{resource}"),
            Self::Guaranteed(resource) => write!(f, "guaranteed.{resource}"),
            Self::MaxApplications => f.write_str("maxapplications"),
            Self::Property(key) => write!(f, "property.{key}"),
            Self::Limit(side, name, resource) => write!(f, "limit.{}.{name}.{resource}", word(side)),
            Self::LimitApplications(side, name) => write!(f, "limit.{}.{name}.maxapplications", word(side)),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { queue, key, value } => write!(f, "set {queue}.{key}={value}"),
            Self::AddNodes(node, count) => write!(f, "node add {node} {count}"),
            Self::RemoveNode(node) => write!(f, "node remove {node}"),
            Self::DrainNode(node) => write!(f, "node drain {node}"),
            Self::ResumeNode(node) => write!(f, "node resume {node}"),
            Self::Kill(app) => write!(f, "kill {app}"),
            Self::Move(app, queue) => write!(f, "move {app} {queue}"),
            Self::ResizeNode(node, resource, amount) => write!(f, "node resize {node} {resource}={amount}"),
            Self::Submit(app, count, None) => write!(f, "submit {app} {count}"),
            Self::Submit(app, count, Some(priority)) => write!(f, "submit {app} {count} priority {}", priority.0),
            Self::Demand(queue, factor) => write!(f, "demand {queue} x{factor}"),
        }
    }
}
