//! The groups of earlier submissions, which the releases use for later ones that name none (USR-008, N-07).
//!
//! A submission that names only a group with the user's name is treated like one without groups (USR-004).

use std::collections::BTreeMap;

use crate::interface::command::Submission;
use crate::interface::switches::{GroupCache, Switches};
use model::Time;
use model::name::is_limit_user;

const SECONDS: u64 = 300;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct NamedGroups(BTreeMap<String, (Vec<String>, Time)>);

impl NamedGroups {
    /// Stores the groups of a submission that names some.
    pub fn remember(&mut self, now: Time, switches: &Switches, submission: &Submission) {
        let who = &submission.who;
        let place = switches.place;
        let is_legal = !place.user_name_check || is_limit_user(&who.user, place.user_name_chars);
        if switches.group_cache != GroupCache::Never && names_groups(submission) && is_legal {
            self.0.insert(who.user.clone(), (who.groups.clone(), now));
        }
    }

    /// The remembered groups for a submission that names none, if any.
    pub fn cached(&self, now: Time, switches: &Switches, submission: &Submission) -> Option<&[String]> {
        let (groups, since) = self.0.get(&submission.who.user).filter(|_| !names_groups(submission))?;
        let is_valid = match switches.group_cache {
            GroupCache::Never => false,
            GroupCache::Forever => true,
            GroupCache::FiveMinutes => seconds(now).saturating_sub(seconds(*since)) < SECONDS,
        };
        is_valid.then_some(groups)
    }
}

fn names_groups(submission: &Submission) -> bool {
    let who = &submission.who;
    !who.user.is_empty() && !who.groups.is_empty() && who.groups != [who.user.as_str()]
}

const fn seconds(time: Time) -> u64 {
    time.as_millis() / 1000
}
