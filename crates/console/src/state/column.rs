//! The columns for sorting lists.

use super::column_table::columns;

/// A column of a list.
pub trait Column: Copy + PartialEq + 'static {
    /// All columns in screen order.
    const ALL: &'static [Self];

    /// The name for `:sort` and the second line.
    fn name(self) -> &'static str;

    /// Whether values change without new rows.
    fn live(self) -> bool;

    /// Whether descending is the usual order.
    fn largest_first(self) -> bool;

    /// Whether the next-column key includes it.
    fn steps(self) -> bool;

    /// Whether rows can be sorted by it.
    fn sorts(self) -> bool;
}

/// The column at an index.
pub fn at<C: Column>(place: usize) -> Option<C> {
    C::ALL.get(place).copied()
}

/// A column that the user selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnChoice {
    /// The heading, as in the settings.
    pub name: String,
    /// The width; `None`: automatic.
    pub width: Option<u16>,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort<C> {
    /// The column that rows are compared by.
    pub column: C,
    /// The largest first.
    pub descending: bool,
}

impl<C: Column> Sort<C> {
    /// Sorts by `column` in its usual direction.
    pub fn by(column: C) -> Self {
        Self { column, descending: column.largest_first() }
    }

    /// Moves by `step` columns.
    #[must_use]
    pub fn step(self, step: isize) -> Self {
        let len = C::ALL.len();
        let mut at = C::ALL.iter().position(|column| *column == self.column).unwrap_or(0);
        for _ in 0..len {
            at = (at + len).saturating_add_signed(step) % len;
            if C::ALL[at].steps() {
                break;
            }
        }
        Self::by(C::ALL[at])
    }

    /// The opposite direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { descending: !self.descending, ..self }
    }

    /// Applies the direction to an ascending order.
    pub fn turn(self, ascending: std::cmp::Ordering) -> std::cmp::Ordering {
        if self.descending { ascending.reverse() } else { ascending }
    }
}

impl<C: Column + Default> Default for Sort<C> {
    fn default() -> Self {
        Self::by(C::default())
    }
}

columns! {
    /// The columns of the queues.
    QueueColumn {
        Queue: "queue", false, false;
        State: "state", true, true;
        Priority: "priority", true, true;
        Apps: "apps", true, true;
        MaxApps: "apps-max", false, true, more;
        Live: "live", true, true, more;
        Pending: "pending", true, true;
        PendingMemory: "pending-mem", true, true, more;
        Cpu: "cpu", true, true;
        CpuGuaranteed: "cpu-guaranteed", false, true, more;
        CpuMax: "cpu-max", false, true, more;
        Memory: "mem", true, true;
        MemoryGuaranteed: "mem-guaranteed", false, true, more;
        MemoryMax: "mem-max", false, true, more;
        Headroom: "headroom", true, false;
        HeadroomMemory: "headroom-mem", true, false, more;
        Other: "other", true, true, more;
        Waiting: "waiting", true, true, more;
        WaitP95: "wait-p95", true, true, more;
        MemoryShare: "mem-share", true, true, more;
        Trend: "trend", false, false, line;
    }
}

columns! {
    /// The columns of the applications.
    AppColumn {
        Submitted: "age", false, true;
        Application: "application", false, false;
        State: "state", true, false;
        Queue: "queue", false, false;
        User: "user", false, false;
        Groups: "groups", false, false, more;
        Priority: "priority", true, true;
        Pending: "pending", true, true;
        Allocations: "allocations", true, true, more;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
        Other: "other", true, true, more;
        AskedCpu: "cpu-asked", true, true, more;
        AskedMemory: "mem-asked", true, true, more;
        Wait: "wait", true, true;
        Why: "why", true, false;
    }
}

columns! {
    /// The columns of an application's requests and allocations.
    AskColumn {
        Arrival: "arrival", false, false;
        Ask: "ask", false, false;
        Priority: "priority", false, true;
        Cpu: "cpu", false, true;
        Memory: "mem", false, true;
        Other: "other", false, true, more;
        State: "state", true, false;
        Node: "node", true, false;
        Pod: "pod", true, false, more;
        Restarts: "restarts", true, true, more;
        Since: "since", true, true, more;
        Why: "why", true, false, more;
    }
}

columns! {
    /// The columns of the nodes.
    NodeColumn {
        Node: "node", false, false;
        State: "state", true, false, more;
        Allocations: "allocations", true, true;
        Cpu: "cpu", true, true;
        CpuAll: "cpu-all", false, true, more;
        CpuFree: "cpu-free", true, true, more;
        Memory: "mem", true, true;
        MemoryAll: "mem-all", false, true, more;
        MemoryFree: "mem-free", true, true, more;
        Other: "other", true, true, more;
        Trend: "trend", false, false, line;
    }
}

columns! {
    /// Users at a limit are first.
    UserColumn {
        Closest: "closest", true, true;
        Name: "name", false, false;
        Kind: "kind", false, false;
        Apps: "apps", true, true;
        Live: "live", true, true, more;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
        Other: "other", true, true, more;
        Limits: "limits", true, true;
        Trend: "trend", false, false, line;
    }
}

columns! {
    /// The columns of one account, in tree order.
    LevelColumn {
        Queue: "queue", true, false;
        Cpu: "cpu", true, true, more;
        CpuLimit: "cpu-limit", false, true, more;
        Memory: "mem", true, true, more;
        MemoryLimit: "mem-limit", false, true, more;
        Apps: "apps", true, true, more;
        AppsLimit: "apps-limit", false, true, more;
        From: "from", false, false, more;
        Why: "why", false, false, more;
    }
}

columns! {
    /// The columns of the events.
    EventColumn {
        Time: "time", false, true;
        Kind: "kind", false, false;
        Object: "object", false, false;
        What: "what", false, false, more;
        Of: "of", false, false, more;
        Resource: "resource", false, false, more;
        Message: "message", false, false, more;
    }
}

columns! {
    /// The columns of the audit.
    AuditColumn {
        Time: "time", false, true;
        User: "who", false, false;
        Action: "action", false, false;
        Object: "object", false, false;
        Result: "result", false, false;
        From: "from", false, false, more;
        Why: "why", false, false, more;
    }
}

columns! {
    /// The columns of the revisions.
    RevisionColumn {
        Revision: "revision", false, true;
        Time: "time", false, true, more;
        By: "by", false, false;
        Source: "how", false, false;
        Changes: "changes", false, true;
        Checksum: "checksum", false, false, more;
        Why: "why", false, false, more;
    }
}

columns! {
    /// The columns of usage compared with guaranteed resources.
    FairnessColumn {
        Shortage: "below", true, true;
        Queue: "queue", false, false;
        Resource: "resource", false, false;
        Guaranteed: "guaranteed", false, true;
        Used: "used", true, true;
        Pending: "pending", true, true;
        Deficit: "deficit", true, true;
        Fair: "fair", true, true;
        Borrowed: "borrowed", true, true;
        Idle: "idle", true, true;
        Since: "since", true, true;
        BlockedBy: "held-by", true, false, more;
    }
}

columns! {
    /// The columns of the alerts.
    AlertColumn {
        State: "state", false, false;
        Severity: "severity", false, true;
        Since: "since", true, true;
        Rule: "rule", false, false;
        Subject: "subject", false, false;
        What: "what", false, false;
    }
}

columns! {
    /// The columns of a shadow's findings.
    ShadowColumn {
        Time: "time", false, true;
        Verdict: "verdict", false, false;
        Queue: "queue", false, false;
        Pod: "pod", false, false;
        Application: "application", false, false, more;
        Node: "node", false, false;
        Local: "ours", false, false, more;
        Rule: "rule", false, false, more;
        Cause: "cause", false, false, more;
    }
}

columns! {
    /// The columns of usage compared with limits.
    LimitColumn {
        Beyond: "beyond", true, true;
        Name: "name", false, false;
        Kind: "kind", false, false, more;
        Queue: "queue", false, false;
        Resource: "resource", false, false;
        Limit: "limit", false, true;
        Used: "used", true, true;
        Part: "part", true, true;
        Pending: "pending", true, true;
        Blocked: "held-back", true, true;
        Line: "line", false, false, more;
    }
}

columns! {
    /// Ordered by context: rows do not move.
    ClusterColumn {
        Context: "context", false, false;
        State: "state", true, false;
        Version: "version", false, false, more;
        Alerts: "alerts", true, true;
        Nodes: "nodes", true, true;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
        Running: "running", true, true;
        PendingCpu: "pending-cpu", true, true;
        PendingMemory: "pending-mem", true, true;
    }
}

columns! {
    /// The columns of simulation runs.
    SimulationColumn {
        Run: "run", false, false;
        Asks: "asks", false, true, more;
        P50: "p50", false, true;
        P95: "p95", false, true;
        P99: "p99", false, true;
        Longest: "longest", false, true, more;
        Waiting: "waiting", false, true;
        Rejected: "rejected", false, true, more;
        Preempted: "preempted", false, true;
        Makespan: "makespan", false, true;
        Cpu: "cpu", false, true;
        Memory: "mem", false, true;
        Fairness: "fairness", false, true, more;
    }
}

columns! {
    /// The columns of usage over time.
    UsageColumn {
        Cpu: "cpu", false, true;
        Name: "name", false, false;
        Memory: "mem", false, true;
        Other: "other", false, false, more;
        Share: "share", false, true, more;
        Waited: "waited", false, true;
        MemoryWaited: "mem-waited", false, true, more;
        Borrowed: "borrowed", false, true;
        MemoryBorrowed: "mem-borrowed", false, true, more;
        Guaranteed: "guaranteed", false, true;
        MemoryGuaranteed: "mem-guaranteed", false, true, more;
    }
}

columns! {
    /// The columns of a node's allocations.
    AllocationColumn {
        Arrival: "arrival", false, false;
        Application: "application", false, false;
        Ask: "ask", false, false, more;
        Cpu: "cpu", false, true;
        Memory: "mem", false, true;
        Other: "other", false, true, more;
        Since: "since", false, true, more;
    }
}
