//! The columns of each page with a list.

use crate::state::column::{
    AlertColumn, AllocationColumn, AppColumn, AskColumn, AuditColumn, ClusterColumn, Column, EventColumn,
    FairnessColumn, LevelColumn, LimitColumn, NodeColumn, QueueColumn, RevisionColumn, ShadowColumn, SimulationColumn,
    UsageColumn, UserColumn,
};

fn names<C: Column>() -> Vec<&'static str> {
    C::ALL.iter().map(|column| column.name()).collect()
}

type Names = fn() -> Vec<&'static str>;

const LISTS: [(&str, Names); 17] = [
    ("queues", names::<QueueColumn>),
    ("apps", names::<AppColumn>),
    ("app", names::<AskColumn>),
    ("nodes", names::<NodeColumn>),
    ("node", names::<AllocationColumn>),
    ("users", names::<UserColumn>),
    ("account", names::<LevelColumn>),
    ("events", names::<EventColumn>),
    ("audit", names::<AuditColumn>),
    ("revisions", names::<RevisionColumn>),
    ("fairness", names::<FairnessColumn>),
    ("alerts", names::<AlertColumn>),
    ("limits", names::<LimitColumn>),
    ("simulate", names::<SimulationColumn>),
    ("clusters", names::<ClusterColumn>),
    ("usage", names::<UsageColumn>),
    ("shadow", names::<ShadowColumn>),
];

/// `None` without a list.
pub fn of_page(page: &str) -> Option<Vec<&'static str>> {
    LISTS.iter().find(|(name, _)| *name == page).map(|(_, columns)| columns())
}

/// The names of the pages with a list.
pub fn pages() -> [&'static str; 17] {
    LISTS.map(|(name, _)| name)
}
