//! Being woken by a source.

use source::Source;

/// Has `wake` called after each new view of a source, and when what is alerted about has changed.
pub fn watch(source: &dyn Source, wake: impl Fn() + Clone + Send + Sync + 'static) {
    if let Some(board) = source.alerts() {
        board.on_change(Box::new(wake.clone()));
    }
    source.on_change(Box::new(wake));
}
