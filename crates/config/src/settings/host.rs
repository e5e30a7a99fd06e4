//! Hosts in addresses.

use std::net::IpAddr;

/// `localhost` or a loopback address, perhaps in brackets.
pub fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
