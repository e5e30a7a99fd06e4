//! The words of linear mode, and commands by their names in the settings.

use crate::input::command::{self, Argument, Command};
use crate::present::own_command;
use crate::state::State;
use crate::state::command::{ColumnCommand, CommandId, PromptCommand, RowCommand, ScreenCommand, TextCommand};
use model::spelling;

/// The words of linear mode: usage and effect.
pub const OWN: [(&str, &str); 28] = [
    ("help [WORD]", "List these words and the commands of this page; with a word: explain it"),
    ("where", "The scheduler, your identity, the page, the row, and the state of the console"),
    ("read", "Read the page from its start"),
    ("more", "Read the next portion; also an empty line"),
    ("portion N|all", "Set the number of lines of a portion; default: 20"),
    ("next [N]", "Select the next row, or the Nth next"),
    ("previous [N]", "Select the previous row"),
    ("first", "The first row"),
    ("last", "The last row"),
    ("row", "Read the selected row again, with all columns"),
    ("select NAME|NUMBER", "Select a row by its number, its name, or a part of it"),
    ("open [NAME|NUMBER]", "Open the selected row, or that row"),
    ("details [NAME|NUMBER]", "Read all details of the selected row, or of that row"),
    ("back", "Go to the previous page; back 10m: the cluster 10 minutes ago"),
    ("filter [TEXT]", "Show only matching rows; without a text: all rows"),
    ("set FIELD VALUE", "Write a field of a form, by its name or number; without a value it is emptied"),
    ("line N TEXT", "In the configuration: replace line N, with its indent"),
    ("insert N TEXT", "In the configuration: a new line before line N, with the indent of that line"),
    ("indent N COUNT", "In the configuration: indent line N by this number of spaces"),
    ("delete N", "In the configuration: delete line N"),
    ("show N", "In the configuration: read the text from line N"),
    ("yes", "Answer yes to the question"),
    ("no", "Answer no to the question"),
    ("reason TEXT", "Give the reason for the audit"),
    ("news", "Read new messages, and changes on the page; also: changes"),
    ("announce on|off|10s", "Announce messages immediately, or not; with an interval: also changes on the page"),
    ("key KEY ...", "Press keys of the console: key K, key ctrl-o, key g t"),
    ("quit", "Quit; asks when something would be lost; quit! does not ask"),
];

/// A command of the registry with its argument.
pub struct Order {
    /// The command that the first word names.
    pub id: CommandId,
    /// What follows its name.
    pub argument: Option<String>,
}

/// Splits off the first word.
pub fn split(line: &str) -> (&str, &str) {
    let line = line.trim().trim_start_matches(':');
    line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

/// Finds a command by its command-line name, otherwise by its settings name.
pub fn named(word: &str) -> Option<&'static Command> {
    command::by_name(word).or_else(|| command::by_binding_name(word))
}

/// Fails for an unknown name, a wrong argument, or a command of the drawn console.
pub fn order(state: &State, word: &str, rest: &str) -> Result<Order, String> {
    if let Some(own) = own_command::named(state, word).filter(|_| rest.is_empty()) {
        return Ok(Order { id: CommandId::Screen(ScreenCommand::OwnCommand), argument: Some(own.name.clone()) });
    }
    let lower = word.to_lowercase();
    let Some(command) = named(word).or_else(|| named(&lower)) else {
        let own = OWN.iter().map(|(usage, _)| split(usage).0);
        let all = own.chain(command::COMMANDS.iter().map(|command| command.name).filter(|name| !name.is_empty()));
        let meant = spelling::nearest(word, all).map_or_else(String::new, |near| format!("; did you mean {near}?"));
        return Err(format!("unknown word {word}{meant} (`help` lists all words)"));
    };
    if is_drawn(command.id) {
        return Err(format!("{word} works only in the drawn console"));
    }
    match (command.argument, rest.is_empty()) {
        (Argument::None, false) => Err(format!("{word} has no arguments")),
        (Argument::Required(_), true) => Err(format!("{word} needs an argument: {}", command.usage())),
        _ => Ok(Order { id: command.id, argument: (!rest.is_empty()).then(|| rest.to_owned()) }),
    }
}

fn is_drawn(id: CommandId) -> bool {
    match id {
        CommandId::Screen(id) => matches!(
            id,
            ScreenCommand::Mouse
                | ScreenCommand::Theme
                | ScreenCommand::Marks
                | ScreenCommand::Repaint
                | ScreenCommand::Suspend
                | ScreenCommand::QuitAgain
        ),
        CommandId::Column(id) => matches!(
            id,
            ColumnCommand::ColumnsLeft
                | ColumnCommand::ColumnsRight
                | ColumnCommand::ColumnToggle
                | ColumnCommand::ColumnEarlier
                | ColumnCommand::ColumnLater
                | ColumnCommand::ColumnWider
                | ColumnCommand::ColumnNarrower
                | ColumnCommand::ColumnsDefault
        ),
        CommandId::Row(id) => matches!(id, RowCommand::HeatMap),
        CommandId::Text(id) => matches!(
            id,
            TextCommand::EditText
                | TextCommand::EndEdit
                | TextCommand::CompleteText
                | TextCommand::ChooseText
                | TextCommand::UnchooseText
                | TextCommand::FoldText
                | TextCommand::FoldTextAll
                | TextCommand::UnfoldTextAll
        ),
        CommandId::Prompt(id) => !matches!(id, PromptCommand::Filter),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_word_and_the_rest() {
        assert_eq!(split("  :apps  root.a b "), ("apps", "root.a b"));
        assert_eq!(split("quit"), ("quit", ""));
        assert_eq!(split(""), ("", ""));
    }

    #[test]
    fn every_command_has_a_word_or_is_about_what_is_drawn() {
        for command in command::COMMANDS {
            let found = named(&command.binding_name()).is_some_and(|found| found.id == command.id);
            let by_name = named(command.name).is_some_and(|found| found.id == command.id);
            let is_own = OWN.iter().any(|(usage, _)| split(usage).0 == command.binding_name());
            assert!(found || by_name || is_own || is_drawn(command.id), "{:?} cannot be named", command.id);
        }
    }
}
