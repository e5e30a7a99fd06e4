//! Wakes the console for changes of a source.

use source::Source;

/// Calls `wake` after a new view or a change of the alerts.
pub fn watch(source: &dyn Source, wake: impl Fn() + Clone + Send + Sync + 'static) {
    if let Some(board) = source.alerts() {
        board.on_change(Box::new(wake.clone()));
    }
    source.on_change(Box::new(wake));
}
