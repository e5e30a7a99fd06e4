//! Requests forecasts of quota preemption under a configuration from a kornsole server (`rest.md` E5).

use std::sync::Arc;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use client::Client;
use view::QuotaForecast;
use wire::convert::read::quota_forecast;
use wire::dto::native::ConfigDiff;

/// Returns the forecasts by partition; empty for a rejected configuration and for older servers.
pub async fn preview(client: &Client, text: &str) -> Vec<(Arc<str>, QuotaForecast)> {
    let body = text.as_bytes().to_vec();
    let path = "kornsole/v1/config/diff";
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/x-yaml"))]);
    let found = client.send_json::<ConfigDiff>(Method::POST, path, headers, body).await;
    let preempted = found.map(|got| got.value.preempted).unwrap_or_default();
    preempted.into_iter().filter_map(|one| Some((one.partition.into(), quota_forecast(one.quota)?))).collect()
}
