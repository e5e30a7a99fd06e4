//! Hosts in addresses.

use std::net::IpAddr;

/// Whether a host is this machine: `localhost` or a loopback address, with or without brackets.
pub fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
