//! `kornsole diff --git`: two commits in each format.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::effects::effects;
use super::git::Commits;
use super::markdown;
use super::review::{Reviewed, Rules, reviewed};
use super::{DiffArgs, Format};
use crate::cli::check_output::{as_annotations, as_json, data};
use crate::cli::junit::{self, Case};
use crate::cli::{predicted, printed, sarif};
use config::fault::escaped;
use config::{Diff, Reading, Severity, Source};
use forecast::whatif::ConfigEffect;
use model::Profile;

pub(super) struct Review {
    pub commits: String,
    pub core: Profile,
    /// The configurations with differences or new errors.
    pub files: Vec<Reviewed>,
    pub effects: Option<Vec<ConfigEffect>>,
}

impl Review {
    pub fn summary(&self) -> String {
        match self.files.as_slice() {
            [] => "no differences".to_owned(),
            [one] => format!("{}: {}", one.file, one.summary()),
            several => {
                let invalid = several.iter().filter(|one| !one.is_valid()).count();
                let invalid = if invalid > 0 { format!(", {invalid} not valid") } else { String::new() };
                format!("{} configurations differ{invalid}", several.len())
            }
        }
    }
}

/// Returns 0 if all new configurations are valid, otherwise 1.
pub(super) fn compare(args: &DiffArgs, commits: &str, out: &mut impl Write, err: &mut impl Write) -> io::Result<u8> {
    let review = match review(args, commits) {
        Ok(review) => review,
        Err(why) => {
            writeln!(err, "{}", printed::error(why.trim_end()))?;
            return Ok(1);
        }
    };
    match if args.client.json { Format::Json } else { args.format } {
        Format::Text => out.write_all(text(&review).as_bytes())?,
        Format::Markdown => out.write_all(markdown::comment(&review).as_bytes())?,
        Format::Github => {
            annotations(&review, out)?;
            writeln!(err, "{}", predicted::line(review.core))?;
        }
        Format::Sarif => {
            let all = review.files.iter().flat_map(|one| one.new.iter().map(|fault| (one.file.as_str(), fault)));
            writeln!(out, "{:#}", sarif::log(all, review.core))?;
        }
        Format::Junit => {
            out.write_all(junit::document("kornsole diff", review.core.name(), &cases(&review)).as_bytes())?
        }
        Format::Json => writeln!(out, "{:#}", json(&review))?,
    }
    out.flush()?;
    Ok(u8::from(!review.files.iter().all(Reviewed::is_valid)))
}

fn review(args: &DiffArgs, commits: &str) -> Result<Review, String> {
    let core = args.core.profile();
    let rules = Rules { core, policy_group: &args.policy_group, allow: &args.allow, deny: &args.deny };
    let commits = Commits::read(commits)?;
    let extracted = commits.extract(&args.files)?;
    let mut files = reviewed(&extracted, &rules)?;
    if files.is_empty() {
        let forms = config::input::FORMS;
        return Err(format!("no queue configuration found in {}; {forms}", commits.written));
    }
    let effects = effects(&files, &args.applications, &args.client, core)?;
    files.retain(|one| !one.is_same());
    Ok(Review { commits: commits.written, core, files, effects })
}

fn text(review: &Review) -> String {
    let mut out = String::new();
    for one in &review.files {
        let within = if one.within.is_empty() { String::new() } else { format!(" ({})", one.within) };
        out.push_str(&format!("{}{within}: {}\n", escaped(&one.file), one.summary()));
        let diff = one.diff.as_ref().map(Diff::to_text).unwrap_or_default();
        out.extend(diff.lines().map(|line| format!("  {line}\n")));
        if let Some(head) = &one.head {
            let source = Source::new(&one.file, &head.text);
            out.extend(one.new.iter().map(|fault| format!("new {}", source.render(fault))));
        }
        out.push('\n');
    }
    if let Some(effects) = &review.effects {
        out.push_str(if effects.is_empty() { "no application is affected\n" } else { "applications:\n" });
        out.extend(effects.iter().map(|effect| format!("  {}\n", effect_line(effect, usize::MAX))));
        out.push('\n');
    }
    out.push_str(&format!("{}: {} ({})\n", review.commits, review.summary(), predicted::line(review.core)));
    out
}

pub(super) fn effect_line(effect: &ConfigEffect, most: usize) -> String {
    let apps: Vec<&str> = effect.apps.iter().take(most).map(|app| app.as_str()).collect();
    let more = effect.apps.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let applications = if effect.apps.len() == 1 { "application" } else { "applications" };
    format!("{} ({} {applications}: {}{more})", effect.what, effect.apps.len(), apps.join(", "))
}

fn annotations(review: &Review, out: &mut impl Write) -> io::Result<()> {
    for one in &review.files {
        as_annotations(&one.file, &Reading { config: None, faults: one.new.clone() }, out)?;
        let file = data(&one.file).replace(':', "%3A").replace(',', "%2C");
        let diff = one.diff.as_ref().map(Diff::to_text).unwrap_or_default();
        let message = data(format!("{}\n{diff}", one.summary()).trim_end());
        writeln!(out, "::notice file={file},title=queues::{message}")?;
    }
    for effect in review.effects.iter().flatten() {
        writeln!(out, "::warning title=applications::{}", data(&effect_line(effect, 20)))?;
    }
    Ok(())
}

fn cases(review: &Review) -> Vec<Case> {
    let mut cases = Vec::new();
    for one in &review.files {
        let class = one.file.clone();
        let failed = |why: &str| Some((why.to_owned(), why.to_owned()));
        let failure = if one.is_valid() { None } else { failed(&one.summary()) };
        cases.push(Case { class: class.clone(), name: "configuration".to_owned(), time: 0.0, failure });
        let Some(head) = &one.head else { continue };
        let source = Source::new(&one.file, &head.text);
        for fault in &one.new {
            let name = format!("{} {}:{}", fault.code, fault.at.line, fault.at.column);
            let is_error = fault.severity == Severity::Error;
            let failure = is_error.then(|| (fault.message.clone(), source.render(fault)));
            cases.push(Case { class: class.clone(), name, time: 0.0, failure });
        }
    }
    cases
}

fn json(review: &Review) -> Value {
    let file = |one: &Reviewed| {
        let reading = Reading { config: None, faults: one.new.clone() };
        let faults = as_json(&one.file, &reading, review.core)["faults"].take();
        let diff = one.diff.as_ref().map(Diff::to_json);
        json!({
            "file": one.file, "within": one.within, "summary": one.summary(), "valid": one.is_valid(),
            "diff": diff, "newFaults": faults,
        })
    };
    let effect = |effect: &ConfigEffect| {
        let apps: Vec<&str> = effect.apps.iter().map(|app| app.as_str()).collect();
        json!({"kind": effect.kind.name(), "queue": effect.queue, "what": effect.what, "applications": apps})
    };
    json!({
        "commits": review.commits, "core": review.core.name(), "summary": review.summary(),
        "files": review.files.iter().map(file).collect::<Vec<_>>(),
        "effects": review.effects.as_ref().map(|all| all.iter().map(effect).collect::<Vec<_>>()),
    })
}
