//! A Chromium for the browser tests: the system's.
//!
//! A browser that is downloaded for the tests would be a second one to keep safe. Where there is
//! none and we may install it, the system's package is taken.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail, ensure};

use crate::step::{self, Verdict};

/// Tells the tests where it is.
pub(crate) const VARIABLE: &str = "RESULTANT_TEST_CHROMIUM";

/// What systems call it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Finds the browser or installs it. One that cannot be had says nothing about our code.
pub(crate) fn find_or_install(found: &mut Option<PathBuf>) -> Verdict {
    match find().map_or_else(install, Ok) {
        Ok(browser) => {
            println!("  {}", browser.display());
            *found = Some(browser);
            Verdict::Passed
        }
        Err(error) => Verdict::Skipped(format!("{error:#}")),
    }
}

fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).map(PathBuf::from).filter(|path| path.exists()) {
        return Some(named);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    first_of(&folders)
}

/// The first name that any folder has: a distribution's own comes before what was added to it.
fn first_of(folders: &[PathBuf]) -> Option<PathBuf> {
    let mut candidates =
        NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.find(|program| program.is_file())
}

fn install() -> anyhow::Result<PathBuf> {
    let user = step::output(Command::new("id").arg("-u")).context("who we are")?;
    ensure!(
        user.trim() == "0" && Path::new("/usr/bin/apt-get").exists(),
        "there is no Chromium, and it can be installed only by root on Debian; install it, or name \
         the program in {VARIABLE}"
    );
    step::output(apt_get().args(["--quiet", "update"]))?;
    let package = ["install", "--yes", "--quiet", "--no-install-recommends", "chromium"];
    step::output(apt_get().args(package))?;
    let Some(browser) = find() else { bail!("the package is installed, the program is not") };
    Ok(browser)
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::first_of;

    #[test]
    fn the_usual_name_is_taken_wherever_it_lies() {
        let folder =
            std::env::temp_dir().join(format!("resultant-chromium-{}", std::process::id()));
        let folders: Vec<PathBuf> = ["a", "b"].map(|name| folder.join(name)).to_vec();
        for (path, name) in folders.iter().zip(["google-chrome", "chromium"]) {
            fs::create_dir_all(path).expect("a folder");
            assert_eq!(first_of(&folders).is_some(), name == "chromium");
            fs::write(path.join(name), "").expect("a file");
        }
        assert_eq!(first_of(&folders), Some(folders[1].join("chromium")));
        fs::remove_dir_all(&folder).expect("the folder is ours");
    }
}
