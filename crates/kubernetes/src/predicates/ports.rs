//! Host ports (K8S-181).

use crate::objects::{Container, Pod};

const ANY: &str = "0.0.0.0";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HostPort {
    protocol: String,
    ip: String,
    port: i32,
}

impl HostPort {
    /// Returns true if both conflict on one node.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.ip == other.ip || self.ip == ANY || other.ip == ANY)
    }
}

pub(super) fn of(pod: &Pod) -> Vec<HostPort> {
    let or = |text: &str, usual: &str| if text.is_empty() { usual.to_owned() } else { text.to_owned() };
    let sidecars = pod.spec.init_containers.iter().filter(|container: &&Container| container.is_sidecar());
    let ports = pod.spec.containers.iter().chain(sidecars).flat_map(|container| &container.ports);
    let taken = ports.filter(|port| port.host_port > 0).map(|port| HostPort {
        protocol: or(&port.protocol, "TCP"),
        ip: or(&port.host_ip, ANY),
        port: port.host_port,
    });
    taken.collect()
}
