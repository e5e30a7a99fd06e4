//! Enters a what-if, and returns to the same screen.

use std::sync::Arc;

use super::Session;
use super::follow_up::initial;
use crate::present::focus;
use crate::state::effect::{Effect, WhatIfStep};
use crate::state::reply::Reply;
use crate::state::work::SourceHandle;
use crate::state::{Grade, State};
use crate::update::action::Action;
use crate::update::start;
use source::Source;
use view::act::Order;

impl Session {
    /// The source runs slow steps in the background.
    pub(super) fn what_if(&mut self, step: WhatIfStep) {
        match step {
            WhatIfStep::Open(orders) => {
                let replies = self.replies();
                let partition = Arc::clone(&self.state.cluster.partition);
                let answer = move |opened: Result<Arc<dyn Source>, String>| {
                    replies.send(Reply::WhatIfOpened(orders, opened.map(SourceHandle)));
                };
                self.source.what_if(&partition, Box::new(answer));
            }
            WhatIfStep::Leave(apply) => self.leave_what_if(apply),
            WhatIfStep::Advance(by) => {
                if let Some(trial) = self.source.trial() {
                    trial.advance(by);
                }
                self.take_news();
            }
            WhatIfStep::TurnOver => {
                if let Some(trial) = self.source.trial() {
                    trial.turn_over();
                }
                self.take_news();
            }
            WhatIfStep::TakeBack(number) => {
                let refused = self.source.trial().and_then(|trial| trial.take_back(number).err());
                self.changed(refused);
            }
            WhatIfStep::Suppose(change) => {
                let refused = self.source.trial().and_then(|trial| trial.suppose(&change).err());
                self.changed(refused);
            }
            // Updated with each view while its page is open.
            WhatIfStep::Compare => self.take_news(),
        }
    }

    fn changed(&mut self, refused: Option<String>) {
        match refused {
            Some(why) => self.act(Action::Refuse(why)),
            None => self.take_news(),
        }
    }

    /// Opens it unless the user does something else now.
    pub(super) fn enter_what_if(&mut self, source: Arc<dyn Source>, orders: Vec<Order>) {
        if !self.state.layers.is_empty() || self.real.is_some() {
            return self
                .state
                .report(Grade::Info, "the copy of the cluster is ready, but another page is open; repeat :whatif");
        }
        let real = (self.state.clone(), Arc::clone(&self.source));
        let partition = Arc::clone(&self.state.cluster.partition);
        self.switch(source);
        self.state.cluster.partition = partition;
        self.real = Some(Box::new(real));
        self.act(Action::Give(orders));
        self.take_news();
    }

    /// With `apply`, asks about the changes in the cluster.
    fn leave_what_if(&mut self, apply: bool) {
        let Some(real) = self.real.take() else { return };
        let changes = match self.source.trial() {
            Some(trial) if apply => trial.changes(),
            _ => Vec::new(),
        };
        let (state, source) = *real;
        let left = std::mem::replace(&mut self.state, state);
        self.return_to(left, source);
        self.take_news();
        self.act(Action::MakeReal(changes));
    }

    fn return_to(&mut self, mut left: State, source: Arc<dyn Source>) {
        let state = &mut self.state;
        (state.now, state.size, state.turn, state.options) = (left.now, left.size, left.turn, left.options.clone());
        state.columns = std::mem::take(&mut left.columns);
        state.views = std::mem::take(&mut left.views);
        state.commands = std::mem::take(&mut left.commands);
        state.filters = std::mem::take(&mut left.filters);
        state.messages = std::mem::take(&mut left.messages);
        (state.wide, state.makings, state.list_job) = (left.wide, left.makings, None);
        state.toast = None;
        let effects = start(state, initial(&*source));
        self.source = source;
        self.era += 1;
        self.deferred.clear();
        self.reading = false;
        self.focus = focus::of(&self.state);
        self.source.set_focus(&self.focus);
        // Drop work for the copy.
        self.effects.retain(|effect| !matches!(effect, Effect::Work(_)));
        self.effects.extend([Effect::Repaint, Effect::Redraw]);
        self.effects.extend(effects);
    }
}
