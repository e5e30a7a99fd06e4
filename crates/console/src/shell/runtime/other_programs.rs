//! Other programs in the terminal: the user's editor and own commands.

use signal_hook::consts::SIGINT;

use super::{Event, Loop};
use crate::shell::external_editor;
use crate::shell::own_command;
use crate::shell::terminal;
use crate::state::own_command::OwnRun;
use crate::state::reply::Reply;

impl Loop {
    pub(super) fn edit(&mut self, text: &str) -> color_eyre::Result<()> {
        self.input.pause();
        terminal::restore();
        let edited = external_editor::edit(text);
        self.session.replies().send(Reply::TextEdited(edited));
        let retaken = self.retake();
        self.input.resume();
        retaken
    }

    pub(super) fn run_own(&mut self, run: &OwnRun) -> color_eyre::Result<()> {
        self.input.pause();
        terminal::restore();
        let ended = own_command::run(run);
        self.session.replies().send(Reply::OwnEnded(ended));
        let retaken = self.retake();
        self.input.resume();
        retaken?;
        // An interrupt was meant for the other program.
        let meant = |event: &Event| !matches!(event, Event::Signal(SIGINT));
        let waiting: Vec<Event> = self.events.try_iter().filter(meant).collect();
        waiting.into_iter().try_for_each(|event| self.take(event))
    }

    pub(super) fn retake(&mut self) -> color_eyre::Result<()> {
        self.screen.retake()?;
        self.resize()?;
        self.repaint();
        Ok(())
    }
}
