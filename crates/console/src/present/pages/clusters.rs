//! The page of all clusters.

use crate::present::lists::clusters;
use crate::present::page::Present;
use crate::present::pages::facts::{count, filter, sort};
use crate::present::pieces::Piece;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::clusters::ClustersPage;
use crate::state::column::{self, ClusterColumn};
use crate::theme::Symbols;
use view::PartitionView;

impl Present for ClustersPage {
    fn facts(&self, _state: &State, symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        vec![sort(symbols, &self.list), filter(symbols, &self.list), count(&self.list, "cluster")]
    }

    fn table<'a>(&'a self, state: &'a State, width: u16) -> Option<Table<'a>> {
        Some(clusters::table(state, self, width))
    }

    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        Some(clusters::fields(self))
    }

    fn why(&self, _state: &State, _part: &PartitionView, column: usize) -> Option<String> {
        column::at::<ClusterColumn>(column).map(|column| why(column).to_owned())
    }
}

const fn why(column: ClusterColumn) -> &'static str {
    use ClusterColumn as C;
    match column {
        C::Context => "a context of your settings or kubeconfig; * marks the current context",
        C::State => {
            "its address; contexts of the kubeconfig are not contacted until you open them, because that can run a credential plugin"
        }
        C::Version => "the server and its version",
        C::Alerts => "firing alerts that are not silenced or inhibited, by the rules of this machine",
        C::Nodes => "the nodes of all its partitions",
        C::Cpu | C::Memory => "usage of all nodes",
        C::Running => "applications that run",
        C::PendingCpu | C::PendingMemory => "the total of pending requests",
    }
}
