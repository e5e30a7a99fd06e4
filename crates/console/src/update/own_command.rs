//! The user's own commands: confirmation and start.

use crate::present::own_command::{filled, named};
use crate::state::effect::Effect;
use crate::state::layer::{Confirm, Question};
use crate::state::own_command::{OwnOutput, OwnRun};
use crate::state::work::Work;
use crate::state::{Grade, State};

/// Runs a command, after confirmation if configured.
pub fn run(state: &mut State, name: &str) {
    let Some(command) = named(state, name.trim()) else {
        let names: Vec<&str> = state.own_commands.iter().map(|command| command.name.as_str()).collect();
        let known = if names.is_empty() { "your settings have none".to_owned() } else { names.join(", ") };
        return state.report(Grade::Refusal, format!("no own command {name}: {known}"));
    };
    let asks = command.confirm;
    match filled(state, command) {
        Err(why) => state.report(Grade::Refusal, format!("{name}: {why}")),
        Ok(run) if asks => {
            let title = format!("Run {}?", run.name);
            let mut lines: Vec<String> = run.words.iter().map(|word| format!("  {word}")).collect();
            lines.extend(run.variables.iter().map(|(variable, value)| format!("  {variable}={value}")));
            state.ask(Confirm::new(title, lines, "Run", Question::Own(Box::new(run))));
        }
        Ok(run) => start(state, run),
    }
}

/// Has it run.
pub fn start(state: &mut State, run: OwnRun) {
    if run.output == OwnOutput::Background {
        state.report(Grade::Info, format!("{} runs", run.name));
        return state.emit(Work::RunOwn(Box::new(run)));
    }
    state.emit(Effect::RunOwn(Box::new(run)));
}
