//! The queues of a machine for which nobody wrote any: one for each user below `root.users`, all with the same guarantee.

use super::machine::Machine;

/// What part of the machine each user is guaranteed, as long as not more of them want theirs: one of so many.
const GUARANTEED_PART: i64 = 4;

/// The configuration. A user whose guarantee is not met gets room from those above theirs after `preemption.delay`.
pub fn configuration(machine: &Machine) -> String {
    let (vcore, memory) = ((machine.vcore / GUARANTEED_PART).max(1000), machine.memory / GUARANTEED_PART);
    format!(
        "# The queues of this machine, as long as no --config names others.
partitions:
  - name: default
    placementrules:
      - name: user
        create: true
        parent:
          name: fixed
          value: root.users
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: users
            parent: true
            childtemplate:
              properties:
                application.sort.policy: fifo
                preemption.delay: 10s
              resources:
                guaranteed: {{vcore: {vcore}m, memory: {memory}}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Severity, read_bytes};
    use crate::model::Profile;

    #[test]
    fn it_has_no_fault() {
        let machine = Machine { vcore: 2000, memory: 4 << 30, ..Machine::find() };
        let text = configuration(&machine);
        let read = read_bytes(text.as_bytes(), Profile::Kornsole);
        let faults: Vec<_> = read.faults.iter().filter(|fault| fault.severity == Severity::Error).collect();
        assert!(faults.is_empty() && read.config.is_some(), "{faults:?}");
    }
}
