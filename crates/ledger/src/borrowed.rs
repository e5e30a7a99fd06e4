//! Computes the borrowed part of usage: usage above the guaranteed resources of a queue.
//!
//! The quantity that a guaranteed queue borrowed in an hour is divided in proportion among all usage in its subtree in
//! that hour. Usage counts against the nearest ancestor with a guaranteed quantity of the resource; without one, all of
//! it is borrowed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::hours::{Account, Hour};
use super::{In, Integral};
use model::QueuePath;

struct Pot {
    used: u128,
    borrowed: u128,
    /// The usage of the accounts that already have a share; it prevents rounding losses.
    shared: u128,
}

impl Pot {
    fn take(&mut self, used: u128) -> u128 {
        let before = part(self.shared, self.borrowed, self.used);
        self.shared = self.shared.saturating_add(used).min(self.used);
        part(self.shared, self.borrowed, self.used) - before
    }
}

/// Divides the borrowed quantities of one hour; accounts must come in order.
pub(super) struct Shares<'h> {
    hour: &'h Hour,
    pots: BTreeMap<(In<QueuePath>, Box<str>), Pot>,
    /// The ancestors of the last account's leaf, the nearest first: the accounts of a leaf are consecutive.
    path: (In<QueuePath>, Vec<In<QueuePath>>),
}

impl<'h> Shares<'h> {
    pub fn of(hour: &'h Hour) -> Self {
        let nowhere = (Arc::from(""), QueuePath::root());
        let mut shares = Self { hour, pots: BTreeMap::new(), path: (nowhere, Vec::new()) };
        for ((partition, queue), used) in &hour.queues {
            for (name, _) in used.guaranteed.micros() {
                let within = used.within.amount(name);
                // Temporarily the usage within the guaranteed quantity.
                let pot = Pot { used: 0, borrowed: within, shared: 0 };
                shares.pots.insert(((Arc::clone(partition), queue.clone()), Box::from(name)), pot);
            }
        }
        for (account, used) in &hour.accounts {
            shares.go_to(account);
            for (name, amount) in used.allocated.micros() {
                for queue in &shares.path.1 {
                    if let Some(pot) = shares.pots.get_mut(&(queue.clone(), Box::from(name))) {
                        pot.used = pot.used.saturating_add(amount);
                    }
                }
            }
        }
        shares.pots.values_mut().for_each(|pot| pot.borrowed = pot.used.saturating_sub(pot.borrowed));
        shares
    }

    fn go_to(&mut self, account: &Account) {
        let leaf = (&account.partition, &account.queue);
        if (&self.path.0.0, &self.path.0.1) == leaf {
            return;
        }
        let up = std::iter::successors(Some(account.queue.clone()), QueuePath::parent);
        let keys = up.map(|queue| (Arc::clone(&account.partition), queue));
        let guaranteed = keys.filter(|key| self.hour.queues.contains_key(key)).collect();
        self.path = ((Arc::clone(&account.partition), account.queue.clone()), guaranteed);
    }

    pub fn take(&mut self, account: &Account, allocated: &Integral) -> Integral {
        self.go_to(account);
        let mut borrowed = Integral::default();
        for (name, amount) in allocated.micros() {
            let mut nearest = self.path.1.iter().map(|queue| (queue.clone(), Box::from(name)));
            let pot = nearest.find(|key| self.pots.contains_key(key)).and_then(|key| self.pots.get_mut(&key));
            let share = pot.map_or(amount, |pot| pot.take(amount));
            if share > 0 {
                borrowed.add_micros(name, share);
            }
        }
        borrowed
    }
}

/// `amount * part / whole`, rounded down, without overflow; `part` is at most `whole`. 0 if `whole` is 0.
fn part(amount: u128, part: u128, whole: u128) -> u128 {
    if whole == 0 {
        return 0;
    }
    if let Some(product) = amount.checked_mul(part) {
        return product / whole;
    }
    // Bit by bit, so that nothing exceeds 128 bits.
    let (mut quotient, mut rest) = (0_u128, 0_u128);
    for bit in (0..128 - amount.leading_zeros()).rev() {
        quotient = quotient.saturating_mul(2);
        rest = rest.saturating_mul(2);
        if amount >> bit & 1 == 1 {
            rest = rest.saturating_add(part);
        }
        while rest >= whole {
            rest -= whole;
            quotient = quotient.saturating_add(1);
        }
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_exact_where_a_product_would_not_fit() {
        assert_eq!(part(7, 2, 3), 4);
        assert_eq!(part(5, 0, 0), 0);
        let hour: u128 = 3_600_000_000;
        let whole = (1 << 47) * hour;
        assert_eq!(part(whole, whole, whole), whole);
        assert_eq!(part(whole, whole / 4, whole), whole / 4);
        assert_eq!(part(whole / 3, whole - 1, whole), whole / 3 - 1);
    }

    #[test]
    fn shares_add_up_to_what_was_borrowed() {
        let mut pot = Pot { used: 10, borrowed: 7, shared: 0 };
        assert_eq!([3, 3, 3, 1].map(|used| pot.take(used)), [2, 2, 2, 1]);
    }
}
