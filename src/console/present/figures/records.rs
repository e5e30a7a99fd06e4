//! The columns of what is recorded: events, the audit, configurations.

/// How the figure of a column of the events came about.
pub fn event(title: &str) -> Option<String> {
    Some(
        match title {
            "TIME" => "on the scheduler's clock, from its beginning",
            "KIND" => "what kind of thing it happened to",
            "OBJECT" => "what it happened to; enter goes there",
            "WHAT" => "what came (+), what went (-), or what was set",
            "OF" => "what else it is about: an application's ask, a node, a user",
            "RESOURCE" => "how much it is about: what was allocated, released, or what the thing has then",
            "MESSAGE" => "what the scheduler says of it",
            _ => return None,
        }
        .to_owned(),
    )
}

/// How the figure of a column of the audit came about.
pub fn entry(title: &str) -> Option<String> {
    Some(
        match title {
            "TIME" => "on the clock of the machine that the scheduler runs on",
            "WHO" => "who was identified by the token, or who sits before the console",
            "ACTION" => "what was ordered",
            "OBJECT" => "what it was ordered for",
            "RESULT" => "done, or the code of the check that refused it",
            "FROM" => "the address it came from; this console's own orders come from within",
            "WHY" => "the reason that was given, and why it was refused",
            _ => return None,
        }
        .to_owned(),
    )
}

/// How the figure of a column of the configurations came about.
pub fn revision(title: &str) -> Option<String> {
    Some(
        match title {
            "REV" => "counts up by one with each configuration that comes into force; the sign marks the one in force",
            "TIME" => "when it came into force, on the clock of the machine that the scheduler runs on",
            "BY" => "who brought it into force",
            "HOW" => "by which way it came: the start, a file, an order, or bringing an older one back",
            "CHANGES" => {
                "how many queues, settings, limits and rules are different from the one before; enter shows them"
            }
            "CHECKSUM" => "the beginning of the SHA-256 of its text; If-Match of the REST API takes all of it",
            "WHY" => "the reason that was given",
            _ => return None,
        }
        .to_owned(),
    )
}
