//! Placement rules, as far as the file alone decides (CFG-080 to CFG-094), and rules without an effect.

use std::collections::HashMap;

use super::static_paths::ConfiguredQueues;
use crate::fault::Faults;
use crate::passes::{FilterNames, Share};
use crate::raw::{RawFilter, RawQueue, RawRule};
use crate::types::Placed;
use crate::values::placement_rule::is_qualified;
use crate::values::{FilterType, RuleKind, RuleValue};
use model::allowed_value::one_of;
use model::expression::{Compiler, is_expression};
use model::name::{NameChars, is_limit_group, is_limit_user, is_queue_name};

pub(super) fn check(rules: &[RawRule], root: &RawQueue, path: &str, compiler: &mut Compiler, faults: &mut Faults) {
    if rules.is_empty() {
        return;
    }
    let tree = ConfiguredQueues::new(root, faults.as_release());
    let mut certain: Option<usize> = None;
    // The first rule of each essence, with its creates.
    let mut seen: HashMap<String, (usize, Vec<bool>)> = HashMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let chain = chain(rule);
        let key = essence(&chain);
        let path = format!("{path}.placementrules[{index}]");
        let label = format!("rule {} ({})", index + 1, chain_label(&chain));
        if let Some(certain) = certain {
            let message = format!("{label} is never reached: rule {} places every application", certain + 1);
            let hint = "move it before that rule, add a filter to that rule, or remove it";
            faults.warning("W-005", rule.at, &path, message, hint);
        } else if let Some((same, create)) = seen.get(&key)
            && creates(&chain).iter().zip(create).all(|(own, before)| own <= before)
        {
            let message = format!("{label} has no effect: rule {} covers the same cases first", same + 1);
            faults.warning("PLC-001", rule.at, &path, message, "remove it");
        }
        seen.entry(key).or_insert_with(|| (index, creates(&chain)));
        let before = faults.errors();
        for (nth, rule) in chain.iter().enumerate() {
            RuleChecker { label: &label, path: &path, compiler, faults }.rule(rule, nth + 1 < chain.len());
        }
        if faults.as_release() {
            tree.check_as_release(&chain, &label, &path, faults);
        }
        if faults.errors() == before {
            tree.check_path(&chain, &label, &path, faults);
            if certain.is_none() && tree.places_everything(&chain, faults.profile()) {
                certain = Some(index);
            }
        }
    }
}

/// The later of two equal chains has no effect, unless it creates more.
fn essence(chain: &[&RawRule]) -> String {
    let mut essence = String::new();
    // Quoted, to be unambiguous.
    let mut add = |word: &str| essence.push_str(&format!("{word:?} "));
    for rule in chain {
        add(if rule.text { "text" } else { "" });
        add(&rule.name.value.to_lowercase());
        add(&rule.value.as_ref().map(|value| value.value.to_lowercase()).unwrap_or_default());
        let Some(filter) = &rule.filter else { continue };
        add(filter.kind.as_ref().map_or("", |kind| &kind.value));
        for (list, of) in [(&filter.users, "users"), (&filter.groups, "groups")] {
            add(of);
            list.iter().for_each(|name| add(&name.value));
        }
    }
    essence
}

fn creates(chain: &[&RawRule]) -> Vec<bool> {
    chain.iter().map(|rule| rule.create.as_good().is_some_and(|create| create.value)).collect()
}

fn chain(rule: &RawRule) -> Vec<&RawRule> {
    let mut chain: Vec<&RawRule> = std::iter::successors(Some(rule), |rule| rule.parent.as_deref()).collect();
    chain.reverse();
    chain
}

fn chain_label(chain: &[&RawRule]) -> String {
    let names = chain.iter().map(|rule| rule.name.value.as_str());
    names.map(|name| if name.is_empty() { "?" } else { name }).collect::<Vec<_>>().join("->")
}

fn texts(names: &[Placed<String>]) -> Vec<&str> {
    names.iter().map(|name| name.value.as_str()).collect()
}

struct RuleChecker<'c> {
    label: &'c str,
    path: &'c str,
    compiler: &'c mut Compiler,
    faults: &'c mut Faults,
}

impl RuleChecker<'_> {
    fn rule(&mut self, rule: &RawRule, is_parent: bool) {
        let label = self.label;
        let name = &rule.name;
        let mut chars = name.value.chars();
        let identifier = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
        let kind = RuleKind::read(&name.value, self.faults.profile());
        if !identifier && !rule.name_faulty {
            let message = if name.value.is_empty() {
                format!("{label} has no name")
            } else {
                format!("{label}: {:?} is not a rule name", name.value)
            };
            self.faults.error(
                "CFG-080",
                name.at,
                self.path,
                message,
                format!("write one of: {}", RuleKind::spellings(self.faults.profile()).join(", ")),
            );
        } else if kind.is_none() && !rule.name_faulty {
            let message = format!("{label}: rule {:?} not found", name.value);
            self.faults.strict(
                "CFG-081",
                name.at,
                self.path,
                message,
                format!("write one of: {}", RuleKind::spellings(self.faults.profile()).join(", ")),
            );
        }
        if let Some(filter) = &rule.filter {
            self.filter(filter, is_parent);
        }
        if let Some(kind) = kind {
            self.value(rule, kind);
        }
    }

    /// CFG-086 to CFG-088, CFG-094.
    fn value(&mut self, rule: &RawRule, kind: RuleKind) {
        let label = self.label;
        let value = rule.value.as_ref().filter(|value| !value.value.is_empty());
        match (kind.value(), value) {
            (RuleValue::QueuePath, Some(value)) => self.fixed(rule, value),
            (RuleValue::QueuePath, None) => self.no_value(rule, "a queue path"),
            (RuleValue::TagName, None) => self.no_value(rule, "the name of a tag: `value: namespace`"),
            (RuleValue::TagName, Some(_)) | (RuleValue::Unused, None) => {}
            (RuleValue::Unused, Some(value)) => {
                let message = format!("{label}: `value` has no effect on `{}`", rule.name.value);
                let hint = "remove it; only `fixed` and `tag` use it";
                self.faults.warning("CFG-094", value.at, self.path, message, hint);
            }
        }
    }

    /// CFG-086; `expected` is what the value should be.
    fn no_value(&mut self, rule: &RawRule, expected: &str) {
        let message = format!("{}: `{}` has no `value`", self.label, rule.name.value);
        self.faults.strict("CFG-086", rule.at, self.path, message, format!("write {expected}"));
    }

    /// Checks the queue that a `fixed` rule names (CFG-087, CFG-088).
    fn fixed(&mut self, rule: &RawRule, value: &Placed<String>) {
        let label = self.label;
        if is_qualified(&value.value) && rule.parent.is_some() {
            let message = format!("{label}: {:?} is a full path, but the rule has a parent rule", value.value);
            let hint = "remove the parent rule, or write the value without `root.`";
            self.faults.strict("CFG-087", value.at, self.path, message, hint);
        }
        let chars = if self.faults.profile().is_since_1_8() { NameChars::Wide } else { NameChars::Narrow };
        for segment in value.value.split('.') {
            if !is_queue_name(segment, chars) {
                let message = format!("{label}: {segment:?} in {:?} is not a valid queue name", value.value);
                let hint = "names between the dots: 1 to 64 of a-z A-Z 0-9 _ -";
                self.faults.strict("CFG-088", value.at, self.path, message, hint);
            }
        }
    }

    /// CFG-082 to CFG-085, W-004.
    fn filter(&mut self, filter: &RawFilter, is_of_parent: bool) {
        let label = self.label;
        if let Some(kind) = filter.kind.as_ref().filter(|kind| FilterType::of_text(&kind.value).is_none()) {
            let message = format!("{label}: unknown filter type {:?}", kind.value);
            let default = FilterType::default().name();
            let hint = format!("write {}, or remove it for {default}", one_of(FilterType::ALLOWED, "`"));
            self.faults.error("CFG-082", kind.at, self.path, message, hint);
        }
        let chars = if self.faults.profile().is_since_1_8() { NameChars::Wide } else { NameChars::Narrow };
        let user = |name: &str| is_limit_user(name, chars);
        self.names(&filter.users, "user", "CFG-083", user);
        self.names(&filter.groups, "group", "CFG-084", is_limit_group);
        self.passes_no_user(filter, is_of_parent, chars);
    }

    /// W-004 for a filter that no user passes.
    fn passes_no_user(&mut self, filter: &RawFilter, is_of_parent: bool, chars: NameChars) {
        let kind = filter.kind.as_ref().map_or("", |kind| &kind.value);
        let names = FilterNames {
            denies: FilterType::text_denies(kind, self.faults.as_release()),
            users: texts(&filter.users),
            groups: texts(&filter.groups),
        };
        // So that the space of the file is left for its own expressions.
        let mut compiler = Compiler::default();
        if names.passing(chars, &mut compiler) == Share::None
            && let Some((message, hint)) = names.message(is_of_parent, chars, &mut compiler)
        {
            self.faults.warning("W-004", filter.at, self.path, format!("{}: {message}", self.label), hint);
        }
    }

    fn names(&mut self, list: &[Placed<String>], word: &str, code: &'static str, legal: impl Fn(&str) -> bool) {
        let label = self.label;
        if let [one] = list {
            if legal(&one.value) {
                return;
            }
            let hint = format!("write a {word} name, a list of names, or one regular expression");
            if !is_expression(&one.value) {
                let message = format!("{label}: {:?} is not a {word} name or an expression", one.value);
                self.faults.error(code, one.at, self.path, message, hint);
            } else if let Err(why) = self.compiler.compile(&one.value) {
                let message = format!("{label}: the expression {:?} does not compile: {why}", one.value);
                self.faults.error(code, one.at, self.path, message, hint);
            }
            return;
        }
        for name in list.iter().filter(|name| !legal(&name.value)) {
            let message = format!("{label}: {:?} is not a {word} name and is ignored", name.value);
            let hint = "a list has names only; an expression must be the only entry";
            self.faults.warning("CFG-085", name.at, self.path, message, hint);
        }
    }
}
