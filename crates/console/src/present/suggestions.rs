//! Completions for a field of the placement form.

use std::collections::BTreeSet;

use crate::present::edit_completion::values_of;
use crate::state::change::{ChangePage, What};
use crate::state::placement::{Field, Form};
use config::PropertyKey;
use model::{Identity, MEMORY, VCORE};
use view::placement::TYPE_TAG;
use view::{PartitionView, Side};

/// They matter even if no application has them.
const USUAL_TAGS: [&str; 2] = ["namespace", "application.create.force"];

/// The rest of the shortest matching name. Empty if the cursor is inside the text, and for an empty field.
pub fn rest(part: &PartitionView, me: &Identity, form: &Form, field: Field) -> String {
    let line = form.line(field);
    if line.before().len() != line.text().len() {
        return String::new();
    }
    let word = match field {
        Field::User | Field::Queue | Field::Type => line.text(),
        Field::Groups => line.text().rsplit([',', ';', ' ']).next().unwrap_or_default(),
        Field::Tags => line.text().rsplit([';', ' ']).next().unwrap_or_default(),
    };
    if word.is_empty() {
        return String::new();
    }
    let known: Box<dyn Iterator<Item = &str>> = match field {
        // Queue names ignore case; users and groups do not (USR-001).
        Field::Queue => {
            let lower = word.to_lowercase();
            return follow(&lower, part.walk().map(|row| row.path.as_str()));
        }
        Field::User => Box::new(names(part, me, Side::User).into_iter()),
        Field::Groups => Box::new(names(part, me, Side::Group).into_iter()),
        Field::Type => Box::new(tags(part).filter(|(name, _)| *name == TYPE_TAG).map(|(_, value)| value)),
        Field::Tags => {
            let Some((name, value)) = word.split_once('=') else {
                let rest = follow(word, tags(part).map(|(name, _)| name).chain(USUAL_TAGS));
                return if rest.is_empty() { rest } else { format!("{rest}=") };
            };
            let same = move |known: &str| known.eq_ignore_ascii_case(name);
            return follow(value, tags(part).filter(|(known, _)| same(known)).map(|(_, value)| value));
        }
    };
    follow(word, known)
}

/// The same for a form on a queue.
pub fn rest_of_change(part: &PartitionView, me: &Identity, page: &ChangePage) -> String {
    let Some(field) = page.fields.get(page.field) else { return String::new() };
    let line = &field.line;
    if line.before().len() != line.text().len() {
        return String::new();
    }
    let word = match field.what {
        What::Key | What::Value | What::Sort => line.text(),
        _ => line.text().rsplit([',', ';', ' ']).next().unwrap_or_default(),
    };
    if word.is_empty() {
        return String::new();
    }
    match &field.what {
        What::Key => follow(word, PropertyKey::names_in(part.rules.profile())),
        What::Value => {
            let key = page.fields.iter().find(|field| field.what == What::Key);
            let values = key.map(|key| values_of(key.line.text().trim())).unwrap_or_default();
            follow(word, values.iter().map(String::as_str))
        }
        What::Sort => follow(word, ["leaf", "parent"].into_iter()),
        What::Users | What::Submit | What::Admin => follow(word, names(part, me, Side::User).into_iter()),
        What::Groups => follow(word, names(part, me, Side::Group).into_iter()),
        What::Amounts | What::GuaranteedAmounts if !word.contains('=') => {
            let known = part.capacity.iter().map(|(name, _)| name).chain([VCORE, MEMORY]);
            let rest = follow(word, known);
            if rest.is_empty() { rest } else { format!("{rest}=") }
        }
        _ => String::new(),
    }
}

fn follow<'w>(typed: &str, words: impl Iterator<Item = &'w str>) -> String {
    let longer = words.filter_map(|word| word.strip_prefix(typed)).filter(|rest| !rest.is_empty());
    longer.min_by_key(|rest| (rest.len(), *rest)).unwrap_or_default().to_owned()
}

/// Names with usage, a limit, or an ACL entry; also the console's user.
fn names<'a>(part: &'a PartitionView, me: &'a Identity, side: Side) -> BTreeSet<&'a str> {
    let mut names: BTreeSet<&str> = part.accounts(side).map(|row| &*row.name).filter(|name| *name != "*").collect();
    for row in part.walk() {
        for acl in [&row.settings.submit_acl, &row.settings.admin_acl] {
            let listed = if side == Side::User { &acl.users } else { &acl.groups };
            names.extend(listed.iter().map(String::as_str));
        }
    }
    match side {
        Side::User => names.extend([me.user.as_str()]),
        Side::Group => names.extend(me.groups.iter().map(String::as_str)),
    }
    names
}

const APPS: usize = 2_000;

fn tags(part: &PartitionView) -> impl Iterator<Item = (&str, &str)> {
    let apps = part.apps.iter().flatten().take(APPS);
    apps.flat_map(|app| app.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}
