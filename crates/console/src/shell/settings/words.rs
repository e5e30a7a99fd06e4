//! Settings with a fixed set of words.

use std::time::Duration;

use crate::theme::{ThemeName, Themes};
use crate::update::refresh;
use config::Fault;
use config::toml_table::Entry;
use model::Profile;
use model::quantity::SizeUnits;

/// The first page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartPage {
    /// The queue tree with the dashboard.
    #[default]
    Cluster,
    /// The queue tree.
    Queues,
}

impl StartPage {
    const NAMES: [(&'static str, Self); 3] =
        [("cluster", Self::Cluster), ("overview", Self::Cluster), ("queues", Self::Queues)];
}

pub(super) fn interval(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<Duration> {
    match refresh::read(entry.text(faults)?) {
        Ok(interval) => Some(interval),
        Err(why) => {
            faults.push(entry.wrong("OWN-003", why, "as \"5s\""));
            None
        }
    }
}

pub(super) fn start(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<StartPage> {
    let name = entry.text(faults)?;
    let found = StartPage::NAMES.iter().find(|(known, _)| *known == name);
    if found.is_none() {
        faults.push(entry.wrong("OWN-003", format!("unknown first page {name:?}"), "valid: cluster, queues"));
    }
    found.map(|(_, page)| *page)
}

pub(super) fn units(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<SizeUnits> {
    let name = entry.text(faults)?;
    let found = SizeUnits::NAMES.iter().find(|(known, _)| *known == name);
    if found.is_none() {
        faults.push(entry.wrong("OWN-003", format!("unknown units {name:?}"), "valid: binary, decimal"));
    }
    found.map(|(_, units)| *units)
}

pub(super) fn core(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<Profile> {
    let name = entry.text(faults)?;
    let found = name.parse::<Profile>();
    if found.is_err() {
        let message = format!("{name:?} is not a profile");
        faults.push(entry.wrong("OWN-003", message, "valid profiles: kornsole, 1.5.1, 1.8.0, 1.9.0"));
    }
    found.ok()
}

pub(super) fn theme(entry: &Entry<'_, '_>, themes: &Themes, faults: &mut Vec<Fault>) -> Option<ThemeName> {
    let name = entry.text(faults)?;
    let theme = themes.get(name).map(|theme| theme.name.clone());
    if theme.is_none() {
        faults.push(entry.wrong(
            "OWN-003",
            format!("unknown theme {name:?}"),
            &format!("available: {}", themes.names()),
        ));
    }
    theme
}
