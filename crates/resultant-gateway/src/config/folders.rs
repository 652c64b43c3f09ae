//! The folders that systems give to a user's programs.

use std::path::PathBuf;

use super::expand::Env;

/// The user's home folder.
pub(super) fn home(env: Env<'_>) -> Option<PathBuf> {
    absolute(env, "HOME").or_else(|| absolute(env, "USERPROFILE"))
}

/// Where programs keep their configuration.
pub(super) fn config(env: Env<'_>) -> Option<PathBuf> {
    if cfg!(windows) {
        return absolute(env, "APPDATA");
    }
    let customary =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    absolute(env, "XDG_CONFIG_HOME").or_else(|| Some(home(env)?.join(customary)))
}

/// Where programs keep their data.
pub(super) fn data(env: Env<'_>) -> Option<PathBuf> {
    if cfg!(windows) {
        return absolute(env, "LOCALAPPDATA").or_else(|| absolute(env, "APPDATA"));
    }
    let customary =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    absolute(env, "XDG_DATA_HOME").or_else(|| Some(home(env)?.join(customary)))
}

/// A relative folder would be another one wherever the program is started, so it does not count.
fn absolute(env: Env<'_>, name: &str) -> Option<PathBuf> {
    env(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
