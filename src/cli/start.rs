//! `kornsole` without arguments: the start page, or the setting `default`.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use super::console::ConsoleArgs;
use super::{carry_out, console, contexts, fail, help, printed, recent, user_settings};
use ::console::shell::settings::Settings;
use ::console::shell::start::{Choice, choose};
use ::console::theme::Themes;

/// Arguments for `kornsole`; empty for the embedded scheduler without files.
struct Way {
    choice: Choice,
    arguments: Vec<OsString>,
}

/// Opens the choice of the settings or the user; lists the choices without a terminal.
pub fn run(args: &ConsoleArgs) -> ExitCode {
    let settings = match user_settings::read(None, &Themes::shipped()) {
        Ok(found) => found.read.settings,
        Err(message) => return fail(&message, 1),
    };
    if let Some(default) = &settings.default {
        return open(&of_default(default), args);
    }
    let (ways, fault) = ways(&settings);
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return print(&ways, fault.as_deref());
    }
    let options = match args.common.look.read() {
        Ok((options, _)) => options,
        Err(report) => return fail(&report.message, report.code),
    };
    if options.linear {
        return print(&ways, fault.as_deref());
    }
    let choices: Vec<Choice> = ways.iter().map(|way| way.choice.clone()).collect();
    match choose(&choices, &options) {
        Ok(Some(index)) => open(&ways[index].arguments, args),
        Ok(None) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot use the terminal: {error}"), 1),
    }
}

fn open(arguments: &[OsString], args: &ConsoleArgs) -> ExitCode {
    if arguments.is_empty() {
        return console::embedded(args);
    }
    match help::parse(std::iter::once(OsString::from("kornsole")).chain(arguments.iter().cloned())) {
        Ok(cli) => carry_out(&cli),
        Err(error) => fail(error.to_string().trim_end(), 2),
    }
}

fn of_default(default: &str) -> Vec<OsString> {
    match default {
        "empty" => Vec::new(),
        "demo" => vec!["demo".into()],
        "local" => vec!["local".into(), "console".into()],
        context => vec!["attach".into(), context.into()],
    }
}

fn ways(settings: &Settings) -> (Vec<Way>, Option<String>) {
    let mut ways = Vec::new();
    let mut add = |heading, key, name: String, detail: String, arguments: Vec<OsString>| {
        ways.push(Way { choice: Choice { key, heading, name, detail }, arguments });
    };
    let (mut kubeconfig, fault) = match contexts::of_kubeconfig() {
        Ok(contexts) => (contexts, None),
        Err(fault) => (Vec::new(), Some(fault)),
    };
    kubeconfig.sort_by_key(|context| !context.current);
    let mut keys = "123456789".chars();
    for context in kubeconfig {
        let current = if context.current { " (current)" } else { "" };
        let arguments = vec!["attach".into(), OsString::from(&context.name)];
        let detail = format!("{}{current}", context.address);
        add("Kubernetes contexts (contacted when opened)", keys.next(), context.name, detail, arguments);
    }
    for (name, context) in &settings.contexts {
        let arguments = vec!["attach".into(), OsString::from(name)];
        add("Contexts of your settings", keys.next(), name.clone(), context.url.clone(), arguments);
    }
    #[cfg(target_os = "linux")]
    if super::local::is_running() {
        let arguments = vec!["local".into(), "console".into()];
        add("This machine", Some('l'), "local jobs".to_owned(), "the daemon is running".to_owned(), arguments);
    }
    for recent in recent::list() {
        let name = recent.path.file_name().unwrap_or(recent.path.as_os_str()).to_string_lossy().into_owned();
        let detail = format!("{} {}", recent.with, recent.path.display());
        add("Recent", keys.next(), name, detail, vec![recent.with.into(), recent.path.into()]);
    }
    let demo = "a simulated busy cluster".to_owned();
    add("Without a cluster", Some('d'), "demo cluster".to_owned(), demo, vec!["demo".into()]);
    let empty = "the default queue configuration, no nodes".to_owned();
    add("Without a cluster", Some('e'), "empty scheduler".to_owned(), empty, Vec::new());
    (ways, fault)
}

fn print(ways: &[Way], fault: Option<&str>) -> ExitCode {
    let mut text = String::new();
    let mut heading = "";
    for Way { choice, arguments } in ways {
        if choice.heading != heading {
            heading = choice.heading;
            text += &format!("{heading}:\n");
        }
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let command = if words.is_empty() {
            "default = \"empty\" in the settings".to_owned()
        } else {
            format!("kornsole {}", words.join(" "))
        };
        text += &format!("  {command:<40}  {}\n", choice.detail);
    }
    if let Some(fault) = fault {
        text += &format!("warning: no Kubernetes contexts: {fault}\n");
    }
    match printed::out().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write the list: {error}"), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_a_valid_command_line() {
        let (ways, _) = ways(&Settings::default());
        let defaults = ["demo", "empty", "local", "k8s://prod", "prod"].map(of_default);
        for arguments in ways.iter().map(|way| way.arguments.clone()).chain(defaults) {
            let line = std::iter::once(OsString::from("kornsole")).chain(arguments);
            assert!(help::parse(line).is_ok());
        }
    }

    #[test]
    fn keys_are_unique_and_a_demo_and_an_empty_scheduler_are_always_there() {
        let (ways, _) = ways(&Settings::default());
        let keys: Vec<char> = ways.iter().filter_map(|way| way.choice.key).collect();
        let unique: std::collections::BTreeSet<char> = keys.iter().copied().collect();
        assert_eq!(unique.len(), keys.len(), "{keys:?}");
        assert!(keys.contains(&'d') && keys.contains(&'e'));
    }
}
