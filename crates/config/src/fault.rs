//! Errors and warnings of a text with their location, and their rendering.

use std::fmt;

use unicode_width::UnicodeWidthChar;

use super::types::Place;
use model::Profile;

/// Whether an error rejects the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Rejects the text.
    Error,
    /// Valid, but without effect or surprising.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// An error or a warning in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The ID of the rule, for example `CFG-043`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The location; line 0 means the whole text.
    pub at: Place,
    /// The queue or the path of keys; empty for the whole text.
    pub path: String,
    /// The error with the values.
    pub message: String,
    /// The expected form; may be empty.
    pub hint: String,
}

impl fmt::Display for Fault {
    /// `3:9: error[CFG-030]: message`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.line > 0 {
            write!(f, "{}:{}: ", self.at.line, self.at.column)?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, escaped(&self.message))
    }
}

/// Stored errors per text: more do not help, and a text could consist of nothing but errors.
pub const MOST: usize = 20_000;

const MORE: &str = "CFG-S04";

/// Collects at most [`MOST`] errors of one text, and one entry for the others.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    list: Vec<Fault>,
    errors: usize,
    /// Omitted entries, and errors among them.
    left_out: (usize, usize),
    profile: Profile,
}

impl Faults {
    /// Creates an empty collection for the rules of `profile`.
    pub fn new(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }

    /// The profile of the rules.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Whether the rules of a release apply (`profiles.md` section 6).
    pub fn as_release(&self) -> bool {
        self.profile != Profile::Kornsole
    }

    /// Adds an error.
    pub fn error(
        &mut self,
        code: &'static str,
        at: Place,
        path: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(code, Severity::Error, at, path, message.into(), hint.into());
    }

    /// Adds a warning.
    pub fn warning(
        &mut self,
        code: &'static str,
        at: Place,
        path: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(code, Severity::Warning, at, path, message.into(), hint.into());
    }

    /// Adds an error of kornsole's profile, which is a warning in the releases.
    pub fn strict(
        &mut self,
        code: &'static str,
        at: Place,
        path: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let severity = if self.as_release() { Severity::Warning } else { Severity::Error };
        self.add(code, severity, at, path, message.into(), hint.into());
    }

    /// Adds an error of the releases, which is a warning in kornsole's profile.
    pub fn lenient(
        &mut self,
        code: &'static str,
        at: Place,
        path: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let severity = if self.as_release() { Severity::Error } else { Severity::Warning };
        self.add(code, severity, at, path, message.into(), hint.into());
    }

    fn add(&mut self, code: &'static str, severity: Severity, at: Place, path: &str, message: String, hint: String) {
        let error = usize::from(severity == Severity::Error);
        self.errors += error;
        if self.list.len() >= MOST {
            self.left_out = (self.left_out.0 + 1, self.left_out.1 + error);
            return;
        }
        self.list.push(Fault { code, severity, at, path: path.to_owned(), message, hint });
    }

    /// Whether it contains an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Adds the faults of an embedded text, mapped to the outer text.
    pub fn embed(&mut self, inner: Vec<Fault>, outer: impl Fn(Place) -> Place) {
        for fault in inner {
            self.errors += usize::from(fault.severity == Severity::Error);
            self.list.push(Fault { at: outer(fault.at), ..fault });
        }
    }

    /// All faults by location, severity, and order of detection.
    pub fn into_sorted(mut self) -> Vec<Fault> {
        let (left_out, errors) = self.left_out;
        if left_out > 0 {
            self.list.push(Fault {
                code: MORE,
                severity: if errors > 0 { Severity::Error } else { Severity::Warning },
                at: Place::default(),
                path: String::new(),
                message: format!(
                    "the first {MOST} of {} problems are shown; {errors} of the others are errors",
                    MOST + left_out
                ),
                hint: "fix these and check again".to_owned(),
            });
        }
        self.list.sort_by_key(|fault| (fault.at, fault.severity));
        self.list
    }
}

const SHOWN: usize = 100;

/// A text with its name, for rendering faults.
pub struct Source<'t> {
    name: &'t str,
    text: &'t str,
    lines: Vec<usize>,
}

impl<'t> Source<'t> {
    /// Indexes a text. `name` is a file name, or `-`.
    pub fn new(name: &'t str, text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Self { name, text, lines: std::iter::once(0).chain(breaks).collect() }
    }

    /// Renders `file:line:column: error[CFG-043]: message`, the source line with a caret, and the expected form. Long
    /// lines are cut, and control characters are escaped.
    pub fn render(&self, fault: &Fault) -> String {
        let name = escaped(self.name);
        let separator = if fault.at.line > 0 { ":" } else { ": " };
        let mut out = format!("{name}{separator}{fault}\n");
        let number = fault.at.line.to_string();
        let gutter = " ".repeat(number.len());
        if let Some(line) = self.line(fault.at.line) {
            let (shown, caret) = excerpt(line, fault.at.column);
            out += &format!("  {number} | {shown}\n  {gutter} | {}^\n", " ".repeat(caret));
        }
        if !fault.hint.is_empty() {
            out += &format!("  {gutter} = {}\n", escaped(&fault.hint));
        }
        out
    }

    /// Renders all faults.
    pub fn render_all(&self, faults: &[Fault]) -> String {
        faults.iter().map(|fault| self.render(fault)).collect()
    }

    fn line(&self, number: u32) -> Option<&'t str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let line = self.text.get(start..end)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

fn excerpt(line: &str, column: u32) -> (String, usize) {
    let at = usize::try_from(column).unwrap_or(1).saturating_sub(1);
    let skip = at.saturating_sub(SHOWN * 2 / 3);
    let mut shown = String::new();
    let (mut caret, mut width) = (0, 0);
    if skip > 0 {
        shown.push('…');
        (caret, width) = (1, 1);
    }
    let mut chars = line.chars().skip(skip).enumerate();
    for (index, c) in chars.by_ref() {
        let piece = escape_char(c);
        let wide = piece.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
        if width + wide > SHOWN {
            shown.push('…');
            break;
        }
        shown += &piece;
        width += wide;
        if skip + index < at {
            caret = width;
        }
    }
    (shown, caret)
}

/// Escapes control characters, which could control a terminal.
pub fn escaped(text: &str) -> String {
    if text.chars().any(is_unsafe) { text.chars().map(escape_char).collect() } else { text.to_owned() }
}

fn escape_char(c: char) -> String {
    match c {
        '\t' => " ".to_owned(),
        c if is_unsafe(c) => c.escape_default().to_string(),
        c => c.to_string(),
    }
}

/// Control characters, and those that change the direction of a line or have no width.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: u32, column: u32) -> Fault {
        Fault {
            code: "CFG-020",
            severity: Severity::Error,
            at: Place { line, column },
            path: "root.a".into(),
            message: "`max` of memory is \"-1\"".into(),
            hint: "digits, then an optional suffix".into(),
        }
    }

    #[test]
    fn shows_the_line_with_a_caret_under_the_fault() {
        let text = "a:\n  memory: -1\n";
        insta::assert_snapshot!(Source::new("queues.yaml", text).render(&fault(2, 11)), @r#"
        queues.yaml:2:11: error[CFG-020]: `max` of memory is "-1"
          2 |   memory: -1
            |           ^
            = digits, then an optional suffix
        "#);
    }

    #[test]
    fn a_fault_of_the_whole_text_has_no_line() {
        let rendered = Source::new("-", "").render(&fault(0, 0));
        assert_eq!(rendered.lines().next(), Some("-: error[CFG-020]: `max` of memory is \"-1\""));
        assert!(!rendered.contains('^'));
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = format!("{}X{}", "a".repeat(100_000), "b".repeat(100_000));
        let rendered = Source::new("f", &text).render(&fault(1, 100_001));
        let lines: Vec<&str> = rendered.lines().collect();
        assert!(lines[1].chars().count() < 120, "{}", lines[1]);
        let caret = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().nth(caret), Some('X'));
    }

    #[test]
    fn wide_and_control_characters_keep_the_caret_in_place() {
        let rendered = Source::new("f\u{1b}[31m", "日本\t\u{1b}[2Jx").render(&fault(1, 8));
        let lines: Vec<&str> = rendered.lines().collect();
        assert!(!rendered.contains('\u{1b}'));
        assert_eq!(lines[1], "  1 | 日本 \\u{1b}[2Jx");
        assert_eq!(lines[2], format!("    | {}^", " ".repeat("_日_本 \\u{1b}[2J".chars().count())));
    }

    #[test]
    fn a_place_beyond_the_text_does_not_fail() {
        let source = Source::new("f", "a");
        assert!(source.render(&fault(9, 1)).starts_with("f:9:1:"));
        assert!(source.render(&fault(1, 50)).contains('^'));
    }

    #[test]
    fn a_limited_number_is_stored_and_the_rest_is_counted() {
        let mut faults = Faults::new(Profile::Kornsole);
        for line in 0..MOST + 5 {
            let at = Place { line: u32::try_from(line).unwrap() + 1, column: 1 };
            if line < MOST + 2 {
                faults.warning("CFG-094", at, "", "w", "");
            } else {
                faults.error("CFG-020", at, "", "e", "");
            }
        }
        assert_eq!((faults.has_errors(), faults.errors()), (true, 3));
        let reported = faults.into_sorted();
        assert_eq!(reported.len(), MOST + 1);
        assert_eq!((reported[0].code, reported[0].severity), (MORE, Severity::Error));
        assert_eq!(reported[0].message, "the first 20000 of 20005 problems are shown; 3 of the others are errors");
    }

    #[test]
    fn errors_are_sorted_by_location() {
        let mut faults = Faults::new(Profile::V1_5_1);
        faults.warning("CFG-094", Place { line: 2, column: 1 }, "", "w", "");
        faults.strict("CFG-055", Place { line: 1, column: 5 }, "", "s", "");
        assert!(!faults.has_errors());
        faults.error("CFG-020", Place { line: 2, column: 1 }, "", "e", "");
        assert_eq!(faults.errors(), 1);
        let codes: Vec<_> = faults.into_sorted().iter().map(|f| f.code).collect();
        assert_eq!(codes, ["CFG-055", "CFG-020", "CFG-094"]);
    }
}
