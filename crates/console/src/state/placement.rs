//! The placement page.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::state::line_edit::LineEdit;
use config::Config;
use model::{Identity, Profile};
use view::placement::TYPE_TAG;
use view::{AppRow, View};

/// The placement of a hypothetical submission.
#[derive(Clone, Debug, Default)]
pub struct PlacementPage {
    /// What is submitted.
    pub form: Form,
    /// The field under the cursor.
    pub field: Field,
    /// Under which configuration.
    pub against: Against,
    /// The version, if that is the configuration.
    pub edited: Option<u64>,
    /// The rest of the completion.
    pub suggestion: String,
    /// The first visible line below the form.
    pub top: usize,
}

/// A field of the form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field {
    /// The user; the other fields depend on it.
    #[default]
    User,
    /// The groups, separated by commas, semicolons, or blanks.
    Groups,
    /// The requested queue.
    Queue,
    /// The application type.
    Type,
    /// `NAME=VALUE`, separated by semicolons or blanks.
    Tags,
}

impl Field {
    /// All fields in screen order.
    pub const ALL: [Self; 5] = [Self::User, Self::Groups, Self::Queue, Self::Type, Self::Tags];

    /// What precedes it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Groups => "groups",
            Self::Queue => "queue",
            Self::Type => "type",
            Self::Tags => "tags",
        }
    }

    /// The meaning of an empty field.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::User => "no user: rejected",
            Self::Groups => "the user's name",
            Self::Queue => "none requested",
            Self::Type => "none",
            Self::Tags => "none; name=value",
        }
    }

    /// The field `step` further, cyclic.
    #[must_use]
    pub fn step(self, step: isize) -> Self {
        let len = Self::ALL.len();
        Self::ALL[(self as usize + len).saturating_add_signed(step) % len]
    }
}

/// The texts of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form([LineEdit; 5]);

impl Form {
    /// The form with an identity only.
    pub fn of(who: &Identity) -> Self {
        let mut form = Self::default();
        *form.line_mut(Field::User) = LineEdit::prefilled(&who.user);
        if who.groups != [who.user.as_str()] {
            *form.line_mut(Field::Groups) = LineEdit::prefilled(who.groups.join(", "));
        }
        form
    }

    /// The form with the submission of an application.
    pub fn of_app(row: &AppRow) -> Self {
        let mut form = Self::of(&row.who);
        form.line_mut(Field::Queue).set(&*row.requested);
        let (kind, others): (Vec<_>, Vec<_>) =
            row.tags.iter().partition(|(name, _)| name.eq_ignore_ascii_case(TYPE_TAG));
        form.line_mut(Field::Type).set(kind.first().map(|(_, value)| value.as_str()).unwrap_or_default());
        let tags: Vec<String> = others.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        form.line_mut(Field::Tags).set(tags.join("; "));
        form
    }

    /// Whether all fields are empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|line| line.text().is_empty())
    }

    /// The text of a field.
    pub fn line(&self, field: Field) -> &LineEdit {
        &self.0[field as usize]
    }

    /// The text of a field, mutable.
    pub fn line_mut(&mut self, field: Field) -> &mut LineEdit {
        &mut self.0[field as usize]
    }

    /// The groups, without empty ones.
    pub fn groups(&self) -> Vec<String> {
        let names = self.line(Field::Groups).text().split(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// The tags including the type.
    ///
    /// # Errors
    /// The part that is not a tag.
    pub fn tags(&self) -> Result<BTreeMap<String, String>, String> {
        let text = self.line(Field::Tags).text();
        // With semicolons, values may contain blanks.
        let parts: Vec<&str> = if text.contains(';') {
            text.split(';').map(str::trim).collect()
        } else {
            text.split_whitespace().collect()
        };
        let mut tags = BTreeMap::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some((name, value)) if !name.is_empty() => tags.insert(name.to_owned(), value.to_owned()),
                _ => return Err(format!("{part} is not a tag; write NAME=VALUE")),
            };
        }
        let kind = self.line(Field::Type).text();
        if !kind.is_empty() {
            tags.retain(|name, _| !name.eq_ignore_ascii_case(TYPE_TAG));
            tags.insert(TYPE_TAG.to_owned(), kind.to_owned());
        }
        Ok(tags)
    }
}

/// The configuration to test with.
#[derive(Clone, Debug, Default)]
pub enum Against {
    /// The active configuration.
    #[default]
    Running,
    /// A file that is being read.
    Reading(String),
    /// A file, as a view of its own.
    File(String, Arc<View>),
    /// An invalid file, and why.
    Faulty(String, String),
}

impl Against {
    /// The name of the file, if any.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Running => None,
            Self::Reading(name) | Self::File(name, _) | Self::Faulty(name, _) => Some(name),
        }
    }
}

/// The displayed name of the edited text.
pub const EDITED: &str = "the edited text";

/// A configuration file to read.
#[derive(Clone, Debug)]
pub struct WantedFile {
    /// The name as typed.
    pub name: String,
    /// The configuration, if it is already parsed.
    pub config: Option<Arc<Config>>,
    /// The profile that reads it.
    pub profile: Profile,
}
