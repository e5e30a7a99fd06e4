//! kornsole: a terminal console for Apache YuniKorn, with an embedded scheduler.
//!
//! # The map
//!
//! This crate is the command line. Each layer below it is a crate in `crates/`, which uses only crates below it in this
//! list; `tests/tidy/crates.rs` has the exact edges. Each `lib.rs` starts with the invariants and where to read first.
//! `docs/architecture.md` has the reasons, `docs/glossary.md` the terms, `docs/rules.md` the rules that comments cite.
//!
//! ```text
//!  console     the terminal: state, present, input, update, draw, shell; one command registry; tapes that play keys against it
//!  source      the interface between a console and a cluster, embedded or remote
//!  local       local jobs: real processes for allocations on this machine
//!  client      the REST client
//!  cluster     Kubernetes through a kubeconfig (`kube`), and the half of a scheduler that communicates with it (`shim`)
//!  server      the REST server, tokens
//!  wire        the types of the REST API, conversion from and to views
//!  alerts      rules over the view, and the state of each alert; pure; `alerting` evaluates, stores, and sends
//!  engine      one owner of one scheduler, on a clock, with a journal
//!  forecast    forks of a scheduler: `whatif`, `simulate`, `twin` and `shadow` of a remote one; pure
//!  kubernetes  pods and nodes of Kubernetes as commands, and its filters as predicates; pure
//!  view        the read model, shared where nothing changed
//!  ledger      usage over time: resources times time, by hour; pure
//!  scenario    scenario files, traces, the workload of the demo
//!  scheduler   the core: apply(now, command) -> events; pure
//!  config      queue configurations: every value with its location, every error at once
//!  model       resources, paths, priorities, identities, access lists
//! ```
//!
//! # A key
//!
//! 1. The thread `console-input` reads it from the terminal and sends an event; `Loop::take` receives it,
//!    `Session::step` is the only way into the console.
//! 2. `key::action` looks the key up in the contexts of the page, calls `guard::check`, and creates an `Action`: run
//!    the command, report why it is disabled, wait for the rest of a chord, or write into a field.
//! 3. `update::update` changes the state and returns effects. It reads only the state.
//! 4. `Session::carry_out` sends operations to the source; `Loop::carry_out` gives work to the worker threads and does
//!    what needs the terminal. Nothing waits.
//! 5. `Loop::refresh` takes the newest view, `Session::draw` draws the state through `draw::paint` into the buffer,
//!    once for all keys that arrived together.
//! 6. Results return as a `Reply` on one channel: `Session::take_reply` makes an `Action` of it; the result of an
//!    operation comes with the view that shows it.
//!
//! # A REST operation
//!
//! 1. `listen` accepts the connection, `native::routed` finds the row of the table of routes, `caller::of` the identity
//!    of the token.
//! 2. `act::order` parses the body into an `Order`, `NativeApi::perform` gives it to `Host::perform` with a channel for
//!    the answer.
//! 3. The thread `scheduler` receives it: `Owner::gather` waits for others that arrive at the same time,
//!    `Owner::commit_orders` writes all of them to the journal, with one sync of the disk.
//! 4. `orders::perform` applies each: `Scheduler::apply` checks rights and state, and changes everything or nothing.
//!    The audit gets its entry, allowed or rejected.
//! 5. `Output::send_answers` publishes events and the view, then answers; `act::reply` writes the outcome in wire
//!    types.
//!
//! A read takes the published view, and `convert` writes it in the types of `dto`; the engine is not involved.
//!
//! # A cycle
//!
//! 1. `Owner::run` wakes for an operation, a timer, or remaining work; `Core::run_until` runs what is due, in virtual
//!    time and a fixed order.
//! 2. `Scheduler::apply` runs the timers, then `Partition::cycle` for each partition: the reserved step, the
//!    replacement of placeholders, the normal step; the first step with a result ends the cycle.
//! 3. `Partition::walk_queues` visits the queues depth first, children by `QueueTree::next_child` in the order of
//!    priority and fair share.
//! 4. `Partition::try_leaf` visits the applications of a leaf, `try_asks::try_asks` the requests of an application:
//!    limits, headroom, nodes, preemption.
//! 5. `Partition::commit` updates all counters at once: node, queues, application, users, state, priorities.
//! 6. The events go to the log; `Core::take_view` creates the next view, in which only the changed rows are new.

pub mod cli;
