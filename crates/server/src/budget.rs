//! Limits of the memory for request bodies and unread answers.

use std::collections::HashMap;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};

/// A maximum of bytes, of which one address gets half, unless they belong to one body. A single item is always
/// allowed.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    usage: Mutex<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
    all: usize,
    by_peer: HashMap<IpAddr, usize>,
}

/// A part of a budget, returned on drop.
#[derive(Debug)]
pub struct Claim {
    budget: Arc<Budget>,
    peer: IpAddr,
    bytes: usize,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn of(most: usize) -> Arc<Self> {
        Arc::new(Self { most, usage: Mutex::default() })
    }

    /// Claims bytes for an address; `None` if they are not available.
    pub fn claim(self: &Arc<Self>, peer: IpAddr, bytes: usize) -> Option<Claim> {
        let mut claim = Claim { budget: Arc::clone(self), peer, bytes: 0 };
        claim.grow(bytes).then_some(claim)
    }
}

impl Claim {
    /// Returns whether they were available.
    pub fn grow(&mut self, bytes: usize) -> bool {
        let mut usage = self.budget.usage.lock().unwrap_or_else(PoisonError::into_inner);
        let own = usage.by_peer.get(&self.peer).copied().unwrap_or_default();
        let (alone, only) = (usage.all == self.bytes, own == self.bytes);
        let share = only || own + bytes <= self.budget.most / 2;
        let fits = share && usage.all + bytes <= self.budget.most;
        if !alone && !fits {
            return false;
        }
        if bytes > 0 {
            usage.all += bytes;
            usage.by_peer.insert(self.peer, own + bytes);
            self.bytes += bytes;
        }
        true
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut usage = self.budget.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.all -= self.bytes;
        if let Some(own) = usage.by_peer.get_mut(&self.peer) {
            *own -= self.bytes;
            if *own == 0 {
                usage.by_peer.remove(&self.peer);
            }
        }
    }
}

/// A received body with its claim.
#[derive(Debug)]
pub struct RequestBody {
    /// The received bytes.
    pub bytes: Bytes,
    _claim: Option<Claim>,
}

impl RequestBody {
    /// Replaces the bytes under the same claim; at most as many.
    pub fn with(self, bytes: Bytes) -> Self {
        Self { bytes, ..self }
    }

    /// An empty body without a claim.
    pub fn nothing() -> Self {
        Self { bytes: Bytes::new(), _claim: None }
    }
}

/// Why a body is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// The body exceeds the limit.
    TooLarge,
    /// The body took too long.
    TooSlow,
    /// The client disconnected, or the body is invalid.
    Broken,
    /// The budget is exhausted.
    Busy,
}

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// Why it is unavailable.
pub async fn read(
    budget: &Arc<Budget>,
    peer: IpAddr,
    body: Body,
    limit: usize,
    within: Duration,
) -> Result<RequestBody, BodyError> {
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::TooLarge);
    }
    let mut claim = budget.claim(peer, 0).ok_or(BodyError::Busy)?;
    let whole = async {
        let (mut body, mut all) = (body, Vec::new());
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
            if all.len() + data.len() > limit {
                return Err(BodyError::TooLarge);
            }
            if !claim.grow(data.len()) {
                return Err(BodyError::Busy);
            }
            all.extend_from_slice(&data);
        }
        Ok(all)
    };
    let all = tokio::time::timeout(within, whole).await.map_err(|_| BodyError::TooSlow)??;
    Ok(RequestBody { bytes: all.into(), _claim: Some(claim) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_gets_half_and_what_is_alone_always_fits() {
        let budget = Budget::of(100);
        let [one, two, three] = [1, 2, 3].map(|last| IpAddr::from([127, 0, 0, last]));
        let first = budget.claim(one, 30).unwrap();
        assert!(budget.claim(one, 21).is_none(), "half is for one");
        let second = budget.claim(two, 55).unwrap();
        assert!(budget.claim(three, 16).is_none(), "all is held");
        let third = budget.claim(three, 15).unwrap();
        drop((first, second, third));
        let mut large = budget.claim(one, 400).unwrap();
        assert!(large.grow(1), "it is alone");
        assert!(budget.claim(two, 1).is_none() && budget.claim(one, 1).is_none());
        drop(large);
        assert!(budget.claim(two, 50).is_some());
        assert!(budget.usage.lock().unwrap().by_peer.is_empty());
    }
}
