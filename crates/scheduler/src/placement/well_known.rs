//! Queues that placement knows by name.

/// For unplaced forced applications (PLC-092).
pub const RECOVERY_QUEUE: &str = "root.@recovery@";

/// The queue that 1.8 tries when no rule matched (PLC-004).
pub const FALLBACK_QUEUE: &str = "root.default";
