//! Reads Kubernetes objects for the screen.

use std::sync::Arc;

use super::Session;
use crate::state::effect::ForPod;
use crate::state::reply::Reply;
use view::kubernetes::LogName;

const NO_CLUSTER: &str = "the scheduler is not attached through Kubernetes";

fn none<T>() -> Result<T, String> {
    Err(NO_CLUSTER.to_owned())
}

impl Session {
    pub(super) fn read_of_pod(&mut self, wanted: ForPod) {
        let replies = self.replies();
        let source = Arc::clone(&self.source);
        let objects = source.objects();
        match wanted {
            ForPod::Events(of) => {
                let uid = Arc::clone(&of.uid);
                match objects {
                    Some(objects) => {
                        objects.events(of, Box::new(move |events| replies.send(Reply::PodEvents(uid, events))));
                    }
                    None => replies.send(Reply::PodEvents(uid, none())),
                }
            }
            ForPod::Text(uid, of) => match objects {
                Some(objects) => objects.text(of, Box::new(move |text| replies.send(Reply::PodText(uid, text)))),
                None => replies.send(Reply::PodText(uid, none())),
            },
            ForPod::Copy(of) => match objects {
                Some(objects) => objects.text(of, Box::new(move |text| replies.send(Reply::ObjectCopied(text)))),
                None => replies.send(Reply::ObjectCopied(none())),
            },
            ForPod::OpenLog(of) => {
                self.log = objects.map(|objects| (of.clone(), objects.log(of.clone())));
                if self.log.is_none() {
                    return replies.send(Reply::PodLog(of, none()));
                }
                self.read_log(of);
            }
            ForPod::ReadLog(of) => self.read_log(of),
            ForPod::CloseLog => self.log = None,
        }
    }

    fn read_log(&self, of: LogName) {
        let Some((_, log)) = self.log.as_ref().filter(|(open, _)| *open == of) else { return };
        let replies = self.replies();
        log.next(Box::new(move |part| replies.send(Reply::PodLog(of, part))));
    }
}
