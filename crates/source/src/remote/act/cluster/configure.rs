//! Writes a configuration to the ConfigMap: checked here, by the scheduler, and by the API server, written on top of
//! the version that was read, and awaited until it is active.

use std::sync::Arc;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;

use super::acl::with_remedy;
use super::in_force::{Awaited, awaited};
use super::refused;
use crate::remote::stored::{Origin, Retained};
use ::config::{self, Config, Removal, Severity};
use client::{Client, Fault};
use cluster::kube::{CONFIGS, Cluster, KubeFault, LARGEST, Note, Owner, TextSource, WrittenConfig};
use model::{Profile, QueuePath};
use view::View;
use view::act::{
    Act, Actor, ChangeLine, Code, ConfigMapEntry, Configured, Details, Done, FoundFault, Order, Refusal, may_configure,
};
use view::audit::RevisionSource;
use view::placement::access;

/// The percentage of the size limit from which a map is reported as large, with the hint to compress the text.
const LARGE: usize = 75;
const ALMOST_FULL: usize = 90;
/// The number of writes if others change other keys of the map.
const TRIES: usize = 3;

/// A configuration to apply.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The whole text of the policy group.
    pub text: &'a str,
    /// The checksum of the configuration to replace.
    pub base: Option<&'a str>,
    /// Only report the effects.
    pub dry_run: bool,
    /// The revision of a rollback.
    pub of: Option<u64>,
}

/// Applies a configuration.
pub async fn perform(
    client: &Client,
    cluster: &Cluster,
    view: &View,
    actor: &Actor,
    order: &Order,
    change: Change<'_>,
) -> Result<Done, Refusal> {
    let (act, text) = (&order.act, change.text);
    let written = cluster.written_config().await.map_err(|fault| refused(act, &fault))?;
    let profile = view.partitions.first().map(|part| part.rules.profile()).unwrap_or_default();
    let (new, empty) = valid(text, profile)?;
    let before = in_force(client, &written, view, &new.checksum).await?;
    // If no map has a text, none is overwritten: the API server creates the map only if it does not exist. Restoring
    // the active text does not need its checksum either, because the text in the map is not in use.
    let overwrites = written.source != TextSource::BuiltIn && !before.put_back;
    if overwrites || change.base.is_some() {
        compare(&before.checksum, change.base)?;
    }
    let old = if before.put_back { Arc::new(new.clone()) } else { old(&before.text, profile)? };
    let mut done = Configured {
        checksum: new.checksum.clone(),
        previous: before.checksum.clone(),
        // A ConfigMap has no revision numbers.
        revision: 0,
        dry_run: change.dry_run,
        what_happens: notes(&written, text, before.put_back),
        ..Configured::default()
    };
    let diff = config::diff(&old, &new);
    if !actor.judged_elsewhere && (new.checksum != old.checksum || before.put_back) {
        known(cluster, act)?;
        may_reconfigure(view, actor, act, &diff)?;
    }
    if let Some(waived) = actor.cluster.as_ref().and_then(|rights| rights.waived) {
        done.what_happens.insert(0, waived.to_owned());
    }
    done.removal = Removal::between(&old, &new, empty);
    effects(&mut done, &diff);
    accepted(client, act, text).await?;
    let note = Note { user: actor.user().to_owned(), reason: order.reason.clone() };
    write(cluster, act, written.clone(), (text, &note), true).await?;
    if change.dry_run {
        return Ok(Done::Configured(Box::new(done)));
    }
    if done.checksum != done.previous && !done.removal.passes(order.allowed) {
        return Err(Refusal::removal(done.removal));
    }
    // Store the old text before it is overwritten, even if no user looked at it here.
    let retained_before = keep(cluster, &before.text, seen_by(&written)).await;
    let old_version = written.version.clone();
    let new_version = write(cluster, act, written.clone(), (text, &note), false).await?;
    done.resource_versions = Some((old_version.map(|(version, _)| version).unwrap_or_default(), new_version));
    let of = Awaited { written: &written, new: &done.checksum, old: &before.checksum };
    match awaited(client, cluster, &of).await {
        Ok(took) => {
            keep(cluster, text, own_origin(&note, change.of)).await;
            done.what_happens.push(format!("active in the scheduler after {:.1} s", took.as_secs_f64()));
            Ok(Done::Configured(Box::new(done)))
        }
        Err(why) => Err(not_in_force(&written, &before.text, retained_before, &why)),
    }
}

fn not_in_force(written: &WrittenConfig, before: &str, retained: Option<u64>, why: &str) -> Refusal {
    let what = "the ConfigMap is written, but another configuration is active";
    let had = written.source == TextSource::Configs;
    let back = match retained.filter(|_| had) {
        Some(number) => {
            format!("; the previous text is revision {number}: roll back to it to restore the ConfigMap")
        }
        None => String::new(),
    };
    let details = Details { put_back: had.then(|| before.to_owned()), ..Details::default() };
    Refusal::new(Code::BadRequest, what, format!("{why}{back}")).with(details)
}

/// Stores a configuration in the local history. Returns its number.
pub async fn keep(cluster: &Cluster, text: &str, origin: Origin) -> Option<u64> {
    let retained = Retained::of(&cluster.context().name).filter(|_| !text.is_empty())?;
    let text = text.to_owned();
    let done = tokio::task::spawn_blocking(move || retained.keep(&text, origin)).await.ok()?;
    done.inspect_err(|error| tracing::warn!("cannot save the configuration: {error}")).ok()
}

fn own_origin(note: &Note, of: Option<u64>) -> Origin {
    let source = of.map_or(RevisionSource::Console, RevisionSource::Rollback);
    Origin { by: note.user.clone(), reason: note.reason.clone(), source }
}

/// The author of an observed text.
pub fn seen_by(written: &WrittenConfig) -> Origin {
    let writer = written.writer.clone().unwrap_or_default();
    Origin { by: writer.words().to_owned(), reason: writer.reason, source: RevisionSource::Seen }
}

/// Fails if not stored.
pub async fn text_of(cluster: &Cluster, number: u64) -> Result<String, String> {
    let none = || format!("revision {number} not found on this machine");
    let retained = Retained::of(&cluster.context().name).ok_or_else(none)?;
    let found = tokio::task::spawn_blocking(move || retained.revision(number)).await.ok().flatten();
    found.and_then(|found| found.text).map(|text| text.to_string()).ok_or_else(none)
}

struct Before {
    text: String,
    checksum: String,
    /// The map has another text than the active one, which the change restores.
    put_back: bool,
}

async fn in_force(client: &Client, written: &WrittenConfig, view: &View, new: &str) -> Result<Before, Refusal> {
    let whole = |text: String| Before { checksum: config::checksum(text.as_bytes()), text, put_back: false };
    if written.source == TextSource::BuiltIn {
        return Ok(whole(view.configuration.as_ref().map(|now| now.text.to_string()).unwrap_or_default()));
    }
    match checksum_in_force(client).await {
        Some(sum) if sum.eq_ignore_ascii_case(&config::checksum(written.text.as_bytes())) => {
            Ok(whole(written.text.clone()))
        }
        None => Ok(whole(written.text.clone())),
        Some(sum) if sum.eq_ignore_ascii_case(new) => {
            Ok(Before { text: written.text.clone(), checksum: new.to_owned(), put_back: true })
        }
        Some(_) => {
            let what = format!("{} of the ConfigMap is not the active configuration of the scheduler", written.key);
            let why = written.not_read().unwrap_or_else(|| {
                "it was rejected, is still being loaded, or hot refresh is off; see the log of the scheduler".to_owned()
            });
            let back = "to restore the active text, roll back to its revision or apply it";
            Err(Refusal::new(Code::ChecksumMismatch, what, format!("{why}; {back}")))
        }
    }
}

fn notes(written: &WrittenConfig, text: &str, put_back: bool) -> Vec<String> {
    let mut notes = owners(&written.owners);
    if put_back {
        let by = written.writer.as_ref().map(|writer| format!(", by {}", writer.words())).unwrap_or_default();
        notes
            .push(format!("the ConfigMap has another text{by}, which is not active; it is replaced by the active one"));
    }
    match (&written.packed, written.source) {
        (Some(name), _) => notes.push(format!("it is written compressed, as {name}")),
        (None, TextSource::Defaults) => {
            notes.push(format!("{} of yunikorn-defaults, which the chart writes, then has no effect", written.key))
        }
        _ => {}
    }
    if let Some(setting) = written.not_read() {
        notes.push(format!("it cannot become active: {setting}"));
    }
    let (size, hundredths) = written.filled_by(text);
    if hundredths >= LARGE {
        notes.push(format!("the ConfigMap is {hundredths} % full: {size} of {LARGEST} bytes"));
    }
    if let Some(small) = written.compressed(text).filter(|_| hundredths >= ALMOST_FULL && written.packed.is_none()) {
        notes.push(format!("compressed, as {}.gz in binaryData, the text has {small} bytes", written.key));
    }
    notes
}

fn valid(text: &str, profile: Profile) -> Result<(Config, bool), Refusal> {
    let config::Reading { config, faults } = config::read(text, profile);
    let empty = config::is_empty_text(&faults);
    config.map(|config| (config, empty)).ok_or_else(|| {
        let first = faults.iter().find(|fault| fault.severity == Severity::Error);
        let first = first.map(ToString::to_string).unwrap_or_default();
        let faults = faults.iter().map(FoundFault::from).collect();
        Refusal::new(Code::ConfigInvalid, "the configuration is not valid", first)
            .with(Details { faults, ..Details::default() })
    })
}

fn old(before: &str, profile: Profile) -> Result<Arc<Config>, Refusal> {
    let config::Reading { config, faults } = config::read(before, profile);
    config.map(Arc::new).ok_or_else(|| {
        let first = faults.iter().find(|fault| fault.severity == Severity::Error).map(ToString::to_string);
        let what = "the effect of the change is unknown: the active configuration cannot be parsed";
        Refusal::new(Code::BadRequest, what, format!("{}; change it with kubectl", first.unwrap_or_default()))
    })
}

fn compare(current: &str, base: Option<&str>) -> Result<(), Refusal> {
    let now = Details { current: Some(current.to_owned()), ..Details::default() };
    match base.filter(|base| *base != "*") {
        Some(base) if base.eq_ignore_ascii_case(current) => Ok(()),
        Some(_) => {
            let text = "the ConfigMap was changed: review it and repeat the change";
            Err(Refusal::new(Code::ChecksumMismatch, "the configuration has changed", text).with(now))
        }
        None => {
            let text = "send the checksum of the configuration to replace";
            Err(Refusal::new(Code::ChecksumRequired, "the checksum of the replaced configuration is missing", text)
                .with(now))
        }
    }
}

fn may_reconfigure(view: &View, actor: &Actor, act: &Act, diff: &config::Diff) -> Result<(), Refusal> {
    let admin = |partition: &str, queue: &QueuePath| {
        let part = view.partitions.iter().find(|part| *part.name == *partition);
        part.is_some_and(|part| access::admin(part, queue.as_str(), &actor.identity).is_some())
    };
    may_configure(diff, actor.scheduler_admin, admin, view.partitions.iter().map(|part| &*part.name))
        .map_err(|shortfall| with_remedy(view, actor, None, Refusal::no_config_rights(actor, act, &shortfall)))
}

fn effects(done: &mut Configured, diff: &config::Diff) {
    done.changes = diff.changes.iter().map(ChangeLine::from).collect();
    done.touches = diff.touches().into_iter().map(|(partition, queue)| (partition.to_owned(), queue)).collect();
    done.outside = diff.touches_partitions();
    done.draining = diff.removed_queues().map(|(partition, path)| (partition.to_owned(), path.clone())).collect();
}

fn known(cluster: &Cluster, act: &Act) -> Result<(), Refusal> {
    match &cluster.rights().unknown {
        Some(why) => Err(Refusal::new(Code::Unauthenticated, format!("cannot {act}"), &**why)),
        None => Ok(()),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Verdict {
    allowed: bool,
    reason: String,
}

/// Validates the text with the scheduler. Without access to it, the dry run of the API server calls its webhook.
async fn accepted(client: &Client, act: &Act, text: &str) -> Result<(), Refusal> {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/plain"))]);
    let asked =
        client.send_json::<Verdict>(Method::POST, "ws/v1/validate-conf", headers, text.as_bytes().to_vec()).await;
    match asked {
        Ok(got) if got.value.allowed => Ok(()),
        Ok(got) => Err(Refusal::new(Code::ConfigInvalid, "the scheduler rejects the configuration", got.value.reason)),
        Err(Fault::Cluster(fault)) if fault.is_forbidden() => Ok(()),
        Err(fault) => Err(crate::remote::act::refusal(act, &fault)),
    }
}

fn step(act: &Act, name: &str, fault: &KubeFault) -> Refusal {
    let refusal = refused(act, fault);
    let why = refusal.reason();
    Refusal { description: format!("{name}: {why}"), ..refusal }
}

/// Writes the map or tries it with a dry run. If only other keys changed, retries on top of the newer version. Returns
/// the new version.
async fn write(
    cluster: &Cluster,
    act: &Act,
    mut onto: WrittenConfig,
    (text, note): (&str, &Note),
    is_dry: bool,
) -> Result<String, Refusal> {
    let mut left = TRIES;
    loop {
        let fault = match cluster.write_config(&onto, text, note, is_dry).await {
            Ok(version) => return Ok(version),
            Err(fault) => fault,
        };
        left -= 1;
        if !fault.is_conflict() || left == 0 {
            return Err(if is_dry { step(act, "the API server's dry run", &fault) } else { refused(act, &fault) });
        }
        let again = cluster.written_config().await.map_err(|fault| refused(act, &fault))?;
        let uid = |of: &WrittenConfig| of.version.as_ref().map(|(_, uid)| uid.clone());
        let changed = if uid(&again) != uid(&onto) && onto.version.is_some() {
            Some("the ConfigMap was replaced: review it and repeat the change")
        } else if again.text != onto.text {
            Some("another user changed it: review it and repeat the change")
        } else {
            None
        };
        if let Some(why) = changed {
            let current = Some(config::checksum(again.text.as_bytes()));
            let refusal = Refusal::new(Code::ChecksumMismatch, "the configuration has changed", why);
            return Err(refusal.with(Details { current, ..Details::default() }));
        }
        onto = again;
    }
}

pub(super) async fn checksum_in_force(client: &Client) -> Option<String> {
    let got = client.text("ws/v1/config").await.ok()?;
    checksum_of(&String::from_utf8_lossy(&got.value))
}

/// The checksum in an answer of the scheduler.
pub fn checksum_of(answer: &str) -> Option<String> {
    let line = answer.lines().find_map(|line| line.strip_prefix("checksum:"))?;
    Some(line.trim().trim_matches(['"', '\'']).to_owned())
}

/// The location of a configuration in the cluster, and its other writers.
pub fn entry(written: &WrittenConfig) -> ConfigMapEntry {
    ConfigMapEntry {
        namespace: written.namespace.clone(),
        name: CONFIGS.to_owned(),
        key: written.key.clone(),
        owners: owners(&written.owners),
    }
}

fn owners(owners: &[Owner]) -> Vec<String> {
    let what = "its next sync or upgrade reverts a change here";
    owners.iter().map(|owner| format!("the ConfigMap belongs to {} ({}): {what}", owner.name, owner.marker)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_does_not_read_is_not_replaced_unseen() {
        let profile = Profile::V1_8_0;
        assert!(old("partitions:\n  - name: default\n    queues:\n      - name: root\n", profile).is_ok());
        assert!(old("\n", profile).is_ok());
        assert!(valid("# nothing\n", profile).is_ok_and(|(_, empty)| empty));
        let refusal = old("partitions: 5\n", profile).map(|_| ()).unwrap_err();
        assert!(refusal.description.contains("kubectl"), "{refusal:?}");
    }
}
