//! What the program has inside itself: the tokenizer's tables, and the page for people.
//!
//! The two are made independently. The page changes often and the tables hardly ever, so the tables
//! are left alone where they are newer than this script.

#[path = "build/page.rs"]
mod page;
#[path = "src/tokens/place.rs"]
mod place;
#[path = "build/tokens.rs"]
mod tokens;

use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/tokens/place.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("no folder to write to")?);
    if !tokens::are_current(&folder) {
        tokens::write(&folder)?;
    }
    page::write(&folder)
}
