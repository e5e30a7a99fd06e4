//! Applications join, change, and leave users and groups.

use crate::index::QueueKey;
use crate::state::app::Application;
use crate::usage::Usage;
use model::Resource;

impl Usage {
    pub(crate) fn join(&mut self, app: &mut Application, path: &[QueueKey]) {
        let user = self.users.open(&app.who.user);
        app.account.user = Some(user);
        self.users.enter(user, path, &app.id, &app.total_allocated(), app.account.running);
    }

    /// With `counts_on` it stays in the running sets (P-16).
    pub(crate) fn leave(&mut self, app: &mut Application, path: &[QueueKey], counts_on: bool) {
        let total_allocated = app.total_allocated();
        if !counts_on {
            self.unlink(app, path);
        } else if let Some(group) = app.account.group.take() {
            self.groups.desert(group, path, &total_allocated);
        }
        match app.account.user.take() {
            Some(user) if counts_on => self.users.desert(user, path, &total_allocated),
            Some(user) => self.users.exit(user, path, &app.id, &total_allocated),
            None => {}
        }
    }

    pub(crate) fn link(&mut self, app: &mut Application, path: &[QueueKey], group: &str, adds: bool) {
        let key = self.groups.open(group);
        let usage = if adds { app.total_allocated() } else { Resource::new() };
        app.account.group = Some(key);
        app.account.running_in_group = adds && app.account.running;
        self.groups.enter(key, path, &app.id, &usage, app.account.running_in_group);
    }

    pub(crate) fn unlink(&mut self, app: &mut Application, path: &[QueueKey]) {
        app.account.running_in_group = false;
        if let Some(group) = app.account.group.take() {
            self.groups.exit(group, path, &app.id, &app.total_allocated());
        }
    }

    /// It runs for no limit, and its group is searched again if it returns (LIM-013, LIM-034).
    pub(crate) fn stop(&mut self, app: &mut Application, path: &[QueueKey]) {
        if let Some(user) = app.account.user {
            self.users.stop(user, path, &app.id);
        }
        if let Some(group) = app.account.group {
            self.groups.stop(group, path, &app.id);
        }
        app.account.running = false;
        app.account.running_in_group = false;
        app.account.bounds = None;
        // Remaining placeholders count until they are removed or another group is found.
        if app.total_allocated().is_zero() {
            self.unlink(app, path);
        }
    }
}
