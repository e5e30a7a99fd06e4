//! Delivers a document to a command or a URL: one try with a time limit.
//!
//! Invariants:
//! - the certificate of a webhook is checked, and redirects are not followed;
//! - data never becomes part of a command line: the document is the standard input.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use reqwest::blocking::Client;
use reqwest::{Certificate, Url, redirect};

use config::settings::is_this_machine;

const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// The stored end of a command's standard error, in bytes.
const RETAINED: usize = 4096;

/// The outcome of one try.
pub enum Attempt {
    /// It was taken.
    Done,
    /// Failed, with the reason.
    Failed(String),
    /// The caller must stop.
    Stopped,
}

/// Runs a command once, with the document as standard input. `stops` waits for a time and returns whether the caller
/// must stop.
pub fn run(words: &[String], document: &Arc<str>, timeout: Duration, stops: impl Fn(Duration) -> bool) -> Attempt {
    let [program, arguments @ ..] = words else { return Attempt::Done };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Attempt::Failed(format!("cannot run {program}: {error}")),
    };
    let reported = match feed(&mut child, document) {
        Ok(reported) => reported,
        Err(error) => {
            // Without its input, the command is useless.
            let _ = child.kill().and_then(|()| child.wait());
            return Attempt::Failed(format!("cannot write to {program}: {error}"));
        }
    };
    let until = Instant::now() + timeout;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Attempt::Done,
            Ok(Some(status)) => {
                let reported = reported.recv_timeout(CHECK_INTERVAL * 10).unwrap_or_default();
                return Attempt::Failed(format!("{program}: {status}{}", last_words(&reported)));
            }
            Ok(None) if Instant::now() >= until => {
                // It may have just ended; both are fine.
                let _ = child.kill().and_then(|()| child.wait());
                return Attempt::Failed(format!("{program} did not end within {:?} and was stopped", timeout));
            }
            Ok(None) if stops(CHECK_INTERVAL) => return Attempt::Stopped,
            Ok(None) => {}
            Err(error) => return Attempt::Failed(format!("{program}: {error}")),
        }
    }
}

/// `who` names the target in messages.
pub fn post(who: &str, address: &str, authorities: Option<&Path>, document: &Arc<str>, timeout: Duration) -> Attempt {
    let client = match caller(address, authorities, timeout) {
        Ok(client) => client,
        Err(why) => return Attempt::Failed(format!("{who}: {why}")),
    };
    let request = client.post(address).header("content-type", "application/json").body(document.to_string());
    match request.send() {
        Ok(answer) if answer.status().is_success() => Attempt::Done,
        Ok(answer) => Attempt::Failed(format!("{who} answered {}", answer.status())),
        Err(error) => Attempt::Failed(format!("{who}: {}", causes(&error.without_url()))),
    }
}

/// Creates a client for one try: certificates may have been renewed since the last one.
fn caller(address: &str, authorities: Option<&Path>, timeout: Duration) -> Result<Client, String> {
    // An installed provider (from the REST client) is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let message = |error: reqwest::Error| causes(&error.without_url());
    let url = Url::parse(address).map_err(|error| format!("its address is invalid: {error}"))?;
    let mut builder = Client::builder().timeout(timeout).redirect(redirect::Policy::none());
    if url.host_str().is_some_and(is_this_machine) {
        builder = builder.no_proxy();
    }
    builder = match (url.scheme(), authorities) {
        ("https", None) => builder,
        ("https", Some(file)) => {
            let pem = std::fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
            let found = Certificate::from_pem_bundle(&pem).map_err(message)?;
            if found.is_empty() {
                return Err(format!("{} has no certificate in PEM", file.display()));
            }
            builder.tls_certs_merge(found)
        }
        // Without TLS, the system certificates are not needed and can be absent.
        _ => builder.tls_certs_only([]),
    };
    builder.build().map_err(message)
}

/// Writes the document and reads standard error at the same time, so that neither side blocks the other.
fn feed(child: &mut Child, document: &Arc<str>) -> std::io::Result<Receiver<String>> {
    let (send, reported) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        let document = Arc::clone(document);
        Builder::new().name("hook-write".to_owned()).spawn(move || {
            // A command need not read its input.
            let _ = stdin.write_all(document.as_bytes());
        })?;
    }
    if let Some(mut stderr) = child.stderr.take() {
        Builder::new().name("hook-read".to_owned()).spawn(move || {
            let mut retained = Vec::new();
            // Ignores read errors; drains the rest so that the command never blocks.
            let _ = stderr.by_ref().take(RETAINED as u64).read_to_end(&mut retained);
            let _ = send.send(String::from_utf8_lossy(&retained).into_owned());
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        })?;
    }
    Ok(reported)
}

fn last_words(reported: &str) -> String {
    let last = reported.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let shown: String = last.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.is_empty() { shown } else { format!(": {shown}") }
}

fn causes(error: &dyn std::error::Error) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
