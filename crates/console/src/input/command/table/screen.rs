//! Commands of the screen and its last line.

use crate::input::command::row::{Argument, Command, Kind, row};
use crate::state::command::{CommandId, Context as In, GoCommand, PromptCommand, ScreenCommand, TrialCommand};

/// The rows in help order.
pub const ROWS: &[Command] = &[
    row(
        CommandId::Screen(ScreenCommand::Freeze),
        "freeze",
        "Freeze or unfreeze the screen; the scheduler keeps running",
    )
    .short("Freeze or unfreeze")
    .keys(&[(In::Page, "p")])
    .hints(&[(In::Page, "freeze")]),
    row(CommandId::Screen(ScreenCommand::Marks), "marks", "Mark changed cells, or stop marking"),
    row(CommandId::Screen(ScreenCommand::Mouse), "mouse", "Turn the mouse on, or off to select text in the terminal"),
    row(CommandId::Screen(ScreenCommand::Theme), "theme", "Change the theme")
        .with_argument(Argument::Required(Kind::Theme)),
    row(CommandId::Go(GoCommand::Messages), "messages", "Show messages of the engine and the status line")
        .aliases(&["log"]),
    row(CommandId::Prompt(PromptCommand::CommandLine), "", "Open the command line, with completion")
        .short("Command line")
        .keys(&[(In::Page, ":"), (In::Help, ":"), (In::Messages, ":")])
        .hints(&[(In::Page, "command")]),
    row(CommandId::Go(GoCommand::Help), "help", "Show the keys of this page, and all other keys")
        .short("Help")
        .keys(&[(In::Page, "?"), (In::Page, "F1")])
        .hints(&[(In::Page, "help")]),
    row(CommandId::Go(GoCommand::Back), "", "Go back one step: a notice, a filter, a page; never quits")
        .short("Go back")
        .keys(&[(In::Page, "esc")]),
    row(CommandId::Go(GoCommand::Leave), "", "Go to the previous page; on the first page: quit")
        .short("Go back, or quit")
        .keys(&[(In::Page, "q"), (In::Help, "q"), (In::Help, "esc"), (In::Messages, "q"), (In::Messages, "esc")])
        .hints(&[(In::Queues, "quit"), (In::Page, "back"), (In::Help, "close"), (In::Messages, "close")]),
    row(CommandId::Screen(ScreenCommand::Quit), "quit", "Quit; asks if data would be lost").aliases(&["q", "exit"]),
    row(CommandId::Screen(ScreenCommand::QuitNow), "quit!", "Quit immediately, without asking").aliases(&["q!"]),
    row(CommandId::Screen(ScreenCommand::QuitAgain), "", "Press twice: quit immediately, without asking")
        .short("Press twice: quit")
        .keys(&[(In::Page, "Q"), (In::Always, "ctrl-c")]),
    row(CommandId::Screen(ScreenCommand::Suspend), "suspend", "Suspend to the background; `fg` resumes")
        .short("Suspend to background")
        .keys(&[(In::Always, "ctrl-z")]),
    row(CommandId::Screen(ScreenCommand::Repaint), "repaint", "Redraw the whole screen")
        .keys(&[(In::Always, "ctrl-l")]),
    row(CommandId::Prompt(PromptCommand::Accept), "", "Take it")
        .keys(&[
            (In::Filter, "enter"),
            (In::Command, "enter"),
            (In::Confirm, "enter"),
            (In::Typed, "enter"),
            (In::Reason, "enter"),
            (In::Columns, "enter"),
        ])
        .hints(&[
            (In::Filter, "keep"),
            (In::Command, "run"),
            (In::Confirm, "choose"),
            (In::Typed, "do it"),
            (In::Reason, "take it"),
            (In::Columns, "take them"),
        ]),
    row(CommandId::Prompt(PromptCommand::Cancel), "", "Cancel; a filter is cleared")
        .short("Cancel")
        .keys(&[
            (In::Filter, "esc"),
            (In::Command, "esc"),
            (In::Confirm, "esc"),
            (In::Typed, "esc"),
            (In::Reason, "esc"),
            (In::Columns, "esc"),
            (In::Columns, "q"),
            (In::Confirm, "n"),
            (In::Confirm, "q"),
        ])
        .hints(&[
            (In::Filter, "clear"),
            (In::Command, "leave"),
            (In::Confirm, "cancel"),
            (In::Typed, "cancel"),
            (In::Reason, "discard"),
            (In::Columns, "leave them"),
        ]),
    row(CommandId::Prompt(PromptCommand::Complete), "", "Accept the completion")
        .keys(&[(In::Command, "tab")])
        .hints(&[(In::Command, "complete")]),
    row(CommandId::Prompt(PromptCommand::Choose), "", "Next completion")
        .keys(&[(In::Command, "down"), (In::Command, "ctrl-n")]),
    row(CommandId::Prompt(PromptCommand::Unchoose), "", "Previous completion")
        .keys(&[(In::Command, "shift-tab"), (In::Command, "ctrl-p")]),
    row(
        CommandId::Prompt(PromptCommand::Older),
        "",
        "Show the previous input; in completions: the previous completion",
    )
    .short("Previous input")
    .keys(&[(In::Command, "up"), (In::Filter, "up")])
    .hints(&[(In::Command, "history")]),
    row(CommandId::Prompt(PromptCommand::Newer), "", "Next input").keys(&[(In::Filter, "down")]),
    row(CommandId::Prompt(PromptCommand::OtherAnswer), "", "Select the other button")
        .keys(&[(In::Confirm, "left"), (In::Confirm, "right"), (In::Confirm, "tab")])
        .hints(&[(In::Confirm, "other button")]),
    row(CommandId::Prompt(PromptCommand::Yes), "", "Do it").keys(&[(In::Confirm, "y")]).hints(&[(In::Confirm, "yes")]),
    row(CommandId::Prompt(PromptCommand::Reason), "", "Write a reason for the audit")
        .short("Write a reason")
        .keys(&[(In::Confirm, "r"), (In::Confirm, "ctrl-r"), (In::Typed, "ctrl-r")])
        .hints(&[(In::Confirm, "reason"), (In::Typed, "reason")]),
    row(CommandId::Trial(TrialCommand::TryThis), "", "Try it in a what-if first")
        .keys(&[(In::Config, "f"), (In::Change, "f"), (In::Confirm, "f")])
        .hints(&[(In::Config, "what if"), (In::Change, "what if"), (In::Confirm, "what if")]),
];
