//! Which product and which release answers.

use client::{Client, ClientResponse, Fault, Release, Remote, encode_once, release};
use wire::dto;

/// Finds out who answers (`rest.md` section 8); `None` while there is no partition to see it by.
pub(crate) async fn identify(client: &Client) -> Result<ClientResponse<Option<Remote>>, Fault> {
    match client.json::<release::Server>("kornsole/v1/server").await {
        Ok(got) if got.value.product == "kornsole" => {
            return Ok(ClientResponse {
                value: Some(Remote::Kornsole(got.value)),
                rtt: got.rtt,
                took: got.took,
                date: got.date,
            });
        }
        // No one is there, or no one answers in time: that is not to be asked twice.
        Err(
            fault
            @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_) | Fault::Elsewhere(..) | Fault::Cluster(_)),
        ) => {
            return Err(fault);
        }
        // Anything else: Apache YuniKorn has no such endpoint, and a proxy before it may say so in its own way.
        Ok(_) | Err(_) => {}
    }
    let partitions = client.get("ws/v1/partitions").await?;
    let first: dto::List<dto::Partition> = dto::salvage(&partitions.value, &mut Vec::new())
        .map_err(|why| Fault::Unreadable("/ws/v1/partitions".to_owned(), why.to_string()))?;
    let queues = match first.0.first() {
        Some(partition) => {
            let path = format!("ws/v1/partition/{}/queues", encode_once(&partition.name));
            match client.get(&path).await {
                Ok(got) => Some(got.value),
                Err(fault) if fault.is_unreachable() || fault.is_final() => return Err(fault),
                // The partitions say enough to tell a release that is new from an old one.
                Err(_) => None,
            }
        }
        None => None,
    };
    let mut found = release::detect(&partitions.value, queues.as_deref())?;
    if found == Some(Release::V1_8) && is_gone(client.get("ws/v1/scheduler/node-utilization").await)? {
        found = Some(Release::V1_9);
    }
    Ok(partitions.with(found.map(Remote::YuniKorn)))
}

/// Whether an answer says that there is no such endpoint. An unreachable server says nothing; anything else is an answer.
fn is_gone<T>(answer: Result<T, Fault>) -> Result<bool, Fault> {
    match answer {
        Err(Fault::NoEndpoint(_)) => Ok(true),
        Err(fault @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_))) => Err(fault),
        Ok(_) | Err(_) => Ok(false),
    }
}
