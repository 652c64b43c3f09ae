//! Where tokens are kept: one file per server, for its owner alone, and a lock beside it.
//!
//! A file is written whole and then moved into place, so nobody ever reads half of one. The lock is
//! a file of its own because the one with the tokens is replaced; the system lets go of it when its
//! process ends, however it ends.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    pin::Pin,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rmcp::transport::auth::{AuthError, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use url::Url;

/// A token is renewed when it has less than this left.
const STALE_BEFORE: u64 = 30;
const LOCK_TIME_MAX: Duration = Duration::from_secs(60);
const LOCK_POLL: Duration = Duration::from_millis(50);

/// The file of one server.
#[derive(Clone, Debug)]
pub(super) struct TokenFile {
    path: PathBuf,
    url: String,
}

/// What is in it.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// The server that the tokens are for; no other gets them.
    url: String,
    /// What the registration of the client gave, for renewals.
    pub(super) client_secret: Option<String>,
    pub(super) redirect_uri: String,
    pub(super) credentials: StoredCredentials,
}

/// The part of a token response that we look at.
#[derive(Deserialize)]
struct Token {
    access_token: String,
    expires_in: Option<u64>,
    refresh_token: Option<String>,
}

impl Kept {
    fn token(&self) -> Option<Token> {
        let value = serde_json::to_value(self.credentials.token_response.as_ref()?).ok()?;
        serde_json::from_value(value).ok()
    }

    pub(super) fn access_token(&self) -> Option<String> {
        self.token().map(|token| token.access_token)
    }

    pub(super) fn refreshes(&self) -> bool {
        self.token().is_some_and(|token| token.refresh_token.is_some())
    }

    /// Whether the token has expired or is about to, as far as that is known.
    pub(super) fn is_stale(&self) -> bool {
        let expires_in = self.token().and_then(|token| token.expires_in);
        let (Some(expires_in), Some(since)) = (expires_in, self.credentials.token_received_at)
        else {
            return false;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        since.saturating_add(expires_in) < now.saturating_add(STALE_BEFORE)
    }

    pub(super) fn expires_in(&self) -> Option<Duration> {
        self.token()?.expires_in.map(Duration::from_secs)
    }
}

impl TokenFile {
    pub(super) fn new(data: &Path, server: &str, url: &Url) -> TokenFile {
        let name = format!("{}.json", file_name(server));
        TokenFile { path: data.join("tokens").join(name), url: url.to_string() }
    }

    /// The tokens, when there are some for this server. A file that cannot be read is as good as
    /// none: the way out is the same, a login.
    pub(super) fn read(&self) -> Option<Kept> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "tokens cannot be read");
                return None;
            }
        };
        match serde_json::from_slice::<Kept>(&bytes) {
            Ok(kept) => (kept.url == self.url).then_some(kept),
            Err(_) => {
                // The error could quote what is in the file.
                tracing::warn!(path = %self.path.display(), "this is no file of tokens");
                None
            }
        }
    }

    fn write(&self, kept: &Kept) -> io::Result<()> {
        let folder = self.folder()?;
        let bytes = serde_json::to_vec_pretty(kept)?;
        let temporary = folder.join(format!(".new-{}", crate::random::token()));
        let written = private()
            .create_new(true)
            .open(&temporary)
            .and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&temporary, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// True when there was something.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits until no other process renews these tokens. The lock goes with the file.
    pub(super) async fn lock(&self) -> io::Result<File> {
        self.folder()?;
        let file = private().create(true).truncate(false).open(self.path.with_extension("lock"))?;
        let deadline = tokio::time::Instant::now() + LOCK_TIME_MAX;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if tokio::time::Instant::now() > deadline => {
                    return Err(io::Error::from(io::ErrorKind::TimedOut));
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_POLL).await,
            }
        }
    }

    fn folder(&self) -> io::Result<&Path> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        // It may have been there before, with other rights.
        #[cfg(unix)]
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        Ok(folder)
    }
}

/// Opens files that only their owner reads and writes.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A name that is one path segment everywhere, and another one for every server.
fn file_name(server: &str) -> String {
    let mut name = String::with_capacity(server.len());
    for byte in server.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            // Also capitals: there are file systems that do not tell them apart.
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

/// Writes what rmcp hands it into the file. Whoever uses it holds the lock.
pub(super) struct Keeper {
    file: TokenFile,
    client_secret: Option<String>,
    redirect_uri: String,
}

impl Keeper {
    pub(super) fn new(
        file: &TokenFile,
        client_secret: Option<String>,
        redirect_uri: String,
    ) -> Keeper {
        Keeper { file: file.clone(), client_secret, redirect_uri }
    }

    pub(super) fn of(file: &TokenFile, kept: &Kept) -> Keeper {
        Keeper::new(file, kept.client_secret.clone(), kept.redirect_uri.clone())
    }
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

fn failed(error: &io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

impl CredentialStore for Keeper {
    fn load<'a, 'b>(&'a self) -> Answer<'b, Option<StoredCredentials>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { Ok(self.file.read().map(|kept| kept.credentials)) })
    }

    fn save<'a, 'b>(&'a self, credentials: StoredCredentials) -> Answer<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        let kept = Kept {
            url: self.file.url.clone(),
            client_secret: self.client_secret.clone(),
            redirect_uri: self.redirect_uri.clone(),
            credentials,
        };
        Box::pin(async move { self.file.write(&kept).map_err(|error| failed(&error)) })
    }

    fn clear<'a, 'b>(&'a self) -> Answer<'b, ()>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { self.file.remove().map(|_| ()).map_err(|error| failed(&error)) })
    }

    /// A refresh token that was turned down for good is not tried again.
    fn on_refresh_token_rejected<'a, 'b, 'c>(&'a self, _: &'b StoredCredentials) -> Answer<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        self.clear()
    }
}
