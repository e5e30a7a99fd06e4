use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

/// A request with its answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// The file with the body of the answer.
    pub file: String,
    pub method: String,
    pub path: String,
    pub request_headers: BTreeMap<String, String>,
    pub request_body: Option<String>,
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    #[serde(skip)]
    pub body: String,
}

/// All requests of a release.
pub fn exchanges(release: &str) -> Vec<Exchange> {
    let exchanges = exchanges_in(&format!("tests/conformance/rest/{release}"));
    assert!(exchanges.len() > 40, "the recordings of {release} are not whole");
    exchanges
}

/// All requests of the recording in a directory.
pub fn exchanges_in(dir: &str) -> Vec<Exchange> {
    let index = fs::read_to_string(format!("{dir}/index.json")).unwrap();
    let mut exchanges: Vec<Exchange> = serde_json::from_str(&index).unwrap();
    for exchange in &mut exchanges {
        exchange.body = fs::read_to_string(format!("{dir}/{}", exchange.file)).unwrap();
    }
    exchanges
}

/// The body of the answer for a path.
pub fn body(release: &str, path: &str) -> String {
    let found = exchanges(release).into_iter().find(|exchange| exchange.path == path && exchange.method == "GET");
    found.unwrap_or_else(|| panic!("nothing was asked for {path} on {release}")).body
}
