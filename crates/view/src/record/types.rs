//! A record, and its numbers.

use std::fmt;
use std::sync::Arc;

use model::{Resource, Time};
use scheduler::interface::grounds::PreemptionGrounds;

/// The longest message, in bytes (`rest.md` section 5.10); longer ones end in three dots.
pub const LONGEST_MESSAGE: usize = 1024;

/// A reported event (SCH-220).
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The scheduler time.
    pub at: Time,
    /// The kind of `object`.
    pub kind: ObjectType,
    /// The id of a request, application, node, user, or group, or the path of a queue.
    pub object: Arc<str>,
    /// A second object; may be empty.
    pub reference: Arc<str>,
    /// The type of change.
    pub change: ChangeType,
    /// The change, as a number of YuniKorn's protocol.
    pub detail: ChangeDetail,
    /// The quantity; may be empty.
    pub resource: Resource,
    /// Text for people; may be empty.
    pub message: Arc<str>,
    /// For a preempted allocation: the inputs of the decision, if known.
    pub grounds: Option<Arc<PreemptionGrounds>>,
}

impl Record {
    /// Represents lost events by their first and last number.
    pub fn hole(from: u64, to: u64, at: Time) -> Self {
        let lost = to.saturating_sub(from) + 1;
        let text = match lost {
            1 => format!("event {from} is lost"),
            _ => format!("{lost} events, {from} to {to}, are lost"),
        };
        let nothing = || Arc::from("");
        Self {
            at,
            kind: ObjectType::UNKNOWN,
            object: nothing(),
            reference: nothing(),
            change: ChangeType::NONE,
            detail: ChangeDetail::NONE,
            resource: Resource::new(),
            message: Arc::from(text),
            grounds: None,
        }
    }

    /// Whether upstream does not have this record.
    pub const fn is_own(&self) -> bool {
        self.detail.0 >= ChangeDetail::FIRST_OWN
    }
}

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $($(#[$of:meta])* $constant:ident = $number:literal, $word:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$of])* pub const $constant: Self = Self($number);)*

            /// `None` if unknown.
            pub const fn word(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($word),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.word() {
                    Some(word) => f.pad(word),
                    None => write!(f, "{}", self.0),
                }
            }
        }
    };
}

numbers! {
    /// The kind of an object.
    ObjectType,
    /// The release reports no kind.
    UNKNOWN = 0, "unknown";
    /// A request; the reference is its application.
    REQUEST = 1, "request";
    /// An application; the object is its id.
    APP = 2, "application";
    /// A node; the object is its id.
    NODE = 3, "node";
    /// A queue; the object is its path.
    QUEUE = 4, "queue";
    /// A user or a group.
    USER_GROUP = 5, "user or group";
}

numbers! {
    /// How an object changed.
    ChangeType,
    /// It did not.
    NONE = 0, "none";
    /// A value changed.
    SET = 1, "set";
    /// It was created, or something was added to it.
    ADD = 2, "add";
    /// It was removed, or something was removed from it.
    REMOVE = 3, "remove";
}

numbers! {
    /// The detail of a change.
    ChangeDetail,
    /// The object itself, or nothing.
    NONE = 0, "none";
    /// A request was canceled, or removed with its allocation.
    REQUEST_CANCEL = 100, "request canceled";
    /// A request was allocated; never sent.
    REQUEST_ALLOC = 101, "request allocated";
    /// A request timed out.
    REQUEST_TIMEOUT = 102, "request timed out";
    /// An application got an allocation.
    APP_ALLOC = 200, "allocation";
    /// An application got a request.
    APP_REQUEST = 201, "request";
    /// An application was rejected.
    APP_REJECT = 202, "rejected";
    /// An application is new.
    APP_NEW = 203, "new";
    /// An application is Accepted.
    APP_ACCEPTED = 204, "accepted";
    /// An application is Starting.
    APP_STARTING = 205, "starting";
    /// An application is Running.
    APP_RUNNING = 206, "running";
    /// An application is Completing.
    APP_COMPLETING = 207, "completing";
    /// An application is Completed.
    APP_COMPLETED = 208, "completed";
    /// An application is Failing.
    APP_FAILING = 209, "failing";
    /// An application is Failed.
    APP_FAILED = 210, "failed";
    /// An application is Resuming.
    APP_RESUMING = 211, "resuming";
    /// An application is Expired.
    APP_EXPIRED = 212, "expired";
    /// A queue's application limit blocks an application.
    APP_CANNOTRUN_QUEUE = 213, "blocked by max applications";
    /// The queue no longer blocks it.
    APP_RUNNABLE_QUEUE = 214, "allowed by its queues";
    /// A user or group limit blocks an application.
    APP_CANNOTRUN_QUOTA = 215, "blocked by application limit";
    /// The limit no longer blocks it.
    APP_RUNNABLE_QUOTA = 216, "allowed by its user and group limits";
    /// A node was removed.
    NODE_DECOMMISSION = 300, "decommissioned";
    /// A node's ready flag; not sent by this program.
    NODE_READY = 301, "ready";
    /// Whether a node accepts allocations.
    NODE_SCHEDULABLE = 302, "schedulable";
    /// An allocation on a node.
    NODE_ALLOC = 303, "allocation";
    /// A node's capacity.
    NODE_CAPACITY = 304, "capacity";
    /// The resources of foreign pods on a node.
    NODE_OCCUPIED = 305, "occupied";
    /// A node is reserved for a request.
    NODE_RESERVATION = 306, "reservation";
    /// A queue's configuration; never sent.
    QUEUE_CONFIG = 400, "configuration";
    /// A dynamic queue.
    QUEUE_DYNAMIC = 401, "dynamic queue";
    /// A queue is a leaf or a parent.
    QUEUE_TYPE = 402, "leaf or parent";
    /// A queue's maximum.
    QUEUE_MAX = 403, "maximum";
    /// A queue's guaranteed resources.
    QUEUE_GUARANTEED = 404, "guaranteed";
    /// An application in a queue.
    QUEUE_APP = 405, "application";
    /// An allocation in a queue; never sent.
    QUEUE_ALLOC = 406, "allocation";
    /// Quota preemption; since 1.9.
    QUEUE_PREEMPTION = 407, "quota preemption";
    /// An allocation was canceled or ended.
    ALLOC_CANCEL = 500, "allocation ended";
    /// An allocation was preempted.
    ALLOC_PREEMPT = 501, "preempted";
    /// An allocation timed out.
    ALLOC_TIMEOUT = 502, "timed out";
    /// A placeholder was replaced.
    ALLOC_REPLACED = 503, "replaced";
    /// The node of an allocation was removed.
    ALLOC_NODE_REMOVED = 504, "node removed";
    /// A user's limit.
    UG_USER_LIMIT = 600, "limit of a user";
    /// A group's limit.
    UG_GROUP_LIMIT = 601, "limit of a group";
    /// An application counts under a group.
    UG_APP_LINK = 602, "application of a group";
    /// The usage of a user.
    UG_USER_RESOURCE = 603, "usage of a user";
    /// The usage of a group.
    UG_GROUP_RESOURCE = 604, "usage of a group";
    /// A configuration is active.
    CONFIG_LOADED = 900, "configuration loaded";
    /// A configuration was rejected.
    CONFIG_REFUSED = 901, "configuration rejected";
    /// A queue entered a state.
    QUEUE_STATE = 902, "state";
    /// A queue has been draining for long.
    QUEUE_DRAIN_ALERT = 903, "draining too long";
    /// An application was killed.
    APP_KILLED = 904, "killed";
    /// An application was moved.
    APP_MOVED = 905, "moved";
    /// An earlier configuration was restored.
    CONFIG_ROLLED_BACK = 906, "configuration rolled back";
    /// The queue of an application started to drain.
    APP_QUEUE_DRAINING = 907, "its queue drains";
}

impl ChangeDetail {
    /// The first number of kornsole's own details.
    pub const FIRST_OWN: u32 = 900;
}
