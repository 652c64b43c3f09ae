//! `resultant open` and `resultant key`: ways in, for the owner and for users.

use std::{io::IsTerminal as _, process::ExitCode};

use anyhow::Context as _;
use resultant_gateway::config::Auth;
use serde_json::json;

use crate::{
    args::{KeyArguments, KeyCommand, OpenArguments},
    login,
    serve::{Settings, block_on, load, start_log},
};

/// `resultant open`.
pub(crate) fn open(arguments: &OpenArguments) -> anyhow::Result<ExitCode> {
    start_log("error");
    let settings = Settings { listen: arguments.listen.clone(), data: arguments.data.clone() };
    let config = settings.apply(load(arguments.config.as_deref())?);
    if !matches!(config.auth, Auth::Local { .. }) {
        let address = match &config.public_url {
            Some(url) => url.to_string(),
            None => format!("http://{}/", config.listen),
        };
        anyhow::bail!("people sign in to this gateway themselves, at {address}");
    }
    let link = block_on(resultant_gateway::page_link(&config))?
        .context("`resultant serve` starts one; `--listen` and `--data` name another")?;
    // The link is a secret for some minutes: it goes where it was asked for and nowhere else.
    println!("{link}");
    if !arguments.no_browser && std::io::stdout().is_terminal() && !login::opens(&link) {
        eprintln!("No browser could be opened; open the link yourself.");
    }
    Ok(ExitCode::SUCCESS)
}

/// `resultant key`.
pub(crate) fn key(arguments: &KeyArguments) -> anyhow::Result<ExitCode> {
    let KeyCommand::New { user, email, json: is_json } = &arguments.command;
    let new = resultant_gateway::new_key();
    let mut entry = json!({"user": user, "sha256": new.sha256});
    if let Some(email) = email {
        entry["email"] = json!(email);
    }
    if *is_json {
        println!("{}", json!({"key": new.key, "entry": entry}));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", new.key);
    eprintln!("\nThat is the key of {user}; it is not shown again. Into the configuration, under");
    eprintln!("`resultant`, goes its digest:\n");
    eprintln!("  \"auth\": {{\"mode\": \"token\", \"keys\": [{entry}]}}");
    Ok(ExitCode::SUCCESS)
}
