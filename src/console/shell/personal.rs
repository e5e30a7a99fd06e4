//! What a person's own settings bring.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::console::input::keymap::defaults;
use crate::console::shell::opener::Opener;
use crate::console::shell::settings::RemoteContext;
use crate::console::state::keymap::Keymap;
use crate::console::state::{Grade, ShownNotice, State};
use crate::view::{Notice, NoticeWeight};

/// What a person's own settings bring besides the options.
#[derive(Clone, Debug)]
pub struct Personal {
    /// What the keys mean.
    pub keymap: Keymap,
    /// The file of the settings; empty when there is none.
    pub file: String,
    /// What is wrong in it, for reading; empty when nothing is.
    pub faults: String,
    /// Schedulers somewhere else, by name.
    pub contexts: BTreeMap<String, RemoteContext>,
    /// What opens them.
    pub opener: Option<Opener>,
}

impl Default for Personal {
    fn default() -> Self {
        let (file, faults) = (String::new(), String::new());
        Self { keymap: defaults(), file, faults, contexts: BTreeMap::new(), opener: None }
    }
}

impl Personal {
    /// Puts the settings into the state, with what is wrong in them as a notice.
    pub fn apply(self, state: &mut State) {
        state.keymap = Arc::new(self.keymap);
        state.settings.clone_from(&self.file);
        state.contexts = match self.opener {
            Some(_) => self.contexts.into_keys().collect(),
            None => Vec::new(),
        };
        if self.faults.is_empty() {
            return;
        }
        let title = format!("{}: the defaults hold for what is wrong in it", self.file);
        state.keep(None, Grade::Error, title.clone(), self.faults.clone());
        let (at, weight) = (state.cluster.at, NoticeWeight::Error);
        let notice = Arc::new(Notice { number: 0, at, weight, title, text: self.faults });
        state.notice = Some(ShownNotice { notice, until: None, others: 0 });
    }
}
