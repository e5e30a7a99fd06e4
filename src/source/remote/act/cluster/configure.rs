//! A configuration into the ConfigMap: checked here, by the scheduler and by the API server, written onto the version that was read,
//! and awaited until the scheduler has it in force.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;

use super::refused;
use crate::api::client::{Client, Fault};
use crate::config::{self, Config, Removal, Severity};
use crate::kube::{CONFIGS, Cluster, KubeFault, Note, Owner, TextSource, WrittenConfig};
use crate::model::{Profile, QueuePath};
use crate::view::View;
use crate::view::act::{
    Act, Actor, ChangeLine, Code, ConfigMapEntry, Configured, Details, Done, FoundFault, Order, Refusal, may_configure,
};
use crate::view::placement::access;

/// How long it is awaited that the scheduler takes a text.
const AWAITED: Duration = Duration::from_secs(30);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// How often it is written again where others change other keys of the map.
const TRIES: usize = 3;

/// Has a configuration brought into force.
pub async fn perform(
    client: &Client,
    cluster: &Cluster,
    view: &View,
    actor: &Actor,
    order: &Order,
) -> Result<Done, Refusal> {
    let act = &order.act;
    let Act::Configure { text, base, dry_run } = act else { return Err(refused(act, &KubeFault::new("no text"))) };
    let written = cluster.written_config().await.map_err(|fault| refused(act, &fault))?;
    let profile = view.partitions.first().map(|part| part.rules.profile()).unwrap_or_default();
    let (new, empty) = valid(text, profile)?;
    let before = in_force(client, &written, view).await?;
    // Where no map has a text, none is overwritten: the API server makes the map only if it is not there.
    if written.source != TextSource::BuiltIn || base.is_some() {
        compare(&before, base.as_deref())?;
    }
    let old = old(&before, profile)?;
    let mut done = Configured {
        checksum: new.checksum.clone(),
        previous: config::checksum(before.as_bytes()),
        // A ConfigMap counts no revisions.
        revision: 0,
        dry_run: *dry_run,
        what_happens: owners(&written.owners),
        ..Configured::default()
    };
    let diff = config::diff(&old, &new);
    if cluster.enforces_acl() && new.checksum != old.checksum {
        super::known(cluster, act)?;
        may_reconfigure(view, actor, act, &diff)?;
    }
    done.removal = Removal::between(&old, &new, empty);
    effects(&mut done, &diff);
    accepted(client, act, text).await?;
    let note = Note { user: actor.user().to_owned(), reason: order.reason.clone() };
    let asked = cluster.write_config(&written, text, &note, true).await;
    asked.map_err(|fault| step(act, "the API server's dry run", &fault))?;
    if *dry_run {
        return Ok(Done::Configured(Box::new(done)));
    }
    if done.checksum != done.previous && !done.removal.passes(order.allowed) {
        return Err(Refusal::removal(done.removal));
    }
    write(cluster, act, written, text, &note).await?;
    match awaited(client, &done.checksum).await {
        Ok(took) => {
            done.what_happens.push(format!("the scheduler has it in force after {:.1} s", took.as_secs_f64()));
            Ok(Done::Configured(Box::new(done)))
        }
        Err(why) => {
            let what = "the ConfigMap is written, but another configuration is in force";
            Err(Refusal::new(Code::BadRequest, what, format!("{why}; :history has the text before")))
        }
    }
}

/// The text that the change is made to: as it is written in the map, where that is in force.
async fn in_force(client: &Client, written: &WrittenConfig, view: &View) -> Result<String, Refusal> {
    if written.source == TextSource::BuiltIn {
        return Ok(view.configuration.as_ref().map(|now| now.text.to_string()).unwrap_or_default());
    }
    match checksum_in_force(client).await {
        Some(sum) if !sum.eq_ignore_ascii_case(&config::checksum(written.text.as_bytes())) => {
            let what = format!("{} of the ConfigMap is not what the scheduler has in force", written.key);
            let why = "it was refused, or is on its way, or hot refresh is off; see the log of the scheduler, and change it by kubectl";
            Err(Refusal::new(Code::ChecksumMismatch, what, why))
        }
        _ => Ok(written.text.clone()),
    }
}

/// The configuration of a text, and whether the text says nothing.
fn valid(text: &str, profile: Profile) -> Result<(Config, bool), Refusal> {
    let config::Reading { config, faults } = config::read(text, profile);
    let empty = config::says_nothing(&faults);
    config.map(|config| (config, empty)).ok_or_else(|| {
        let first = faults.iter().find(|fault| fault.severity == Severity::Error);
        let first = first.map(ToString::to_string).unwrap_or_default();
        let faults = faults.iter().map(FoundFault::from).collect();
        Refusal::new(Code::ConfigInvalid, "the configuration is not valid", first)
            .with(Details { faults, ..Details::default() })
    })
}

/// The configuration that is replaced, to see what goes with it.
fn old(before: &str, profile: Profile) -> Result<Arc<Config>, Refusal> {
    let config::Reading { config, faults } = config::read(before, profile);
    config.map(Arc::new).ok_or_else(|| {
        let first = faults.iter().find(|fault| fault.severity == Severity::Error).map(ToString::to_string);
        let what = "what the change takes away cannot be seen: the configuration in force does not read here";
        Refusal::new(Code::BadRequest, what, format!("{}; change it by kubectl", first.unwrap_or_default()))
    })
}

fn compare(before: &str, base: Option<&str>) -> Result<(), Refusal> {
    let current = config::checksum(before.as_bytes());
    let now = Details { current: Some(current.clone()), ..Details::default() };
    match base.filter(|base| *base != "*") {
        Some(base) if base.eq_ignore_ascii_case(&current) => Ok(()),
        Some(_) => {
            let text = "the ConfigMap holds another text now: look at it and make the change again";
            Err(Refusal::new(Code::ChecksumMismatch, "the configuration was changed meanwhile", text).with(now))
        }
        None => {
            let text = "name the checksum of the configuration that the new one is to replace";
            Err(Refusal::new(Code::ChecksumRequired, "the configuration is replaced knowingly only", text).with(now))
        }
    }
}

fn may_reconfigure(view: &View, actor: &Actor, act: &Act, diff: &config::Diff) -> Result<(), Refusal> {
    let admin = |partition: &str, queue: &QueuePath| {
        let part = view.partitions.iter().find(|part| *part.name == *partition);
        part.is_some_and(|part| access::admin(part, queue.as_str(), &actor.identity).is_some())
    };
    may_configure(diff, actor.scheduler_admin, admin, view.partitions.iter().map(|part| &*part.name))
        .map_err(|lacks| Refusal::no_config_rights(actor, act, &lacks))
}

fn effects(done: &mut Configured, diff: &config::Diff) {
    done.changes = diff.changes.iter().map(ChangeLine::from).collect();
    done.touches = diff.touches().into_iter().map(|(partition, queue)| (partition.to_owned(), queue)).collect();
    done.outside = diff.touches_partitions();
    done.draining = diff.removed_queues().map(|(partition, path)| (partition.to_owned(), path.clone())).collect();
}

/// The answer of the scheduler's own check.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Verdict {
    allowed: bool,
    reason: String,
}

/// Has the scheduler check the text. Where nobody may ask it so, the API server's dry run asks its webhook.
async fn accepted(client: &Client, act: &Act, text: &str) -> Result<(), Refusal> {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/plain"))]);
    let asked =
        client.send_json::<Verdict>(Method::POST, "ws/v1/validate-conf", headers, text.as_bytes().to_vec()).await;
    match asked {
        Ok(got) if got.value.allowed => Ok(()),
        Ok(got) => {
            Err(Refusal::new(Code::ConfigInvalid, "the scheduler does not take the configuration", got.value.reason))
        }
        Err(Fault::Cluster(fault)) if fault.is_forbidden() => Ok(()),
        Err(fault) => Err(crate::source::remote::act::refusal(act, &fault)),
    }
}

fn step(act: &Act, name: &str, fault: &KubeFault) -> Refusal {
    let refusal = refused(act, fault);
    let why = refusal.reason();
    Refusal { description: format!("{name}: {why}"), ..refusal }
}

/// Writes. Where the map was changed but not this key, the newer version is written onto.
async fn write(cluster: &Cluster, act: &Act, mut onto: WrittenConfig, text: &str, note: &Note) -> Result<(), Refusal> {
    let mut left = TRIES;
    loop {
        let fault = match cluster.write_config(&onto, text, note, false).await {
            Ok(_) => return Ok(()),
            Err(fault) => fault,
        };
        left -= 1;
        if !fault.is_conflict() || left == 0 {
            return Err(refused(act, &fault));
        }
        let again = cluster.written_config().await.map_err(|fault| refused(act, &fault))?;
        let uid = |of: &WrittenConfig| of.version.as_ref().map(|(_, uid)| uid.clone());
        let changed = if uid(&again) != uid(&onto) && onto.version.is_some() {
            Some("the ConfigMap was replaced by another one: look at it and make the change again")
        } else if again.text != onto.text {
            Some("somebody else wrote it: look at it and make the change again")
        } else {
            None
        };
        if let Some(why) = changed {
            let current = Some(config::checksum(again.text.as_bytes()));
            let refusal = Refusal::new(Code::ChecksumMismatch, "the configuration was changed meanwhile", why);
            return Err(refusal.with(Details { current, ..Details::default() }));
        }
        onto = again;
    }
}

/// Waits until the scheduler has a text in force. Gives how long that took.
///
/// # Errors
/// What can be the reason that it has not.
async fn awaited(client: &Client, checksum: &str) -> Result<Duration, String> {
    let began = Instant::now();
    loop {
        if checksum_in_force(client).await.is_some_and(|sum| sum.eq_ignore_ascii_case(checksum)) {
            return Ok(began.elapsed());
        }
        if began.elapsed() >= AWAITED {
            return Err(format!(
                "the scheduler has not taken it within {AWAITED:?}: hot refresh is off, another setting of the map does not parse, or \
                 it refused the text; its log says which"
            ));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The checksum of the configuration in force, as the scheduler reports it.
async fn checksum_in_force(client: &Client) -> Option<String> {
    let got = client.text("ws/v1/config").await.ok()?;
    checksum_of(&String::from_utf8_lossy(&got.value))
}

/// The checksum that an answer of the scheduler names.
pub fn checksum_of(answer: &str) -> Option<String> {
    let line = answer.lines().find_map(|line| line.strip_prefix("checksum:"))?;
    Some(line.trim().trim_matches(['"', '\'']).to_owned())
}

/// Where a configuration stands in the cluster, and who else writes it there.
pub fn entry(written: &WrittenConfig) -> ConfigMapEntry {
    ConfigMapEntry {
        namespace: written.namespace.clone(),
        name: CONFIGS.to_owned(),
        key: written.key.clone(),
        owners: owners(&written.owners),
    }
}

/// Who will write it again.
fn owners(owners: &[Owner]) -> Vec<String> {
    let what = "its next sync or upgrade undoes a change here";
    owners.iter().map(|owner| format!("the ConfigMap belongs to {} ({}): {what}", owner.name, owner.sign)).collect()
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
