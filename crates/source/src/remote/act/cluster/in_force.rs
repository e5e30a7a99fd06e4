//! Whether a written text becomes active, and why not: the table of K8S-023.

use std::time::{Duration, Instant};

use super::configure::checksum_in_force;
use client::Client;
use cluster::kube::{Cluster, KubeFault, WrittenConfig};

const AWAITED: Duration = Duration::from_secs(30);
/// The wait if the settings of the map prevent a reload.
const HOPELESS: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(500);
const LOG_PAUSE: Duration = Duration::from_secs(3);

/// A written text and its predecessor.
pub struct Awaited<'a> {
    /// The map with the written text.
    pub written: &'a WrittenConfig,
    /// The checksum of the written text.
    pub new: &'a str,
    /// The checksum of the previous text.
    pub old: &'a str,
}

/// Waits until a text is active. Returns the duration.
///
/// # Errors
/// Returns the reason, as far as it can be found.
pub async fn awaited(client: &Client, cluster: &Cluster, of: &Awaited<'_>) -> Result<Duration, String> {
    let started_at = Instant::now();
    let not_read = of.written.not_read();
    let longest = if not_read.is_some() { HOPELESS } else { AWAITED };
    let mut log_due = LOG_PAUSE;
    let mut log = Ok(None);
    loop {
        if checksum_in_force(client).await.is_some_and(|sum| sum.eq_ignore_ascii_case(of.new)) {
            return Ok(started_at.elapsed());
        }
        let waited = started_at.elapsed();
        if waited >= log_due {
            log = cluster.refusal_in_log(waited + Duration::from_secs(1)).await;
            log_due = waited + LOG_PAUSE;
        }
        let refused = matches!(log, Ok(Some(_)));
        if refused || waited >= longest {
            return Err(why(client, cluster, of, (waited, not_read, log)).await);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

type Found = (Duration, Option<String>, Result<Option<String>, KubeFault>);

async fn why(client: &Client, cluster: &Cluster, of: &Awaited<'_>, (waited, not_read, log): Found) -> String {
    let after = format!("after {:.0} s", waited.as_secs_f64());
    if let Ok(now) = cluster.written_config().await
        && !config::checksum(now.text.as_bytes()).eq_ignore_ascii_case(of.new)
    {
        let by = now.writer.as_ref().map(|writer| format!(", by {}", writer.words())).unwrap_or_default();
        return format!("{after} the ConfigMap has another text{by}: another user changed it");
    }
    match checksum_in_force(client).await {
        None => return format!("{after} the scheduler does not report its configuration"),
        Some(sum) if !sum.eq_ignore_ascii_case(of.old) => {
            return format!("{after} the scheduler has a different text: it reads another namespace or policy group");
        }
        Some(_) => {}
    }
    match (log, not_read) {
        (Ok(Some(line)), _) => format!("{after} the scheduler has rejected it; its log: {line}"),
        (_, Some(setting)) => format!("{after} the scheduler has not loaded it: {setting}"),
        (Ok(None), None) => format!(
            "{after} the scheduler has not loaded it, and its log does not mention it: it is delayed, or another \
                policy group is active"
        ),
        (Err(fault), None) => format!(
            "{after} the scheduler has not loaded it: it rejected the text, or it has not received it. See its log: {fault}"
        ),
    }
}
