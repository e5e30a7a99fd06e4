//! Commands of rows, lists, and columns.

use crate::input::command::row::{Argument, Command, Kind, row};
use crate::state::command::{ColumnCommand, CommandId, Context as In, GoCommand, PromptCommand, RowCommand};

/// The rows in help order.
pub const ROWS: &[Command] = &[
    row(CommandId::Row(RowCommand::Open), "open", "Open the selected row")
        .keys(&[
            (In::Queues, "enter"),
            (In::Apps, "enter"),
            (In::App, "enter"),
            (In::Nodes, "enter"),
            (In::Node, "enter"),
            (In::Users, "enter"),
            (In::Account, "enter"),
            (In::Events, "enter"),
            (In::Audit, "enter"),
            (In::Revisions, "enter"),
            (In::Explain, "enter"),
            (In::Fairness, "enter"),
            (In::Alerts, "enter"),
            (In::Simulate, "enter"),
            (In::Clusters, "enter"),
            (In::Contexts, "enter"),
            (In::Usage, "enter"),
            (In::Shadow, "enter"),
            (In::Trends, "enter"),
        ])
        .hints(&[
            (In::Queues, "apps"),
            (In::Apps, "requests"),
            (In::App, "node"),
            (In::Nodes, "allocations"),
            (In::Node, "application"),
            (In::Users, "queue by queue"),
            (In::Account, "applications"),
            (In::Events, "its object"),
            (In::Audit, "its object"),
            (In::Revisions, "text"),
            (In::Explain, "go there"),
            (In::Fairness, "queue or user"),
            (In::Alerts, "its object"),
            (In::Simulate, "charts"),
            (In::Clusters, "go there"),
            (In::Contexts, "go there"),
            (In::Usage, "open it"),
            (In::Shadow, "application"),
            (In::Trends, "that moment"),
        ]),
    row(CommandId::Row(RowCommand::Details), "details", "Show all details of the selected row, and the source of each value")
    .short("All details of the row")
        .keys(&[(In::List, "i"), (In::Job, "i"), (In::Pod, "i")])
        .hints(&[(In::List, "details")]),
    row(
        CommandId::Go(GoCommand::Metrics),
        "figures",
        "Explain each value on the screen: of the selected row, the details, and the header",
    )
    .short("Explain the values")
    .keys(&[(In::Page, "W")])
    .hints(&[(In::Page, "values")]),
    row(CommandId::Row(RowCommand::Fold), "fold", "Fold or unfold the child queues")
    .short("Fold or unfold")
        .keys(&[(In::Queues, "space")])
        .hints(&[(In::Queues, "fold")]),
    row(CommandId::Row(RowCommand::FoldClose), "", "Fold; on a folded queue or a leaf: go to the parent")
    .short("Fold, or go to the parent")
        .keys(&[(In::Queues, "left"), (In::Queues, "h")]),
    row(CommandId::Row(RowCommand::FoldOpen), "", "Unfold; on an unfolded queue: go to its first child")
    .short("Unfold, or go to a child")
        .keys(&[(In::Queues, "right"), (In::Queues, "l")]),
    row(CommandId::Row(RowCommand::FoldAll), "fold-all", "Fold all children of the root")
    .short("Fold all queues").keys(&[(In::Queues, "-")]),
    row(CommandId::Row(RowCommand::OpenAll), "unfold-all", "Unfold everything")
        .keys(&[(In::Queues, "+"), (In::Queues, "=")]),
    row(CommandId::Row(RowCommand::Ended), "ended", "Show or hide ended applications")
    .short("Show or hide ended")
        .keys(&[(In::Apps, "e")])
        .hints(&[(In::Apps, "ended")]),
    row(CommandId::Row(RowCommand::Up), "", "Move one row up").keys(&[
        (In::List, "up"),
        (In::List, "k"),
        (In::Job, "up"), (In::Pod, "up"), (In::Contexts, "up"), (In::Job, "k"), (In::Pod, "k"), (In::Contexts, "k"),
        (In::Explain, "up"),
        (In::Explain, "k"),
        (In::Details, "up"),
        (In::Placement, "up"),
        (In::Config, "up"),
        (In::Change, "up"),
        (In::Details, "k"),
        (In::Placement, "k"),
        (In::Config, "k"),
        (In::Change, "k"),
        (In::Help, "up"),
        (In::Help, "k"),
        (In::Messages, "up"),
        (In::Messages, "k"),
        (In::Columns, "up"),
        (In::Columns, "k"),
    ]),
    row(CommandId::Row(RowCommand::Down), "", "Move one row down").keys(&[
        (In::List, "down"),
        (In::List, "j"),
        (In::Job, "down"), (In::Pod, "down"), (In::Contexts, "down"), (In::Job, "j"), (In::Pod, "j"), (In::Contexts, "j"),
        (In::Explain, "down"),
        (In::Explain, "j"),
        (In::Details, "down"),
        (In::Placement, "down"),
        (In::Config, "down"),
        (In::Change, "down"),
        (In::Details, "j"),
        (In::Placement, "j"),
        (In::Config, "j"),
        (In::Change, "j"),
        (In::Help, "down"),
        (In::Help, "j"),
        (In::Messages, "down"),
        (In::Messages, "j"),
        (In::Columns, "down"),
        (In::Columns, "j"),
    ]),
    row(CommandId::Row(RowCommand::PageUp), "", "Move one page up").keys(&[
        (In::List, "pgup"),
        (In::List, "ctrl-u"),
        (In::Job, "pgup"), (In::Pod, "pgup"), (In::Contexts, "pgup"), (In::Job, "ctrl-u"), (In::Pod, "ctrl-u"),
        (In::Explain, "pgup"),
        (In::Details, "pgup"),
        (In::Placement, "pgup"),
        (In::Config, "pgup"),
        (In::Change, "pgup"),
        (In::Edit, "pgup"),
        (In::Config, "ctrl-u"),
        (In::Help, "pgup"),
        (In::Messages, "pgup"),
    ]),
    row(CommandId::Row(RowCommand::PageDown), "", "Move one page down").keys(&[
        (In::List, "pgdn"),
        (In::List, "ctrl-d"),
        (In::Job, "pgdn"), (In::Pod, "pgdn"), (In::Contexts, "pgdn"), (In::Job, "ctrl-d"), (In::Pod, "ctrl-d"),
        (In::Explain, "pgdn"),
        (In::Details, "pgdn"),
        (In::Placement, "pgdn"),
        (In::Config, "pgdn"),
        (In::Change, "pgdn"),
        (In::Edit, "pgdn"),
        (In::Config, "ctrl-d"),
        (In::Help, "pgdn"),
        (In::Messages, "pgdn"),
    ]),
    row(CommandId::Row(RowCommand::Top), "", "Go to the first row").keys(&[
        (In::List, "home"),
        (In::List, "g"),
        (In::Job, "home"), (In::Pod, "home"), (In::Contexts, "home"), (In::Job, "g"), (In::Pod, "g"), (In::Contexts, "g"),
        (In::Explain, "home"),
        (In::Explain, "g"),
        (In::Details, "home"),
        (In::Placement, "home"),
        (In::Config, "home"),
        (In::Change, "home"),
        (In::Details, "g"),
        (In::Placement, "g"),
        (In::Config, "g"),
        (In::Change, "g"),
        (In::Help, "home"),
        (In::Help, "g"),
        (In::Messages, "home"),
        (In::Messages, "g"),
        (In::Columns, "home"),
        (In::Columns, "g"),
    ]),
    row(CommandId::Row(RowCommand::Bottom), "", "Go to the last row").keys(&[
        (In::List, "end"),
        (In::List, "G"),
        (In::Job, "end"), (In::Pod, "end"), (In::Contexts, "end"), (In::Job, "G"), (In::Pod, "G"), (In::Contexts, "G"),
        (In::Explain, "end"),
        (In::Explain, "G"),
        (In::Details, "end"),
        (In::Placement, "end"),
        (In::Config, "end"),
        (In::Change, "end"),
        (In::Details, "G"),
        (In::Placement, "G"),
        (In::Config, "G"),
        (In::Change, "G"),
        (In::Help, "end"),
        (In::Help, "G"),
        (In::Messages, "end"),
        (In::Messages, "G"),
        (In::Columns, "end"),
        (In::Columns, "G"),
    ]),
    row(CommandId::Prompt(PromptCommand::Filter), "filter", "Filter as you type: letters in order, =name exactly, !text all others")
    .short("Filter this list")
        .keys(&[(In::List, "/"), (In::Help, "/"), (In::Help, "?"), (In::Config, "/"), (In::Pod, "/")])
        .hints(&[(In::List, "filter"), (In::Help, "filter"), (In::Config, "find"), (In::Pod, "find")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Column(ColumnCommand::SortNext), "", "Sort by the next column")
    .short("Sort by next column").keys(&[(In::List, "s")]).hints(&[(In::List, "sort")]),
    row(CommandId::Column(ColumnCommand::SortPrevious), "", "Sort by the previous column")
    .short("Sort by previous column").keys(&[(In::List, "S")]),
    row(CommandId::Column(ColumnCommand::SortReverse), "reverse", "Reverse the sort order").keys(&[(In::List, "r")]),
    row(CommandId::Column(ColumnCommand::Sort), "sort", "Sort by a column; again to reverse")
        .with_argument(Argument::Required(Kind::Column)),
    row(
        CommandId::Column(ColumnCommand::Columns),
        "columns",
        "Choose the columns of this list: names in their order, NAME:WIDTH, +NAME, -NAME, or `default`; alone: one by one",
    )
    .with_argument(Argument::Optional(Kind::Columns)),
    row(CommandId::Column(ColumnCommand::ColumnToggle), "", "Show or hide the column")
        .keys(&[(In::Columns, "space")])
        .hints(&[(In::Columns, "show or hide")]),
    row(CommandId::Column(ColumnCommand::ColumnEarlier), "", "Move the column left").keys(&[(In::Columns, "K")]),
    row(CommandId::Column(ColumnCommand::ColumnLater), "", "Move the column right")
        .keys(&[(In::Columns, "J")])
        .hints(&[(In::Columns, "later, K earlier")]),
    row(CommandId::Column(ColumnCommand::ColumnWider), "", "Widen the column")
        .keys(&[(In::Columns, "right"), (In::Columns, "l"), (In::Columns, "+")])
        .hints(&[(In::Columns, "wider")]),
    row(CommandId::Column(ColumnCommand::ColumnNarrower), "", "Narrow the column")
        .keys(&[(In::Columns, "left"), (In::Columns, "h"), (In::Columns, "-")])
        .hints(&[(In::Columns, "narrower")]),
    row(CommandId::Column(ColumnCommand::ColumnsDefault), "", "Show the columns that fit")
        .keys(&[(In::Columns, "d")])
        .hints(&[(In::Columns, "default")]),
    row(CommandId::Column(ColumnCommand::Wide), "wide", "Show all columns, or only those that fit")
    .short("All columns, or fitting").keys(&[(In::List, "ctrl-w")]),
    row(CommandId::Column(ColumnCommand::ColumnsRight), "", "All columns, scroll right")
    .short("Scroll columns right").keys(&[(In::List, "gt")]),
    row(CommandId::Column(ColumnCommand::ColumnsLeft), "", "All columns, scroll left")
    .short("Scroll columns left").keys(&[(In::List, "lt")]),
    row(
        CommandId::Column(ColumnCommand::SavedView),
        "view",
        "Go to a saved view; `save NAME` saves the filter, order, and columns of this list, `delete NAME` deletes them",
    )
    .with_argument(Argument::Optional(Kind::View)),
];
