//! The columns of records: events, the audit, configurations.

use crate::state::column::{AuditColumn, EventColumn, RevisionColumn};

/// How the figure of a column of the events is computed.
pub const fn event(column: EventColumn) -> &'static str {
    match column {
        EventColumn::Time => "on the scheduler's clock, from its beginning",
        EventColumn::Kind => "what kind of thing it happened to",
        EventColumn::Object => "what it happened to; enter goes there",
        EventColumn::What => "what came (+), what went (-), or what was set",
        EventColumn::Of => "what else it is about: an application's ask, a node, a user",
        EventColumn::Resource => "how much it is about: what was allocated, released, or what the thing has then",
        EventColumn::Message => "what the scheduler says of it",
    }
}

/// How the figure of a column of the audit is computed.
pub const fn entry(column: AuditColumn) -> &'static str {
    match column {
        AuditColumn::Time => "on the clock of the machine that the scheduler runs on",
        AuditColumn::User => "who was identified by the token, or who sits before the console",
        AuditColumn::Action => "what was ordered",
        AuditColumn::Object => "what it was ordered for",
        AuditColumn::Result => "done, or the code of the check that refused it",
        AuditColumn::From => "the address it came from; this console's own orders come from within",
        AuditColumn::Why => "the reason that was given, and why it was refused",
    }
}

/// How the figure of a column of the configurations is computed.
pub const fn revision(column: RevisionColumn) -> &'static str {
    match column {
        RevisionColumn::Revision => {
            "counts up by one with each configuration that comes into force; the sign marks the one in force"
        }
        RevisionColumn::Time => "when it came into force, on the clock of the machine that the scheduler runs on",
        RevisionColumn::By => "who brought it into force",
        RevisionColumn::Source => "by which way it came: the start, a file, an order, or bringing an older one back",
        RevisionColumn::Changes => {
            "how many queues, settings, limits and rules are different from the one before; enter shows them"
        }
        RevisionColumn::Checksum => {
            "the beginning of the SHA-256 of its text; If-Match of the REST API takes all of it"
        }
        RevisionColumn::Why => "the reason that was given",
    }
}
