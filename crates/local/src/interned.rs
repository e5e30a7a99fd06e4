//! Equal parts of jobs share memory: most users submit similar jobs.

use std::collections::VecDeque;
use std::sync::Arc;

use super::job::{Job, JobSpec, Owner};
use model::Shared;

const COMPARED: usize = 16;

#[derive(Default)]
pub(super) struct Interned {
    owners: VecDeque<Shared<Owner>>,
    specs: VecDeque<Shared<JobSpec>>,
    queues: VecDeque<Arc<str>>,
}

impl Interned {
    pub(super) fn share(&mut self, job: &mut Job) {
        let unchanged = job.spec.is_same(&job.as_submitted);
        shared(&mut self.owners, &mut job.owner);
        shared(&mut self.specs, &mut job.as_submitted);
        if unchanged {
            job.spec = job.as_submitted.clone();
        }
        if let Some(queue) = &mut job.placed {
            *queue = self.queue(queue);
        }
    }

    pub(super) fn queue(&mut self, path: &str) -> Arc<str> {
        if let Some(known) = self.queues.iter().find(|known| ***known == *path) {
            return Arc::clone(known);
        }
        let queue: Arc<str> = path.into();
        self.queues.push_front(Arc::clone(&queue));
        self.queues.truncate(COMPARED);
        queue
    }
}

fn shared<T: Clone + PartialEq>(known: &mut VecDeque<Shared<T>>, part: &mut Shared<T>) {
    if let Some(equal) = known.iter().find(|known| known.is_same(part) || ***known == **part) {
        *part = equal.clone();
        return;
    }
    known.push_front(part.clone());
    known.truncate(COMPARED);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job_files::tests::sues;

    #[test]
    fn equal_jobs_share_their_submission_and_a_changed_one_has_its_own() {
        let mut interned = Interned::default();
        let spec = |name: &str| JobSpec { name: name.to_owned(), ..JobSpec::default() };
        let mut jobs: Vec<Job> = (0..4).map(|number| sues(number, spec(if number == 3 { "b" } else { "a" }))).collect();
        jobs[2].spec.priority = 7;
        jobs.iter_mut().for_each(|job| interned.share(job));
        let is_same = |one: usize, other: usize| jobs[one].spec.is_same(&jobs[other].spec);
        assert_eq!([is_same(0, 1), is_same(0, 2), is_same(0, 3)], [true, false, false]);
        assert!(jobs[2].as_submitted.is_same(&jobs[0].spec) && jobs[2].spec.priority == 7);
        assert!(jobs.iter().all(|job| job.owner.is_same(&jobs[0].owner)));
        (0..20).for_each(|number| interned.share(&mut sues(number, spec(&number.to_string()))));
        assert_eq!((interned.owners.len(), interned.specs.len()), (1, COMPARED));
        let queues = ["root.a", "root.b", "root.a"].map(|path| interned.queue(path));
        assert!(Arc::ptr_eq(&queues[0], &queues[2]) && *queues[1] == *"root.b");
    }
}
