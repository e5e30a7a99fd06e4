//! The page of a local job: data, usage, processes, and the end of the output.

use ratatui::layout::Rect;

use crate::present::details::Sheet;
use crate::present::details::sheet::{labeled, labeled_text};
use crate::present::format;
use crate::present::layout;
use crate::present::meter::Meter;
use crate::present::pieces::{Lines, Piece, dim, piece, plain, symbol_set};
use crate::present::text;
use crate::state::State;
use crate::state::job::JobPage;
use crate::state::page::Page;
use crate::theme::{Role, Symbols};
use model::quantity::{show_vcore, write_quantity};
use model::{MEMORY, VCORE};
use view::job::{GpuUsage, JobEdit, JobPhase, JobSheet, JobUsage};
use view::units::show_amount;

const TWO_COLUMNS: u16 = 112;
const METER: u16 = 8;
const MOST_PROCESSES: usize = 12;

/// The parts of the page of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// What is known of it.
    pub sheet: Rect,
    /// The line between.
    pub rule: Rect,
    /// The visible output.
    pub output: Rect,
}

/// The sheet uses at most three fifths.
pub fn parts(state: &State, page: &JobPage, area: Rect) -> Parts {
    let inside = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let lines = height(sheet(state, page, usize::from(column(inside.width))), inside.width);
    let tall = u16::try_from(lines).unwrap_or(u16::MAX).min(area.height * 3 / 5);
    let sheet = Rect { height: tall, ..inside };
    let rule = Rect { y: sheet.bottom(), height: area.height.saturating_sub(tall).min(1), ..inside };
    let output = Rect { y: rule.bottom(), height: area.bottom().saturating_sub(rule.bottom()), ..inside };
    Parts { sheet, rule, output }
}

/// Visible lines, at least 1.
pub fn output_space(state: &State) -> usize {
    let (Page::Job(page), Some(regions)) = (state.page(), layout::regions(state)) else { return 1 };
    usize::from(parts(state, page, regions.rows).output.height).max(1)
}

/// Whether two columns fit.
pub fn in_two(width: u16) -> bool {
    width >= TWO_COLUMNS
}

/// The width of one column.
pub fn column(width: u16) -> u16 {
    if in_two(width) { (width - 3) / 2 } else { width }
}

/// The number of lines of a sheet.
pub fn height(sheet: Sheet, width: u16) -> usize {
    match in_two(width) {
        true => 1 + sheet.left.len().max(sheet.right.len()),
        false => in_one(sheet).len(),
    }
}

/// A sheet in one column, with a title line.
pub fn in_one(sheet: Sheet) -> Lines {
    let Sheet { mut title, what, left, right } = sheet;
    title.push(plain("   "));
    title.extend(what);
    [title].into_iter().chain(right).chain(left).collect()
}

/// The sheet of a job page.
pub fn sheet(state: &State, page: &JobPage, width: usize) -> Sheet {
    let name = vec![piece(Role::Title, text::escape(page.app.as_str()).into_owned())];
    let job = match (&state.job.seen, state.job.app.as_ref() == Some(&page.app)) {
        (Some(Ok(job)), true) => job,
        (Some(Err(why)), true) => {
            let mut left = Lines::new();
            labeled_text(&mut left, "unknown", why, width, Role::Warning);
            return Sheet { title: name, left, ..Sheet::default() };
        }
        _ => return Sheet { title: name, what: vec![dim("loading")], ..Sheet::default() },
    };
    let symbols = symbol_set(state);
    let title = vec![
        piece(Role::Title, format!("job {} ", job.number)),
        piece(Role::Title, text::escape(&job.name).into_owned()),
    ];
    let (mut left, mut right) = (Lines::new(), Lines::new());
    about(&mut left, job, width);
    uses(&mut right, job, width, symbols);
    Sheet { title, what: what(job), left, right }
}

fn what(job: &JobSheet) -> Vec<Piece> {
    let role = match job.phase {
        JobPhase::Running => Role::StateActive,
        JobPhase::Ended if job.failed => Role::Error,
        JobPhase::Ended => Role::Dim,
        JobPhase::Held | JobPhase::Waiting | JobPhase::Queued => Role::StateWaiting,
    };
    vec![piece(role, phase(job)), dim(owner(job))]
}

fn owner(job: &JobSheet) -> String {
    let queue = if job.queue.is_empty() { String::new() } else { format!(" in {}", job.queue) };
    format!(", of {}{queue}", job.user)
}

fn phase(job: &JobSheet) -> String {
    let ran = job.ran.map(format::duration);
    match (job.phase, ran) {
        (JobPhase::Running, Some(ran)) => format!("running for {ran}"),
        (JobPhase::Ended, Some(ran)) => format!("{}, ran {ran}", job.reason),
        (JobPhase::Ended, None) => job.reason.clone(),
        (phase, _) => format!("{} for {}", phase.name(), format::duration(job.submitted)),
    }
}

/// The phase as a sentence for a question.
pub fn status_line(job: &JobSheet) -> String {
    format!("{}, {}{}.", job.asked, phase(job), owner(job))
}

/// Adds command and directory.
pub fn runs(lines: &mut Lines, job: &JobSheet, width: usize) {
    labeled_text(lines, "command", &command(&job.command), width, Role::Text);
    labeled_text(lines, "directory", &job.dir, width, Role::Text);
}

fn about(lines: &mut Lines, job: &JobSheet, width: usize) {
    runs(lines, job, width);
    if !job.reason.is_empty() && job.phase != JobPhase::Ended {
        labeled_text(lines, "why", &job.reason, width, Role::Warning);
    }
    let mut times = format!("{} ago", format::duration(job.submitted));
    if let Some(ended) = job.ended {
        times += &format!(", ended {} ago", format::duration(ended));
    }
    labeled_text(lines, "submitted", &times, width, Role::Text);
    labeled_text(lines, "priority", &job.priority.to_string(), width, Role::Text);
    if job.attempts > 1 {
        labeled_text(lines, "attempts", &job.attempts.to_string(), width, Role::Text);
    }
    for (label, file) in [("output file", &job.output_file), ("error file", &job.error_file)] {
        if !file.is_empty() {
            labeled_text(lines, label, file, width, Role::Text);
        }
    }
    if job.lost_output > 0 {
        let lost = format!("{} bytes were not written", job.lost_output);
        labeled_text(lines, "lost output", &lost, width, Role::Error);
    }
    if !job.note.is_empty() {
        labeled_text(lines, "note", &job.note, width, Role::Warning);
    }
}

/// Adds usage compared with the request, a hint, and processes.
pub fn uses(lines: &mut Lines, job: &JobSheet, width: usize, symbols: &Symbols) {
    let none = JobUsage::default();
    let usage = job.usage.as_ref().unwrap_or(&none);
    cpu(lines, job, usage, symbols);
    memory(lines, job, usage, symbols);
    for (at, gpu) in job.gpus.iter().enumerate() {
        let known = usage.gpus.iter().find(|known| known.index == *gpu);
        labeled(lines, if at == 0 { "gpu" } else { "" }, gpu_pieces(*gpu, known, job.phase));
    }
    if job.gpus.is_empty() && job.asked.gpu > 0 {
        labeled(lines, "gpu", vec![plain(format!("{} requested", job.asked.gpu))]);
    }
    if let Some(time) = job.asked.time {
        let ran = job.ran.filter(|_| job.phase == JobPhase::Running);
        let left = ran.map(|ran| format!(", {} left", format::duration(time.saturating_sub(ran))));
        labeled(lines, "time", vec![plain(format::duration(time)), dim(left.unwrap_or_default())]);
    }
    for (at, hint) in job.hints(format::duration).iter().enumerate() {
        labeled_text(lines, if at == 0 { "hint" } else { "" }, hint, width, Role::Warning);
    }
    for (at, one) in usage.processes.iter().take(MOST_PROCESSES).enumerate() {
        let name = format!("{}{} {}", "  ".repeat(one.depth.min(8)), one.pid, text::escape(&one.name));
        let used = format!("  {}  {}", show_amount(MEMORY, one.memory), format::duration(one.cpu));
        labeled(lines, if at == 0 { "processes" } else { "" }, vec![plain(name), dim(used)]);
    }
    let more = usage.processes.len().saturating_sub(MOST_PROCESSES);
    if more > 0 {
        labeled(lines, "", vec![dim(format!("and {more} more"))]);
    }
}

fn cpu(lines: &mut Lines, job: &JobSheet, usage: &JobUsage, symbols: &Symbols) {
    let asked = job.asked.vcore;
    let mut pieces = Vec::new();
    if let Some(used) = usage.vcore {
        pieces.extend(Meter { used, base: Some(asked), guaranteed: None }.pieces(METER, symbols));
        pieces.push(plain(format!(" {}", show_vcore(used))));
        pieces.push(dim(" of "));
    }
    pieces.push(plain(show_vcore(asked)));
    if usage.vcore.is_none() {
        pieces.push(dim(" requested"));
    }
    if job.attempts > 0 && job.usage.is_some() {
        pieces.push(dim(format!(", {} in all", format::duration(usage.cpu))));
    }
    labeled(lines, "cpu", pieces);
}

fn memory(lines: &mut Lines, job: &JobSheet, usage: &JobUsage, symbols: &Symbols) {
    let asked = job.asked.memory;
    let mut pieces = Vec::new();
    if let Some(used) = usage.memory {
        pieces.extend(Meter { used, base: Some(asked), guaranteed: None }.pieces(METER, symbols));
        pieces.push(plain(format!(" {}", show_amount(MEMORY, used))));
        pieces.push(dim(" of "));
    }
    pieces.push(plain(show_amount(MEMORY, asked)));
    if usage.memory.is_none() {
        pieces.push(dim(" requested"));
    }
    match (usage.most, job.phase) {
        (Some(most), _) if usage.most_is_sampled => {
            pieces.push(dim(format!(", at most {} seen", show_amount(MEMORY, most))));
        }
        (Some(most), _) => pieces.push(dim(format!(", at most {}", show_amount(MEMORY, most)))),
        (None, JobPhase::Ended) if job.attempts > 0 => pieces.push(dim(", its usage was not counted")),
        _ => {}
    }
    labeled(lines, "memory", pieces);
}

fn gpu_pieces(index: u32, known: Option<&GpuUsage>, phase: JobPhase) -> Vec<Piece> {
    let busy = known.and_then(|gpu| gpu.busy).map(|busy| format!("{busy} % busy"));
    let memory = known.and_then(|gpu| gpu.memory).map(|memory| format!("{} in use", show_amount(MEMORY, memory)));
    let reported: Vec<String> = [busy, memory].into_iter().flatten().collect();
    let use_of = match (reported.is_empty(), phase) {
        (false, _) => format!("  {}", reported.join(", ")),
        (true, JobPhase::Running) => "  its usage is unknown".to_owned(),
        _ => String::new(),
    };
    vec![plain(format!("number {index}")), dim(use_of)]
}

/// A command in shell notation.
pub fn command(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+%@^".contains(c);
    let quoted = words.iter().map(|word| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The title of the output.
pub fn output_title(state: &State, page: &JobPage) -> String {
    let output = &state.job.output;
    let known = state.job.of(&page.app);
    if output.attempt == 0 {
        return match known {
            Some(job) if job.attempts == 0 => "no output: it has not started".to_owned(),
            Some(_) => "no output".to_owned(),
            None => String::new(),
        };
    }
    let attempt = if known.is_some_and(|job| job.attempts > 1) {
        format!(" of attempt {}", output.attempt)
    } else {
        String::new()
    };
    let cut = if output.cut { ", its end; `kornsole logs` prints all of it" } else { "" };
    let follow = if page.follow { ", followed" } else { "" };
    format!("output{attempt}{cut}{follow}")
}

/// All lines of the page: sheet and output.
pub fn lines(state: &State, page: &JobPage, width: usize) -> Lines {
    let mut lines = in_one(sheet(state, page, width));
    lines.push(Vec::new());
    lines.push(vec![dim(output_title(state, page))]);
    lines.extend(state.job.output.from(0).map(|line| vec![plain(line.to_owned())]));
    lines
}

/// The resources as arguments of the edit command.
pub fn edit_words(job: &JobSheet) -> String {
    let asked = &job.asked;
    let time = asked.time.map_or_else(|| "none".to_owned(), |time| format!("{}s", time.as_secs()));
    // Exact values: an unedited part must not change.
    let (cpu, mem) = (write_quantity(VCORE, asked.vcore), write_quantity(MEMORY, asked.memory));
    format!("cpu={cpu} mem={mem} gpu={} time={time}", asked.gpu)
}

/// The words of an edit.
pub fn edited(edit: &JobEdit) -> String {
    let time = |seconds: u64| match seconds {
        0 => "no time limit".to_owned(),
        seconds => format!("at most {}", format::duration(std::time::Duration::from_secs(seconds))),
    };
    let parts = [
        edit.vcore.map(|vcore| format!("{} cpu", show_vcore(vcore))),
        edit.memory.map(|bytes| show_amount(MEMORY, bytes)),
        edit.gpu.map(|gpu| format!("{gpu} gpu")),
        edit.time.map(time),
        edit.name.as_ref().map(|name| format!("called {name}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_written_so_that_a_shell_reads_it() {
        let words = ["sh", "-c", "echo 'a' b", "", "x=1"].map(str::to_owned);
        assert_eq!(command(&words), r"sh -c 'echo '\''a'\'' b' '' x=1");
    }
}
