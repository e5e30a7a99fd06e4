//! The worked examples of the scheduler's rules, each with the rule's own numbers: inputs as scenario steps, results step by
//! step.

#![allow(clippy::expect_used, reason = "a failed test says so by a panic")]

#[path = "worked/stage.rs"]
mod stage;

#[path = "worked/asks.rs"]
mod asks;
#[path = "worked/gang_rules.rs"]
mod gang_rules;
#[path = "worked/gangs.rs"]
mod gangs;
#[path = "worked/life.rs"]
mod life;
#[path = "worked/limits.rs"]
mod limits;
#[path = "worked/limits_basics.rs"]
mod limits_basics;
#[path = "worked/limits_reload.rs"]
mod limits_reload;
#[path = "worked/limits_rules.rs"]
mod limits_rules;
#[path = "worked/order.rs"]
mod order;
#[path = "worked/preempt.rs"]
mod preempt;
#[path = "worked/preempt_rules.rs"]
mod preempt_rules;
#[path = "worked/priority.rs"]
mod priority;
#[path = "worked/queues.rs"]
mod queues;
#[path = "worked/reserve.rs"]
mod reserve;
