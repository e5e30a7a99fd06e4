//! Reloading a configuration file into a running scheduler (`config.md` section 15, `scheduler.md` section 17).

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
