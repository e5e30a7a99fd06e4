//! What the remote allows, as far as known.

use super::words::{elsewhere, feature};
use super::{Link, Remote, Source as _, act};
use view::act::{Act, Code, Refusal};

impl Remote {
    /// Whether an act can be requested now.
    ///
    /// # Errors
    /// Returns a rejection if the remote does not support the act, is disconnected, or its view denies the right.
    pub(super) fn allowed(&self, act: &Act) -> Result<(), Refusal> {
        let cannot = |why: String| Refusal::new(Code::Unavailable, format!("cannot {act}"), why);
        let remote = self.shared.remote.load_full();
        if let Some(cluster) = self.acts_in() {
            if let Link::Stale { cause, .. } = self.link() {
                return Err(cannot(format!("the connection is lost: {cause}")));
            }
            let view = self.view();
            return act::cluster::lists_known(cluster, &view, act)
                .and_then(|()| act::cluster::may(&view, &self.acting(), act));
        }
        if let Some(client::Remote::YuniKorn(_)) = remote.as_deref() {
            let why = format!("the REST API of Apache YuniKorn is read-only{}", elsewhere(act));
            return Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), why));
        }
        if let Some(client::Remote::Kornsole(server)) = remote.as_deref()
            && let Some(feature) = feature(act)
            && !server.can(feature)
        {
            return Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), "this server does not support that"));
        }
        match self.link() {
            Link::Live { .. } => self.view().may(&self.acting(), act),
            Link::Connecting { .. } => Err(cannot("not connected yet".to_owned())),
            Link::Stale { cause, .. } => Err(cannot(format!("the connection is lost: {cause}"))),
            Link::Refused { why, .. } => Err(cannot(why)),
        }
    }
}
