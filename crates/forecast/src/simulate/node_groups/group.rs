//! A group of nodes as it is written: `m5.4xlarge: cpu=16, memory=64Gi, max=40, delay=90s, price=0.8`, or with several instance types,
//! `default: max=40; m5.large: cpu=2, memory=8Gi; m5.xlarge: cpu=4, memory=16Gi`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::arch::Arch;
use config::properties::parse_duration;
use model::quantity::{parse_quantity, show_amount};
use model::{MEMORY, Resource, VCORE};

/// How long a node is empty before it is removed, by default.
const UNNEEDED: Duration = Duration::from_secs(600);
/// The pods of a node that names no number, as the kubelet does.
const PODS: i64 = 110;
const MOST: u32 = 100_000;
const FORM: &str = "use for example 'm5.4xlarge: cpu=16, memory=64Gi, min=0, max=40, delay=90s, price=0.8'";

/// One kind of node of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceType {
    /// The name, for example `m5.4xlarge`.
    pub name: String,
    /// What each node has.
    pub capacity: Resource,
    /// The price of a node for an hour.
    pub price: Option<f64>,
    /// As it is given; its name may tell it, too.
    pub arch: Option<Arch>,
}

/// A group of nodes, of one or more instance types.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeGroup {
    /// Unique; the nodes are named after it.
    pub name: String,
    /// What its nodes can be.
    pub types: Vec<InstanceType>,
    /// Never fewer nodes.
    pub min: u32,
    /// Never more nodes.
    pub max: u32,
    /// What all its nodes have together, at most; without limit for what is not named.
    pub limits: Resource,
    /// From the request of a node until it is ready.
    pub delay: Duration,
    /// How long a request is pending before a node is requested for it.
    pub patience: Duration,
    /// How long a node is empty before it is removed; `None`: it stays.
    pub unneeded: Option<Duration>,
    /// After the same time, a node whose allocations fit on other nodes is removed too.
    pub consolidates: bool,
    /// A group with more weight is preferred.
    pub weight: i64,
}

impl Default for NodeGroup {
    /// Up to 1000 nodes without a capacity, ready at once.
    fn default() -> Self {
        Self {
            name: String::new(),
            types: Vec::new(),
            min: 0,
            max: 1000,
            limits: Resource::new(),
            delay: Duration::ZERO,
            patience: Duration::ZERO,
            unneeded: Some(UNNEEDED),
            consolidates: false,
            weight: 0,
        }
    }
}

impl FromStr for NodeGroup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(';');
        let (name, rest) = named(parts.next().unwrap_or_default())?;
        let mut group = Self { name: name.to_owned(), ..Self::default() };
        let mut own = InstanceType { name: name.to_owned(), ..InstanceType::default() };
        pairs(rest, |key, value| if group.set(key, value)? { Ok(()) } else { own.set(key, value) })?;
        if !own.capacity.is_zero() {
            group.types.push(own.clone());
        }
        for part in parts.filter(|part| !part.trim().is_empty()) {
            let (name, rest) = named(part)?;
            let mut one = InstanceType { name: name.to_owned(), capacity: Resource::new(), ..own.clone() };
            pairs(rest, |key, value| one.set(key, value))?;
            group.types.push(one);
        }
        group.checked()
    }
}

fn named(text: &str) -> Result<(&str, &str), String> {
    let (name, rest) = text.split_once(':').ok_or_else(|| format!("{text:?} has no name; {FORM}"))?;
    let name = name.trim();
    if name.is_empty() { Err(format!("{text:?} has no name; {FORM}")) } else { Ok((name, rest)) }
}

fn pairs(text: &str, mut set: impl FnMut(&str, &str) -> Result<(), String>) -> Result<(), String> {
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not KEY=VALUE; {FORM}"))?;
        set(key.trim(), value.trim())?;
    }
    Ok(())
}

fn amount(key: &str, value: &str) -> Result<(String, i64), String> {
    let name = if key == "cpu" { VCORE } else { key };
    let amount = parse_quantity(name, value).map_err(|why| format!("{key}: {why}"))?;
    Ok((name.to_owned(), amount))
}

impl FromStr for InstanceType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = named(text)?;
        let mut one = Self { name: name.to_owned(), ..Self::default() };
        pairs(rest, |key, value| one.set(key, value))?;
        one.checked()
    }
}

impl InstanceType {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if key == "price" {
            let price = value.parse::<f64>().ok().filter(|price| price.is_finite() && *price >= 0.0);
            self.price = Some(price.ok_or_else(|| format!("invalid price {value:?}: expected a number"))?);
            return Ok(());
        }
        if key == "arch" {
            self.arch = Some(value.parse()?);
            return Ok(());
        }
        let (name, amount) = amount(key, value)?;
        self.capacity.set(&name, amount);
        Ok(())
    }

    /// Given, or by its name; `None` if neither tells it.
    pub fn architecture(&self) -> Option<Arch> {
        self.arch.or_else(|| Arch::of_name(&self.name))
    }

    /// The type with the pods of the kubelet, if it has processors or memory.
    ///
    /// # Errors
    /// It has no capacity.
    pub fn checked(mut self) -> Result<Self, String> {
        if self.capacity.amount(VCORE) <= 0 && self.capacity.amount(MEMORY) <= 0 {
            return Err(format!("{} has no capacity; {FORM}", self.name));
        }
        if self.capacity.get("pods").is_none() {
            self.capacity.set("pods", PODS);
        }
        Ok(self)
    }
}

impl NodeGroup {
    fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let wrong = |expected: &str| format!("invalid {key} {value:?}: expected {expected}");
        let time = || parse_duration(value).ok_or_else(|| wrong("a time such as 90s"));
        let count = || value.parse::<u32>().map_err(|_| wrong("a number of nodes"));
        match key {
            "min" => self.min = count()?,
            "max" => self.max = count()?,
            "delay" => self.delay = time()?,
            "patience" => self.patience = time()?,
            "unneeded" if value == "never" => self.unneeded = None,
            "unneeded" => self.unneeded = Some(time()?),
            "consolidate" => self.consolidates = value.parse().map_err(|_| wrong("true or false"))?,
            "weight" => self.weight = value.parse().map_err(|_| wrong("a number"))?,
            _ => {
                let Some(of) = key.strip_prefix("limit.") else { return Ok(false) };
                let (name, amount) = amount(of, value)?;
                self.limits.set(&name, amount);
            }
        }
        Ok(true)
    }

    /// Fails without a capacity, or if `min` is above `max`.
    pub fn checked(mut self) -> Result<Self, String> {
        let name = &self.name;
        if self.types.is_empty() {
            return Err(format!("node group {name} has no capacity; {FORM}"));
        }
        if self.min > self.max {
            return Err(format!("node group {name}: min {} is above max {}", self.min, self.max));
        }
        if self.max > MOST {
            return Err(format!("node group {name}: max {} is above {MOST}", self.max));
        }
        let types = std::mem::take(&mut self.types).into_iter().map(InstanceType::checked);
        self.types = types.collect::<Result<_, _>>().map_err(|why| format!("node group {why}"))?;
        Ok(self)
    }
}

impl fmt::Display for NodeGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, types, min, max, limits, delay, patience, unneeded, consolidates, weight } = self;
        let time = |time: &Duration| format!("{}ms", time.as_millis());
        write!(f, "{name}: min={min}, max={max}, delay={}, patience={}", time(delay), time(patience))?;
        write!(f, ", unneeded={}", unneeded.as_ref().map_or_else(|| "never".to_owned(), time))?;
        write!(f, ", consolidate={consolidates}, weight={weight}")?;
        for (name, amount) in limits.iter() {
            write!(f, ", limit.{name}={}", exact(name, amount))?;
        }
        for InstanceType { name, capacity, price, arch } in types {
            let amounts = capacity.iter().map(|(name, amount)| format!("{name}={}", exact(name, amount)));
            let price = price.iter().map(|price| format!("price={price}"));
            let arch = arch.iter().map(|arch| format!("arch={arch}"));
            write!(f, "; {name}: {}", amounts.chain(price).chain(arch).collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

fn exact(name: &str, amount: i64) -> String {
    if name == VCORE { format!("{amount}m") } else { amount.to_string() }
}

impl NodeGroup {
    /// Whether it can have a node of this type at some time.
    pub(super) fn may_have(&self, one: &InstanceType) -> bool {
        self.max > 0 && fits_where_named(&one.capacity, &self.limits)
    }

    /// Why it can have no node, or none of some types.
    pub fn barred(&self) -> Vec<String> {
        if self.max == 0 {
            return vec![format!("node group {}: max=0 allows no node", self.name)];
        }
        let shown = |name: &str| if name == VCORE { "cpu".to_owned() } else { name.to_owned() };
        let reason = |one: &InstanceType| {
            let above = |(name, amount): &(&str, i64)| self.limits.get(name).is_some_and(|most| *amount > most);
            let (name, amount) = one.capacity.iter().find(above)?;
            let [most, amount] = [self.limits.amount(name), amount].map(|amount| show_amount(name, amount));
            let (group, kind, name) = (&self.name, &one.name, shown(name));
            Some(format!("node group {group}: limit.{name}={most} allows no node of {kind}, which has {name} {amount}"))
        };
        self.types.iter().filter_map(reason).collect()
    }

    pub(super) fn cheapest(&self) -> usize {
        let price = |number: &usize| self.types[*number].price.unwrap_or(f64::MAX);
        (0..self.types.len()).min_by(|one, other| price(one).total_cmp(&price(other))).unwrap_or_default()
    }
}

pub(super) fn fits(wants: &Resource, place: &Resource) -> bool {
    wants.iter().all(|(name, amount)| amount <= place.amount(name).max(0))
}

/// The same for a maximum, which does not limit what it does not name.
pub(super) fn fits_where_named(wants: &Resource, most: &Resource) -> bool {
    wants.iter().all(|(name, amount)| most.get(name).is_none_or(|most| amount <= most))
}
