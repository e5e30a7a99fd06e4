//! Saves and restores a ledger.

use imbl::OrdMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::hours::{Account, Hour, Hours, QueueUsed, Used};
use super::meter::{AppMeter, QueueMeter};
use super::{Integral, Ledger};
use model::{AppId, QueuePath, Time};

type SavedHour = (u64, Vec<(Account, Used)>, Vec<(String, QueuePath, QueueUsed)>);

/// The saved format: lists instead of maps. Fields are written without names, in this order.
#[derive(Serialize, Deserialize)]
struct Saved {
    since: Time,
    folded: u64,
    apps: Vec<(String, AppId, AppMeter)>,
    queues: Vec<(String, QueuePath, QueueMeter)>,
    hours: Vec<SavedHour>,
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let queue_rows = |hour: &Hour| {
            let rows = hour.queues.iter().map(|((part, path), used)| (part.to_string(), path.clone(), used.clone()));
            rows.collect()
        };
        let accounts = |hour: &Hour| hour.accounts.iter().map(|(key, used)| (key.clone(), used.clone())).collect();
        let apps = self.apps.iter().map(|((part, app), meter)| (part.to_string(), app.clone(), meter.clone()));
        let queues = self.queues.iter().map(|((part, path), meter)| (part.to_string(), path.clone(), meter.clone()));
        let hours = self.hours.hours.iter().map(|(number, hour)| (*number, accounts(hour), queue_rows(hour)));
        let saved = Saved {
            since: self.hours.since,
            folded: self.hours.folded,
            apps: apps.collect(),
            queues: queues.collect(),
            hours: hours.collect(),
        };
        saved.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Ledger {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(from)?;
        let hour = |(number, accounts, queues): SavedHour| {
            let queues = queues.into_iter().map(|(part, path, used)| ((part.into(), path), used));
            (number, Hour { accounts: accounts.into_iter().collect(), queues: queues.collect() })
        };
        let hours: OrdMap<u64, Hour> = saved.hours.into_iter().map(hour).collect();
        Ok(Self {
            apps: saved.apps.into_iter().map(|(part, app, meter)| ((part.into(), app), meter)).collect(),
            queues: saved.queues.into_iter().map(|(part, path, meter)| ((part.into(), path), meter)).collect(),
            hours: Hours::restored(hours, saved.since, saved.folded),
            ..Self::default()
        })
    }
}

/// A 128-bit number as two halves: not every format supports 128 bits.
impl Serialize for Integral {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let halves = |amount: u128| ((amount >> 64) as u64, (amount & u128::from(u64::MAX)) as u64);
        to.collect_seq(self.micros().map(|(name, amount)| (name, halves(amount))))
    }
}

impl<'de> Deserialize<'de> for Integral {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut integral = Self::default();
        for (name, (upper, lower)) in Vec::<(String, (u64, u64))>::deserialize(from)? {
            integral.add_micros(&name, (u128::from(upper) << 64) | u128::from(lower));
        }
        Ok(integral)
    }
}
