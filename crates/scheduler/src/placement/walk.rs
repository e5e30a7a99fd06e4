//! Running one rule with its chain of parents (`placement.md` sections 3 and 4).

use config::RuleKind;
use model::QueuePath;

use super::filter::FilterVerdict;
use super::refusal::{Refusal, Refused};
use super::rules::{Link, Rule, illegal_part, is_qualified, parent_path};
use super::submission::Submission;
use super::switches::{Draining, Switches};
use super::trace::{LinkEnd, LinkTrace, RuleTrace, SkipReason};
use super::tree::{QueueFacts, QueueState, QueueTree, ancestors};
use super::well_known::RECOVERY_QUEUE;

/// The tag that the `applicationtype` rule reads (PLC-047).
pub const TYPE_TAG: &str = "application.type";

pub(super) struct Walk<'a, T: ?Sized> {
    pub(super) switches: Switches,
    pub(super) submission: &'a Submission<'a>,
    pub(super) tree: &'a T,
}

#[derive(Debug)]
pub(super) enum RuleStop {
    Next(SkipReason),
    Refused(Refused),
}

pub(super) struct RuleQueue {
    /// Names are checked in this form (PLC-023).
    pub(super) written: String,
    pub(super) path: QueuePath,
    pub(super) queue: Option<QueueState>,
}

impl<T: QueueTree + ?Sized> Walk<'_, T> {
    /// Inputs and filters from the rule to its last parent, then the paths in the opposite order (PLC-039).
    pub(super) fn run(&self, rule: &Rule, trace: &mut RuleTrace) -> Result<RuleQueue, RuleStop> {
        for link in &rule.links {
            let step = self.open(link);
            let (end, qualified, depth) = (step.end, step.qualified, trace.steps.len());
            trace.steps.push(step);
            match end {
                LinkEnd::Yields if qualified => break,
                LinkEnd::Yields => {}
                LinkEnd::IllegalName => {
                    end_all(&mut trace.steps[..depth], LinkEnd::ParentFailed);
                    let path = trace.steps[depth].name().to_owned();
                    let part = illegal_part(&path, self.switches).unwrap_or_default().to_owned();
                    return Err(RuleStop::Refused(Refusal::IllegalName { path, part }.into()));
                }
                _ => return Err(no_result(trace, depth)),
            }
        }
        let mut found = None;
        for depth in (0..trace.steps.len()).rev() {
            found = Some(self.close(trace, depth, found)?);
        }
        found.ok_or(RuleStop::Next(SkipReason::NoResult))
    }

    /// Input, filter, legal name (PLC-030, PLC-031, PLC-022, PLC-023).
    fn open(&self, link: &Link) -> LinkTrace {
        let mut step = LinkTrace {
            kind: link.kind,
            create: link.create,
            value: link.value.clone(),
            input: None,
            filter: FilterVerdict::NotAsked,
            qualified: false,
            replaced: None,
            parent: None,
            path: None,
            queue: None,
            end: LinkEnd::NoInput,
        };
        let Some(input) = self.input(link) else { return step };
        step.input = Some(input.into());
        step.filter = link.filter.judge(self.submission.identity);
        if !step.filter.passes() {
            step.end = LinkEnd::Filtered;
            return step;
        }
        step.qualified = match link.kind {
            RuleKind::Fixed => link.qualified,
            RuleKind::Provided | RuleKind::Tag => is_qualified(input, self.switches),
            RuleKind::User | RuleKind::PrimaryGroup | RuleKind::SecondaryGroup | RuleKind::ApplicationType => false,
        };
        if !step.qualified && !link.kind.value_is_queue() && input.contains('.') {
            step.replaced = Some(input.replace('.', "_dot_").into());
        }
        let legal = !self.switches.illegal_name || illegal_part(step.name(), self.switches).is_none();
        step.end = if legal { LinkEnd::Yields } else { LinkEnd::IllegalName };
        step
    }

    fn input<'s>(&'s self, link: &'s Link) -> Option<&'s str> {
        let Submission { queue, identity, .. } = *self.submission;
        let input = match link.kind {
            RuleKind::Provided => Some(queue),
            RuleKind::User => Some(identity.user.as_str()),
            RuleKind::Fixed => Some(&*link.value),
            RuleKind::Tag => self.submission.tag(&link.value),
            RuleKind::PrimaryGroup => identity.groups.first().map(String::as_str),
            RuleKind::SecondaryGroup => {
                let mut others = identity.groups.iter().skip(1);
                let wanted = others.find(|group| link.wanted.is_absent() || link.wanted.find(group).is_some());
                wanted.map(String::as_str)
            }
            RuleKind::ApplicationType => self.submission.tag(TYPE_TAG),
        };
        input.filter(|input| !input.is_empty())
    }

    /// PLC-034 to PLC-037.
    fn close(&self, trace: &mut RuleTrace, depth: usize, parent: Option<RuleQueue>) -> Result<RuleQueue, RuleStop> {
        let parent = parent.map(|parent| self.as_parent(parent));
        let step = &mut trace.steps[depth];
        let written = match &parent {
            _ if step.qualified => step.name().to_owned(),
            Some(parent) => format!("{}.{}", parent.written, step.name()),
            None => format!("root.{}", step.name()),
        };
        if let Some(RuleQueue { path, queue, .. }) = parent {
            step.parent = Some(path.clone());
            if queue.is_some_and(|queue| queue.leaf) {
                step.end = LinkEnd::ParentIsLeaf;
                end_all(&mut trace.steps[..depth], LinkEnd::ParentFailed);
                return Err(RuleStop::Refused(Refusal::ParentIsLeaf { rule: trace.rule, leaf: path }.into()));
            }
        }
        let path = QueuePath::new(&written);
        let queue = self.queue(path.as_str()).map(|queue| queue.state);
        step.path = Some(path.clone());
        step.queue = queue;
        if queue.is_none() && !step.create {
            step.end = LinkEnd::Missing;
            return Err(no_result(trace, depth));
        }
        Ok(RuleQueue { written, path, queue })
    }

    /// The result of a parent rule, brought below the root (PLC-034).
    fn as_parent(&self, found: RuleQueue) -> RuleQueue {
        let Some(path) = parent_path(&found.path, self.switches) else { return found };
        let queue = self.queue(path.as_str()).map(|queue| queue.state);
        RuleQueue { written: format!("root.{}", found.written), path, queue }
    }

    /// Without the recovery queue if that is closed (PLC-064).
    pub(super) fn queue(&self, path: &str) -> Option<QueueFacts<'_>> {
        let hidden = !self.switches.recovery_queue_open && path == RECOVERY_QUEUE;
        if hidden { None } else { self.tree.queue(path) }
    }

    pub(super) fn nearest(&self, path: &str) -> Option<QueueFacts<'_>> {
        ancestors(path).find_map(|path| self.queue(path))
    }

    /// The queue because of which nothing goes to the one at `path` (PLC-062).
    pub(super) fn draining(&self, path: &str) -> Option<QueuePath> {
        let reach = match self.switches.draining {
            Draining::Ignored => 0,
            Draining::Leaf => 1,
            Draining::Path => usize::MAX,
        };
        let mut queues = ancestors(path).take(reach).filter_map(|path| self.queue(path));
        queues.find(|queue| queue.state.draining).map(|queue| queue.path.clone())
    }
}

impl LinkTrace {
    /// The part of the path: the input, with its dots replaced if necessary.
    pub fn name(&self) -> &str {
        self.replaced.as_deref().or(self.input.as_deref()).unwrap_or_default()
    }
}

fn no_result(trace: &mut RuleTrace, depth: usize) -> RuleStop {
    end_all(&mut trace.steps[..depth], LinkEnd::NoParent);
    RuleStop::Next(SkipReason::NoResult)
}

fn end_all(steps: &mut [LinkTrace], end: LinkEnd) {
    for step in steps {
        step.end = end;
    }
}
