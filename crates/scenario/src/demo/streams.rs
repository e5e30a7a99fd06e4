//! The streams of applications of the demo.

use super::legacy::LEGACY;

#[derive(Debug)]
pub(super) struct Stream {
    pub name: &'static str,
    /// The requested queue; empty for placement rules.
    pub queue: &'static str,
    pub users: &'static [&'static str],
    /// The group of the users; empty for one with the name of the user.
    pub group: &'static str,
    /// The time between two arrivals, in milliseconds.
    pub every: (u32, u32),
    /// Applications per arrival.
    pub burst: (u32, u32),
    pub first: u32,
    pub most: u32,
    pub stages: (u32, u32),
    /// Tasks per stage.
    pub tasks: (u32, u32),
    /// Millicores and gibibytes of a task; one choice per application.
    pub sizes: &'static [(u32, u32)],
    /// The run time of a task, in milliseconds.
    pub runs: (u32, u32),
    pub priority: (i32, i32),
    /// Whether arrivals depend on the time of day.
    pub waves: bool,
    pub manner: Manner,
    pub gang: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// They wait, and are preempted last.
    Waits,
    Preempts,
    Yields,
}

const ONE: (u32, u32) = (1, 1);

const COMMON: Stream = Stream {
    name: "",
    queue: "",
    users: &[],
    group: "",
    every: (0, 0),
    burst: ONE,
    first: 0,
    most: 0,
    stages: ONE,
    tasks: ONE,
    sizes: &[],
    runs: (0, 0),
    priority: (0, 0),
    waves: false,
    manner: Manner::Waits,
    gang: false,
};

/// All streams. Together they request about three quarters of the cluster, more at a busy hour.
pub(super) const STREAMS: [Stream; 12] = [
    Stream {
        name: "service",
        queue: "root.system.services",
        users: &["platform"],
        group: "ops",
        every: (40_000, 80_000),
        first: 3,
        most: 4,
        stages: (1, 2),
        tasks: (4, 8),
        sizes: &[(1000, 4), (500, 2)],
        runs: (90_000, 240_000),
        priority: (0, 10),
        ..COMMON
    },
    Stream {
        name: "upkeep",
        queue: "root.system.maintenance",
        users: &["platform"],
        group: "ops",
        every: (20_000, 40_000),
        first: 1,
        most: 3,
        tasks: (4, 8),
        sizes: &[(2000, 4)],
        runs: (15_000, 50_000),
        priority: (0, 5),
        manner: Manner::Yields,
        ..COMMON
    },
    Stream {
        name: "etl",
        queue: "root.tenants.tenant-a.etl",
        users: &["ann", "amir", "abe"],
        group: "tenant-a",
        every: (3_000, 7_000),
        first: 7,
        most: 20,
        stages: (1, 3),
        tasks: (4, 12),
        sizes: &[(2000, 8), (4000, 16), (3000, 24)],
        runs: (8_000, 30_000),
        priority: (0, 9),
        waves: true,
        ..COMMON
    },
    Stream {
        name: "query",
        queue: "root.tenants.tenant-a.adhoc",
        users: &["ann", "amir", "aya"],
        group: "tenant-a",
        every: (2_000, 6_000),
        first: 2,
        most: 10,
        stages: (1, 2),
        tasks: (1, 5),
        sizes: &[(1000, 4), (500, 2)],
        runs: (3_000, 12_000),
        priority: (5, 20),
        waves: true,
        ..COMMON
    },
    Stream {
        name: "guest",
        queue: "root.tenants.tenant-a.adhoc",
        users: &["gil", "gia"],
        group: "guests",
        every: (6_000, 14_000),
        first: 2,
        most: 5,
        tasks: (3, 8),
        sizes: &[(1000, 4), (2000, 8)],
        runs: (8_000, 20_000),
        ..COMMON
    },
    Stream {
        name: "train",
        queue: "root.tenants.tenant-b",
        users: &["bob", "bea"],
        group: "tenant-b",
        every: (60_000, 110_000),
        burst: (4, 6),
        first: 1,
        most: 8,
        tasks: (8, 16),
        sizes: &[(2000, 12), (4000, 32)],
        runs: (10_000, 25_000),
        priority: (0, 50),
        manner: Manner::Preempts,
        ..COMMON
    },
    Stream {
        name: "crawl",
        queue: "root.tenants.tenant-c",
        users: &["cem", "cleo"],
        group: "tenant-c",
        every: (8_000, 15_000),
        first: 3,
        most: 6,
        tasks: (4, 12),
        sizes: &[(2000, 8), (1000, 8)],
        runs: (15_000, 45_000),
        priority: (0, 3),
        ..COMMON
    },
    Stream {
        name: "nightly",
        queue: "root.batch.nightly",
        users: &["dora"],
        group: "batch",
        every: (10_000, 20_000),
        first: 5,
        most: 8,
        tasks: (18, 36),
        sizes: &[(2000, 8), (2000, 12)],
        runs: (15_000, 50_000),
        waves: true,
        manner: Manner::Yields,
        ..COMMON
    },
    Stream {
        name: "report",
        queue: "root.batch.reports",
        users: &["dora", "dan"],
        group: "batch",
        every: (6_000, 12_000),
        first: 3,
        most: 6,
        tasks: (3, 9),
        sizes: &[(1000, 6)],
        runs: (8_000, 25_000),
        priority: (0, 2),
        ..COMMON
    },
    Stream {
        name: "gang",
        queue: "root.batch.simulation",
        users: &["sol", "suki"],
        group: "science",
        every: (30_000, 60_000),
        first: 1,
        burst: (1, 2),
        most: 4,
        tasks: (8, 12),
        sizes: &[(4000, 16)],
        runs: (15_000, 25_000),
        gang: true,
        ..COMMON
    },
    Stream {
        name: "archive",
        queue: LEGACY,
        users: &["olga"],
        group: "batch",
        every: (20_000, 35_000),
        first: 1,
        most: 2,
        stages: (1, 2),
        tasks: (2, 4),
        sizes: &[(1000, 4)],
        runs: (15_000, 40_000),
        ..COMMON
    },
    Stream {
        name: "notebook",
        queue: "",
        users: &["eli", "eva", "finn", "gus", "hana", "ines", "jon", "kai", "lea", "max"],
        every: (4_000, 12_000),
        first: 4,
        most: 12,
        stages: (1, 2),
        tasks: (1, 4),
        sizes: &[(1000, 8), (2000, 8)],
        runs: (5_000, 25_000),
        priority: (0, 5),
        waves: true,
        ..COMMON
    },
];
