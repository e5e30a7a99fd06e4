//! `$VISUAL` or `$EDITOR` on a file that only the user can read.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const DEFAULT: &str = "vi";

/// Edits a text in the released terminal.
///
/// # Errors
/// Why the text is unchanged.
pub fn edit(text: &str) -> Result<String, String> {
    let named = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| OsString::from(DEFAULT));
    let shown = editor.to_string_lossy().into_owned();
    let file = file(text).map_err(|error| format!("cannot create a file for the editor: {error}"))?;
    let ended = run(&editor, &file);
    let read = fs::read(&file);
    // Keep the file if the editor failed.
    let retained = match &read {
        Ok(bytes) if bytes.as_slice() != text.as_bytes() => format!("; your text is in {}", file.display()),
        _ => String::new(),
    };
    let message = match ended {
        Err(error) => format!("cannot start the editor {shown}: {error}; set EDITOR"),
        Ok(status) if !status.success() => {
            format!("the text is unchanged{retained}: the editor {shown} ended with {status}")
        }
        Ok(_) => match read.map(String::from_utf8) {
            Ok(Ok(edited)) => {
                let _ = fs::remove_file(&file);
                return Ok(edited);
            }
            Ok(Err(_)) => format!("the text is unchanged{retained}: it is not UTF-8"),
            Err(error) => format!("cannot read the edited file: {error}"),
        },
    };
    if retained.is_empty() {
        let _ = fs::remove_file(&file);
    }
    Err(message)
}

fn file(text: &str) -> io::Result<PathBuf> {
    let dir = std::env::temp_dir();
    for attempt in 0..100 {
        let file = dir.join(format!("kornsole-{}-{attempt}.yaml", std::process::id()));
        match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file) {
            Ok(mut opened) => {
                opened.write_all(text.as_bytes())?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Runs it in the shell like git: `EDITOR="code --wait"`.
fn run(editor: &OsString, file: &Path) -> io::Result<std::process::ExitStatus> {
    let mut line = editor.clone();
    line.push(" \"$@\"");
    Command::new("sh").arg("-c").arg(line).arg(editor).arg(file).status()
}
