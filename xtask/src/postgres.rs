//! A PostgreSQL for the tests: its programs, not a running server.
//!
//! The tests start servers of their own in temporary folders. Only where no programs are found and
//! we may install some is the system's package taken, without the server that comes with it: nobody
//! asked for a database that runs.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail, ensure};

use crate::step::{self, Steps, Verdict};

/// Tells the tests where the programs are. A test that finds none skips with a line that says so,
/// and fails when `CI` is set.
const VARIABLE: &str = "RESULTANT_TEST_POSTGRES_BIN";

/// What a test starts.
const PROGRAMS: [&str; 4] = ["initdb", "postgres", "createdb", "pg_isready"];

/// Where Debian puts each version, in a folder of its number, because its programs are not on PATH.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Says whether Debian's package makes and starts a server when it is installed.
const DEBIAN_CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";

/// Finds the programs or installs them, as a step, and tells the command where they are.
pub(crate) fn step(steps: &mut Steps, tests: &mut Command) {
    tests.env_remove(VARIABLE);
    steps.run("PostgreSQL", || {
        let bin = match find() {
            Some(bin) => bin,
            None => match install() {
                Ok(bin) => bin,
                Err(error) => return Ok(Verdict::Skipped(format!("{error:#}"))),
            },
        };
        println!("  in {}", bin.display());
        tests.env(VARIABLE, bin);
        Ok(Verdict::Passed)
    });
}

fn find() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let entries = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let versions = newest_first(entries.map(|entry| entry.path()).collect());
    let mut folders = named.into_iter().chain(env::split_paths(&path)).chain(versions);
    folders.find(|bin| PROGRAMS.iter().all(|program| bin.join(program).exists()))
}

/// The programs' folders of these versions.
fn newest_first(mut versions: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let number = |folder: &Path| -> u32 {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.parse().unwrap_or_default()
    };
    versions.sort_by_key(|folder| std::cmp::Reverse(number(folder)));
    versions.into_iter().map(|folder| folder.join("bin"))
}

fn install() -> anyhow::Result<PathBuf> {
    let user = step::output(Command::new("id").arg("-u")).context("who we are")?;
    ensure!(
        user.trim() == "0" && Path::new("/usr/bin/apt-get").exists(),
        "there is no PostgreSQL, and it can be installed only by root on Debian; install it, or \
         name the folder of its programs in {VARIABLE}"
    );
    if !Path::new(DEBIAN_CLUSTERS).exists() {
        fs::create_dir_all("/etc/postgresql-common").context(DEBIAN_CLUSTERS)?;
        fs::write(DEBIAN_CLUSTERS, "create_main_cluster = false\n").context(DEBIAN_CLUSTERS)?;
    }
    step::output(apt_get().args(["--quiet", "update"]))?;
    let package = ["install", "--yes", "--quiet", "--no-install-recommends", "postgresql"];
    step::output(apt_get().args(package))?;
    let Some(bin) = find() else { bail!("the package is installed, its programs are not") };
    Ok(bin)
}

/// Asks nothing, and leaves the file that keeps the server from starting as it is.
fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").env("UCF_FORCE_CONFFOLD", "1");
    command
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::newest_first;

    #[test]
    fn versions_are_numbers() {
        let versions = ["pg/9", "pg/17", "pg/common", "pg/15"].map(PathBuf::from).to_vec();
        let folders: Vec<PathBuf> = newest_first(versions).collect();
        let expected = ["pg/17/bin", "pg/15/bin", "pg/9/bin", "pg/common/bin"];
        assert_eq!(folders, expected.map(PathBuf::from));
    }
}
