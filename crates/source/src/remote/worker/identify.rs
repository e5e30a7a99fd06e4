//! Identifies the product and release.

use client::{Client, ClientResponse, Fault, Release, Remote, encode_once, release};
use wire::dto;

/// Identifies the server (`rest.md` section 8); `None` while it has no partition.
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
        // Unreachable or timed out: do not ask twice.
        Err(
            fault
            @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_) | Fault::Elsewhere(..) | Fault::Cluster(_)),
        ) => {
            return Err(fault);
        }
        // Apache YuniKorn has no such endpoint, and a proxy may answer in its own way.
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
                // The partitions tell a new release from an old one.
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

/// Whether an answer means that the endpoint does not exist. Returns an error for an unreachable server.
fn is_gone<T>(answer: Result<T, Fault>) -> Result<bool, Fault> {
    match answer {
        Err(Fault::NoEndpoint(_)) => Ok(true),
        Err(fault @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_))) => Err(fault),
        Ok(_) | Err(_) => Ok(false),
    }
}
