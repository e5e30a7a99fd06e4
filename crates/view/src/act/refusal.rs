//! Rejections of orders, with what is needed (REST E2).

use std::fmt;

use super::order::{Act, Actor};
use super::permission::ConfigRights;
use config::{Fault, Place, Removal, Severity};
use model::{QueuePath, Time};
use scheduler::placement::access::AclKind;
use scheduler::placement::ancestors;
use scheduler::{Denial, MisfitKind};

/// Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The check that rejected the order.
    pub code: Code,
    /// The rejected operation, in one line.
    pub message: String,
    /// The reason, or what is needed.
    pub description: String,
    /// The same as data.
    pub details: Box<Details>,
}

/// The objects of a rejection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The deciding queue.
    pub queue: Option<QueuePath>,
    /// The missing access to that queue.
    pub access: Option<AclKind>,
    /// The queues with checked access lists, the lowest first.
    pub checked: Vec<QueuePath>,
    /// Membership in the scheduler ACL is needed, or sufficient.
    pub scheduler_acl: bool,
    /// `application`, `queue`, `node`, `partition`, `allocation`.
    pub kind: Option<String>,
    /// All reasons, if several.
    pub reasons: Vec<Reason>,
    /// The errors of a configuration.
    pub faults: Vec<FoundFault>,
    /// The checksum of the active configuration.
    pub current: Option<String>,
    /// Who applied the active configuration.
    pub changed_by: Option<String>,
    /// When it became active.
    pub changed_at: Option<Time>,
    /// The removal by a configuration that was not allowed.
    pub removal: Option<Removal>,
    /// The seconds to wait before a retry.
    pub wait: Option<u64>,
    /// The text of the active configuration, for restoring: another one was written but did not become active.
    pub put_back: Option<String>,
}

/// One of several reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Which check refuses.
    pub code: Code,
    /// The queue, if any.
    pub queue: Option<QueuePath>,
    /// The reason with its values.
    pub text: String,
}

/// An error of a configuration, from [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFault {
    /// The id of the rule.
    pub code: String,
    /// Whether it rejects the configuration.
    pub severity: Severity,
    /// Where it stands.
    pub at: Place,
    /// The queue, or the path of keys.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The remedy; may be empty.
    pub hint: String,
}

impl From<&Fault> for FoundFault {
    fn from(fault: &Fault) -> Self {
        Self {
            code: fault.code.to_owned(),
            severity: fault.severity,
            at: fault.at,
            path: fault.path.clone(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
        }
    }
}

/// The check that rejected an order (REST E2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "see Code::status and Code::name")]
pub enum Code {
    BadRequest,
    Unauthenticated,
    AclDenied,
    ReadOnly,
    NotFound,
    AppTerminated,
    TargetNotLeaf,
    TargetDraining,
    TargetFull,
    TargetAppLimit,
    UserLimit,
    GangNotPossible,
    SameQueue,
    Exists,
    NodeInUse,
    QueueChanged,
    KeyReused,
    ChecksumMismatch,
    TooLarge,
    ConfigInvalid,
    /// No placement rule accepts the submission (REST E8).
    NotPlaced,
    ChecksumRequired,
    /// The removal by a configuration is not allowed (CFG-120).
    RemovalNotAllowed,
    RateLimited,
    NotSupported,
    Unavailable,
    NotDurable,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 27] = [
        Self::BadRequest,
        Self::Unauthenticated,
        Self::AclDenied,
        Self::ReadOnly,
        Self::NotFound,
        Self::AppTerminated,
        Self::TargetNotLeaf,
        Self::TargetDraining,
        Self::TargetFull,
        Self::TargetAppLimit,
        Self::UserLimit,
        Self::GangNotPossible,
        Self::SameQueue,
        Self::Exists,
        Self::NodeInUse,
        Self::QueueChanged,
        Self::KeyReused,
        Self::ChecksumMismatch,
        Self::TooLarge,
        Self::ConfigInvalid,
        Self::NotPlaced,
        Self::ChecksumRequired,
        Self::RemovalNotAllowed,
        Self::RateLimited,
        Self::NotSupported,
        Self::Unavailable,
        Self::NotDurable,
    ];

    /// The name in the REST API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BadRequest => "BAD_REQUEST",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::AclDenied => "ACL_DENIED",
            Self::ReadOnly => "READ_ONLY",
            Self::NotFound => "NOT_FOUND",
            Self::AppTerminated => "APP_TERMINATED",
            Self::TargetNotLeaf => "TARGET_NOT_LEAF",
            Self::TargetDraining => "TARGET_DRAINING",
            Self::TargetFull => "TARGET_FULL",
            Self::TargetAppLimit => "TARGET_APP_LIMIT",
            Self::UserLimit => "USER_LIMIT",
            Self::GangNotPossible => "GANG_NOT_POSSIBLE",
            Self::SameQueue => "SAME_QUEUE",
            Self::Exists => "EXISTS",
            Self::NodeInUse => "NODE_IN_USE",
            Self::QueueChanged => "QUEUE_CHANGED",
            Self::KeyReused => "KEY_REUSED",
            Self::ChecksumMismatch => "CHECKSUM_MISMATCH",
            Self::TooLarge => "TOO_LARGE",
            Self::ConfigInvalid => "CONFIG_INVALID",
            Self::NotPlaced => "NOT_PLACED",
            Self::ChecksumRequired => "CHECKSUM_REQUIRED",
            Self::RemovalNotAllowed => "REMOVAL_NOT_ALLOWED",
            Self::RateLimited => "RATE_LIMITED",
            Self::NotSupported => "NOT_SUPPORTED",
            Self::Unavailable => "UNAVAILABLE",
            Self::NotDurable => "NOT_DURABLE",
        }
    }

    /// The code with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The HTTP status of the code.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthenticated => 401,
            Self::AclDenied | Self::ReadOnly => 403,
            Self::NotFound => 404,
            Self::AppTerminated
            | Self::TargetNotLeaf
            | Self::TargetDraining
            | Self::TargetFull
            | Self::TargetAppLimit
            | Self::UserLimit
            | Self::GangNotPossible
            | Self::SameQueue
            | Self::Exists
            | Self::NodeInUse
            | Self::QueueChanged
            | Self::KeyReused => 409,
            Self::ChecksumMismatch => 412,
            Self::TooLarge => 413,
            Self::ConfigInvalid | Self::NotPlaced => 422,
            Self::ChecksumRequired | Self::RemovalNotAllowed => 428,
            Self::RateLimited => 429,
            Self::NotSupported => 501,
            Self::Unavailable | Self::NotDurable => 503,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.description.is_empty() { Ok(()) } else { write!(f, ": {}", self.description) }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    /// Returns a rejection without details.
    pub fn new(code: Code, message: impl Into<String>, description: impl Into<String>) -> Self {
        Self { code, message: message.into(), description: description.into(), details: Box::default() }
    }

    /// The same, with details.
    #[must_use]
    pub fn with(self, details: Details) -> Self {
        Self { details: Box::new(details), ..self }
    }

    /// The description, or the message if the description is empty.
    pub fn reason(&self) -> String {
        if self.description.is_empty() { self.message.clone() } else { self.description.clone() }
    }

    /// The rejection for an object that does not exist.
    pub fn not_found(kind: &str, name: &str) -> Self {
        let details = Details { kind: Some(kind.to_owned()), ..Details::default() };
        Self::new(Code::NotFound, format!("{kind} {name} not found"), "").with(details)
    }

    /// `None` if the actor may change things.
    pub fn read_only(actor: &Actor, act: &Act) -> Option<Self> {
        let why = actor.read_only.as_deref()?;
        let message = format!("{} may not {act}", actor.user());
        Some(Self::new(Code::ReadOnly, message, format!("read-only: {why}")))
    }

    /// The rejection of a stopped scheduler.
    pub fn stopped() -> Self {
        Self::new(Code::Unavailable, "the scheduler has stopped", "no change was made")
    }

    /// The rejection for missing access to a queue.
    pub fn no_access(actor: &Actor, act: &Act, queue: &QueuePath, access: AclKind) -> Self {
        let message = format!("{} may not {act}", actor.user());
        let (description, details) = needs(queue, access);
        Self::new(Code::AclDenied, message, description).with(details)
    }

    /// The rejection for a missing membership in the scheduler ACL.
    pub fn no_scheduler_acl(actor: &Actor, act: &Act) -> Self {
        let message = format!("{} may not {act}", actor.user());
        let details = Details { scheduler_acl: true, ..Details::default() };
        Self::new(Code::AclDenied, message, "needs membership in the scheduler ACL").with(details)
    }

    /// The rejection of a configuration change outside the actor's rights.
    pub fn no_config_rights(actor: &Actor, act: &Act, shortfall: &ConfigRights) -> Self {
        let message = format!("{} may not {act} in this way", actor.user());
        let queues: Vec<String> = shortfall.admin.iter().map(|(_, queue)| queue.to_string()).collect();
        let description = if shortfall.scheduler_acl {
            "it affects a whole partition or its root, which needs membership in the scheduler ACL".to_owned()
        } else {
            format!("needs admin access on {} or a parent, or membership in the scheduler ACL", queues.join(", "))
        };
        let reason = |(_, queue): &(String, QueuePath)| Reason {
            code: Code::AclDenied,
            queue: Some(queue.clone()),
            text: needs(queue, AclKind::Admin).0,
        };
        let details = Details {
            scheduler_acl: true,
            access: (!shortfall.admin.is_empty()).then_some(AclKind::Admin),
            queue: shortfall.admin.first().map(|(_, queue)| queue.clone()),
            reasons: shortfall.admin.iter().map(reason).collect(),
            ..Details::default()
        };
        Self::new(Code::AclDenied, message, description).with(details)
    }

    /// The rejection of a removal that is not allowed (CFG-120).
    pub fn removal(removal: Removal) -> Self {
        let description = format!("{removal}; {}", removal.how_to_allow());
        let message = "the configuration removes too much";
        let details = Details { removal: Some(removal), ..Details::default() };
        Self::new(Code::RemovalNotAllowed, message, description).with(details)
    }

    /// The rejection of a kill or a move by the scheduler.
    pub fn denied(actor: &Actor, act: &Act, why: &Denial) -> Self {
        let message = format!("cannot {act}");
        let about = |queue: &QueuePath| Details { queue: Some(queue.clone()), ..Details::default() };
        match why {
            Denial::NoApp(app) => Self::not_found("application", app.as_str()),
            Denial::Ended { state, .. } => Self::new(Code::AppTerminated, message, format!("it is already {state}")),
            Denial::NoAccess { queue, access, .. } => Self::no_access(actor, act, queue, *access),
            Denial::NoQueue(queue) => Self::not_found("queue", queue.as_str()),
            Denial::NotLeaf(queue) => {
                let text = format!("{queue} is not a leaf: it contains queues, not applications");
                Self::new(Code::TargetNotLeaf, message, text).with(about(queue))
            }
            Denial::SameQueue(queue) => {
                Self::new(Code::SameQueue, message, format!("it is already in {queue}")).with(about(queue))
            }
            Denial::RecoveryQueue => {
                let details = Details { kind: Some("queue".to_owned()), ..Details::default() };
                Self::new(Code::NotFound, message, "the recovery queue accepts only recovered applications")
                    .with(details)
            }
            Denial::Closed { queue, state } => {
                let state = state.to_string().to_lowercase();
                Self::new(Code::TargetDraining, message, format!("{queue} is {state} and rejects new applications"))
                    .with(about(queue))
            }
            Denial::Misfits(misfits) => {
                let reasons: Vec<Reason> = misfits.iter().map(Reason::from).collect();
                let code = reasons.first().map_or(Code::TargetFull, |reason| reason.code);
                let queue = reasons.first().and_then(|reason| reason.queue.clone());
                let details = Details { queue, reasons, ..Details::default() };
                Self::new(code, message, why.to_string()).with(details)
            }
        }
    }
}

impl From<&scheduler::Misfit> for Reason {
    fn from(misfit: &scheduler::Misfit) -> Self {
        let code = match misfit.kind {
            MisfitKind::Gang => Code::GangNotPossible,
            MisfitKind::Quota => Code::TargetFull,
            MisfitKind::Applications => Code::TargetAppLimit,
            MisfitKind::Limit => Code::UserLimit,
        };
        Self { code, queue: Some(misfit.queue.clone()), text: misfit.text.clone() }
    }
}

fn needs(queue: &QueuePath, access: AclKind) -> (String, Details) {
    let word = match access {
        AclKind::Submit => "submit",
        AclKind::Admin => "admin",
    };
    let above = if queue.parent().is_some() { " or a parent" } else { "" };
    let checked = ancestors(queue.as_str()).map(QueuePath::new).collect();
    let details = Details { queue: Some(queue.clone()), access: Some(access), checked, ..Details::default() };
    (format!("needs {word} access on {queue}{above}"), details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_of_its_own() {
        for code in Code::ALL {
            assert_eq!(Code::named(code.name()), Some(code));
            assert!((400..=503).contains(&code.status()));
        }
        assert_eq!(Code::named("NO_SUCH_CODE"), None);
    }
}
