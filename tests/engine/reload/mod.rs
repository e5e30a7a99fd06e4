//! Reloading a configuration file into a running scheduler (`config.md` section 15, `scheduler.md` section 17): what comes into
//! force, what drains, what comes back, what is refused, and that nothing that runs is touched. And what is decided at start only.

mod again;
mod drains;
mod of_workload;
mod packing;
mod partitions;
mod preempting;
mod settings;
mod stage;
mod trees;
mod watched;
