//! A remote asked once, or now and then, without a screen: the same requests and the same picture, one after the other.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::runtime::Runtime;

use super::act;
use super::ask::{Answer, Request, WhoAmI};
use super::follow::{self, EventNews, Feed};
use super::plan::Ask;
use super::worker::identify;
use crate::api::client::{Client, Fault, Limits, Release, Remote, Target, Trouble};
use crate::api::convert::read::{Picture, Shapes};
use crate::model::{Profile, Time};
use crate::view::View;
use crate::view::act::{Configuration, Done, Order, Refusal};

/// What is to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Only the queues, with what the configuration says of them.
    Queues,
    /// Live applications.
    Apps,
    /// Applications that ended.
    Ended,
    /// The nodes.
    Nodes,
    /// Users and groups.
    Users,
}

/// A connection for one command.
pub struct Once {
    runtime: Runtime,
    client: Client,
    remote: Remote,
    has_token: bool,
    picture: Picture,
}

impl Once {
    /// Finds out who answers.
    ///
    /// # Errors
    /// Nobody does, or it is no scheduler.
    pub fn connect(target: &Target, limits: Limits) -> Result<Self, Fault> {
        let failed = |why: String| Fault::Unreachable(Trouble::new(why, ""));
        let client = Client::new(target, limits).map_err(|fault| failed(fault.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let got = runtime.block_on(identify(&client))?;
        // Without a partition there is nothing to tell the release by, and nothing to read.
        let remote = got.value.unwrap_or(Remote::YuniKorn(Release::V1_8));
        let tells_allocation_time = matches!(remote, Remote::Kornsole(_)) || remote.release() <= Release::V1_5;
        let profile = match &remote {
            Remote::Kornsole(_) => Profile::Kornsole,
            Remote::YuniKorn(release) => release.profile(),
        };
        let picture = Picture::new(profile, Shapes { tells_allocation_time });
        Ok(Self { runtime, client, remote, has_token: target.has_token(), picture })
    }

    /// Who answers.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Asks for everything that is wanted, of every partition.
    ///
    /// # Errors
    /// Something of it cannot be had.
    pub fn look(&mut self, wants: &[Want]) -> Result<Arc<View>, Fault> {
        self.ask(Ask::Partitions)?;
        // Without it limits and access lists are not known; everything else is.
        let _ = self.ask(Ask::Config);
        for partition in self.picture.partition_names() {
            let name = || Arc::clone(&partition);
            self.ask(Ask::Queues(name()))?;
            for want in wants {
                match want {
                    Want::Queues => {}
                    Want::Apps => self.ask(Ask::Apps(name()))?,
                    Want::Ended => {
                        self.ask(Ask::Completed(name()))?;
                        self.ask(Ask::Rejected(name()))?;
                    }
                    Want::Nodes => self.ask(Ask::Nodes(name()))?,
                    Want::Users => {
                        self.ask(Ask::Users(name()))?;
                        self.ask(Ask::Groups(name()))?;
                    }
                }
            }
        }
        let view = self.picture.take_view(now());
        Ok(view.unwrap_or_else(|| Arc::new(self.picture.view().clone())))
    }

    /// Who one is; `None` where nobody is anybody.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn who(&mut self) -> Result<Option<WhoAmI>, Fault> {
        let Some(request) = Request::of(Ask::WhoAmI, &self.remote, self.has_token, &self.picture) else {
            return Ok(None);
        };
        let outcome = self.runtime.block_on(request.run(self.client.clone(), Duration::ZERO));
        Ok(match outcome.result?.value {
            Answer::WhoAmI(who) => Some(who),
            _ => None,
        })
    }

    /// The configuration of a kornsole as it was written.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn configuration(&mut self) -> Result<Option<Arc<Configuration>>, Fault> {
        self.ask(Ask::Config)?;
        Ok(self.picture.view().configuration.clone())
    }

    /// Has an order carried out.
    ///
    /// # Errors
    /// Why it was not.
    pub fn act(&self, order: &Order) -> Result<Done, Refusal> {
        self.runtime.block_on(act::perform(&self.client, order))
    }

    /// Hands events to `each` until it says that it has enough: those of the past that are kept, and with `every` what comes then.
    ///
    /// # Errors
    /// They cannot be had.
    pub fn events(
        &self,
        every: Option<Duration>,
        mut each: impl FnMut(EventNews) -> std::ops::ControlFlow<()>,
    ) -> Result<(), Fault> {
        let feed = Feed::of(&self.remote, self.has_token);
        self.runtime.block_on(async {
            let Some(every) = every else {
                return follow::past(&self.client, feed, &mut |news| {
                    // All of the past is handed over.
                    let _ = each(news);
                })
                .await;
            };
            let (sender, mut news) = follow::channel();
            let follower = tokio::spawn(follow::run(self.client.clone(), every, feed, 0, sender));
            while let Some(one) = news.recv().await {
                if each(one).is_break() {
                    break;
                }
            }
            follower.abort();
            Ok(())
        })
    }

    /// The body of one answer of a kornsole, below `/kornsole/v1/`.
    ///
    /// # Errors
    /// It cannot be had.
    pub fn own(&self, path: &str) -> Result<Vec<u8>, Fault> {
        self.runtime.block_on(self.client.get(&format!("kornsole/v1/{path}"))).map(|got| got.value.to_vec())
    }

    fn ask(&mut self, ask: Ask) -> Result<(), Fault> {
        let partition = ask.partition().cloned().unwrap_or_default();
        let Some(request) = Request::of(ask, &self.remote, self.has_token, &self.picture) else { return Ok(()) };
        let outcome = self.runtime.block_on(request.run(self.client.clone(), Duration::ZERO));
        match outcome.result?.value {
            Answer::Partitions(list) => self.picture.partitions(list),
            Answer::Queues(root) => self.picture.queues(&partition, &root, now()),
            Answer::Apps(reader, scope) => {
                self.picture.apps(&partition, reader, &scope, now());
            }
            Answer::Ended(which, reader) => self.picture.ended(&partition, which, reader),
            Answer::Nodes(reader, all) => self.picture.nodes(&partition, reader, all),
            Answer::Users(users) => self.picture.users(&partition, users),
            Answer::Groups(groups) => self.picture.groups(&partition, groups),
            Answer::Config(text) => drop(self.picture.config(&text, false)),
            Answer::OwnConfig(own) => {
                // What does not read is not known; the text itself is there all the same.
                let _ = self.picture.config(&own.queues, true);
                self.picture.configuration(*own);
            }
            Answer::WhoAmI(_)
            | Answer::Resting(_)
            | Answer::Draining(_)
            | Answer::Permissions(_)
            | Answer::MayKill(..)
            | Answer::Events(..)
            | Answer::Audit(_)
            | Answer::Health(_)
            | Answer::History(_) => {}
        }
        Ok(())
    }
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
}
