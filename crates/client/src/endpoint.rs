//! An address and a token that change when a local daemon restarts.

use std::sync::{Arc, PoisonError, RwLock};

use reqwest::Url;
use reqwest::header::HeaderValue;

use super::target::{Target, TargetFault, Token};

/// The current address and token of a client. Clones share them.
#[derive(Clone, Debug)]
pub struct Endpoint(Arc<RwLock<(Url, Token)>>);

impl Endpoint {
    pub(super) fn new(address: Url, token: Token) -> Self {
        Self(Arc::new(RwLock::new((address, token))))
    }

    /// Switches all clients to another address and token on this machine.
    ///
    /// # Errors
    /// Invalid address, or another machine.
    pub fn renew(&self, address: &str, token: Token) -> Result<(), TargetFault> {
        let target = Target::new(address)?;
        if !target.is_loopback() {
            return Err(TargetFault::Plain(target.shown()));
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = (target.base, token);
        Ok(())
    }

    pub(super) fn address(&self) -> Url {
        self.0.read().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    pub(super) fn header(&self) -> Option<HeaderValue> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).1.header()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_leads_to_this_machine_only() {
        let token = || Token::new("kso_a").unwrap();
        let target = Target::new("http://127.0.0.1:1").unwrap().with_token(token()).unwrap();
        let (_, endpoint) = target.renewable();
        let endpoint = endpoint.unwrap();
        endpoint.renew("http://127.0.0.1:2", Token::new("kso_b").unwrap()).unwrap();
        assert_eq!(endpoint.address().as_str(), "http://127.0.0.1:2/");
        assert_eq!(endpoint.header().unwrap(), "Bearer kso_b");
        assert!(endpoint.renew("https://example.org", token()).is_err() && endpoint.renew("", token()).is_err());
        assert_eq!(endpoint.address().as_str(), "http://127.0.0.1:2/");
        assert!(Target::new("http://127.0.0.1:1").unwrap().renewable().1.is_none(), "nothing is secret");
    }
}
