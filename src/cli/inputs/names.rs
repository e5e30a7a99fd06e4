//! The files of an argument: a directory, a pattern, or one file.

use std::path::{Component, Path, PathBuf};

use super::ENDINGS;

const MOST_FILES: usize = 10_000;

/// Replaces each pattern with `*` or `?` by the files that match it, sorted. Fails if none does.
pub fn matched(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        match files(path) {
            Ok(Some(files)) if !path.is_dir() => all.extend(files),
            Err(why) if !path.is_dir() => return Err(why),
            _ => all.push(path.clone()),
        }
    }
    Ok(all)
}

/// `None` for a file.
pub(super) fn files(path: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let mut found = Vec::new();
    if path.is_dir() {
        gather(path, &mut found)?;
    } else if !path.exists() && path.to_string_lossy().contains(['*', '?']) {
        matching(path, &mut found)?;
        if found.is_empty() {
            return Err(format!("{}: no file matches", path.display()));
        }
    } else {
        return Ok(None);
    }
    found.sort();
    Ok(Some(found))
}

/// Collects files by extension, without hidden ones, and without following links to directories.
fn gather(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", directory.display());
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let ending = path.extension().and_then(|ending| ending.to_str());
        if kind.is_dir() && !is_hidden {
            gather(&path, found)?;
        } else if path.is_file() && !is_hidden && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            found.push(path);
        }
        if found.len() > MOST_FILES {
            return Err(format!("{}: more than {MOST_FILES} files; name a smaller directory", directory.display()));
        }
    }
    Ok(())
}

fn matching(pattern: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let mut paths = vec![PathBuf::new()];
    for part in pattern.components() {
        let Component::Normal(name) = part else {
            paths.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let name = name.to_string_lossy();
        if !name.contains(['*', '?']) {
            paths.iter_mut().for_each(|path| path.push(&*name));
            continue;
        }
        let mut next = Vec::new();
        for path in &paths {
            let directory = if path.as_os_str().is_empty() { Path::new(".") } else { path };
            let Ok(entries) = std::fs::read_dir(directory) else { continue };
            for entry in entries.flatten() {
                let own = entry.file_name();
                let own = own.to_string_lossy();
                if matches(&name, &own) && (!own.starts_with('.') || name.starts_with('.')) {
                    next.push(path.join(&*own));
                }
            }
            if next.len() > MOST_FILES {
                return Err(format!("{}: more than {MOST_FILES} files match", pattern.display()));
            }
        }
        paths = next;
    }
    found.extend(paths.into_iter().filter(|path| path.is_file()));
    Ok(())
}

/// `*` is any text, `?` one character. One pass with one backtracking point.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, from)) => {
                    (p, n) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, fits) in [
            ("*.yaml", "a.yaml", true),
            ("*.yaml", "a.yml", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?.tf", "x.tf", true),
            ("?.tf", ".tf", false),
            ("*", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
