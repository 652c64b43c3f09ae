//! Embeds the page, the sandbox's shells and the demo's page, as far as they have been built.
//!
//! What lies in `web/dist` and `packages/browser/dist/demo` becomes a table of path, digest, bytes and, where there is a file of the
//! same name with `.br`, its Brotli form. The document that hosts show (`web/dist/hostapp`) is a text of
//! its own, since it is handed out over MCP. Without that folder the table is empty and the gateway
//! serves a small page that says how to get this one; so building needs no Node.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hasher as _},
    path::{Path, PathBuf},
};

pub(crate) fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let root = env::var_os("CARGO_MANIFEST_DIR").ok_or("no folder to read from")?;
    let root = Path::new(&root).join("../..");
    let mut files = Vec::new();
    // What is built for the first time appears in here.
    if root.join("web/dist").is_dir() {
        println!("cargo::rerun-if-changed={}", root.join("web/dist").display());
    }
    for (part, built) in [
        ("page", "web/dist/page"),
        ("sandbox", "web/dist/sandbox"),
        ("demo", "packages/browser/dist/demo"),
    ] {
        let built = root.join(built);
        // A folder that is named and not there would make this script run every time.
        if built.is_dir() {
            println!("cargo::rerun-if-changed={}", built.display());
            collect(&built.canonicalize()?, part, &mut files)?;
        }
    }
    files.sort();
    let mut table = String::from("&[\n");
    for (name, path) in &files {
        let packed = PathBuf::from(format!("{}.br", path.display()));
        let brotli = match packed.is_file() {
            true => format!("Some(include_bytes!({packed:?}))"),
            false => "None".to_owned(),
        };
        let mut hasher = DefaultHasher::new();
        hasher.write(&fs::read(path)?);
        let tag = format!("{:016x}", hasher.finish());
        writeln!(
            table,
            "    Embedded {{ path: {name:?}, tag: {tag:?}, plain: include_bytes!({path:?}), \
             brotli: {brotli} }},"
        )?;
    }
    table.push_str("]\n");
    fs::write(folder.join("page.rs"), table)?;
    let document = root.join("web/dist/hostapp/canvas.html");
    let document = match document.is_file() {
        true => {
            println!("cargo::rerun-if-changed={}", document.display());
            format!("Some(include_str!({:?}))", document.canonicalize()?)
        }
        false => "None".to_owned(),
    };
    fs::write(folder.join("host_canvas.rs"), document)?;
    Ok(())
}

/// The files below a folder, each with the name it is asked for by.
fn collect(
    folder: &Path,
    name: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn Error>> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let own = path.file_name().and_then(|own| own.to_str()).ok_or("a name that is no text")?;
        let name = format!("{name}/{own}");
        if path.is_dir() {
            collect(&path, &name, files)?;
        } else if !own.ends_with(".br") && !own.starts_with('.') {
            files.push((name, path));
        }
    }
    Ok(())
}
