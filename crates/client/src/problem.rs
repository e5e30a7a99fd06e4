//! Connection errors for users; the libraries' messages are in the details.

use std::error::Error;
use std::fmt;
use std::io;

use rustls::CertificateError as Certificate;

use super::target::causes;

/// An error of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    message: String,
    technical: String,
}

impl Problem {
    /// Creates an error from a message and the libraries' message.
    pub fn new(message: impl Into<String>, technical: impl Into<String>) -> Self {
        Self { message: message.into(), technical: technical.into() }
    }

    pub(super) fn of(message: impl Into<String>, error: reqwest::Error) -> Self {
        Self::new(message, causes(&error.without_url()))
    }

    /// The libraries' message; may be empty.
    pub fn technical(&self) -> &str {
        &self.technical
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub(super) fn connecting(host: &str, port: Option<u16>, error: &(dyn Error + 'static)) -> String {
    let place = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    if let Some(tls) = find::<rustls::Error>(error) {
        return no_tls(host, tls);
    }
    // Name resolution errors have no distinct type.
    if all(error).any(|cause| cause.to_string().contains("dns error")) {
        return format!("cannot resolve the name {host}");
    }
    match find::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => format!("{place} refuses the connection"),
        Some(io::ErrorKind::TimedOut) => format!("{place} does not answer"),
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => {
            format!("no route to {host}")
        }
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof) => {
            format!("{place} closed the connection during setup")
        }
        _ => format!("{place} cannot be reached"),
    }
}

fn no_tls(host: &str, error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(why) => {
            let why = match why {
                Certificate::UnknownIssuer | Certificate::BadSignature => {
                    "is not trusted; --ca FILE adds the authority that issued it"
                }
                Certificate::Expired | Certificate::ExpiredContext { .. } => "has expired",
                Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => "is not valid yet",
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                    "is valid for another name only"
                }
                Certificate::Revoked => "is revoked",
                _ => "is not accepted",
            };
            format!("the certificate of {host} {why}")
        }
        rustls::Error::InvalidMessage(_) => format!("{host} does not use TLS; try http://"),
        rustls::Error::AlertReceived(_) => {
            format!("{host} rejected the TLS connection; if it requires a client certificate, use --client-cert FILE")
        }
        _ => format!("the TLS handshake with {host} failed"),
    }
}

fn all<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let next = |error: &&'e (dyn Error + 'static)| -> Option<&'e (dyn Error + 'static)> {
        let error = *error;
        // The inner error of an IO error is not its source.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    };
    std::iter::successors(Some(error), next)
}

/// The error of a type that is nearest to the origin.
fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    all(error).filter_map(|cause| cause.downcast_ref::<E>()).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_connections_are_reported_in_plain_words() {
        let io = |kind: io::ErrorKind| io::Error::from(kind);
        let wrapped = |inner: rustls::Error| io::Error::other(io::Error::new(io::ErrorKind::InvalidData, inner));
        let invalid = |why| wrapped(rustls::Error::InvalidCertificate(why));
        for (error, message) in [
            (io(io::ErrorKind::ConnectionRefused), "h:1 refuses the connection"),
            (io(io::ErrorKind::HostUnreachable), "no route to h"),
            (io(io::ErrorKind::ConnectionReset), "h:1 closed the connection during setup"),
            (io(io::ErrorKind::AddrNotAvailable), "h:1 cannot be reached"),
            (io::Error::other("dns error: no such host"), "cannot resolve the name h"),
            (invalid(Certificate::Expired), "the certificate of h has expired"),
            (invalid(Certificate::NotValidForName), "the certificate of h is valid for another name only"),
            (
                invalid(Certificate::UnknownIssuer),
                "the certificate of h is not trusted; --ca FILE adds the authority that issued it",
            ),
            (
                wrapped(rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType)),
                "h does not use TLS; try http://",
            ),
        ] {
            assert_eq!(connecting("h", Some(1), &error), message, "{error:?}");
        }
    }
}
