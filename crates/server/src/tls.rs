//! Server certificates with ring, which builds without cmake.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::TlsFiles;
use crate::private_file;

/// The current certificate, which can be reloaded.
pub struct Tls {
    files: TlsFiles,
    config: ArcSwap<ServerConfig>,
}

impl Tls {
    /// Reads the certificate and key.
    ///
    /// # Errors
    /// The file and its error.
    pub fn read(files: &TlsFiles) -> Result<Self, String> {
        Ok(Self { files: files.clone(), config: ArcSwap::new(config(files)?) })
    }

    /// Reads the certificate and key again.
    ///
    /// # Errors
    /// The file and its error; the previous ones remain.
    pub fn reload(&self) -> Result<(), String> {
        self.config.store(config(&self.files)?);
        Ok(())
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        self.config.load_full()
    }
}

fn config(files: &TlsFiles) -> Result<Arc<ServerConfig>, String> {
    let open = |file: &Path| File::open(file).map(BufReader::new).map_err(|why| message(file, &why));
    let chain = CertificateDer::pem_reader_iter(open(&files.certificate)?).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|why| message(&files.certificate, &why))?;
    if chain.is_empty() {
        return Err(message(&files.certificate, &"it has no certificate; write the chain as PEM"));
    }
    if let Some(warning) = private_file::key_warning(&files.key) {
        tracing::warn!("{warning}");
    }
    let key = PrivateKeyDer::from_pem_reader(open(&files.key)?).map_err(|why| message(&files.key, &why))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|why| format!("cannot set up TLS: {why}"))?.with_no_client_auth();
    let mut config = builder.with_single_cert(chain, key).map_err(|why| message(&files.certificate, &why))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn message(file: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{}: {why}", file.display())
}
