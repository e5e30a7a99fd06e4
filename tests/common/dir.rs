use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use model::Identity;
use server::auth::{self, NewToken};

/// A temporary directory with the test's name in its name, removed on drop.
pub struct TestDir(PathBuf);

impl TestDir {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let test = std::thread::current().name().unwrap_or("thread").replace("::", "-");
        // A socket path has at most 107 bytes.
        let test: String = test.chars().take(40).collect();
        let path = std::env::temp_dir().join(format!("kornsole-{}-{number}-{test}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for temporary files can be written to");
        Self(path)
    }

    /// Writes a file into the directory and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.join(name);
        fs::write(&file, content).expect("a temporary folder can be written to");
        file
    }

    /// Returns the names of the entries in any order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a temporary folder can be read");
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// The path of the token file that [`Self::token`] writes.
    pub fn tokens(&self) -> PathBuf {
        self.join("tokens.yaml")
    }

    /// Adds a token to the token file and returns its secret.
    pub fn token(&self, user: &str, group: &str) -> String {
        self.add_token(user, group, false)
    }

    /// Adds a read-only token and returns its secret.
    pub fn read_only_token(&self, user: &str, group: &str) -> String {
        self.add_token(user, group, true)
    }

    fn add_token(&self, user: &str, group: &str, read_only: bool) -> String {
        let new = NewToken::make(Identity::new(user, [group]), None, read_only, "").unwrap();
        auth::add(&self.tokens(), new.token).unwrap();
        new.secret
    }
}

impl AsRef<Path> for TestDir {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Deref for TestDir {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
