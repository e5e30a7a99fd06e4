//! Bearer tokens that identify a user with groups (`rest.md` E1).
//!
//! Invariants:
//! - a token is written only once, to its creator; the file stores its hash;
//! - the duration of a lookup does not depend on the result: all hashes are compared, each in constant time;
//! - a file is changed under its own lock, so that no change is lost;
//! - a file that others may read is rejected; a file with errors leaves the tokens unchanged.

mod change;
mod mark;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

pub use self::change::{add, revoke};
pub use self::mark::TokenMark;
use crate::private_file;
use config::yaml;
use config::{Faults, Severity, Source, store};
use model::Identity;
use wire::dto::time::{parse_rfc3339, rfc3339};

const TOKEN_BYTES: usize = 32;
/// Leaked tokens can be recognized.
const PREFIX: &str = "kso_";
const KEYS: [&str; 7] = ["id", "sha256", "user", "groups", "expires", "readOnly", "note"];

/// A token's data, without comparison, which would not take constant time.
#[derive(Clone, Debug)]
pub struct Token {
    /// A short name, for revocation.
    pub id: String,
    hash: [u8; 32],
    /// The user with groups.
    pub identity: Identity,
    /// Expiry in ns since 1970.
    pub expires: Option<i64>,
    /// Whether it allows no changes.
    pub read_only: bool,
    /// The purpose, for people.
    pub note: String,
}

/// A new token, which is shown once.
pub struct NewToken {
    /// The secret token itself.
    pub secret: String,
    /// The data for the file.
    pub token: Token,
}

impl NewToken {
    /// Creates a token from the system's random generator.
    ///
    /// # Errors
    /// The system provides no random bytes.
    pub fn make(identity: Identity, expires: Option<i64>, read_only: bool, note: &str) -> Result<Self, String> {
        let mut bytes = [0; TOKEN_BYTES];
        let why = |error: getrandom::Error| format!("cannot get random numbers from the system: {error}");
        getrandom::getrandom(&mut bytes).map_err(why)?;
        let secret = format!("{PREFIX}{}", hex(&bytes));
        let hash = hash(&secret);
        let id = format!("t-{}", hex(&hash[..4]));
        Ok(Self { secret, token: Token { id, hash, identity, expires, read_only, note: note.to_owned() } })
    }
}

/// The tokens of a file, which is read again after a change.
pub struct Tokens {
    file: PathBuf,
    state: Mutex<State>,
}

struct State {
    seen: Option<Seen>,
    tokens: Arc<[Token]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    changed: SystemTime,
    length: u64,
    inode: u64,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Tokens {
    /// Reads a file of tokens.
    ///
    /// # Errors
    /// Unreadable file, a file that others may read, or its error with the location.
    pub fn open(file: &Path) -> Result<Self, String> {
        let (seen, tokens) = read_file(file)?;
        let state = State { seen: Some(seen), tokens: tokens.into() };
        Ok(Self { file: file.to_path_buf(), state: Mutex::new(state) })
    }

    /// Like [`Self::open`] for a file that may not exist yet.
    ///
    /// # Errors
    /// As [`Self::open`], except for a missing file.
    pub fn awaited(file: &Path) -> Result<Self, String> {
        match fs::metadata(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                tracing::warn!(
                    "{}: file not found; explanations and changes are rejected until it exists",
                    file.display()
                );
                let state = State { seen: None, tokens: Arc::default() };
                Ok(Self { file: file.to_path_buf(), state: Mutex::new(state) })
            }
            _ => Self::open(file),
        }
    }

    /// Finds a presented token that is valid at `now`, in ns since 1970.
    pub fn find(&self, presented: &str, now: i64) -> Option<Token> {
        self.of_hash(hash(presented), now)
    }

    fn of_hash(&self, hash: [u8; 32], now: i64) -> Option<Token> {
        let tokens = self.current();
        let mut found: Option<&Token> = None;
        for token in tokens.iter() {
            if bool::from(token.hash.ct_eq(&hash)) {
                found = Some(token);
            }
        }
        found.filter(|token| !token.is_over(now)).cloned()
    }

    /// Reads the file again.
    ///
    /// # Errors
    /// The tokens are unchanged.
    pub fn reload(&self) -> Result<(), String> {
        let (seen, tokens) = read_file(&self.file)?;
        *self.state() = State { seen: Some(seen), tokens: tokens.into() };
        Ok(())
    }

    fn current(&self) -> Arc<[Token]> {
        let now = fs::metadata(&self.file).ok().map(|metadata| seen(&metadata));
        let mut state = self.state();
        if now != state.seen {
            // An error is reported once and not for every request.
            state.seen = now;
            match read_file(&self.file) {
                Ok((seen, tokens)) => *state = State { seen: Some(seen), tokens: tokens.into() },
                Err(why) => tracing::error!("the tokens are unchanged: {why}"),
            }
        }
        Arc::clone(&state.tokens)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tokens of a file; empty if it does not exist.
///
/// # Errors
/// As [`Tokens::open`].
pub fn list(file: &Path) -> Result<Vec<Token>, String> {
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        _ => read_file(file).map(|(_, tokens)| tokens),
    }
}

fn write(file: &Path, tokens: &[Token]) -> Result<(), String> {
    let mut text = "# Who may use the REST API. Tokens are stored as hashes only.\ntokens:\n".to_owned();
    if tokens.is_empty() {
        text = text.replace("tokens:\n", "tokens: []\n");
    }
    for Token { id, hash, identity, expires, read_only, note } in tokens {
        let groups: Vec<String> = identity.groups.iter().map(|group| quoted(group)).collect();
        text += &format!("  - id: {}\n    sha256: {}\n", quoted(id), hex(hash));
        text += &format!("    user: {}\n    groups: [{}]\n", quoted(&identity.user), groups.join(", "));
        if let Some(expires) = expires {
            text += &format!("    expires: {}\n", quoted(&rfc3339(*expires)));
        }
        if *read_only {
            text += "    readOnly: true\n";
        }
        if !note.is_empty() {
            text += &format!("    note: {}\n", quoted(note));
        }
    }
    store::store_private(file, text.as_bytes()).map_err(|error| error.to_string())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn read_file(file: &Path) -> Result<(Seen, Vec<Token>), String> {
    let message = |error: io::Error| format!("cannot read {}: {error}", file.display());
    let metadata = fs::metadata(file).map_err(message)?;
    private_file::check(file, &metadata)?;
    let bytes = fs::read(file).map_err(message)?;
    let mut faults = Faults::default();
    let tokens = yaml::decode(&bytes, &mut faults).and_then(|text| parse(text, &mut faults)).unwrap_or_default();
    let faults: Vec<_> = faults.into_sorted().into_iter().filter(|fault| fault.severity == Severity::Error).collect();
    if faults.is_empty() {
        return Ok((seen(&metadata), tokens));
    }
    let text = String::from_utf8_lossy(&bytes);
    Err(Source::new(&file.to_string_lossy(), &text).render_all(&faults))
}

fn seen(metadata: &fs::Metadata) -> Seen {
    use std::os::unix::fs::MetadataExt;
    Seen { changed: metadata.modified().unwrap_or(UNIX_EPOCH), length: metadata.len(), inode: metadata.ino() }
}

fn parse(text: &str, faults: &mut Faults) -> Option<Vec<Token>> {
    let document = yaml::parse(text, faults)?;
    let Some(root) = document.root() else { return Some(Vec::new()) };
    let list = root.map("", &["tokens"], "", faults)?.list("tokens", "", faults).unwrap_or_default();
    let mut tokens: Vec<Token> = Vec::new();
    for (index, node) in list.into_iter().enumerate() {
        let path = format!("tokens[{index}]");
        let Some(fields) = node.map("tokens", &KEYS, &path, faults) else { continue };
        let text = |key, faults: &mut Faults| fields.text(key, &path, faults).good().map(|placed| placed.value);
        let sha256 = text("sha256", faults).unwrap_or_default();
        let Some(hash) = unhex(&sha256) else {
            faults.error("TOK-001", node.at(), &path, "`sha256` must be 64 hexadecimal digits", "");
            continue;
        };
        let Some(user) = text("user", faults).filter(|user| !user.is_empty()) else {
            faults.error("TOK-002", node.at(), &path, "a token belongs to a user", "write `user: NAME`");
            continue;
        };
        let groups = fields.list("groups", &path, faults).unwrap_or_default();
        let groups = groups.into_iter().filter_map(|group| group.text("groups", &path, faults).good());
        let mut groups: Vec<String> = groups.map(|placed| placed.value).collect();
        if groups.is_empty() {
            groups.push(user.clone());
        }
        let expires = text("expires", faults).map(|text| (parse_rfc3339(&text), text));
        if let Some((None, text)) = &expires {
            let hint = "write 2026-12-31T00:00:00Z";
            faults.error("TOK-003", node.at(), &path, format!("{text:?} is not a date and time"), hint);
        }
        tokens.push(Token {
            id: text("id", faults).unwrap_or_else(|| format!("t-{}", hex(&hash[..4]))),
            hash,
            identity: Identity { user, groups },
            expires: expires.and_then(|(expires, _)| expires),
            read_only: fields.bool("readOnly", &path, faults).good().is_some_and(|placed| placed.value),
            note: text("note", faults).unwrap_or_default(),
        });
    }
    Some(tokens)
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dir(PathBuf);

    impl Dir {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("kornsole-tokens-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self) -> PathBuf {
            self.0.join("tokens.yaml")
        }
    }

    impl Drop for Dir {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn sue() -> Identity {
        Identity::new("sue", ["dev", "o\"ps"])
    }

    #[test]
    fn a_token_is_found_by_its_secret_and_is_stored_nowhere() {
        let dir = Dir::new("found");
        let new = NewToken::make(sue(), Some(1_000), true, "for the \"pipeline\": x").unwrap();
        assert_eq!(new.secret.len(), PREFIX.len() + 2 * TOKEN_BYTES);
        add(&dir.file(), new.token.clone()).unwrap();
        let text = fs::read_to_string(dir.file()).unwrap();
        assert!(!text.contains(&new.secret) && !text.contains(&new.secret[PREFIX.len()..]));
        let tokens = Tokens::open(&dir.file()).unwrap();
        assert_eq!(format!("{:?}", tokens.find(&new.secret, 999).unwrap()), format!("{:?}", new.token));
        assert!(tokens.find(&new.secret, 1_000).is_none(), "it is over");
        for wrong in ["", "kso_", &new.secret[1..], &new.secret.to_uppercase()] {
            assert!(tokens.find(wrong, 0).is_none());
        }
    }

    #[test]
    fn a_change_of_the_file_is_seen_and_a_faulty_one_changes_nothing() {
        let dir = Dir::new("change");
        let (one, two) =
            (NewToken::make(sue(), None, false, "").unwrap(), NewToken::make(sue(), None, false, "").unwrap());
        add(&dir.file(), one.token.clone()).unwrap();
        let tokens = Tokens::open(&dir.file()).unwrap();
        add(&dir.file(), two.token.clone()).unwrap();
        assert!(tokens.find(&two.secret, 0).is_some() && tokens.find(&one.secret, 0).is_some());
        assert_eq!(revoke(&dir.file(), &one.token.id).unwrap().id, one.token.id);
        assert!(tokens.find(&one.secret, 0).is_none());
        fs::write(dir.file(), "tokens: [{sha256: short, user: eve}]").unwrap();
        assert!(tokens.find(&two.secret, 0).is_some());
        assert!(tokens.reload().unwrap_err().contains("TOK-001"));
        assert!(revoke(&dir.file(), "t-none").is_err());
    }

    #[test]
    fn a_file_that_may_appear_later_is_read_when_it_exists() {
        let dir = Dir::new("later");
        let new = NewToken::make(sue(), None, false, "").unwrap();
        assert!(Tokens::open(&dir.file()).is_err());
        let tokens = Tokens::awaited(&dir.file()).unwrap();
        assert!(tokens.find(&new.secret, 0).is_none());
        add(&dir.file(), new.token.clone()).unwrap();
        assert!(tokens.find(&new.secret, 0).is_some());
        fs::remove_file(dir.file()).unwrap();
        assert!(tokens.find(&new.secret, 0).is_some(), "a file that goes takes nothing away");
        fs::write(dir.file(), "tokens: [{sha256: short, user: eve}]").unwrap();
        fs::set_permissions(dir.file(), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        assert!(Tokens::awaited(&dir.file()).is_err(), "a faulty file is a fault");
    }

    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let dir = Dir::new("mode");
        add(&dir.file(), NewToken::make(sue(), None, false, "").unwrap().token).unwrap();
        assert_eq!(fs::metadata(dir.file()).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(dir.file(), fs::Permissions::from_mode(0o640)).unwrap();
        let refused = Tokens::open(&dir.file()).unwrap_err();
        assert!(refused.contains("mode 640") && refused.contains("chmod 600"), "{refused}");
    }

    #[test]
    fn what_is_wrong_in_a_file_has_its_place() {
        let message = |text: &str| {
            let mut faults = Faults::default();
            parse(text, &mut faults);
            faults.into_sorted().into_iter().map(|fault| fault.to_string()).collect::<Vec<_>>().join("\n")
        };
        let hash = "0".repeat(64);
        assert!(message(&format!("tokens:\n- sha256: '{hash}'\n")).contains("2:3: error[TOK-002]"));
        assert!(message(&format!("tokens:\n- {{sha256: '{hash}', user: a, expires: soon}}\n")).contains("TOK-003"));
        assert!(message(&format!("tokens:\n- {{sha256: '{hash}', user: a, grup: [x]}}\n")).contains("grup"));
        assert_eq!(message(&format!("tokens:\n- {{sha256: '{hash}', user: a}}\n")), "");
    }
}
