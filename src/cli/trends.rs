//! Where trends are kept: beside the state of a scheduler in this process, in the state folder of the user for one elsewhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::attach::AttachTarget;
use crate::source::Trends;

/// The trends of a scheduler in this process: in its state folder; without one in memory.
pub fn embedded(state: Option<&Path>) -> Arc<Trends> {
    state.map_or_else(Trends::in_memory, Trends::kept_in)
}

/// The trends of a scheduler elsewhere: `$XDG_STATE_HOME/kornsole/CONTEXT`, where the context without a name is the host.
pub fn attached(found: &AttachTarget) -> Arc<Trends> {
    let context = found.options.name.clone().unwrap_or_else(|| found.target.host());
    folder(&context).as_deref().map_or_else(Trends::in_memory, Trends::kept_in)
}

fn folder(context: &str) -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state")))?;
    Some(state.join("kornsole").join(folder_name(context)))
}

/// A name that every file system takes, below its folder.
fn folder_name(context: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@' | '.') { c } else { '_' };
    let name: String = context.chars().map(safe).collect();
    if name.chars().all(|c| c == '.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_stays_below_its_folder() {
        assert_eq!(folder_name("k8s://prod/yunikorn"), "k8s___prod_yunikorn");
        assert_eq!([folder_name(".."), folder_name("")], ["_..", "_"]);
        assert_eq!(folder_name("yunikorn.example:9080"), "yunikorn.example_9080");
    }
}
