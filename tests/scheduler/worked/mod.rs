//! The worked examples of the scheduler's rules with their numbers.

mod stage;

mod ask_backoff;
mod asks;
mod asks_again;
mod causes;
mod gang_rules;
mod gang_timeouts;
mod gangs;
mod grounds;
mod known_ids;
mod life;
mod limits;
mod limits_basics;
mod limits_reload;
mod limits_rules;
mod order;
mod preempt;
mod preempt_rules;
mod priority;
mod queues;
mod quota;
mod release_1_5;
mod release_1_9;
mod reserve;
mod second_placeholder;
