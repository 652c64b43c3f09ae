//! The secret of a local gateway: who can read it is the owner.
//!
//! It is in the data folder, made by whichever process comes first, and for the owner's eyes alone.
//! It is written whole under another name and then linked, so nobody reads half of one and nobody
//! replaces one that is in use.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    path::Path,
    time::Duration,
};

use url::Url;

use super::credential::Digest;
use crate::{config::Config, random};

const FILE: &str = "secret";
/// What is shorter was not made by us, and can be guessed.
const SECRET_CHARS_MIN: usize = 32;
/// How long a gateway on this machine may take for a link.
const LINK_TIME: Duration = Duration::from_secs(10);

pub(super) struct Secret(Digest);

impl Secret {
    /// The secret of this data folder, made when there is none.
    pub(super) fn open(data: &Path) -> io::Result<Secret> {
        Ok(Secret(Digest::of(&read_or_make(data)?)))
    }

    pub(super) fn is(&self, shown: &str) -> bool {
        self.0.is(&Digest::of(shown))
    }
}

fn read_or_make(data: &Path) -> io::Result<String> {
    let path = data.join(FILE);
    if let Some(secret) = read(&path)? {
        return Ok(secret);
    }
    let mut folder = DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(data)?;
    let new = data.join(format!(".secret-{}", random::token()));
    let written = write(&new, &random::secret()).and_then(|()| {
        fs::hard_link(&new, &path).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no links; there, two who start at once may both be first.
            _ => fs::rename(&new, &path),
        })
    });
    let _ = fs::remove_file(&new);
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        // Ours, or that of a process that was faster.
        _ => read(&path)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound)),
    }
}

fn write(path: &Path, secret: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(format!("{secret}\n").as_bytes())?;
    file.sync_all()
}

fn read(path: &Path) -> io::Result<Option<String>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let secret = text.trim();
    if secret.len() < SECRET_CHARS_MIN || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = "the file `secret` in it holds no secret; delete it, and a new one is made";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            tracing::warn!(
                "the file `secret` in the data folder could be read by others; delete it for a new one"
            );
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(Some(secret.to_owned()))
}

/// Why there is no link to the page.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The data folder has no secret: no gateway uses it.
    #[error("the data folder has no secret, so no gateway has been started with it")]
    NoSecret,
    /// The secret cannot be read.
    #[error("the secret in the data folder cannot be read: {0}")]
    Secret(#[from] io::Error),
    /// Nobody answers.
    #[error("no gateway answers at {0}")]
    Nobody(String),
    /// Whoever answers does not take our secret.
    #[error("the gateway at {0} has another data folder, or is no local one")]
    Refused(String),
}

/// Asks the gateway that runs with this configuration for a link that opens its page once.
pub async fn page_link(config: &Config) -> Result<String, LinkError> {
    let secret = read(&config.data.join(FILE))?.ok_or(LinkError::NoSecret)?;
    let base = format!("http://{}", config.listen);
    let nobody = || LinkError::Nobody(base.clone());
    let url = Url::parse(&format!("{base}/api/page-links")).map_err(|_| nobody())?;
    // The secret never goes beyond this machine, nor through a proxy, nor where a redirect leads.
    if !crate::config::auth::is_loopback(&url) {
        return Err(LinkError::Refused(base));
    }
    let client = super::oidc::client(&url).map_err(|_| nobody())?;
    let asking = client.post(url).bearer_auth(secret).timeout(LINK_TIME).send();
    let answer = asking.await.map_err(|_| nobody())?;
    let refused = || LinkError::Refused(base.clone());
    if !answer.status().is_success() {
        return Err(refused());
    }
    let body = answer.bytes().await.map_err(|_| nobody())?;
    let body: serde_json::Value = serde_json::from_slice(&body).map_err(|_| refused())?;
    body["url"].as_str().map(str::to_owned).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use std::{fs, thread};

    use super::read_or_make;

    #[test]
    fn all_who_start_at_once_have_the_same_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let starts: Vec<_> = (0..16)
            .map(|_| {
                let data = data.clone();
                thread::spawn(move || read_or_make(&data).expect("a secret"))
            })
            .collect();
        let secrets: Vec<String> =
            starts.into_iter().map(|start| start.join().expect("a thread")).collect();
        assert!(secrets.iter().all(|secret| *secret == secrets[0] && secret.len() >= 43));
        assert_eq!(read_or_make(&data).expect("the same"), secrets[0]);
        let names: Vec<_> = fs::read_dir(&data)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(names, ["secret"], "nothing else is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            assert_eq!(mode(data.join("secret")), 0o600);
            assert_eq!(mode(data.clone()), 0o700);
            fs::set_permissions(data.join("secret"), fs::Permissions::from_mode(0o644))
                .expect("ok");
            read_or_make(&data).expect("the same");
            assert_eq!(mode(data.join("secret")), 0o600);
        }
        fs::write(data.join("secret"), "short\n").expect("written");
        assert!(read_or_make(&data).is_err(), "what can be guessed is no secret");
    }
}
