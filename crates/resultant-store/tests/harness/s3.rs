//! A real S3 server for tests: the example `s3_server` as a process, with a bucket of its own and
//! faults that can be switched on.
//!
//! Other crates include this file by its path.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

/// The bucket that is there.
pub(crate) const BUCKET: &str = "resultant";

const ACCESS_KEY: &str = "test-access-key";
const SECRET_KEY: &str = "test-secret-key";

/// A server, killed when dropped; it ends with us, even if we are killed.
pub(crate) struct S3 {
    child: Child,
    folder: tempfile::TempDir,
    /// Its address, without a slash at the end.
    pub(crate) endpoint: String,
}

impl S3 {
    /// Starts a server with one empty bucket and waits until it listens.
    pub(crate) fn start() -> S3 {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(program());
        command.arg("--root").arg(folder.path().join("objects"));
        command.arg("--faults").arg(folder.path().join("faults.json"));
        command.args(["--bucket", BUCKET, "--access-key", ACCESS_KEY, "--secret-key", SECRET_KEY]);
        command.arg("--attached").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let endpoint = line.trim().to_owned();
        assert!(endpoint.starts_with("http://"), "the S3 server does not start: {line}");
        S3 { child, folder, endpoint }
    }

    /// The address of the bucket, as a store is configured with it.
    pub(crate) fn url(&self) -> String {
        format!("s3://{BUCKET}")
    }

    /// The options that go with the address.
    pub(crate) fn options(&self) -> [(&'static str, String); 5] {
        [
            ("aws_endpoint", self.endpoint.clone()),
            ("aws_allow_http", "true".to_owned()),
            ("aws_access_key_id", ACCESS_KEY.to_owned()),
            ("aws_secret_access_key", SECRET_KEY.to_owned()),
            ("aws_region", "us-east-1".to_owned()),
        ]
    }

    /// Makes something wrong with it, in the words of the server's own documentation, or right again
    /// with an empty text. It holds for every request from now on.
    pub(crate) fn fault(&self, json: &str) {
        let new = self.folder.path().join("faults.new");
        fs::write(&new, json).unwrap();
        // Renamed, so that no half of it is read.
        fs::rename(new, self.folder.path().join("faults.json")).unwrap();
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server's program. `cargo xtask test` has built it with the other examples; whoever runs a
/// single test has it built now.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let program =
            profile.join("examples/s3_server").with_extension(std::env::consts::EXE_EXTENSION);
        if !program.exists() {
            let mut cargo =
                Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(["build", "--package", "resultant-store", "--example", "s3_server"]);
            cargo.arg("--target-dir").arg(profile.parent().unwrap());
            assert!(cargo.status().unwrap().success(), "the S3 server does not compile");
        }
        program
    })
}
