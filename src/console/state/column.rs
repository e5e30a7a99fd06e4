//! The columns that lists are sorted by.

/// A column of a list.
pub trait Column: Copy + PartialEq + 'static {
    /// All columns, in the order of the screen.
    const ALL: &'static [Self];

    /// The name, as `:sort` takes it and the second line shows it.
    fn name(self) -> &'static str;

    /// Changes while nothing comes or goes, so that an order by it must be looked at again and again.
    fn live(self) -> bool;

    /// The largest first is what one usually wants.
    fn largest_first(self) -> bool;
}

/// How a list is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort<C> {
    /// By what.
    pub column: C,
    /// The largest first.
    pub descending: bool,
}

impl<C: Column> Sort<C> {
    /// By `column`, in its usual direction.
    pub fn by(column: C) -> Self {
        Self { column, descending: column.largest_first() }
    }

    /// By the column that is `step` columns further.
    #[must_use]
    pub fn step(self, step: isize) -> Self {
        let len = C::ALL.len();
        let at = C::ALL.iter().position(|column| *column == self.column).unwrap_or(0);
        let next = (at + len).saturating_add_signed(step) % len.max(1);
        Self::by(C::ALL[next])
    }

    /// The other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { descending: !self.descending, ..self }
    }

    /// Puts an order of ascending keys into the direction of this sort.
    pub fn turn(self, ascending: std::cmp::Ordering) -> std::cmp::Ordering {
        if self.descending { ascending.reverse() } else { ascending }
    }
}

impl<C: Column + Default> Default for Sort<C> {
    fn default() -> Self {
        Self::by(C::default())
    }
}

/// Makes an enum of columns from rows `Name: "name", live, largest first;`. The first is the default.
macro_rules! columns {
    ($(#[$doc:meta])* $name:ident { $first:ident: $($rest:tt)+ }) => {
        columns!(@ $(#[$doc])* $name, $first { $first: $($rest)+ });
    };
    (@ $(#[$doc:meta])* $name:ident, $first:ident { $($column:ident: $text:literal, $live:literal, $largest:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each is the column of that name")]
        pub enum $name {
            $($column,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$first
            }
        }

        impl Column for $name {
            const ALL: &'static [Self] = &[$(Self::$column,)+];

            fn name(self) -> &'static str {
                match self { $(Self::$column => $text,)+ }
            }

            fn live(self) -> bool {
                match self { $(Self::$column => $live,)+ }
            }

            fn largest_first(self) -> bool {
                match self { $(Self::$column => $largest,)+ }
            }
        }
    };
}

columns! {
    /// The columns of the queues.
    QueueColumn {
        Queue: "queue", false, false;
        State: "state", true, true;
        Priority: "priority", true, true;
        Apps: "apps", true, true;
        Pending: "pending", true, true;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
        Headroom: "headroom", true, false;
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
        Priority: "priority", true, true;
        Pending: "pending", true, true;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
    }
}

columns! {
    /// The columns of an application's asks and allocations.
    AskColumn {
        Arrival: "arrival", false, false;
        Ask: "ask", false, false;
        Priority: "priority", false, true;
        Cpu: "cpu", false, true;
        Memory: "mem", false, true;
        State: "state", true, false;
        Node: "node", true, false;
    }
}

columns! {
    /// The columns of the nodes.
    NodeColumn {
        Node: "node", false, false;
        Allocations: "allocations", true, true;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
    }
}

columns! {
    /// The columns of users and groups.
    UserColumn {
        Name: "name", false, false;
        Kind: "kind", false, false;
        Apps: "apps", true, true;
        Cpu: "cpu", true, true;
        Memory: "mem", true, true;
        Limits: "limits", true, true;
    }
}

columns! {
    /// The columns of one user or group: its queues stand in the order of the tree, looked at again as usage changes.
    LevelColumn {
        Queue: "queue", true, false;
    }
}

columns! {
    /// The columns of the events.
    EventColumn {
        Time: "time", false, true;
        Kind: "kind", false, false;
        Object: "object", false, false;
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
    }
}

columns! {
    /// The columns of the configurations that were in force.
    RevisionColumn {
        Revision: "revision", false, true;
        By: "by", false, false;
        Source: "how", false, false;
        Changes: "changes", false, true;
    }
}

columns! {
    /// The columns of what runs on a node.
    AllocationColumn {
        Arrival: "arrival", false, false;
        Application: "application", false, false;
        Cpu: "cpu", false, true;
        Memory: "mem", false, true;
    }
}
