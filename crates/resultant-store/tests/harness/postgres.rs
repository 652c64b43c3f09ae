//! A real PostgreSQL for tests, in a temporary folder, reached through a Unix socket.
//!
//! There is one server for all tests of a process that run at the same time, and a database for
//! each. The server ends with the last of them, and with the process however that ends. Other crates
//! include this file by its path.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak, mpsc},
    thread,
    time::{Duration, Instant},
};

/// A user that every system has and that owns nothing.
const NOBODY: u32 = 65534;
/// How long the server may take to start or to stop.
const PATIENCE: Duration = Duration::from_secs(30);

/// A database of one test's own.
pub(crate) struct TestDatabase {
    /// Its address.
    pub(crate) url: String,
    /// The server, alive as long as this.
    pub(crate) server: Arc<Server>,
}

/// A server.
pub(crate) struct Server {
    bin: PathBuf,
    folder: tempfile::TempDir,
    pid: Mutex<u32>,
    count: Mutex<u32>,
}

/// A new, empty database; `None`, with a line that says so, where there is no PostgreSQL. In CI that is a failure.
pub(crate) fn database() -> Option<TestDatabase> {
    static SERVER: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    let bin = binaries_or_skip()?;
    let mut shared = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let server = shared.upgrade().unwrap_or_else(|| Arc::new(Server::start(bin)));
    *shared = Arc::downgrade(&server);
    drop(shared);
    Some(new_database(server))
}

/// The same on a server that no other test uses, to be stopped and started.
pub(crate) fn database_alone() -> Option<TestDatabase> {
    Some(new_database(Arc::new(Server::start(binaries_or_skip()?))))
}

fn binaries_or_skip() -> Option<PathBuf> {
    let bin = binaries();
    if bin.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "CI has no PostgreSQL");
        eprintln!("skipped: no PostgreSQL on PATH, RESULTANT_TEST_POSTGRES_BIN or /usr/lib");
    }
    bin
}

fn new_database(server: Arc<Server>) -> TestDatabase {
    let name = {
        let mut count = server.count.lock().unwrap();
        *count += 1;
        format!("test{count}")
    };
    server.run("createdb", &["-U", "postgres", &name]);
    let socket = server.folder.path().display();
    let url = format!("postgres://postgres:unused@localhost/{name}?host={socket}&sslmode=disable");
    TestDatabase { url, server }
}

/// The folder of the server's programs.
fn binaries() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    folders.extend(std::env::var_os("RESULTANT_TEST_POSTGRES_BIN").map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    let programs = ["initdb", "postgres", "createdb", "pg_isready"];
    folders.into_iter().find(|bin| programs.iter().all(|program| bin.join(program).exists()))
}

/// The server refuses to run as root, so there it runs as nobody.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

impl Server {
    fn start(bin: PathBuf) -> Server {
        let folder = tempfile::Builder::new().prefix("resultant-pg-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let server = Server { bin, folder, pid: Mutex::new(0), count: Mutex::new(0) };
        let data = server.data();
        let data = data.to_str().unwrap();
        server.run("initdb", &["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]);
        server.serve();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of the server's programs, as a user who may run it, in the server's folder.
    fn command(&self, program: &str, is_bound: bool) -> Command {
        let program = self.bin.join(program);
        let mut command = Command::new("setpriv");
        if is_root() {
            let id = NOBODY.to_string();
            command.args(["--reuid", &*id, "--regid", &*id, "--clear-groups"]);
        }
        if is_bound {
            // It ends with us, even if we are killed.
            command.args(["--pdeathsig", "INT"]);
        } else if !is_root() {
            command = Command::new(&program);
        }
        if command.get_program() == "setpriv" {
            command.arg("--").arg(&program);
        }
        command.current_dir(self.folder.path()).env("PGHOST", self.folder.path());
        command.env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    /// Runs a program to its end.
    fn run(&self, program: &str, arguments: &[&str]) {
        let output = self.command(program, false).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} failed: {text}");
    }

    /// Starts the server and waits until it answers.
    pub(crate) fn serve(&self) {
        let (data, socket) = (self.data(), self.folder.path());
        let log = socket.join("log");
        let log = fs::File::options().create(true).append(true).open(log).unwrap();
        let mut command = self.command("postgres", true);
        command.arg("-D").arg(data).arg("-k").arg(socket);
        command.args(["-c", "listen_addresses=", "-c", "max_connections=200"]);
        command.stdout(log.try_clone().unwrap()).stderr(log);
        let child = spawn_from_a_lasting_thread(command);
        *self.pid.lock().unwrap() = child;
        let start = Instant::now();
        while !self.answers() {
            let log = || fs::read_to_string(socket.join("log")).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "the server does not start: {}", log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn answers(&self) -> bool {
        let mut command = self.command("pg_isready", false);
        command.args(["-q", "-U", "postgres"]).status().unwrap().success()
    }

    /// Ends the server at once, as a crash would, and waits until it is gone.
    pub(crate) fn kill(&self) {
        self.signal("-QUIT");
    }

    fn signal(&self, signal: &str) {
        let pid = std::mem::take(&mut *self.pid.lock().unwrap_or_else(PoisonError::into_inner));
        if pid == 0 {
            return;
        }
        let _ = Command::new("kill").args([signal, &pid.to_string()]).status();
        let start = Instant::now();
        while Path::new(&format!("/proc/{pid}")).exists() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("-QUIT");
    }
}

/// The signal at our death comes when the thread ends that started the child, so one stays for it.
fn spawn_from_a_lasting_thread(mut command: Command) -> u32 {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut child: Child = command.spawn().unwrap();
        sender.send(child.id()).unwrap();
        let _ = child.wait();
    });
    receiver.recv().unwrap()
}
