//! Applies the user's settings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::input::keymap::defaults;
use crate::present::hints::FIRST_STEPS;
use crate::shell::settings::{RemoteContext, StartPage};
use crate::state::column::ColumnChoice;
use crate::state::contexts::{ContextEntry, ContextOrigin, Contexts};
use crate::state::keymap::Keymap;
use crate::state::opener::Opener;
use crate::state::own_command::OwnCommand;
use crate::state::saved::SavedView;
use crate::state::simulate::Simulator;
use crate::state::{Grade, ShownNotice, State};
use crate::update::overview;
use view::{Notice, NoticeWeight};

/// The user's settings other than the options.
#[derive(Clone, Debug)]
pub struct Personal {
    /// What the keys mean.
    pub keymap: Keymap,
    /// The settings file; empty if none.
    pub file: String,
    /// The errors in the file.
    pub faults: String,
    /// The remote contexts by name.
    pub contexts: BTreeMap<String, RemoteContext>,
    /// The kubeconfig contexts, or why the kubeconfig is invalid.
    pub kubeconfig: Result<Vec<ContextEntry>, String>,
    /// The context on the screen.
    pub here: Option<String>,
    /// The columns by page name.
    pub columns: BTreeMap<&'static str, Vec<ColumnChoice>>,
    /// The saved views by name.
    pub views: BTreeMap<String, SavedView>,
    /// The file for the user's arrangements; empty: not stored.
    pub saved_dir: PathBuf,
    /// The first page.
    pub start: StartPage,
    /// Quitting a simulation does not ask.
    pub simulated: bool,
    /// Opens other schedulers.
    pub opener: Option<Opener>,
    /// What makes simulations.
    pub simulator: Option<Simulator>,
    /// The user's own commands.
    pub own_commands: Vec<OwnCommand>,
}

impl Default for Personal {
    fn default() -> Self {
        let (file, faults, contexts, columns, views, saved_dir) = Default::default();
        let (start, opener, simulator) = (StartPage::Queues, None, None);
        let (kubeconfig, here, own_commands, simulated) = (Ok(Vec::new()), None, Vec::new(), false);
        Self {
            keymap: defaults(),
            file,
            faults,
            contexts,
            kubeconfig,
            here,
            columns,
            views,
            saved_dir,
            start,
            simulated,
            opener,
            simulator,
            own_commands,
        }
    }
}

impl Personal {
    /// Applies the settings, and shows their errors.
    pub fn apply(self, state: &mut State) {
        state.keymap = Arc::new(self.keymap);
        state.settings.clone_from(&self.file);
        (state.simulator, state.simulated) = (self.simulator, self.simulated);
        state.own_commands = Arc::new(self.own_commands);
        match self.start {
            StartPage::Cluster if state.options.linear => overview::open(state),
            StartPage::Cluster => {
                state.board = Some(Box::default());
                // A user without settings is new.
                if self.file.is_empty() {
                    state.first_steps = FIRST_STEPS.iter().map(|(id, _)| *id).collect();
                }
            }
            StartPage::Queues => {}
        }
        (state.columns, state.views, state.saved_dir) = (self.columns, self.views, self.saved_dir);
        if self.opener.is_some() {
            state.contexts = contexts(self.contexts, self.kubeconfig, self.here);
        }
        if self.faults.is_empty() {
            return;
        }
        let title = format!("{}: defaults are used for invalid settings", self.file);
        state.keep(None, Grade::Error, title.clone(), self.faults.clone());
        let (at, weight) = (state.cluster.at, NoticeWeight::Error);
        let notice = Arc::new(Notice { number: 0, at, weight, title, text: self.faults });
        state.notice = Some(ShownNotice { notice, until: None, others: 0, times: 1 });
    }
}

fn contexts(
    own: BTreeMap<String, RemoteContext>,
    kubeconfig: Result<Vec<ContextEntry>, String>,
    here: Option<String>,
) -> Contexts {
    let entry = |(name, one): (String, RemoteContext)| ContextEntry {
        name,
        address: one.url,
        user: one.acting_as.map(|who| who.to_string()).unwrap_or_default(),
        origin: ContextOrigin::Settings,
        ..ContextEntry::default()
    };
    let (remote, fault) = match kubeconfig {
        Ok(remote) => (remote, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let all = own.into_iter().map(entry).chain(remote).map(Arc::new).collect();
    Contexts { all, here, fault, ..Contexts::default() }
}
