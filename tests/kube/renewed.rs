//! Client certificates of a credential plugin in a running process: renewed before they expire, and after a rejection.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cluster::kube::{Cluster, Known, Wanted};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::server::WebPkiClientVerifier;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A plugin is not run again within five seconds.
const LATER: Duration = Duration::from_millis(5_200);
const ALL: usize = 3;

/// A server that asks for a client certificate, and says which one each request came with.
struct Server {
    port: u16,
    authority: String,
    clients: Vec<(String, String)>,
    used: Arc<Mutex<Vec<usize>>>,
    accepted: Arc<AtomicUsize>,
}

fn start() -> Server {
    let key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = authority.self_signed(&key).unwrap();
    let issuer = Issuer::new(authority, key);
    let signed = |name: &str| {
        let key = KeyPair::generate().unwrap();
        (CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &issuer).unwrap(), key)
    };
    let clients: Vec<_> = (0..ALL).map(|_| signed("sue")).collect();
    let (own, own_key) = signed("127.0.0.1");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.der().clone()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_client_cert_verifier(verifier);
    let config = config.with_single_cert(vec![own.der().clone()], own_key.serialize_der().try_into().unwrap()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Server {
        port: listener.local_addr().unwrap().port(),
        authority: certificate.pem(),
        clients: clients.iter().map(|(client, key)| (client.pem(), key.serialize_pem())).collect(),
        used: Arc::default(),
        accepted: Arc::default(),
    };
    let known = clients.iter().map(|(client, _)| client.der().clone()).collect();
    let answers = Answers { known, used: Arc::clone(&server.used), accepted: Arc::clone(&server.accepted) };
    std::thread::spawn(move || answers.give(&listener, &Arc::new(config)));
    server
}

struct Answers {
    known: Vec<CertificateDer<'static>>,
    used: Arc<Mutex<Vec<usize>>>,
    accepted: Arc<AtomicUsize>,
}

impl Answers {
    fn give(self, listener: &TcpListener, config: &Arc<rustls::ServerConfig>) {
        let all = Arc::new(self);
        for stream in listener.incoming().map_while(Result::ok) {
            let tls = rustls::ServerConnection::new(Arc::clone(config)).unwrap();
            let (all, mut stream) = (Arc::clone(&all), BufReader::new(rustls::StreamOwned::new(tls, stream)));
            std::thread::spawn(move || {
                while let Some(number) = request(&mut stream, &all.known) {
                    all.used.lock().unwrap().push(number);
                    let (status, body) = match number >= all.accepted.load(Ordering::Relaxed) {
                        true => (200, json!({"major": "1", "minor": "30", "gitVersion": "v1.30.0"})),
                        false => (401, json!({"kind": "Status", "code": 401, "message": "Unauthorized"})),
                    };
                    let body = body.to_string();
                    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", body.len());
                    if stream.get_mut().write_all((head + &body).as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    }
}

type Tls = rustls::StreamOwned<rustls::ServerConnection, std::net::TcpStream>;

/// Reads a request, and returns the number of its certificate; `None` at the end of the connection.
fn request(stream: &mut BufReader<Tls>, known: &[CertificateDer<'static>]) -> Option<usize> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let peer = stream.get_ref().conn.peer_certificates()?.first()?.clone();
    known.iter().position(|one| *one == peer)
}

/// The n-th run gives the n-th certificate; the first soon expires.
fn plugin(folder: &Path, server: &Server) -> PathBuf {
    let soon = (OffsetDateTime::now_utc() + Duration::from_secs(30)).format(&Rfc3339).unwrap();
    for (number, (certificate, key)) in server.clients.iter().enumerate() {
        let mut status = json!({"clientCertificateData": certificate, "clientKeyData": key});
        if number == 0 {
            status["expirationTimestamp"] = json!(soon);
        }
        let answer =
            json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status});
        std::fs::write(folder.join(format!("answer-{}.json", number + 1)), answer.to_string()).unwrap();
    }
    let (file, at) = (folder.join("plug"), folder.display());
    let script = format!("#!/bin/sh\necho x >> {at}/count\nexec cat {at}/answer-$(wc -l < {at}/count).json\n");
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[tokio::test]
async fn a_certificate_of_a_plugin_is_renewed_in_a_running_process() {
    let server = start();
    let folder = std::env::temp_dir().join(format!("kornsole-renewed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": plugin(&folder, &server), "interactiveMode": "Never"});
    let file = folder.join("kubeconfig");
    std::fs::write(folder.join("ca.pem"), &server.authority).unwrap();
    let text = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": {
            "server": format!("https://127.0.0.1:{}", server.port), "certificate-authority": folder.join("ca.pem"),
        }}],
        "users": [{"name": "u", "user": {"exec": exec}}],
    });
    std::fs::write(&file, text.to_string()).unwrap();
    let known = Known::of(std::slice::from_ref(&file)).unwrap();
    let context = known.context(None).unwrap();
    let cluster = Cluster::new(known, context, Wanted::default());
    let used = || std::mem::take(&mut *server.used.lock().unwrap());
    cluster.version().await.unwrap();
    cluster.version().await.unwrap();
    assert_eq!(used(), [0, 0], "the first one is used, although it soon expires");
    tokio::time::sleep(LATER).await;
    cluster.version().await.unwrap();
    assert_eq!(used(), [1], "before it expires, the connection has another one");
    server.accepted.store(2, Ordering::Relaxed);
    assert!(cluster.version().await.is_err(), "it is no longer accepted");
    tokio::time::sleep(LATER).await;
    cluster.version().await.unwrap();
    assert_eq!(used(), [1, 2], "after the rejection there is a new one");
    assert_eq!(std::fs::read_to_string(folder.join("count")).unwrap().lines().count(), ALL);
    std::fs::remove_dir_all(folder).unwrap();
}
