//! Fills the user's own commands.

use crate::input::keymap;
use crate::present::subject;
use crate::state::State;
use crate::state::command::{CommandId, ScreenCommand};
use crate::state::keymap::{Binding, chord_text};
use crate::state::own_command::{OwnCommand, OwnLine, OwnRun, Placeholder};
use crate::state::page::{Page, Subject};
use view::Side;

const SHELL: &str = "/bin/sh";

const KUBE: &str = "k8s://";

/// The own command with a name.
pub fn named<'s>(state: &'s State, name: &str) -> Option<&'s OwnCommand> {
    state.own_commands.iter().find(|command| command.name == name)
}

/// The key on the page, ignoring layers.
pub fn key(state: &State, name: &str) -> String {
    let own = |binding: &&Binding| {
        binding.id == CommandId::Screen(ScreenCommand::OwnCommand) && binding.argument.as_deref() == Some(name)
    };
    let contexts = keymap::page_contexts(state).iter();
    let bound = contexts.flat_map(|context| state.keymap.with_argument(*context)).find(own);
    bound.map_or_else(String::new, |binding| chord_text(&binding.chord))
}

/// Fills a command.
///
/// # Errors
/// A placeholder has no value, or a value that looks like an option.
pub fn filled(state: &State, command: &OwnCommand) -> Result<OwnRun, String> {
    let value = |placeholder: Placeholder| {
        value(state, placeholder).ok_or_else(|| match placeholder {
            Placeholder::Context => "{context} has no value: this scheduler has no context".to_owned(),
            other => format!("{} has no value: the selected row has none", other.text()),
        })
    };
    let (words, variables) = match &command.line {
        OwnLine::Words(words) => (words.iter().map(|word| fill(word, &value)).collect::<Result<_, _>>()?, Vec::new()),
        OwnLine::Shell(line) => {
            let (mut line, mut variables) = (line.clone(), Vec::new());
            for placeholder in Placeholder::ALL.into_iter().filter(|one| command_has(&command.line, *one)) {
                line = line.replace(placeholder.text(), &format!("${{{}}}", placeholder.variable()));
                variables.push((placeholder.variable(), value(placeholder)?));
            }
            (vec![SHELL.to_owned(), "-c".to_owned(), line], variables)
        }
    };
    Ok(OwnRun { name: command.name.clone(), words, variables, output: command.output })
}

fn command_has(line: &OwnLine, placeholder: Placeholder) -> bool {
    matches!(line, OwnLine::Shell(line) if line.contains(placeholder.text()))
}

/// Fills a word once, from left to right: values are not filled again.
fn fill(word: &str, value: &impl Fn(Placeholder) -> Result<String, String>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), word);
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match Placeholder::ALL.into_iter().find(|one| rest.starts_with(one.text())) {
            Some(placeholder) => {
                let value = value(placeholder)?;
                if out.is_empty() && value.starts_with('-') {
                    return Err(format!("{} is {value:?}, which looks like an option", placeholder.text()));
                }
                out.push_str(&value);
                rest = &rest[placeholder.text().len()..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    Ok(out + rest)
}

/// The context of `k8s://CONTEXT/NAMESPACE`; empty: the current one.
fn kube_context(opened: &str) -> &str {
    opened.strip_prefix(KUBE).map_or(opened, |rest| rest.split('/').next().unwrap_or_default())
}

fn value(state: &State, placeholder: Placeholder) -> Option<String> {
    let app = || match (subject::of(state)?, state.page()) {
        (Subject::App(row) | Subject::Why(row), _) => Some(row),
        _ => None,
    };
    let found = match placeholder {
        Placeholder::Queue => subject::queue(state)?.to_string(),
        Placeholder::App => match state.page() {
            Page::Node(page) => subject::app_of_allocation(page)?.0.to_string(),
            _ => app()?.id.to_string(),
        },
        Placeholder::Node => match (state.page(), subject::of(state)?) {
            (Page::App(page), _) => subject::node_of_ask(page)?.to_string(),
            (_, Subject::Node(node)) => node.to_string(),
            _ => return None,
        },
        Placeholder::User => match subject::of(state)? {
            Subject::Account(account) => (account.side == Side::User).then(|| account.name.to_string())?,
            _ => app()?.who.user.to_string(),
        },
        Placeholder::Context => {
            let here = state.contexts.here.as_deref()?;
            let named = here.starts_with(KUBE) || state.contexts.all.iter().any(|entry| entry.name == here);
            named.then(|| kube_context(here).to_owned())?
        }
    };
    (!found.is_empty() && !found.contains('\0')).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_shell_characters_stays_one_argument() {
        let hostile = "a b; rm -rf ~ $(id) `id` '\" {node} | & > \\";
        let value = |_: Placeholder| Ok(hostile.to_owned());
        assert_eq!(fill("app={app}", &value), Ok(format!("app={hostile}")), "what it holds is not filled in again");
        assert_eq!(fill("{{app}}", &value), Ok(format!("{{{hostile}}}")));
        assert_eq!(fill("jsonpath={.items[*].name}", &value), Ok("jsonpath={.items[*].name}".to_owned()));
    }

    #[test]
    fn a_name_is_no_option() {
        let value = |_: Placeholder| Ok("--all".to_owned());
        assert!(fill("{app}", &value).unwrap_err().contains("looks like an option"));
        assert_eq!(fill("-l=app={app}", &value), Ok("-l=app=--all".to_owned()));
        assert_eq!(["prod", "k8s://eu/ns", "k8s://"].map(kube_context), ["prod", "eu", ""]);
        let none = |_: Placeholder| Err("no value".to_owned());
        assert_eq!(fill("{node}", &none), Err("no value".to_owned()));
        assert_eq!(fill("plain", &none), Ok("plain".to_owned()));
    }
}
