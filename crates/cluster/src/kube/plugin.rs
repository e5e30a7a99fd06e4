//! Credentials of an exec plugin of the kubeconfig.
//!
//! The library has no limits for a plugin, and runs one that prints an expired credential for each request. This one
//! runs once at a time, with limits for its time and its output.

use std::fmt;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderValue;
use kube::config::{Config, ExecConfig, ExecInteractiveMode};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::sync::{Mutex, oneshot};

/// A user at a terminal needs more time than a program, for example for a login in a browser.
const PERSON: u32 = 5;
/// Bytes of one output.
const LARGEST: usize = 1 << 20;
/// A credential is renewed so long before it expires.
const BEFORE: Duration = Duration::from_secs(60);
/// The minimum time between two runs of a plugin that failed, or that returned an expired credential.
const AGAIN: Duration = Duration::from_secs(5);
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Why a plugin gave no credential; has no secrets.
#[derive(Clone, Debug)]
pub(super) struct PluginFault(String);

impl fmt::Display for PluginFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PluginFault {}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    status: Status,
}

#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    token: Option<String>,
    client_certificate_data: Option<String>,
    client_key_data: Option<String>,
    expiration_timestamp: Option<String>,
}

/// A token, or a certificate with its key, or both.
#[derive(Clone)]
pub(super) struct Credential {
    status: Status,
    expires: Option<OffsetDateTime>,
}

impl Credential {
    fn lasts(&self) -> bool {
        self.expires.is_none_or(|expires| OffsetDateTime::now_utc() + BEFORE < expires)
    }

    /// Fails for invalid characters.
    pub fn header(&self) -> Result<Option<HeaderValue>, PluginFault> {
        let Some(token) = &self.status.token else { return Ok(None) };
        let mut value = HeaderValue::try_from(format!("Bearer {token}"))
            .map_err(|_| PluginFault("the token of the credential plugin has invalid characters".to_owned()))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// The configuration of connections with its certificate.
    pub fn configured(&self, config: &Config) -> Config {
        let mut config = config.clone();
        let Status { client_certificate_data, client_key_data, .. } = &self.status;
        if let (Some(certificate), Some(key)) = (client_certificate_data, client_key_data) {
            config.auth_info.client_certificate_data = Some(STANDARD.encode(certificate));
            config.auth_info.client_key_data = Some(SecretString::from(STANDARD.encode(key)));
        }
        config
    }

    /// Whether connections of another credential can be used.
    pub fn has_certificate_of(&self, other: &Self) -> bool {
        self.status.client_certificate_data == other.status.client_certificate_data
            && self.status.client_key_data == other.status.client_key_data
    }
}

/// Removes the plugin from a configuration without another credential; `longest` is its time limit without a terminal.
pub(super) fn of(config: &mut Config, longest: Duration) -> Option<Plugin> {
    let auth = &mut config.auth_info;
    let other = auth.auth_provider.is_some() || auth.token.is_some() || auth.token_file.is_some();
    let exec = auth.exec.take().filter(|_| !other && (auth.username.is_none() || auth.password.is_none()))?;
    Some(Plugin::new(exec, longest))
}

pub(super) struct Plugin {
    exec: ExecConfig,
    program: String,
    longest: Duration,
    retained: Mutex<Option<(Instant, Result<Credential, PluginFault>)>>,
}

impl Plugin {
    fn new(mut exec: ExecConfig, longest: Duration) -> Self {
        // Without a terminal a plugin cannot ask, and its output goes into the message.
        if exec.interactive_mode != Some(ExecInteractiveMode::Always) && !io::stdin().is_terminal() {
            exec.interactive_mode = Some(ExecInteractiveMode::Never);
        }
        let program = exec.command.clone().unwrap_or_else(|| "of this context".to_owned());
        let person = if exec.interactive_mode == Some(ExecInteractiveMode::Never) { 1 } else { PERSON };
        Self { exec, program, longest: longest * person, retained: Mutex::default() }
    }

    /// The credential of a request; it is renewed before it expires, and after the API server rejected it.
    ///
    /// # Errors
    /// The plugin gives no credential.
    pub async fn credential(&self) -> Result<Credential, PluginFault> {
        let mut retained = self.retained.lock().await;
        if let Some((since, credential)) = &*retained
            && (since.elapsed() < AGAIN || credential.as_ref().is_ok_and(Credential::lasts))
        {
            return credential.clone();
        }
        let credential = self.run().await;
        *retained = Some((Instant::now(), credential.clone()));
        credential
    }

    /// The API server does not accept a credential: a later request has a new one.
    pub async fn reject(&self, rejected: &Credential) {
        if let Some((_, Ok(credential))) = &mut *self.retained.lock().await
            && credential.status == rejected.status
        {
            credential.expires = Some(OffsetDateTime::UNIX_EPOCH);
        }
    }

    async fn run(&self) -> Result<Credential, PluginFault> {
        let (command, longest) = (self.command()?, self.longest);
        let (give, ran) = oneshot::channel();
        let thread = Builder::new().name("credential-plugin".to_owned());
        // The receiver is gone if the request was given up.
        let started = thread.spawn(move || drop(give.send(outputs(command, longest))));
        let ran = match started {
            Ok(_) => ran.await.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into())),
            Err(error) => Err(error),
        };
        match ran {
            Ok(ran) => self.read(&ran),
            Err(error) => {
                let hint = self.exec.install_hint.as_deref().map(one_line).filter(|hint| !hint.is_empty());
                let program = &self.program;
                let remedy =
                    hint.unwrap_or_else(|| format!("install {program}, or correct `command` in the kubeconfig"));
                Err(PluginFault(format!("cannot start the credential plugin {program}: {error}; {remedy}")))
            }
        }
    }

    fn command(&self) -> Result<Command, PluginFault> {
        let exec = &self.exec;
        let Some(program) = &exec.command else {
            return Err(PluginFault("the exec plugin of this context has no command".to_owned()));
        };
        let interactive = exec.interactive_mode != Some(ExecInteractiveMode::Never);
        let mut spec = json!({"interactive": interactive});
        if exec.provide_cluster_info {
            spec["cluster"] = json!(exec.cluster);
        }
        let info = json!({"apiVersion": exec.api_version, "kind": "ExecCredential", "spec": spec});
        let mut command = Command::new(program);
        command.args(exec.args.iter().flatten()).stdout(Stdio::piped());
        let variables = exec.env.iter().flatten().filter_map(|one| one.get("name").zip(one.get("value")));
        command.envs(variables).env("KUBERNETES_EXEC_INFO", info.to_string());
        if !interactive {
            command.stdin(Stdio::null()).stderr(Stdio::piped());
        }
        Ok(command)
    }

    fn read(&self, ran: &Ran) -> Result<Credential, PluginFault> {
        let program = &self.program;
        let reported = one_line(&String::from_utf8_lossy(&ran.reported)).chars().take(300).collect::<String>();
        let reason = || match (reported.is_empty(), &self.exec.interactive_mode) {
            (false, _) => reported.clone(),
            (true, Some(ExecInteractiveMode::Never)) => "it printed no reason".to_owned(),
            (true, _) => "see its output on standard error".to_owned(),
        };
        let invalid = |why: &str| PluginFault(format!("invalid output of the credential plugin {program}: {why}"));
        if ran.out.len() > LARGEST {
            return Err(invalid(&format!("it is larger than {} MiB", LARGEST >> 20)));
        }
        match ran.status {
            None => {
                let seconds = self.longest.as_secs_f64();
                return Err(PluginFault(format!(
                    "no output of the credential plugin {program} within {seconds} s: {}; run it in a terminal to see what it waits for",
                    reason()
                )));
            }
            Some(status) if !status.success() => {
                return Err(PluginFault(format!("the credential plugin {program} failed with {status}: {}", reason())));
            }
            Some(_) => {}
        }
        // YAML includes JSON.
        let Ok(Answer { status }) = serde_saphyr::from_slice(&ran.out) else {
            return Err(invalid("it is not an ExecCredential"));
        };
        if status.token.is_none() && (status.client_certificate_data.is_none() || status.client_key_data.is_none()) {
            return Err(invalid(&format!("it has no credential: {}", reason())));
        }
        let expires = status.expiration_timestamp.as_deref().map(|expires| OffsetDateTime::parse(expires, &Rfc3339));
        let Ok(expires) = expires.transpose() else { return Err(invalid("its expirationTimestamp is not a time")) };
        self.pass_on(&reported);
        Ok(Credential { status, expires })
    }

    /// Passes on a warning of a plugin that gave a credential, for example of a login that ends soon.
    fn pass_on(&self, reported: &str) {
        let console = io::stdin().is_terminal() && io::stdout().is_terminal();
        if !reported.is_empty() {
            tracing::warn!("credential plugin {}: {reported}", self.program);
            if !console {
                // A closed stderr is not an error.
                let _ = writeln!(io::stderr(), "credential plugin {}: {reported}", self.program);
            }
        }
    }
}

/// What a plugin did; without a status it did not end in time.
struct Ran {
    status: Option<ExitStatus>,
    out: Vec<u8>,
    reported: Vec<u8>,
}

fn outputs(mut command: Command, longest: Duration) -> io::Result<Ran> {
    let until = Instant::now() + longest;
    let mut child = command.spawn()?;
    let (out, reported) = (reader(child.stdout.take())?, reader(child.stderr.take())?);
    let mut status = child.try_wait()?;
    while status.is_none() && Instant::now() < until {
        sleep(CHECK_INTERVAL);
        status = child.try_wait()?;
    }
    if status.is_none() {
        // It may have just ended; both are fine.
        let _ = child.kill().and_then(|()| child.wait());
    }
    // A process that it started may have its outputs open.
    let rest = |output: Receiver<Vec<u8>>, left: Duration| output.recv_timeout(left).ok();
    let left = until.saturating_duration_since(Instant::now()).max(CHECK_INTERVAL * 10);
    let out = rest(out, left);
    Ok(Ran {
        status: status.filter(|_| out.is_some()),
        out: out.unwrap_or_default(),
        reported: rest(reported, CHECK_INTERVAL * 10).unwrap_or_default(),
    })
}

/// Reads an output up to the limit; then it is closed.
fn reader(output: Option<impl Read + Send + 'static>) -> io::Result<Receiver<Vec<u8>>> {
    let (give, read) = channel();
    Builder::new().name("credential-read".to_owned()).spawn(move || {
        let mut bytes = Vec::new();
        if let Some(output) = output {
            // What was read before an error is what it printed.
            let _ = output.take(LARGEST as u64 + 1).read_to_end(&mut bytes);
        }
        let _ = give.send(bytes);
    })?;
    Ok(read)
}

/// In one line, without characters that a terminal would obey.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
