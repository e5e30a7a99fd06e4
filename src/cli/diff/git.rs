//! The files of a commit through `git`, which does not change the repository.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::cli::inputs::ENDINGS;
use config::yaml::LARGEST;

const MOST_FILES: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commits {
    /// The names as written: `main..HEAD`.
    pub written: String,
    base: String,
    head: String,
}

impl Commits {
    /// Parses `BASE`, `BASE..HEAD`, or `BASE...HEAD` for the merge base.
    ///
    /// # Errors
    /// Unknown commit, or `git` cannot run.
    pub fn read(text: &str) -> Result<Self, String> {
        let or_head = |head: &str| if head.is_empty() { "HEAD".to_owned() } else { head.to_owned() };
        let (base, head) = match (text.split_once("..."), text.split_once("..")) {
            (Some((base, head)), _) => {
                let (base, head) = (commit(&or_head(base))?, commit(&or_head(head))?);
                let found = git(&["merge-base", &base, &head]).map_err(|why| format!("{text}: {why}"))?;
                (found.trim().to_owned(), head)
            }
            (None, Some((base, head))) => (commit(&or_head(base))?, commit(&or_head(head))?),
            (None, None) => (commit(text)?, commit("HEAD")?),
        };
        let written = if text.contains("..") { text.to_owned() } else { format!("{text}..HEAD") };
        Ok(Self { written, base, head })
    }

    /// Extracts the possible configuration files of both commits into directories.
    pub fn extract(&self, paths: &[PathBuf]) -> Result<[Extracted; 2], String> {
        Ok([Extracted::of(&self.base, paths)?, Extracted::of(&self.head, paths)?])
    }
}

fn commit(name: &str) -> Result<String, String> {
    let of = format!("{name}^{{commit}}");
    let found =
        git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &of]).map_err(|why| match why.as_str() {
            "" => {
                format!("commit {name:?} not found; fetch it first, for example `git fetch --depth 100 origin {name}`")
            }
            why if why.starts_with("cannot run git") => why.to_owned(),
            why => format!("cannot compare commits: {why}"),
        })?;
    Ok(found.trim().to_owned())
}

fn git(arguments: &[&str]) -> Result<String, String> {
    let output = program().args(arguments).stdin(Stdio::null()).output().map_err(unavailable)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let reported = String::from_utf8_lossy(&output.stderr);
    Err(reported.trim().trim_start_matches("fatal: ").to_owned())
}

fn program() -> Command {
    let mut git = Command::new("git");
    git.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
    git
}

fn unavailable(why: std::io::Error) -> String {
    format!("cannot run git: {why}; install git")
}

/// The files of a commit in a directory, which is removed on drop.
pub(super) struct Extracted {
    dir: PathBuf,
    /// The files, relative to the repository.
    pub files: Vec<PathBuf>,
}

impl Drop for Extracted {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Extracted {
    fn of(commit: &str, paths: &[PathBuf]) -> Result<Self, String> {
        let listed = listed(commit, paths)?;
        let mut extracted = Self { dir: fresh_dir()?, files: Vec::new() };
        extracted.write(&listed)?;
        Ok(extracted)
    }

    /// The directory of the files, valid until the value is dropped.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn write(&mut self, listed: &[(String, PathBuf)]) -> Result<(), String> {
        let mut child = program()
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(unavailable)?;
        let ids: String = listed.iter().map(|(id, _)| format!("{id}\n")).collect();
        let writer = child.stdin.take().map(|mut stdin| {
            // git does not read names while it writes files.
            std::thread::spawn(move || stdin.write_all(ids.as_bytes()))
        });
        let mut from = std::io::BufReader::new(child.stdout.take().ok_or("git has no output")?);
        let written = listed.iter().try_for_each(|(_, path)| self.write_one(&mut from, path));
        drop(from);
        let _ = writer.map(std::thread::JoinHandle::join);
        let _ = child.wait();
        written
    }

    /// Reads `ID blob SIZE`, the bytes, and a newline.
    fn write_one(&mut self, from: &mut impl std::io::BufRead, path: &Path) -> Result<(), String> {
        let wrong = |why: &dyn std::fmt::Display| format!("cannot read {} with git: {why}", path.display());
        let mut head = String::new();
        from.read_line(&mut head).map_err(|why| wrong(&why))?;
        let size = head.trim().rsplit_once(' ').and_then(|(_, size)| size.parse::<usize>().ok());
        let size = size.ok_or_else(|| wrong(&"unexpected response"))?;
        let mut bytes = vec![0; size + 1];
        from.read_exact(&mut bytes).map_err(|why| wrong(&why))?;
        bytes.pop();
        let file = self.dir.join(path);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, bytes));
        made.map_err(|why| format!("cannot write {}: {why}", file.display()))?;
        self.files.push(path.to_owned());
        Ok(())
    }
}

/// Empty `paths` means the whole repository.
fn listed(commit: &str, paths: &[PathBuf]) -> Result<Vec<(String, PathBuf)>, String> {
    let mut list = program();
    list.args(["ls-tree", "-r", "-z", "-l", if paths.is_empty() { "--full-tree" } else { "--full-name" }, commit]);
    if !paths.is_empty() {
        list.arg("--").args(paths);
    }
    let output = list.stdin(Stdio::null()).output().map_err(unavailable)?;
    if !output.status.success() {
        return Err(format!("cannot list the files of a commit: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: Vec<(String, PathBuf)> = text.split('\0').filter_map(|line| one_of(line, paths)).collect();
    if found.len() > MOST_FILES {
        return Err(format!("more than {MOST_FILES} files in the commit; name the paths of the configuration"));
    }
    Ok(found)
}

/// Parses `MODE TYPE ID SIZE<TAB>PATH` of a file that is to be read.
fn one_of(line: &str, paths: &[PathBuf]) -> Option<(String, PathBuf)> {
    let (facts, path) = line.split_once('\t')?;
    let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
    let [mode, "blob", id, size] = facts.as_slice() else { return None };
    let path = PathBuf::from(path);
    // A link could lead out of the directory.
    let is_plain = mode.starts_with("100") && path.components().all(|part| matches!(part, Component::Normal(_)));
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_named = paths.iter().any(|named| path.ends_with(named));
    let is_read = is_named || ending.is_some_and(|ending| ENDINGS.contains(&ending));
    let fits = size.parse::<usize>().is_ok_and(|size| size <= LARGEST);
    (is_plain && is_read && fits).then(|| ((*id).to_owned(), path))
}

/// Creates an empty directory with mode 0700.
fn fresh_dir() -> Result<PathBuf, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("kornsole-diff-{}-{number}", std::process::id()));
    let made = DirBuilder::new().mode(0o700).create(&dir);
    made.map_err(|why| format!("cannot create {}: {why}", dir.display()))?;
    Ok(dir)
}
