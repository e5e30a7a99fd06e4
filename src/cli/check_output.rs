//! The output formats of `kornsole check` for one configuration.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::check_pods::Note;
use super::predicted;
use config::{Fault, Reading, Severity, Source, fault::escaped};
use model::Profile;

/// Prints errors with the source line and a caret.
pub fn as_text(name: &str, text: &str, reading: &Reading, core: Profile, out: &mut impl Write) -> io::Result<()> {
    let source = Source::new(name, text);
    for fault in &reading.faults {
        out.write_all(source.render(fault).as_bytes())?;
    }
    writeln!(out, "{}: {} ({})", escaped(name), summary(reading), predicted::line(core))
}

/// `valid`, `valid, 2 warnings`, `3 errors, 1 warning`.
fn summary(reading: &Reading) -> String {
    let of = |severity| reading.faults.iter().filter(|fault| fault.severity == severity).count();
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let first = if reading.is_valid() { "valid".to_owned() } else { counted(errors, "error") };
    if warnings == 0 { first } else { format!("{first}, {}", counted(warnings, "warning")) }
}

/// An object of the JSON array.
pub fn as_json(name: &str, reading: &Reading, core: Profile) -> Value {
    let fault = |fault: &Fault| {
        json!({
            "code": fault.code,
            "severity": fault.severity.to_string(),
            "message": fault.message,
            "line": fault.at.line,
            "column": fault.at.column,
            "path": fault.path,
            "hint": fault.hint,
        })
    };
    let faults: Vec<Value> = reading.faults.iter().map(fault).collect();
    json!({ "core": core.name(), "file": name, "valid": reading.is_valid(), "faults": faults })
}

/// Escapes a text for a GitHub annotation.
pub fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

pub fn as_annotations(name: &str, reading: &Reading, out: &mut impl Write) -> io::Result<()> {
    reading.faults.iter().try_for_each(|fault| annotation((name, fault.clone()), out))
}

/// One annotation; without a file if its name is empty.
pub fn annotation((name, fault): (&str, Fault), out: &mut impl Write) -> io::Result<()> {
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let file = if name.is_empty() { String::new() } else { format!("file={},", property(name)) };
    let place =
        if fault.at.line > 0 { format!("line={},col={},", fault.at.line, fault.at.column) } else { String::new() };
    let hint = if fault.hint.is_empty() { String::new() } else { format!("\n{}", fault.hint) };
    let message = data(&format!("{}{hint}", fault.message));
    writeln!(out, "::{} {file}{place}title={}::{message}", fault.severity, fault.code)
}

/// Adds notes about pods, with their places.
pub fn with_notes(mut checked: Value, notes: &[Note]) -> Value {
    let as_json = |note: &Note| {
        let (file, fault) = note.fault();
        let mut value = json!({ "id": fault.code, "severity": note.severity(), "message": note.text });
        if !file.is_empty() {
            value["file"] = json!(file);
            value["line"] = json!(fault.at.line);
        }
        value
    };
    checked["pods"] = notes.iter().map(|note| json!(note.text)).collect();
    checked["podNotes"] = notes.iter().map(as_json).collect();
    checked
}
