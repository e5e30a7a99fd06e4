//! Applies a form to the active configuration; only the necessary lines change ([`config::edit`]).

use std::sync::Arc;

use crate::present::edit_check::check;
use crate::state::change::{ChangeField, DraftJob, FormDraft, Kind, Problem, What};
use crate::state::editor::CheckJob;
use config::edit;
use config::edit::{Bound, NewLimit, NewQueue, Target};
use model::{MEMORY, VCORE};

/// The input that removes a quantity.
pub const NONE: &str = "none";

type Edited = Result<(String, String), Problem>;

/// Applies the change of a form.
pub fn draft(job: &DraftJob) -> FormDraft {
    let mut drafted = FormDraft { version: job.version, base: Some(Arc::clone(&job.base)), ..FormDraft::default() };
    if !is_asked_for(job) {
        return drafted;
    }
    match edited(job) {
        Err(problem) => drafted.problem = Some(problem),
        Ok((text, note)) => {
            let of = CheckJob {
                at: job.at,
                version: job.version,
                text: text.clone(),
                base: Arc::clone(&job.base.text),
                view: Arc::clone(&job.view),
                profile: job.profile,
                actor: job.actor.clone(),
                preview: job.preview.clone(),
            };
            drafted.checked = check(&of);
            (drafted.text, drafted.note) = (Some(text.into()), note);
        }
    }
    drafted
}

fn is_asked_for(job: &DraftJob) -> bool {
    let text = |what| !job.text(what).is_empty();
    match job.kind {
        Kind::Max | Kind::Guaranteed => job.fields.iter().any(ChangeField::changed),
        Kind::Property => text(&What::Key),
        Kind::Child => text(&What::Name),
        Kind::Limit => text(&What::Users) || text(&What::Groups),
        Kind::Remove => true,
    }
}

impl DraftJob {
    fn target(&self) -> Target<'_> {
        Target { policy_group: &self.base.policy_group, partition: &self.partition, queue: &self.queue }
    }

    fn text(&self, what: &What) -> &str {
        self.fields.iter().find(|field| field.what == *what).map_or("", |field| field.line.text().trim())
    }
}

fn edited(job: &DraftJob) -> Edited {
    let (target, text) = (job.target(), &*job.base.text);
    match job.kind {
        Kind::Max => amounts(job, Bound::Max).map(|text| (text, String::new())),
        Kind::Guaranteed => amounts(job, Bound::Guaranteed).map(|text| (text, String::new())),
        Kind::Property => {
            let value = Some(job.text(&What::Value)).filter(|value| !value.is_empty());
            let note = if value.is_none() { "an empty value removes it" } else { "" };
            Ok((edit::set_property(text, &target, job.text(&What::Key), value)?, note.to_owned()))
        }
        Kind::Child => Ok((edit::add_queue(text, &target, &child(job)?)?, String::new())),
        Kind::Limit => limit(job),
        Kind::Remove => Ok((edit::remove_queue(text, &target)?, String::new())),
    }
}

fn amounts(job: &DraftJob, bound: Bound) -> Result<String, Problem> {
    let target = job.target();
    let mut text = job.base.text.to_string();
    for field in job.fields.iter().filter(|field| field.changed()) {
        let written = Some(field.line.text().trim()).filter(|text| !text.is_empty() && *text != NONE);
        match &field.what {
            What::Amount(resource) => text = edit::set_amount(&text, &target, bound, resource, written)?,
            What::Applications => text = edit::set_max_applications(&text, &target, applications(written)?)?,
            _ => {
                for (resource, amount) in pairs(written.unwrap_or_default())? {
                    let amount = Some(amount.as_str()).filter(|amount| *amount != NONE);
                    text = edit::set_amount(&text, &target, bound, &resource, amount)?;
                }
            }
        }
    }
    Ok(text)
}

fn child(job: &DraftJob) -> Result<NewQueue, Problem> {
    let parent = match job.text(&What::Sort) {
        "" | "leaf" => false,
        "parent" => true,
        other => return Err(Problem::Field(format!("{other} is invalid; use leaf or parent"))),
    };
    Ok(NewQueue {
        name: job.text(&What::Name).to_owned(),
        parent,
        admin_acl: job.text(&What::Admin).to_owned(),
        submit_acl: job.text(&What::Submit).to_owned(),
        max_applications: applications(Some(job.text(&What::Applications)).filter(|text| !text.is_empty()))?,
        guaranteed: pairs(job.text(&What::GuaranteedAmounts))?,
        max: pairs(job.text(&What::Amounts))?,
        ..NewQueue::default()
    })
}

/// Changes the limit with the same users and groups, or adds one.
fn limit(job: &DraftJob) -> Edited {
    let (target, text) = (job.target(), &*job.base.text);
    let (users, groups) = (names(job.text(&What::Users)), names(job.text(&What::Groups)));
    let there = edit::limits(text, &target)?;
    let same = |known: &NewLimit| sorted(&known.users) == sorted(&users) && sorted(&known.groups) == sorted(&groups);
    let (asked, count) = (pairs(job.text(&What::Amounts))?, job.text(&What::Applications));
    let description = job.text(&What::Description);
    let Some(index) = there.iter().position(same) else {
        let max_resources = asked.into_iter().filter(|(_, amount)| amount != NONE).collect();
        let max_applications = applications(Some(count).filter(|count| !count.is_empty() && *count != NONE))?;
        let description = description.to_owned();
        // A limit for everyone must be the last.
        let all_users = |limit: &NewLimit| limit.users.iter().chain(&limit.groups).any(|name| name == "*");
        let new = NewLimit { description, users, groups, max_applications, max_resources };
        let before = there.iter().position(all_users).filter(|_| !all_users(&new));
        return Ok((edit::add_limit(text, &target, before, &new)?, "a new limit".to_owned()));
    };
    let mut limit = there[index].clone();
    for (resource, amount) in asked {
        limit.max_resources.retain(|(known, old)| *known != resource || amount != NONE && *old == amount);
        if amount != NONE && !limit.max_resources.iter().any(|(known, _)| *known == resource) {
            limit.max_resources.push((resource, amount));
        }
    }
    match count {
        "" => {}
        NONE => limit.max_applications = None,
        count => limit.max_applications = applications(Some(count))?,
    }
    if !description.is_empty() {
        limit.description = if description == NONE { String::new() } else { description.to_owned() };
    }
    if limit.max_applications.is_none() && limit.max_resources.is_empty() {
        return Ok((edit::remove_limit(text, &target, index)?, "the limit is empty and is removed".to_owned()));
    }
    let note = format!("the existing limit {}; empty fields keep their values", index + 1);
    Ok((edit::change_limit(text, &target, index, &limit)?, note))
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort_unstable();
    names
}

fn names(text: &str) -> Vec<String> {
    let names = text.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn applications(text: Option<&str>) -> Result<Option<u64>, Problem> {
    let number =
        |text: &str| text.parse().map_err(|_| Problem::Field(format!("{text} is not a number of applications")));
    text.map(number).transpose()
}

fn pairs(text: &str) -> Result<Vec<(String, String)>, Problem> {
    let pair = |part: String| match part.split_once('=') {
        Some((name, amount)) if !name.is_empty() && !amount.is_empty() => {
            Ok((resource(name).to_owned(), amount.to_owned()))
        }
        _ => Err(Problem::Field(format!("{part} is not a quantity; write NAME=QUANTITY, for example memory=10G"))),
    };
    names(text).into_iter().map(pair).collect()
}

fn resource(name: &str) -> &str {
    match name {
        "cpu" => VCORE,
        "mem" => MEMORY,
        other => other,
    }
}
