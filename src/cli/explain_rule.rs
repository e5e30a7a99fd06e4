//! `kornsole explain-rule`: the meaning of a message's ID.

use std::process::ExitCode;

use clap::Args;

use super::fail;
use super::settings::print;

/// The page that lists all rules. It is in the binary, so the texts match the messages.
const RULES: &str = include_str!("../../docs/rules.md");

/// The arguments of `kornsole explain-rule`.
#[derive(Args, Clone, Debug)]
pub struct ExplainRuleArgs {
    /// The id, as in a message: W-001, CFG-066
    #[arg(value_name = "ID")]
    pub id: String,
}

/// Prints the text of a rule.
pub fn run(args: &ExplainRuleArgs) -> ExitCode {
    match text(&args.id) {
        Some(text) => print(&text),
        None => fail(&format!("no rule has the id `{}`; `docs/rules.md` lists all rules", args.id), 2),
    }
}

fn text(id: &str) -> Option<String> {
    let start = format!("- **{}** ", id.to_ascii_uppercase());
    let mut lines = RULES.lines().skip_while(|line| !line.starts_with(&start));
    let first = lines.next()?.trim_start_matches("- ").replace("**", "");
    let rest = lines.take_while(|line| line.starts_with("  ")).map(str::trim);
    Some(format!("{}\n", std::iter::once(first.as_str()).chain(rest).collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use super::text;
    use config::lint::IDS;

    #[test]
    fn every_warning_has_its_text() {
        for id in IDS {
            assert!(text(id).is_some_and(|text| text.starts_with(id) && text.len() > 60), "{id}");
        }
        assert!(text("w-001").unwrap().lines().count() > 1, "all lines of an entry");
        assert_eq!(text("W-999"), None);
    }
}
