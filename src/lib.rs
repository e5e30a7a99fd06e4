//! kornsole: a console for people who run Apache YuniKorn scheduler, with the scheduler inside.
//!
//! # The map
//!
//! This crate is the command line. Each layer below it is a crate in `crates/`, which uses the crates below it in this list and none above;
//! `tests/tidy/crates.rs` has the exact edges. The head of each `lib.rs` has the invariants and where to read first.
//! `docs/architecture.md` says why it is so, `docs/glossary.md` has the words, `docs/rules.md` the rules that comments cite.
//!
//! ```text
//!  console     the terminal: state, present, input, update, draw, shell; one command registry; tapes that play keys against it
//!  source      the interface between a console and a cluster, embedded or remote
//!  local       local jobs: real processes for allocations on this machine
//!  client      the REST client
//!  cluster     Kubernetes by a kubeconfig (`kube`), and the half of a scheduler that speaks with it (`shim`)
//!  server      the REST server, tokens
//!  wire        the types of the REST API, conversion from and to views
//!  alerts      rules over what is seen, and the state of each alert; pure; `alerting` evaluates, stores, and sends
//!  engine      one owner of one scheduler, on a clock, with a journal
//!  forecast    forks of a scheduler: `whatif`, `simulate`, `twin` and `shadow` of a remote one; pure
//!  kubernetes  pods and nodes of Kubernetes as commands, and its filters as predicates; pure
//!  view        the read model: what a person sees, shared where nothing changed
//!  ledger      usage over time: resources times time, by hour; pure
//!  scenario    scenario files, traces, the workload of the demo
//!  scheduler   the core: apply(now, command) -> events; pure
//!  config      queue configurations: every value with its location, every error at once
//!  model       resources, paths, priorities, identities, access lists
//! ```
//!
//! # A key
//!
//! 1. The thread `console-input` reads it from the terminal and sends an event; `Loop::take` receives it, `Session::step` is the only way
//!    into the console.
//! 2. `key::action` looks the key up in the contexts of the page, asks `guard::check`, and makes an `Action`: run the command, say why it
//!    is off, wait for the rest of a chord, or write into a field.
//! 3. `update::update` changes the state and returns effects. It reads nothing but the state.
//! 4. `Session::carry_out` sends orders to the source; `Loop::carry_out` gives work to the worker threads and does what needs the
//!    terminal. Nothing waits.
//! 5. `Loop::refresh` takes the newest view, `Session::draw` draws the state through `draw::paint` into the buffer, once for all keys that
//!    came together.
//! 6. What returns is a `Reply` on one channel: `Session::take_reply` makes an `Action` of it, an order's with the view that shows it.
//!
//! # A REST order
//!
//! 1. `listen` accepts the connection, `native::routed` finds the row of the table of routes, `caller::of` the identity behind the token.
//! 2. `act::order` makes an `Order` of the body, `NativeApi::perform` gives it to `Host::perform` with a place for the answer.
//! 3. The thread `scheduler` receives it: `Owner::gather` waits for others that come at the same time, `Owner::commit_orders` writes all of
//!    them to the journal, with one wait for the disk.
//! 4. `orders::perform` carries each out: rights and state are checked inside the scheduler, by `Scheduler::apply`, which changes everything
//!    or nothing. The audit gets its entry, allowed or refused.
//! 5. `Output::send_answers` publishes events and the view, then answers; `act::reply` says the outcome in the words of the wire.
//!
//! A read takes the published view, `convert` says it in the types of `dto`; the engine is not asked.
//!
//! # A cycle
//!
//! 1. `Owner::run` wakes for an order, a timer or work that is left; `Core::run_until` carries out what is due, in virtual time and a fixed
//!    order.
//! 2. `Scheduler::apply` runs the timers, then `Partition::cycle` for each partition: the reserved step, the replacement of
//!    placeholders, the normal step; the first that finds something ends the cycle.
//! 3. `Partition::walk_queues` goes through the queues depth first, children by `QueueTree::next_child` in the order of priority and fair share.
//! 4. `Partition::try_leaf` goes through the applications of a leaf, `try_asks::try_asks` through the asks of one: limits, headroom, nodes,
//!    preemption.
//! 5. `Partition::commit` moves every counter at once: node, queues, application, users, state, priorities.
//! 6. The events go to the log; `Core::take_view` makes the next view, in which only the rows change that the cycle changed.

pub mod cli;
