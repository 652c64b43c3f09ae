//! What `deploy/` ships is read by the gateway as it stands, and refers to nothing that is missing.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use resultant_gateway::config::Config;
use resultant_store::Place;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// The environment that the compose file gives a gateway, with something for every secret.
fn environment(name: &str) -> Option<String> {
    let value = match name {
        "RESULTANT_KEY_SHA256" => "0123456789abcdef".repeat(4),
        "POSTGRES_PASSWORD" => "database-secret".to_owned(),
        "S3_ACCESS_KEY" => "access".to_owned(),
        "S3_SECRET_KEY" => "objects-secret".to_owned(),
        _ => return None,
    };
    Some(value)
}

#[test]
fn the_configuration_is_read_without_a_warning() {
    let loaded = Config::load(Some(&folder().join("resultant.json")), &environment).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let store = loaded.config.store;
    let database = "postgres://resultant:database-secret@postgres/resultant";
    assert_eq!(store.database.as_deref(), Some(database));
    let Some(Place::Url { url, options }) = store.place else { unreachable!("not a folder") };
    assert_eq!(url, "s3://resultant");
    let secret = ("aws_secret_access_key".to_owned(), "objects-secret".to_owned());
    assert!(options.contains(&secret), "{options:?}");
}

#[test]
fn a_secret_that_is_missing_is_named() {
    let without =
        |missing: &'static str| move |name: &str| environment(name).filter(|_| name != missing);
    for secret in ["RESULTANT_KEY_SHA256", "POSTGRES_PASSWORD", "S3_ACCESS_KEY", "S3_SECRET_KEY"] {
        let loaded = Config::load(Some(&folder().join("resultant.json")), &without(secret));
        let problems = loaded.unwrap_err().to_string();
        assert!(problems.contains(secret), "{secret}: {problems}");
    }
}

/// The names in `${NAME}`, `${NAME:-…}` and `${NAME:?…}`.
fn variables(text: &str) -> BTreeSet<String> {
    let names = text.split("${").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    names.collect()
}

#[test]
fn the_composition_gives_every_variable_and_every_file() {
    let compose = read("compose.yaml");
    let given = read("example.env");
    let given: BTreeSet<String> = given
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.to_owned())
        .collect();
    assert_eq!(variables(&compose), given, "compose.yaml and example.env");
    for name in variables(&read("resultant.json")) {
        assert!(compose.contains(&format!("    {name}: ${{{name}")), "{name} reaches no gateway");
    }

    let files = compose.lines().filter_map(|line| line.trim().strip_prefix("- ./"));
    let files: Vec<&str> = files.filter_map(|file| file.split(':').next()).collect();
    assert!(files.contains(&"resultant.json"), "{files:?}");
    for file in files {
        assert!(folder().join(file).exists(), "{file}");
    }
    let build = compose.lines().find_map(|line| line.trim().strip_prefix("dockerfile: "));
    assert!(folder().join("..").join(build.unwrap()).exists());

    // The balancer knows the gateways, and the gateways their neighbours, by the services' names.
    let services: BTreeSet<&str> = compose
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|name| !name.starts_with(' '))
        .collect();
    let gateways: Vec<String> = read("nginx.conf")
        .lines()
        .filter_map(|line| line.trim().strip_prefix("server ")?.split(':').next())
        .filter(|name| !name.contains('{'))
        .map(str::to_owned)
        .collect();
    assert_eq!(gateways.len(), 2);
    for name in gateways.iter().map(String::as_str).chain(["postgres", "objects"]) {
        assert!(services.contains(name), "{name} is not among {services:?}");
    }
}

#[test]
fn the_image_is_built_from_what_there_is() {
    let ignored = read("Containerfile.dockerignore");
    let root = folder().join("..");
    for name in ignored.lines().filter_map(|line| line.strip_prefix('!')) {
        let name = name.trim_end_matches('*').trim_end_matches('-');
        let is_there = fs::read_dir(&root)
            .unwrap()
            .any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with(name));
        assert!(is_there, "{name}");
    }
    let file = read("Containerfile");
    assert!(file.contains("USER resultant"), "it does not run as root");
    let port = ":8080\"";
    assert!(read("resultant.json").contains(port) && file.contains("EXPOSE 8080"));
}
