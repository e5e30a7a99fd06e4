//! A saved state dump as a source: one moment, which never changes (`rest.md` 5.17).

use std::sync::Arc;

use super::{About, Link, Records, Source, SourcePlace};
use crate::api::convert::read::{RemoteState, Shapes, time};
use crate::api::dto;
use crate::model::{Identity, Profile, Time};
use crate::view::View;

/// A cluster as it was when its state was dumped.
pub struct Saved {
    view: Arc<View>,
    about: About,
    identity: Identity,
}

impl Saved {
    /// Reads a state dump, ours or an Apache YuniKorn's; `name` is shown.
    ///
    /// # Errors
    /// It is no state dump: what is wrong, and where.
    pub fn read(name: &str, bytes: &[u8], identity: Identity) -> Result<Self, String> {
        let dump: dto::StateDump = serde_json::from_slice(bytes)
            .map_err(|error| format!("{name}:{}:{}: this is no state dump: {error}", error.line(), error.column()))?;
        if dump.partitions.is_empty() && dump.queues.is_empty() {
            return Err(format!("{name}: this is no state dump: it has neither partitions nor queues"));
        }
        let notes = vec!["A saved state: nothing moves, and nothing can be changed.".to_owned()];
        let about = About { place: SourcePlace::Saved, name: name.to_owned(), notes };
        Ok(Self { view: view(dump), about, identity })
    }
}

impl Source for Saved {
    fn view(&self) -> Arc<View> {
        Arc::clone(&self.view)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn records(&self, _known: u64) -> Option<Records> {
        Some(Records::unknown("a saved state holds neither an audit nor a history of configurations"))
    }

    fn on_change(&self, _wake: Box<dyn Fn() + Send + Sync>) {}
}

/// The whole state of a dump.
fn view(dump: dto::StateDump) -> Arc<View> {
    let tells_allocation_time =
        dump.applications.iter().flat_map(|app| &app.allocations).any(|one| one.allocation_delay != 0);
    let at = moment(&dump);
    let mut remote_state = RemoteState::new(profile(&dump), Shapes { tells_allocation_time });
    remote_state.dump(dump, at);
    remote_state.take_view(at).unwrap_or_default()
}

/// The profile for previews, by the shape of the dump: the children of a queue are named again since 1.6.
fn profile(dump: &dto::StateDump) -> Profile {
    let ours = dump.cluster_info.iter().any(|cluster| cluster.cluster_name == "kornsole");
    let new = dump.partitions.iter().any(|partition| partition.preemption_enabled.is_some());
    if ours {
        Profile::Kornsole
    } else if new {
        Profile::V1_8_0
    } else {
        Profile::V1_5_1
    }
}

/// When the dump was made; of one without its time, the latest thing in it.
fn moment(dump: &dto::StateDump) -> Time {
    let latest = || {
        let logs = dump.applications.iter().flat_map(|app| app.state_log.iter().map(|change| change.time));
        logs.chain(dump.applications.iter().map(|app| app.submission_time)).max().unwrap_or_default()
    };
    time(if dump.timestamp > 0 { dump.timestamp } else { latest() })
}
