//! Effects of a configuration: the tree of `kornsole diff`, and running allocations.

use std::sync::Arc;

use serde_json::{Value, json};

use super::act::escape_lines;
use config::Diff;
use console::present::edit_check;
use console::state::editor::CheckJob;
use source::remote::once::{Once, Want};
use view::View;

#[derive(Clone, Copy)]
pub(super) struct Texts<'t> {
    /// The active text.
    pub old: &'t str,
    pub new: &'t str,
}

pub(super) struct Effects {
    diff: Diff,
    on_running: Result<Vec<(String, Vec<String>)>, String>,
}

impl Effects {
    /// `None` if a text cannot be parsed, which the scheduler reports.
    pub fn of(once: &mut Once, texts: Texts<'_>) -> Option<Self> {
        let profile = once.remote().profile();
        let seen = once.look(&[Want::Apps, Want::Nodes, Want::Users]);
        let view = seen.as_ref().map_or_else(|_| Arc::new(View::default()), Arc::clone);
        let read = |text: &str| config::read_file(text.as_bytes(), view.policy_group(), profile).config;
        let diff = config::diff(&read(texts.old)?, &read(texts.new)?);
        let on_running = seen.map_err(|fault| fault.to_string()).map(|view| {
            let job = CheckJob {
                at: view.at,
                version: 0,
                text: texts.new.to_owned(),
                base: Arc::from(texts.old),
                view,
                profile,
                actor: Err(Arc::from("evaluated by the scheduler")),
                preview: None,
            };
            edit_check::check(&job).consequences
        });
        Some(Self { diff, on_running })
    }

    /// The tree of changes and their effects, one line each.
    pub fn text(&self) -> String {
        if self.diff.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}{}\n\neffects:\n", self.diff.to_text(), self.diff.summary());
        match &self.on_running {
            Err(why) => text.push_str(&format!("  unknown: {why}\n")),
            Ok(queues) if queues.is_empty() => text.push_str("  none on running applications\n"),
            Ok(queues) => {
                for (queue, sentences) in queues {
                    text.push_str(&format!("  {queue}\n"));
                    sentences.iter().for_each(|sentence| text.push_str(&format!("    {sentence}\n")));
                }
            }
        }
        escape_lines(&text)
    }

    /// Adds `diff` like `kornsole diff --json`, and `effects` by queue, or `null` if unknown.
    pub fn add_to(&self, value: &mut Value) {
        value["diff"] = self.diff.to_json();
        value["effects"] = match &self.on_running {
            Ok(queues) => {
                queues.iter().map(|(queue, sentences)| json!({"queue": queue, "effects": sentences})).collect()
            }
            Err(_) => Value::Null,
        };
    }
}
