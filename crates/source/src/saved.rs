//! A saved state dump as an immutable source (`rest.md` 5.17).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::partial::{self, SavedAnswer};
use super::{About, Link, Records, Source, SourcePlace, WhatIf, WhatIfAnswer, explained};
use forecast::twin::Twin;
use model::{Identity, Profile, Time};
use view::NoticeWeight;
use view::View;
use view::act::{Code, Refusal};
use view::unread::Unread;
use view::waiting::{Question, Sheet, SheetAnswer};
use wire::convert::read::{RemoteState, Shapes, time};
use wire::dto;

/// A cluster at the time of its dump.
pub struct Saved {
    view: Arc<View>,
    twins: Twins,
    about: About,
    identity: Identity,
    unread: Unread,
}

impl Saved {
    /// Reads a state dump of kornsole or Apache YuniKorn; `name` is shown.
    ///
    /// # Errors
    /// Returns the error with its location if the file is not a dump.
    pub fn read(name: &str, bytes: &[u8], identity: Identity) -> Result<Self, String> {
        let read = partial::read(name, bytes)?;
        let mut notes = vec!["A saved state: it is read-only and does not change.".to_owned()];
        notes.extend(read.notes.iter().cloned());
        let about = About { place: SourcePlace::Saved, name: name.to_owned(), notes };
        let (profile, unread) = (profile(&read.dump), read.unread.clone());
        let (view, text) = view(read);
        let twins = Twins { view: Arc::clone(&view), text, profile, made: Arc::default() };
        Ok(Self { view, twins, about, identity, unread })
    }

    /// The first call is slow. Fails without the partition.
    pub fn twin(&self, partition: &Arc<str>) -> Result<Arc<Twin>, Refusal> {
        self.twins.of(partition)
    }
}

impl Source for Saved {
    fn view(&self) -> Arc<View> {
        Arc::clone(&self.view)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn unread(&self) -> Unread {
        self.unread.clone()
    }

    fn version(&self) -> String {
        "saved state".to_owned()
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        let twins = self.twins.clone();
        let work = move || answer(twins.explain(&question));
        // Without a thread there is no answer; the page shows that it is loading.
        let _ = std::thread::Builder::new().name("saved-twin".to_owned()).spawn(work);
    }

    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        let (twins, partition) = (self.twins.clone(), Arc::from(partition));
        let (name, who) = (self.about.name.clone(), self.identity.clone());
        let work = move || {
            let twin = twins.of(&partition).map_err(|why| why.to_string());
            answer(twin.and_then(|twin| WhatIf::of_twin(&twin, &name, &who)));
        };
        // Without a thread there is no answer; the console continues.
        let _ = std::thread::Builder::new().name("what-if".to_owned()).spawn(work);
    }

    fn records(&self, _known: u64) -> Option<Records> {
        Some(Records::unknown("a saved state has no audit and no configuration history"))
    }

    fn on_change(&self, _wake: Box<dyn Fn() + Send + Sync>) {}
}

#[derive(Clone)]
struct Twins {
    view: Arc<View>,
    text: Option<Arc<str>>,
    profile: Profile,
    made: Arc<Mutex<BTreeMap<Arc<str>, Arc<Twin>>>>,
}

impl Twins {
    fn of(&self, partition: &Arc<str>) -> Result<Arc<Twin>, Refusal> {
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(twin) = made().get(partition) {
            return Ok(Arc::clone(twin));
        }
        let part = self.view.partitions.iter().find(|part| part.name == *partition);
        let part = part.ok_or_else(|| Refusal::not_found("partition", partition))?;
        let failed = |why| Refusal::new(Code::Unavailable, "cannot explain a saved state", why);
        let twin = Twin::of(part, self.profile, self.view.at).map_err(failed)?;
        let twin = Arc::new(twin.with_text(self.text.clone()));
        made().insert(Arc::clone(partition), Arc::clone(&twin));
        Ok(twin)
    }

    fn explain(&self, question: &Question) -> Result<Sheet, Refusal> {
        let twin = self.of(&question.partition)?;
        let found = twin.explain(&question.of)?;
        let how = "computed on a simulation copy of the saved state".to_owned();
        Ok(explained::by_twin(&found, &twin, how))
    }
}

fn view(read: SavedAnswer) -> (Arc<View>, Option<Arc<str>>) {
    let SavedAnswer { dump, users, groups, notes, unknown, .. } = read;
    let has_allocation_time =
        dump.applications.iter().flat_map(|app| &app.allocations).any(|one| one.allocation_delay != 0);
    let at = moment(&dump);
    let mut remote_state = RemoteState::new(profile(&dump), Shapes { has_allocation_time });
    let single = users.is_some() || groups.is_some();
    remote_state.dump(dump, at);
    for name in remote_state.partition_names() {
        remote_state.unknown(&name, unknown.clone());
    }
    if single {
        for name in remote_state.partition_names() {
            remote_state.users(&name, users.clone().unwrap_or_default());
            remote_state.groups(&name, groups.clone().unwrap_or_default());
        }
    }
    if let [first, rest @ ..] = notes.as_slice() {
        remote_state.notice(at, NoticeWeight::Warning, first.clone(), rest.join("\n"));
    }
    (remote_state.take_view(at).unwrap_or_default(), remote_state.configured_text())
}

/// The profile for previews, from the shape of the dump: queues list their children's names since 1.6.
fn profile(dump: &dto::StateDump) -> Profile {
    let local = dump.cluster_info.iter().any(|cluster| cluster.cluster_name == "kornsole");
    let new = dump.partitions.iter().any(|partition| partition.preemption_enabled.is_some());
    if local {
        Profile::Kornsole
    } else if new {
        Profile::V1_8_0
    } else {
        Profile::V1_5_1
    }
}

/// The time of the dump, or else of its latest item.
fn moment(dump: &dto::StateDump) -> Time {
    let latest = || {
        let logs = dump.applications.iter().flat_map(|app| app.state_log.iter().map(|change| change.time));
        logs.chain(dump.applications.iter().map(|app| app.submission_time)).max().unwrap_or_default()
    };
    time(if dump.timestamp > 0 { dump.timestamp } else { latest() })
}
