//! Only the scheduler's log says why it rejected a configuration (K8S-023).

use std::time::Duration;

use super::cluster::Cluster;
use super::find::CONTAINER;
use super::{Asked, KubeFault};
use crate::Answer;

const MARKS: [&str; 2] = ["reload configuration failed", "Unable to update configmap"];
const LINES: usize = 2_000;
const BYTES: usize = 1 << 20;
const LONGEST: usize = 600;

impl Cluster {
    /// Returns the last such line since `since`.
    ///
    /// # Errors
    /// The log may not be read.
    pub fn refusal_in_log(&self, since: Duration) -> Answer<'_, Result<Option<String>, KubeFault>> {
        Box::pin(async move {
            let (namespace, pod) = self.scheduler_pod().await?;
            let query = form_urlencoded::Serializer::new(String::new())
                .append_pair("container", CONTAINER)
                .append_pair("sinceSeconds", &since.as_secs().max(1).to_string())
                .append_pair("tailLines", &LINES.to_string())
                .append_pair("limitBytes", &BYTES.to_string())
                .finish();
            let request = http::Request::get(format!("/api/v1/namespaces/{namespace}/pods/{pod}/log?{query}"));
            let request = request.body(Vec::new()).map_err(|error| KubeFault::new(error.to_string()))?;
            let asked = Asked::core("get", "pods/log", Some(&namespace)).named(&pod);
            let text = self.client().await?.request_text(request).await;
            let text = text.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))?;
            Ok(last_refusal(&text))
        })
    }
}

fn last_refusal(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| MARKS.iter().any(|mark| line.contains(mark)))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    Some(words.join(" ").chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_with_the_option_is_used() {
        let log = "x INFO started\ny ERROR\treload configuration failed\t{\"error\": \"one\"}\nz ERROR reload configuration failed two\nw INFO\n";
        assert_eq!(last_refusal(log).as_deref(), Some("z ERROR reload configuration failed two"));
        assert_eq!(last_refusal("nothing\n"), None);
    }
}
