//! The columns of records: events, the audit, configurations.

use crate::state::column::{AuditColumn, EventColumn, RevisionColumn};

/// How the figure of a column of the events is computed.
pub const fn event(column: EventColumn) -> &'static str {
    match column {
        EventColumn::Time => "on the scheduler's clock, from its beginning",
        EventColumn::Kind => "what kind of thing it happened to",
        EventColumn::Object => "what it happened to; enter goes there",
        EventColumn::What => "what was added (+), removed (-), or set",
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
        AuditColumn::From => "the address of the caller; none for operations of this console",
        AuditColumn::Why => "the reason that was given, and why it was refused",
    }
}

/// How the figure of a column of the configurations is computed.
pub const fn revision(column: RevisionColumn) -> &'static str {
    match column {
        RevisionColumn::Revision => "increases by one with each applied configuration; the symbol marks the active one",
        RevisionColumn::Time => "the time when it was applied, by the clock of the scheduler's machine",
        RevisionColumn::By => "the user who applied it",
        RevisionColumn::Source => "its origin: the start, a file, an operation, or a rollback",
        RevisionColumn::Changes => {
            "the number of queues, settings, limits, and rules that differ from the previous one; enter shows them"
        }
        RevisionColumn::Checksum => {
            "the beginning of the SHA-256 of its text; If-Match of the REST API takes all of it"
        }
        RevisionColumn::Why => "the reason that was given",
    }
}
