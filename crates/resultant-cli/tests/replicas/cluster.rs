//! Gateways that share what they share, and the balancer before them.

use std::{net::SocketAddr, path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    PATIENCE,
    balancer::Balancer,
    mcp::Gateway,
    postgres::{self, TestDatabase},
    s3::S3,
    user::{ADA, BOB, User, digest},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// How long the store may take, in seconds, where it is to answer: as long as anything here.
const STORE_SECONDS: u64 = PATIENCE.as_secs();

/// The same for the tests in which it does not.
pub(crate) const STORE_SECONDS_SHORT: u64 = 4;

pub(crate) struct Cluster {
    gateways: Vec<Option<Gateway>>,
    config: Value,
    pub(crate) balancer: Balancer,
    folder: TempDir,
    /// What they share; nothing where there is one that has everything to itself.
    pub(crate) shared: Option<Shared>,
}

pub(crate) struct Shared {
    pub(crate) database: TestDatabase,
    pub(crate) objects: S3,
}

impl Cluster {
    /// So many gateways with PostgreSQL and S3, started at the same moment on an empty database.
    /// `None` where there is no PostgreSQL.
    pub(crate) fn shared(count: usize) -> Option<Cluster> {
        Some(Cluster::with(count, postgres::database()?, STORE_SECONDS))
    }

    /// The same, impatient, with a database server that no other test uses: to be stopped and
    /// started.
    pub(crate) fn fragile(count: usize) -> Option<Cluster> {
        Some(Cluster::with(count, postgres::database_alone()?, STORE_SECONDS_SHORT))
    }

    fn with(count: usize, database: TestDatabase, store_seconds: u64) -> Cluster {
        let objects = S3::start();
        let options: serde_json::Map<String, Value> = objects
            .options()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        let store = json!({
            "database": database.url, "files": objects.url(), "files_options": options,
        });
        Cluster::start(count, &store, store_seconds, Some(Shared { database, objects }))
    }

    /// One gateway with a database and files of its own.
    pub(crate) fn embedded() -> Cluster {
        Cluster::start(1, &json!({}), STORE_SECONDS, None)
    }

    fn start(count: usize, store: &Value, store_seconds: u64, shared: Option<Shared>) -> Cluster {
        let keys =
            [ADA, BOB].map(|(name, key)| json!({"user": name, "sha256": digest(key.as_bytes())}));
        let config = json!({
            "mcpServers": {"demo": {"command": PROGRAM, "args": ["demo-server"]}},
            "resultant": {
                "auth": {"mode": "token", "keys": keys},
                "store": store,
                // Nothing is cleared away but by the test, and then at once.
                "retention": {"sweep_minutes": 0, "grace_minutes": 0},
                "timeouts": {"store_seconds": store_seconds, "heartbeat_seconds": 1},
            },
        });
        let gateways = (0..count).map(|_| None).collect();
        let folder = TempDir::new().unwrap();
        let balancer = Balancer::start(count);
        let mut cluster = Cluster { gateways, config, balancer, folder, shared };
        let started: Vec<Gateway> = std::thread::scope(|scope| {
            let launch = |index| cluster.launch(index);
            let starting: Vec<_> =
                (0..count).map(|index| scope.spawn(move || launch(index))).collect();
            starting.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (index, gateway) in started.into_iter().enumerate() {
            cluster.put(index, gateway);
        }
        cluster
    }

    pub(crate) fn count(&self) -> usize {
        self.gateways.len()
    }

    fn home(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("gateway-{index}"))
    }

    fn launch(&self, index: usize) -> Gateway {
        let home = self.home(index);
        std::fs::create_dir_all(&home).unwrap();
        Gateway::start(PROGRAM, &self.config, &home).unwrap()
    }

    fn put(&mut self, index: usize, gateway: Gateway) {
        self.balancer.put(index, address_of(&gateway));
        self.gateways[index] = Some(gateway);
    }

    /// Starts a gateway that is down, in the folder that it had.
    pub(crate) fn restart(&mut self, index: usize) {
        let gateway = self.launch(index);
        self.put(index, gateway);
    }

    /// Ends a gateway with a signal that it cannot see.
    pub(crate) fn kill(&mut self, index: usize) {
        self.gateways[index] = None;
    }

    pub(crate) fn address(&self, index: usize) -> SocketAddr {
        address_of(self.gateways[index].as_ref().unwrap())
    }

    /// A user at one of the gateways.
    pub(crate) fn at(&self, index: usize, who: (&str, &'static str)) -> User {
        User { key: who.1, address: self.address(index) }
    }

    /// A user at the load balancer.
    pub(crate) fn user(&self, who: (&str, &'static str)) -> User {
        User { key: who.1, address: self.balancer.address }
    }

    /// Clears away what nobody names, at once and with the real command.
    pub(crate) fn sweep(&self) -> Value {
        let home = self.home(0);
        let mut command = Command::new(PROGRAM);
        command.args(["sweep", "--json", "--config"]).arg(home.join("resultant.json"));
        let output = command.arg("--data").arg(home.join("data")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "resultant sweep: {said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn address_of(gateway: &Gateway) -> SocketAddr {
    gateway.url.trim_start_matches("http://").parse().unwrap()
}
