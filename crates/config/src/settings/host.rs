//! Hosts, as addresses write them.

use std::net::IpAddr;

/// Whether a host is this very machine: `localhost`, or an address that loops back, in brackets or not.
pub fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
