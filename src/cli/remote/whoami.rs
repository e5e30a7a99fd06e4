//! `kornsole whoami`: the user and the permissions on a scheduler.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::act::escape_lines;
use super::show::lines;
use super::table::Table;
use super::{Ended, ServerArgs, exit, print};
use client::Remote;
use cluster::kube::Cluster;
use cluster::kube::UsedRight;
use console::present::text::escape;
use model::Identity;
use source::remote::once::{Once, Want};
use view::act::Actor;
use view::placement::access;
use view::placement::access::Grant;
use wire::dto::native;

const NOT_NAMED: &str = "no list of the queue or its parents names you";

/// The arguments of `kornsole whoami`.
#[derive(Args, Clone, Debug)]
pub struct WhoAmIArgs {
    /// The server to call
    #[command(flatten)]
    pub server: ServerArgs,
}

struct Access {
    /// `None`: RBAC decides for each object.
    allowed: Option<bool>,
    reason: String,
}

struct QueueAccess {
    partition: String,
    queue: String,
    admin: Access,
    submit: Access,
}

type Queues = Result<Vec<QueueAccess>, String>;

/// `kornsole whoami`: the identity and its permissions.
pub fn whoami(args: &WhoAmIArgs) -> ExitCode {
    let run = || -> Result<(), Ended> {
        let mut once = args.server.connect()?;
        let json = args.server.client.json;
        let text = match once.cluster() {
            Some(cluster) => in_cluster(&mut once, &cluster, json)?,
            None => at_server(&mut once, json)?,
        };
        print(&text).map(|_| ())
    };
    exit(run())
}

fn in_cluster(once: &mut Once, cluster: &Arc<Cluster>, as_json: bool) -> Result<String, Ended> {
    let server = once.remote().to_string();
    let who = once.who_in(cluster).map_err(|fault| Ended { message: fault.to_string(), code: 1 })?;
    let way = cluster.found().map(|found| found.to_string()).unwrap_or_default();
    let rights = once.used_rights(cluster);
    let view = once.look(&[Want::Queues]).map_err(|fault| fault.to_string());
    let actor = view.as_ref().ok().map(|view| once.actor_in(cluster, view));
    let acl =
        actor.as_ref().and_then(|actor| actor.cluster.as_ref()?.waived).unwrap_or("adminacl and RBAC both decide");
    let queues: Queues = match (&view, &actor) {
        (Ok(view), Some(actor)) if view.configuration.is_some() => Ok(by_lists(view, actor)),
        (Ok(_), _) => Err("the active configuration was not read".to_owned()),
        (Err(why), _) => Err(why.clone()),
    };
    if as_json {
        let mut value = json!({"server": server, "authenticated": true, "user": who.user, "groups": who.groups,
            "way": way, "acl": acl, "rbac": rights.iter().map(right_json).collect::<Vec<_>>()});
        add_queues(&mut value, &queues);
        return Ok(lines([value]));
    }
    let mut table = Table::new(&["RBAC", "VERB", "RESOURCE", "NAMESPACE", "USED TO", "REASON"]);
    rights.iter().for_each(|right| table.row(right_cells(right)));
    let head = format!("{}, at {server}, {}\n{acl}\n", escape(&who.to_string()), escape(&way));
    Ok(format!("{head}\n{}{}", table.text(), queues_text(&queues)))
}

fn at_server(once: &mut Once, as_json: bool) -> Result<String, Ended> {
    let server = once.remote().to_string();
    let who = once.who()?;
    let Some(who) = who else {
        return Ok(match as_json {
            true => lines([json!({"server": server, "authenticated": false, "readOnly": true})]),
            false => format!("no user: {server} has no identities, and is read-only\n"),
        });
    };
    let queues = if who.authenticated { by_server(once) } else { Ok(Vec::new()) };
    if as_json {
        let mut value = json!({
            "server": server, "authenticated": who.authenticated, "user": who.user, "groups": who.groups,
            "schedulerAdmin": who.scheduler_admin, "readOnly": who.read_only,
        });
        add_queues(&mut value, &queues);
        return Ok(lines([value]));
    }
    if !who.authenticated {
        return Ok(format!("no user: no token for {server}, so it is read-only\n"));
    }
    let admin = if who.scheduler_admin { ", in the scheduler ACL" } else { "" };
    let only = if who.read_only { ", read only" } else { "" };
    let head = format!("{}{admin}{only}, at {server}\n", escape(&who.identity().to_string()));
    Ok(format!("{head}{}", queues_text(&queues)))
}

fn by_server(once: &mut Once) -> Queues {
    let Remote::Kornsole(_) = once.remote() else { return Err("Apache YuniKorn has no identities".to_owned()) };
    let view = once.look(&[Want::Queues]).map_err(|fault| fault.to_string())?;
    let access = |allowed: bool, via: Option<String>| Access {
        allowed: Some(allowed),
        reason: via.map_or_else(
            || if allowed { String::new() } else { NOT_NAMED.to_owned() },
            |queue| format!("list of {queue}"),
        ),
    };
    let mut all = Vec::new();
    for part in &view.partitions {
        let body = once.own(&format!("partition/{}/permissions", part.name)).map_err(|fault| fault.to_string())?;
        let read: native::Permissions = serde_json::from_slice(&body).map_err(|why| why.to_string())?;
        all.extend(read.queues.into_iter().map(|one| QueueAccess {
            partition: part.name.to_string(),
            queue: one.queue,
            admin: access(one.admin, one.admin_via),
            submit: access(one.submit, one.submit_via),
        }));
    }
    Ok(all)
}

/// The permissions of an actor by the access lists of the active configuration.
fn by_lists(view: &view::View, actor: &Actor) -> Vec<QueueAccess> {
    let waived = actor.cluster.as_ref().and_then(|rights| rights.waived);
    let who: &Identity = &actor.identity;
    let access = |grant: Option<Grant>| match grant {
        Some(grant) => Access { allowed: Some(true), reason: grant.to_string() },
        None => Access { allowed: Some(false), reason: NOT_NAMED.to_owned() },
    };
    let each = view.partitions.iter().flat_map(|part| {
        let mut rows: Vec<_> = part.queues.iter().flatten().collect();
        rows.sort_by(|one, other| one.path.cmp(&other.path));
        rows.into_iter().map(move |row| QueueAccess {
            partition: part.name.to_string(),
            queue: row.path.to_string(),
            admin: match waived {
                Some(_) => Access { allowed: None, reason: "RBAC decides".to_owned() },
                None => access(access::admin(part, row.path.as_str(), who)),
            },
            submit: access(access::submit(part, row.path.as_str(), who)),
        })
    });
    each.collect()
}

fn answer(right: &UsedRight) -> (&'static str, String) {
    match &right.answer {
        Ok((true, reason)) => ("yes", reason.clone()),
        Ok((false, reason)) if reason.is_empty() => {
            ("no", format!("needs {}", right.asked.rule().trim_start_matches("- ")))
        }
        Ok((false, reason)) => ("no", reason.clone()),
        Err(fault) => ("unknown", fault.to_string()),
    }
}

fn right_cells(right: &UsedRight) -> Vec<String> {
    let (allowed, reason) = answer(right);
    let asked = &right.asked;
    let resource = match &asked.name {
        Some(name) => format!("{} {name}", asked.resource),
        None => asked.resource.to_owned(),
    };
    let namespace = asked.namespace.clone().unwrap_or_else(|| "all".to_owned());
    vec![allowed.to_owned(), asked.verb.to_owned(), resource, namespace, right.used_for.to_owned(), reason]
}

fn right_json(right: &UsedRight) -> Value {
    let (_, reason) = answer(right);
    let asked = &right.asked;
    // Unknown is neither true nor false.
    let allowed = right.answer.as_ref().ok().map(|(allowed, _)| *allowed);
    json!({"verb": asked.verb, "group": asked.group, "resource": asked.resource, "name": asked.name,
        "namespace": asked.namespace, "allowed": allowed, "usedTo": right.used_for, "reason": reason})
}

fn add_queues(value: &mut Value, queues: &Queues) {
    let access = |access: &Access| json!({"allowed": access.allowed, "reason": access.reason});
    match queues {
        Ok(queues) => {
            let each = queues.iter().map(|one| {
                json!({"partition": one.partition, "queue": one.queue, "admin": access(&one.admin), "submit": access(&one.submit)})
            });
            value["queues"] = each.collect();
        }
        Err(why) => value["queuesUnknown"] = json!(why),
    }
}

fn queues_text(queues: &Queues) -> String {
    let queues = match queues {
        Ok(queues) if queues.is_empty() => return String::new(),
        Ok(queues) => queues,
        Err(why) => return escape_lines(&format!("access to queues is unknown: {why}\n")),
    };
    let mut table = Table::new(&["PARTITION", "QUEUE", "ADMIN", "SUBMIT"]);
    let cell = |access: &Access| match (access.allowed, access.reason.as_str()) {
        (None, reason) => reason.to_owned(),
        (Some(true), "") => "yes".to_owned(),
        (Some(true), reason) => format!("yes, {reason}"),
        (Some(false), reason) => format!("no, {reason}"),
    };
    for one in queues {
        table.row(vec![one.partition.clone(), one.queue.clone(), cell(&one.admin), cell(&one.submit)]);
    }
    format!("\n{}", table.text())
}
