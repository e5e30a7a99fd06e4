//! `kornsole attach`, and how every command finds a remote scheduler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;

use super::alerts::AlertArgs;
use super::contexts::{ask, of_kubeconfig};
use super::look::{LookArgs, Rejected};
use super::{fail, trends, user_settings};
use ::console::shell::settings::RemoteContext;
use ::console::{self, Opener};
use client::{Target, TargetFault, Token};
use cluster::kube::{Address, Cluster, Known, KubeFault, SCHEME, Via, Wanted};
use model::Identity;
use source::remote::{RemoteOptions, stored};
use source::{Collector, Remote, Source, Trends, probe};
use view::act::EnforceAcl;
use view::units;

/// The variable with the token, if no file names one.
const TOKEN: &str = "KORNSOLE_TOKEN";
/// Maximum size of a token, certificate, or key, in bytes.
const LARGEST: u64 = 1 << 20;

/// The arguments of `kornsole attach`.
#[derive(Args, Clone, Debug)]
pub struct AttachArgs {
    /// Address, k8s://[CONTEXT][/NAMESPACE], or context of your settings
    ///
    /// The default is the current context of your kubeconfig.
    #[arg(value_name = "URL|CONTEXT", default_value = SCHEME)]
    pub server: String,
    /// The connection options
    #[command(flatten)]
    pub way: WayArgs,
    /// The alert options
    #[command(flatten)]
    pub alerts: AlertArgs,
    /// The appearance options
    #[command(flatten)]
    pub look: LookArgs,
}

/// The connection options for a remote scheduler. A token is from --token-file, the context, or KORNSOLE_TOKEN; a proxy
/// is from HTTP_PROXY, HTTPS_PROXY, and NO_PROXY.
#[derive(Args, Clone, Debug, Default)]
pub struct WayArgs {
    /// File with the bearer token
    ///
    /// Without this option, kornsole uses the token of the context or KORNSOLE_TOKEN.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Additional trusted CA certificates (PEM)
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Client certificate with its private key in the same file (PEM)
    #[arg(long, value_name = "FILE")]
    pub client_cert: Option<PathBuf>,
    /// HTTP header to send with each request (repeatable)
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// In Kubernetes, how to reach the scheduler: port-forward, proxy, or a URL
    ///
    /// Default: port-forward. If the cluster rejects port-forward, kornsole uses the proxy of the API server.
    #[arg(long, value_name = "WAY|URL", value_parser = Via::read)]
    pub via: Option<Via>,
    /// In Kubernetes, the Service of the scheduler [default: yunikorn-service]
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// In Kubernetes, when to check adminacl before RBAC decides [default: auto]
    ///
    /// auto checks it if a queue of the active configuration has an adminacl.
    #[arg(long, value_name = "WHEN", value_parser = PossibleValuesParser::new(EnforceAcl::NAMES).try_map(|name| EnforceAcl::parse(&name)))]
    pub enforce_acl: Option<EnforceAcl>,
    /// Disable all commands that change the scheduler
    #[arg(long)]
    pub read_only: bool,
    /// Impersonate a user (read-only); requires the scheduler ACL
    #[arg(long = "as", value_name = "USER:GROUP,GROUP", value_parser = Identity::parse)]
    pub acting_as: Option<Identity>,
}

/// A remote scheduler.
#[derive(Clone, Debug)]
pub struct AttachTarget {
    /// Address and credentials.
    pub target: Target,
    /// Options of the connection.
    pub options: RemoteOptions,
}

/// Shows the console for a remote scheduler.
pub fn run(args: &AttachArgs) -> ExitCode {
    let (options, mut personal) = match args.look.read() {
        Ok(read) => read,
        Err(report) => return fail(&report.message, report.code),
    };
    let contexts = personal.contexts.clone();
    let found = match find(&args.server, &args.way, &contexts) {
        Ok(found) => found,
        Err(report) => return fail(&report.message, report.code),
    };
    let cluster = found.target.cluster().cloned();
    let (source, trends) = match watched(found, &args.alerts) {
        Ok(watched) => watched,
        Err(report) => return fail(&report.message, report.code),
    };
    // Writes its remaining data on drop, after the console has ended.
    let _collector = Collector::start(&source, trends);
    personal.kubeconfig = of_kubeconfig();
    personal.here = Some(match cluster {
        Some(cluster) if !contexts.contains_key(&args.server) => format!("{SCHEME}{}", cluster.context().name),
        _ => args.server.clone(),
    });
    personal.opener = Some(opener(&args.way, &args.alerts, contexts));
    match console::run(source, options, personal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}"), 1),
    }
}

/// Opens another context from inside the console. Of the arguments, only `--read-only` applies to it.
fn opener(way: &WayArgs, alerts: &AlertArgs, contexts: BTreeMap<String, RemoteContext>) -> Opener {
    let (way, alerts) = (WayArgs { read_only: way.read_only, ..WayArgs::default() }, alerts.clone());
    let target = move |name: &str| find(name, &way, &contexts).map_err(|report| report.message);
    let asked = target.clone();
    let open = move |name: &str| {
        let (source, trends) = watched(target(name)?, &alerts).map_err(|report| report.message)?;
        Collector::detached(&source, trends);
        Ok(source)
    };
    Opener::new(open).asking(move |name| ask(&asked(name)?.target))
}

/// Connects to a scheduler, and evaluates its alerts on this machine. The returned collector of trends is not started.
///
/// # Errors
/// The client does not start, or the rules are invalid.
pub fn watched(found: AttachTarget, alerts: &AlertArgs) -> Result<(Arc<dyn Source>, Arc<Trends>), Rejected> {
    let wrong = |message: String| Rejected { message, code: 1 };
    let (name, trends, book) = (trends::context(&found), trends::attached(&found), trends::book(&found));
    let dir = stored::dir(&name);
    // A context can have the same name in every pod.
    let label = found.target.cluster().filter(|_| found.options.name.is_none()).map(|cluster| cluster.label());
    let label = label.unwrap_or(name);
    let remote = Remote::start(&found.target, found.options).map_err(|fault| wrong(fault.to_string()))?.with_book(book);
    let board = alerts.board(&label, dir.as_deref(), remote.now()).map_err(wrong)?;
    let source: Arc<dyn Source> = Arc::new(remote.with_alerts(board).with_trends(Arc::clone(&trends)));
    probe::watch(&source, dir, 1.0).map_err(|error| wrong(error.to_string()))?.detach();
    Ok((source, trends))
}

/// Reads the contexts of the user's settings, and applies their units. Errors in the file are reported where the
/// console runs; a command without a screen uses the valid rest.
///
/// # Errors
/// The named settings cannot be read.
pub fn contexts(settings: Option<&Path>) -> Result<BTreeMap<String, RemoteContext>, Rejected> {
    let themes = console::theme::Themes::shipped();
    let found = user_settings::read(settings, &themes).map_err(|message| Rejected { message, code: 1 })?;
    units::choose(found.read.settings.units.unwrap_or_default());
    Ok(found.read.settings.contexts)
}

/// Resolves an address or the name of a context, with the arguments.
///
/// # Errors
/// It is neither, or a named file cannot be used.
pub fn find(server: &str, way: &WayArgs, contexts: &BTreeMap<String, RemoteContext>) -> Result<AttachTarget, Rejected> {
    let context = contexts.get(server);
    let wrong = |message: String| Rejected { message, code: 2 };
    let report = |fault: TargetFault| Rejected { message: fault.to_string(), code: 2 };
    let is_address = server.contains(['.', ':', '/']) || server == "localhost" || Address::is(server);
    if context.is_none() && !is_address {
        let known: Vec<&str> = contexts.keys().map(String::as_str).collect();
        let known =
            if known.is_empty() { "no contexts".to_owned() } else { format!("available: {}", known.join(", ")) };
        let message = format!(
            "context {server:?} not found in your settings ({known}); an address has a port or a scheme: localhost:9080"
        );
        return Err(wrong(message));
    }
    let from = context.cloned().unwrap_or_else(|| RemoteContext { url: server.to_owned(), ..RemoteContext::default() });
    let in_cluster = Address::is(&from.url);
    let mut target = if in_cluster { cluster(&from, way)? } else { Target::new(&from.url).map_err(report)? };
    for header in from.headers.iter().chain(&way.headers) {
        target = target.with_header(header).map_err(report)?;
    }
    let file = |named: &Option<PathBuf>, other: &Option<String>| named.clone().or(other.as_ref().map(PathBuf::from));
    if let Some(file) = file(&way.ca, &from.ca) {
        target = target.with_authorities(&file.display().to_string(), bytes(&file)?).map_err(report)?;
    }
    if let Some(file) = file(&way.client_cert, &from.client_cert) {
        target = target.with_certificate(&file.display().to_string(), bytes(&file)?).map_err(report)?;
    }
    let mut notes = Vec::new();
    if let Some(file) = file(&way.token_file, &from.token_file) {
        let token = String::from_utf8(bytes(&file)?).map_err(|_| wrong(format!("{} has no token", file.display())))?;
        target = target.with_token(Token::new(&token).map_err(report)?).map_err(report)?;
        notes.extend(read_by_others(&file));
    } else if let Some(token) = std::env::var(TOKEN).ok().filter(|token| !in_cluster && !token.trim().is_empty()) {
        let token = Token::new(&token).map_err(|fault| wrong(format!("{TOKEN}: {fault}")))?;
        // The environment is not specific to this address, so an unsafe token is omitted with a note.
        match target.clone().with_token(token) {
            Ok(with) => target = with,
            Err(fault) => notes.push(format!("{TOKEN} is not sent: {fault}")),
        }
    }
    let acting_as = way.acting_as.clone().or(from.acting_as);
    let target = target.seen_by(acting_as);
    let name = context.map(|_| server.to_owned());
    let options = RemoteOptions {
        read_only: way.read_only || from.read_only,
        name,
        notes,
        seed: seed(),
        ..RemoteOptions::default()
    };
    Ok(AttachTarget { target, options })
}

fn cluster(from: &RemoteContext, way: &WayArgs) -> Result<Target, Rejected> {
    let failed = |fault: KubeFault| Rejected { message: fault.to_string(), code: 1 };
    let wrong = |message: String| Rejected { message, code: 2 };
    let known = Known::read().map_err(failed)?;
    let address = Address::read(&from.url, &known.names()).map_err(wrong)?;
    let context = known.context(address.context.as_deref()).map_err(|fault| wrong(fault.to_string()))?;
    let wanted = Wanted {
        namespace: address.namespace,
        service: way.service.clone(),
        via: way.via.clone(),
        enforce_acl: way.enforce_acl.unwrap_or(from.enforce_acl),
    };
    Target::of_cluster(Arc::new(Cluster::new(known, context, wanted))).map_err(|fault| wrong(fault.to_string()))
}

fn read_by_others(file: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let name = file.display();
    (mode & 0o077 != 0)
        .then(|| format!("{name} contains a token and other users can read it (mode {mode:03o}); run chmod 600 {name}"))
}

/// Randomizes the pauses between retries, so that many consoles do not reconnect at the same time.
fn seed() -> u64 {
    let mut bytes = [0; 8];
    // Without random bytes all pauses are equal, which is harmless for one console.
    let _ = getrandom::getrandom(&mut bytes);
    u64::from_le_bytes(bytes)
}

fn bytes(file: &Path) -> Result<Vec<u8>, Rejected> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    let report = |why: String| Rejected { message: format!("cannot read {}: {why}", file.display()), code: 1 };
    match read {
        Ok(_) if bytes.len() as u64 > LARGEST => Err(report(format!("larger than {LARGEST} bytes"))),
        Ok(_) => Ok(bytes),
        Err(error) => Err(report(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contexts() -> BTreeMap<String, RemoteContext> {
        let prod =
            RemoteContext { url: "https://yk.example/prod".to_owned(), read_only: true, ..RemoteContext::default() };
        BTreeMap::from([("prod".to_owned(), prod)])
    }

    #[test]
    fn a_word_is_a_context_and_everything_else_an_address() {
        let found = |server: &str| find(server, &WayArgs::default(), &contexts());
        let prod = found("prod").unwrap();
        assert_eq!((prod.target.shown().as_str(), prod.options.read_only), ("https://yk.example/prod", true));
        assert_eq!(found("localhost").unwrap().target.shown(), "http://localhost");
        assert_eq!(found("yk:9080").unwrap().target.shown(), "http://yk:9080");
        let report = found("test").unwrap_err();
        assert_eq!(report.code, 2);
        assert!(report.message.contains("available: prod"), "{}", report.message);
    }

    #[test]
    fn a_token_that_others_can_read_is_warned_about() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::env::temp_dir().join(format!("kornsole-token-{}", std::process::id()));
        std::fs::write(&file, "secret\n").unwrap();
        let way = WayArgs { token_file: Some(file.clone()), ..WayArgs::default() };
        let notes = |mode: u32| {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            find("localhost:9080", &way, &contexts()).unwrap().options.notes
        };
        assert_eq!(notes(0o600), Vec::<String>::new());
        assert_eq!(notes(0o400), Vec::<String>::new());
        for mode in [0o604, 0o640, 0o666] {
            let report = notes(mode);
            assert!(
                report.len() == 1 && report[0].contains(&format!("other users can read it (mode {mode:03o})")),
                "{report:?}"
            );
        }
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let way = WayArgs { token_file: Some(PathBuf::from("/nowhere/token")), ..WayArgs::default() };
        let report = find("localhost:9080", &way, &contexts()).unwrap_err();
        assert!(report.code == 1 && report.message.starts_with("cannot read /nowhere/token: "), "{}", report.message);
        let way = WayArgs { headers: vec!["nonsense".to_owned()], ..WayArgs::default() };
        assert_eq!(find("localhost:9080", &way, &contexts()).unwrap_err().code, 2);
    }
}
