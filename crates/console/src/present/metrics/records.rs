//! Explanations of columns of events, audit, and revisions.

use crate::state::column::{AuditColumn, EventColumn, RevisionColumn};

/// The explanation of an event column.
pub const fn event(column: EventColumn) -> &'static str {
    match column {
        EventColumn::Time => "scheduler time since its start",
        EventColumn::Kind => "the kind of its object",
        EventColumn::Object => "its object; enter goes there",
        EventColumn::What => "what was added (+), removed (-), or set",
        EventColumn::Of => "its second object: a request, a node, a user",
        EventColumn::Resource => "its quantity: allocated, released, or the new quantity",
        EventColumn::Message => "the message of the scheduler",
    }
}

/// The explanation of an audit column.
pub const fn entry(column: AuditColumn) -> &'static str {
    match column {
        AuditColumn::Time => "by the clock of the scheduler's machine",
        AuditColumn::User => "the user of the token, or of the console",
        AuditColumn::Action => "the action",
        AuditColumn::Object => "the object of the action",
        AuditColumn::Result => "done, or the code of the check that rejected it",
        AuditColumn::From => "the address of the caller; none for operations of this console",
        AuditColumn::Why => "the given reason, and the reason of a rejection",
    }
}

/// The explanation of a revision column.
pub const fn revision(column: RevisionColumn) -> &'static str {
    match column {
        RevisionColumn::Revision => "increases by one with each applied configuration; the symbol marks the active one",
        RevisionColumn::Time => "the time when it was applied, by the clock of the scheduler's machine",
        RevisionColumn::By => "the user who applied it",
        RevisionColumn::Source => "its origin: the start, a file, an operation, or a rollback",
        RevisionColumn::Changes => {
            "the number of queues, settings, limits, and rules that differ from the previous revision; enter shows them"
        }
        RevisionColumn::Checksum => "the start of the SHA-256 of its text; If-Match of the REST API needs all of it",
        RevisionColumn::Why => "the reason that was given",
    }
}
