//! Rules for queues: a template for all jobs, or for those of a user, group, application, or tag.

use std::str::FromStr;

use super::job::Job;
use crate::whatif::fits;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    AllUsers,
    User(String),
    Group(String),
    App(String),
    Tag(String, String),
}

/// `root.all`, `user:etl-*=root.etl.{user}`, `tag:qos=LS=root.live`. `*` in a name matches anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRule {
    who: Who,
    form: String,
}

impl QueueRule {
    /// Returns true if the rule applies to the job.
    pub fn is_for(&self, job: &Job) -> bool {
        match &self.who {
            Who::AllUsers => true,
            Who::User(form) => fits(form, &job.who.user),
            Who::Group(form) => job.who.groups.iter().any(|group| fits(form, group)),
            Who::App(form) => fits(form, job.app.as_str()),
            Who::Tag(name, form) => job.tags.get(name).is_some_and(|value| fits(form, value)),
        }
    }

    /// Returns the template with names in braces.
    pub fn form(&self) -> &str {
        &self.form
    }
}

impl FromStr for QueueRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not a queue rule: write root.a.{{user}}, or for some user:NAME=root.a, group:NAME=root.a, app:NAME*=root.a, \
                 tag:NAME=VALUE=root.a"
            )
        };
        let (who, form) = match text.rsplit_once('=') {
            None => (Who::AllUsers, text),
            Some((who, form)) => {
                let (kind, name) = who.split_once(':').ok_or_else(wrong)?;
                let name = name.trim().to_owned();
                let who = match kind.trim() {
                    "user" => Who::User(name),
                    "group" => Who::Group(name),
                    "app" => Who::App(name),
                    "tag" => {
                        let (tag, value) = name.split_once('=').ok_or_else(wrong)?;
                        Who::Tag(tag.to_owned(), value.to_owned())
                    }
                    _ => return Err(wrong()),
                };
                (who, form)
            }
        };
        let form = form.trim();
        if form != "root" && !form.starts_with("root.") {
            return Err(wrong());
        }
        Ok(Self { who, form: form.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Identity;

    #[test]
    fn the_first_rule_that_is_for_a_job_counts() {
        let tags = std::collections::BTreeMap::from([("qos".to_owned(), "LS".to_owned())]);
        let job = Job { who: Identity::new("etl-7", ["eng"]), tags, ..Job::default() };
        let is_for = |text: &str| text.parse::<QueueRule>().unwrap().is_for(&job);
        assert!(
            is_for("root.all")
                && is_for("user:etl-*=root.etl")
                && is_for("group:eng=root.e.{user}")
                && is_for("tag:qos=LS=root.l")
        );
        assert!(!is_for("user:sue=root.etl") && !is_for("tag:qos=BE=root.l") && !is_for("app:x*=root.l"));
        for wrong in ["etl", "user=root.a", "who:sue=root.a", "tag:qos=root.a", "user:sue=a"] {
            assert!(wrong.parse::<QueueRule>().is_err(), "{wrong}");
        }
    }
}
