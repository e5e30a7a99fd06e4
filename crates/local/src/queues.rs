//! Default queues: one per user in `root.users`, all with the same guaranteed resources.

use super::machine::Machine;

/// Each user is guaranteed one part in this many of the machine.
const GUARANTEED_PART: i64 = 4;

/// Returns queues in which a user below the guaranteed resources preempts others after `preemption.delay`. A job with
/// at most one core and one GPU, and no memory request, is within them on every machine that can run it.
pub fn configuration(machine: &Machine) -> String {
    let vcore = (machine.vcore / GUARANTEED_PART).max(1000).min(machine.vcore);
    // The memory share of these cores, like the default of a job.
    let memory = i128::from(machine.memory) * i128::from(vcore) / i128::from(machine.vcore.max(1));
    let gpus = match machine.gpu {
        0 => String::new(),
        gpus => format!(", gpu: {}", (gpus / GUARANTEED_PART).max(1)),
    };
    format!(
        "# The default queues of this machine; --config FILE replaces them.
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
                guaranteed: {{vcore: {vcore}m, memory: {memory}{gpus}}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::{Severity, read_bytes};
    use model::Profile;

    #[test]
    fn it_has_no_fault() {
        for (vcore, gpu) in [(500, 0), (2000, 0), (8000, 3)] {
            let text = configuration(&machine(vcore, gpu));
            let read = read_bytes(text.as_bytes(), Profile::Kornsole);
            let faults: Vec<_> = read.faults.iter().filter(|fault| fault.severity == Severity::Error).collect();
            assert!(faults.is_empty() && read.config.is_some(), "{faults:?}");
        }
    }

    fn machine(vcore: i64, gpu: i64) -> Machine {
        Machine { vcore, memory: 4 << 30, gpu, ..Machine::find() }
    }

    #[test]
    fn a_job_that_requests_a_core_is_guaranteed_the_memory_of_that_core() {
        let guaranteed = |vcore, gpu| {
            let text = configuration(&machine(vcore, gpu));
            text.split("guaranteed: ").nth(1).unwrap().trim().to_owned()
        };
        assert_eq!(guaranteed(2000, 0), "{vcore: 1000m, memory: 2147483648}");
        assert_eq!(guaranteed(500, 1), "{vcore: 500m, memory: 4294967296, gpu: 1}");
        assert_eq!(guaranteed(8000, 8), "{vcore: 2000m, memory: 1073741824, gpu: 2}");
    }
}
