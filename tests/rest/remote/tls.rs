use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::common::{TestDir, kornsole_command};

/// An authority, a server certificate, and a client certificate with key, which the server requests if `asks` is set.
fn certificates(asks: bool) -> (String, rustls::ServerConfig, String) {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_certificate = authority.self_signed(&authority_key).unwrap();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let certificate = server.signed_by(&key, &issuer).unwrap();
    let client_key = KeyPair::generate().unwrap();
    let client = CertificateParams::new(vec!["sue".to_owned()]).unwrap().signed_by(&client_key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority_certificate.der().clone()).unwrap();
    let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let config =
        if asks { config.with_client_cert_verifier(verifier.build().unwrap()) } else { config.with_no_client_auth() };
    let config =
        config.with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap()).unwrap();
    (authority_certificate.pem(), config, client.pem() + &client_key.serialize_pem())
}

fn serve(config: rustls::ServerConfig) -> (u16, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let arrived = Arc::new(Mutex::new(String::new()));
    let (retained, config) = (Arc::clone(&arrived), Arc::new(config));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), Ok(mut tls)) = (stream, rustls::ServerConnection::new(Arc::clone(&config))) else {
                return;
            };
            let mut stream = rustls::Stream::new(&mut tls, &mut stream);
            let mut request = vec![0; 8192];
            let Ok(size) = stream.read(&mut request) else { continue };
            let request = String::from_utf8_lossy(&request[..size]).into_owned();
            let body = if request.contains("/whoami") {
                r#"{"authenticated": true, "user": "sue", "groups": [], "schedulerAdmin": true, "readOnly": false}"#
            } else {
                r#"{"product": "kornsole", "version": "0.1.0", "features": []}"#
            };
            retained.lock().unwrap().push_str(&request);
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length:";
            let _ = write!(stream, "{head} {}\r\n\r\n{body}", body.len());
            let _ = stream.flush();
        }
    });
    (port, arrived)
}

#[test]
fn certificates_are_checked_and_a_token_is_sent_over_tls() {
    let (authority, config, _) = certificates(false);
    let (port, arrived) = serve(config);
    let dir = TestDir::new();
    let (ca, token) = (dir.join("ca.pem"), dir.join("token"));
    std::fs::write(&ca, authority).unwrap();
    std::fs::write(&token, "secret-3\n").unwrap();
    let run = |ca: Option<&std::path::Path>| {
        let mut command = kornsole_command(&["whoami", "--server", &format!("https://localhost:{port}")]);
        command.arg("--token-file").arg(&token);
        ca.map(|ca| command.arg("--ca").arg(ca));
        command.output().unwrap()
    };
    let good = run(Some(&ca));
    let reported = String::from_utf8(good.stdout).unwrap();
    assert!(reported.starts_with("sue, in the scheduler ACL, at kornsole 0.1.0\n"), "{reported}");
    assert!(arrived.lock().unwrap().contains("Bearer secret-3"));
    let other = certificates(false).0;
    std::fs::write(&ca, other).unwrap();
    let bad = run(Some(&ca));
    let message = String::from_utf8(bad.stderr).unwrap();
    assert_eq!(bad.status.code(), Some(3), "{message}");
    assert!(
        message.contains("certificate of localhost is not trusted") && message.contains("--ca FILE adds"),
        "{message}"
    );
    std::fs::write(&ca, "no certificate").unwrap();
    let nonsense = run(Some(&ca));
    assert_eq!(nonsense.status.code(), Some(2), "{}", String::from_utf8_lossy(&nonsense.stderr));
}

#[test]
fn a_client_certificate_is_shown_to_who_asks_for_one() {
    let (authority, config, client) = certificates(true);
    let (port, arrived) = serve(config);
    let dir = TestDir::new();
    let file = |name: &str, text: String| dir.write(name, text).to_str().unwrap().to_owned();
    let (ca, good) = (file("ca.pem", authority), file("client.pem", client));
    let other_ca = file("other_ca.pem", certificates(true).2);
    let run = |certificate: Option<&str>| {
        let mut command = kornsole_command(&["whoami", "--server", &format!("https://localhost:{port}"), "--ca", &ca]);
        certificate.map(|file| command.args(["--client-cert", file]));
        command.output().unwrap()
    };
    let done = run(Some(&good));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(arrived.lock().unwrap().contains("GET /kornsole/v1/whoami"));
    arrived.lock().unwrap().clear();
    for other in [None, Some(other_ca.as_str())] {
        let refused = run(other);
        assert_eq!(refused.status.code(), Some(3), "{}", String::from_utf8_lossy(&refused.stderr));
    }
    assert!(arrived.lock().unwrap().is_empty(), "nothing was asked before the certificate was seen");
}
