//! The source of records: a running scheduler, or the state directory of a stopped one.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::de::DeserializeOwned;

use super::{ClientArgs, Ended, ServerArgs};
use client::{Remote, encode_once};
use config::DEFAULT_POLICY_GROUP;
use engine::journal::{AuditInspection, DirError, DirInspection, Inspected, SalvagedDir};
use model::Profile;
use source::remote::once::Once;
use source::remote::stored::Retained;
use view::audit::AuditQuery;
use wire::convert::{Wall, audit as convert};
use wire::dto::audit::{Audit, AuditEntry, RevisionInfo, Revisions};
use wire::dto::native::ConfigState;

const PAGE: usize = 1000;

/// The source of audit entries and revisions.
#[derive(Args, Clone, Debug)]
pub struct AuditSourceArgs {
    /// Address of kornsole, or context of your settings
    #[arg(long, value_name = "URL|CONTEXT", required_unless_present = "state")]
    pub server: Option<String>,
    /// State directory of a stopped scheduler; kornsole only reads it
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub state: Option<PathBuf>,
    /// The connection options
    #[command(flatten)]
    pub client: ClientArgs,
}

impl AuditSourceArgs {
    /// The arguments for commands that need a server.
    pub fn server_args(&self) -> ServerArgs {
        ServerArgs { server: self.server.clone().unwrap_or_default(), client: self.client.clone() }
    }

    pub(super) fn open(&self) -> Result<AuditSource, Ended> {
        if let Some(path) = &self.state {
            let opened: Result<Box<dyn Inspected>, DirError> = match AuditInspection::is_of(path) {
                true => AuditInspection::open(path).map(|look| Box::new(look) as _),
                false => DirInspection::open(path).map(|look| Box::new(look) as _),
            };
            let dir = opened.or_else(|problem| match problem {
                DirError::Damaged(why) => SalvagedDir::open(path, &why).map(|look| Box::new(look) as _),
                other => Err(other),
            });
            return Ok(AuditSource::Dir(dir.map_err(|problem| failed(path, &problem))?));
        }
        let once = self.server_args().connect()?;
        match once.remote() {
            Remote::Kornsole(known) if known.can("audit") => Ok(AuditSource::Server(Box::new(once))),
            Remote::Kornsole(_) => Err(Ended { message: "this server has no audit".to_owned(), code: 1 }),
            Remote::YuniKorn(_) => {
                let profile = once.remote().profile();
                let mut once = once;
                let none = "Apache YuniKorn has no audit and no configuration history";
                let retained = once.retained()?.ok_or_else(|| Ended { message: none.to_owned(), code: 1 })?;
                Ok(AuditSource::Retained(retained, profile))
            }
        }
    }

    pub(super) fn dir(&self) -> Result<DirInspection, Ended> {
        let dir = self.state.clone().unwrap_or_default();
        DirInspection::open(&dir).map_err(|problem| failed(&dir, &problem))
    }
}

fn failed(dir: &Path, problem: &DirError) -> Ended {
    ended(problem.reported_of(dir))
}

pub(super) enum AuditSource {
    Server(Box<Once>),
    Dir(Box<dyn Inspected>),
    /// That of orders to a cluster, on this machine.
    Retained(Retained, Profile),
}

impl AuditSource {
    /// The entries, newest first; and the user if only the entries of one user are visible.
    pub fn audit(&self, query: &AuditQuery) -> Result<(Vec<AuditEntry>, Option<String>), Ended> {
        let once = match self {
            Self::Server(once) => once,
            Self::Dir(look) => {
                let entries = look.audit_log().entries(query);
                return Ok((entries.iter().map(|entry| convert::audit_entry(entry, &started_at())).collect(), None));
            }
            Self::Retained(retained, _) => {
                let entries = retained.audit_entries(query);
                return Ok((entries.iter().map(|entry| convert::audit_entry(entry, &started_at())).collect(), None));
            }
        };
        let wanted = [("user", &query.user), ("action", &query.action), ("object", &query.object)];
        let filter: String = wanted
            .iter()
            .filter_map(|(name, value)| Some(format!("&{name}={}", encode_once(value.as_ref()?))))
            .collect();
        let mut entries: Vec<AuditEntry> = Vec::new();
        let mut only = None;
        while entries.len() < query.limit {
            let limit = PAGE.min(query.limit - entries.len());
            let before = entries.last().map(|last| format!("&before={}", last.id)).unwrap_or_default();
            let page: Audit = get(once, &format!("audit?limit={limit}{before}{filter}"))?;
            only = page.only;
            let whole = page.entries.len() == limit;
            entries.extend(page.entries);
            if !whole {
                break;
            }
        }
        Ok((entries, only))
    }

    /// The latest configurations, newest first.
    pub fn revisions(&self, last: usize) -> Result<Vec<RevisionInfo>, Ended> {
        let once = match self {
            Self::Server(once) => once,
            Self::Dir(look) => {
                let found = look.audit_log().revisions(None, last);
                let current = found.first().map(|newest| newest.number);
                return Ok(found.iter().map(|one| convert::revision(one, current, &started_at())).collect());
            }
            Self::Retained(retained, _) => {
                let found = retained.revisions();
                let current = found.first().map(|newest| newest.number);
                return Ok(found.iter().take(last).map(|one| convert::revision(one, current, &started_at())).collect());
            }
        };
        let mut found: Vec<RevisionInfo> = Vec::new();
        while found.len() < last {
            let limit = PAGE.min(last - found.len());
            let before = found.last().map(|last| format!("&before={}", last.revision)).unwrap_or_default();
            let page: Revisions = get(once, &format!("config/history?limit={limit}{before}"))?;
            let whole = page.revisions.len() == limit;
            found.extend(page.revisions);
            if !whole {
                break;
            }
        }
        Ok(found)
    }

    /// An earlier configuration; without a number, the last one.
    pub fn state(&self, revision: Option<u64>) -> Result<ConfigState, Ended> {
        let none = || Ended { message: format!("revision {} not found", revision.unwrap_or(1)), code: 1 };
        if let Self::Retained(retained, _) = self {
            let found =
                revision.map_or_else(|| retained.newest(), |number| retained.revision(number)).ok_or_else(none)?;
            return Ok(convert::old_configuration(&found, DEFAULT_POLICY_GROUP, &started_at()));
        }
        let look = match (self, revision) {
            (Self::Server(once), Some(number)) => return get(once, &format!("config/history/{number}")),
            (Self::Server(once), None) => return get(once, "config"),
            (Self::Dir(look), _) => look,
            (Self::Retained(..), _) => return Err(none()),
        };
        let found = match revision {
            Some(number) => look.audit_log().revision(number),
            None => look.audit_log().revisions(None, 1).pop(),
        };
        let found = found.ok_or_else(|| match look.damage() {
            Some(damage) => ended(format!("revision {} is not intact\n{damage}", revision.unwrap_or(1))),
            None => ended(format!("revision {} not found", revision.unwrap_or(1))),
        })?;
        if found.text.is_none() {
            return Err(ended(format!("the text of revision {} is unknown: {}", found.number, found.reason)));
        }
        Ok(convert::old_configuration(&found, look.policy_group(), &started_at()))
    }

    /// Fails for a damaged directory, after the output.
    pub fn end(&self) -> Result<(), Ended> {
        match self {
            Self::Dir(look) => look.damage().map_or(Ok(()), |damage| Err(ended(damage.to_owned()))),
            _ => Ok(()),
        }
    }

    pub fn profile(&self) -> Profile {
        match self {
            Self::Server(once) => once.remote().profile(),
            Self::Dir(look) => look.profile(),
            Self::Retained(_, profile) => *profile,
        }
    }
}

fn ended(message: String) -> Ended {
    Ended { message, code: 1 }
}

/// The start time for entries without a wall clock time; a running scheduler always writes one.
fn started_at() -> Wall {
    Wall::new(std::time::SystemTime::UNIX_EPOCH, 1.0)
}

fn get<T: DeserializeOwned>(once: &Once, path: &str) -> Result<T, Ended> {
    let bytes = once.own(path)?;
    serde_json::from_slice(&bytes).map_err(|error| Ended { message: format!("{path}: {error}"), code: 1 })
}
