//! The rules of a partition, compiled (`placement.md` sections 1 and 2).

use std::sync::Arc;

use smallvec::SmallVec;

use config::{Place, RuleConfig, RuleKind, RuleValue};
use model::expression::ExpressionFault;
use model::name::is_queue_name;
use model::{Profile, QueuePath};

use super::filter::{Filter, Names};
use super::switches::Switches;

/// Compiled rules. A new list is complete before it replaces the old one (PLC-100).
#[derive(Clone, Debug)]
pub struct Rules {
    pub(super) list: Vec<Rule>,
    /// Whether the recovery rule follows the list (PLC-003).
    pub(super) recovery: bool,
    pub(super) switches: Switches,
    profile: Profile,
    source: Arc<[RuleConfig]>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The rule, its parent, and so on. A list, so that no depth exhausts the stack.
    pub(super) links: SmallVec<[Link; 1]>,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) kind: RuleKind,
    pub(super) at: Place,
    pub(super) create: bool,
    pub(super) value: Arc<str>,
    /// Whether the fixed queue is qualified (PLC-021).
    pub(super) qualified: bool,
    pub(super) filter: Filter,
    /// The groups that a `secondarygroup` rule chooses from (PLC-045, PLC-046).
    pub(super) wanted: Names,
}

/// The reason why a list of rules is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFault {
    /// The index of the rule, from 0.
    pub rule: usize,
    /// The depth in the chain of parents: 0 is the rule itself.
    pub depth: usize,
    /// The location of the invalid rule.
    pub at: Place,
    /// What is wrong.
    pub kind: RuleFaultKind,
}

/// The kinds of errors in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleFaultKind {
    /// The releases do not know this rule (PLC-019, CFG-081).
    UnknownRule(RuleKind),
    /// `fixed` and `tag` require a value (CFG-086).
    NoValue(RuleKind),
    /// A whole path in `fixed` has a parent rule (CFG-087).
    QualifiedWithParent(String),
    /// A part of a `fixed` queue is not a legal name; checked by 1.8 (CFG-088).
    IllegalPart(String),
    /// An entry of the filter does not compile (CFG-083, CFG-084).
    Expression(String, ExpressionFault),
}

impl Rules {
    /// An empty list is a single `provided` rule without create (PLC-002).
    ///
    /// # Errors
    /// The first invalid rule.
    pub fn build(configs: &[RuleConfig], profile: Profile) -> Result<Self, RuleFault> {
        Self::build_by(configs, profile, Switches::of(profile))
    }

    /// Does the same with switches that may differ from the profile's.
    ///
    /// # Errors
    /// The first invalid rule.
    pub fn build_by(configs: &[RuleConfig], profile: Profile, switches: Switches) -> Result<Self, RuleFault> {
        let provided = [RuleConfig::default()];
        let configs = if configs.is_empty() { &provided } else { configs };
        let list = configs.iter().enumerate().map(|(number, config)| Rule::build(number, config, switches));
        let list = list.collect::<Result<_, _>>()?;
        Ok(Self { list, recovery: true, switches, profile, source: configs.into() })
    }

    /// Compiles the rules at startup. With invalid rules, the releases start and reject every application (PLC-101,
    /// switch `rules_at_start`).
    ///
    /// # Errors
    /// The first invalid rule, if it prevents the start.
    pub fn build_at_start(configs: &[RuleConfig], profile: Profile) -> Result<Self, RuleFault> {
        Self::build_at_start_by(configs, profile, Switches::of(profile))
    }

    /// Does the same with switches that may differ from the profile's.
    ///
    /// # Errors
    /// The first invalid rule, if it prevents the start.
    pub fn build_at_start_by(configs: &[RuleConfig], profile: Profile, switches: Switches) -> Result<Self, RuleFault> {
        match Self::build_by(configs, profile, switches) {
            Err(_) if switches.starts_without_rules => Ok(Self::none(profile)),
            result => result,
        }
    }

    /// No rules, not even the recovery rule: every application is rejected.
    pub fn none(profile: Profile) -> Self {
        Self { list: Vec::new(), recovery: false, switches: Switches::of(profile), profile, source: Arc::default() }
    }

    /// The profile of the rules.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The configuration of the rules; empty for [`Rules::none`].
    pub fn source(&self) -> &[RuleConfig] {
        &self.source
    }

    /// The number of rules, without the recovery rule.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the list has no rules ([`Rules::build_at_start`]).
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::none(Profile::default())
    }
}

impl Rule {
    fn build(number: usize, config: &RuleConfig, switches: Switches) -> Result<Self, RuleFault> {
        let mut links: SmallVec<[Link; 1]> = SmallVec::new();
        let mut next = Some(config);
        while let Some(config) = next {
            let link = Link::build(config, links.last(), switches).map_err(|kind| RuleFault {
                rule: number,
                depth: links.len(),
                at: config.at,
                kind,
            })?;
            links.push(link);
            next = config.parent.as_deref();
        }
        Ok(Self { links })
    }
}

impl Link {
    fn build(config: &RuleConfig, owner: Option<&Self>, switches: Switches) -> Result<Self, RuleFaultKind> {
        let RuleConfig { kind, create, ref value, .. } = *config;
        if !kind.is_in_releases() && !switches.more_rules {
            return Err(RuleFaultKind::UnknownRule(kind));
        }
        if kind.value() != RuleValue::Unused && value.is_empty() {
            return Err(RuleFaultKind::NoValue(kind));
        }
        let names_a_queue = kind.value_is_queue();
        let value = if names_a_queue { value.to_lowercase() } else { value.clone() };
        let qualified = names_a_queue && is_fixed_qualified(&value, switches);
        if names_a_queue && switches.illegal_name {
            illegal_part(&value, switches).map_or(Ok(()), |part| Err(RuleFaultKind::IllegalPart(part.to_owned())))?;
        }
        if qualified && config.parent.is_some() {
            return Err(RuleFaultKind::QualifiedWithParent(value));
        }
        let filter = Filter::build(&config.filter, switches.user_name_chars)
            .map_err(|(entry, fault)| RuleFaultKind::Expression(entry, fault))?;
        let wanted = match kind {
            RuleKind::SecondaryGroup => match owner.filter(|_| config.text) {
                Some(owner) => owner.filter.wanted_groups(),
                None => filter.wanted_groups(),
            },
            RuleKind::Provided | RuleKind::User | RuleKind::Fixed | RuleKind::Tag => Names::Absent,
            RuleKind::PrimaryGroup | RuleKind::ApplicationType => Names::Absent,
        };
        Ok(Self { kind, at: config.at, create, value: value.into(), qualified, filter, wanted })
    }
}

/// `value` is in lower case (PLC-021).
fn is_fixed_qualified(value: &str, switches: Switches) -> bool {
    // The releases check only the prefix, so `rootbeer` is one too.
    if switches.any_case { value == "root" || is_qualified(value, switches) } else { value.starts_with("root") }
}

/// Whether `text` starts with `root.` and so is a whole path (PLC-021).
pub(super) fn is_qualified(text: &str, switches: Switches) -> bool {
    const FRONT: &str = "root.";
    let front = text.as_bytes().get(..FRONT.len());
    front.is_some_and(|front| {
        front == FRONT.as_bytes() || switches.any_case && front.eq_ignore_ascii_case(FRONT.as_bytes())
    })
}

/// The first part of a path that is no legal name (PLC-023).
pub(super) fn illegal_part(path: &str, switches: Switches) -> Option<&str> {
    path.split('.').find(|part| !is_queue_name(part, switches.queue_name_chars))
}

/// The path that a parent rule's result represents (PLC-034).
pub(super) fn parent_path(path: &QueuePath, switches: Switches) -> Option<QueuePath> {
    // A `fixed` parent with the value `root` is the root here; the releases use `root.root`.
    let whole = is_qualified(path.as_str(), switches) || switches.any_case && path.as_str() == "root";
    (!whole).then(|| QueuePath::new(&format!("root.{path}")))
}
